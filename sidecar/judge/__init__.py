"""Judgement: what is asked of a judge, and how a verdict is read. Without a judge everything else still works."""
