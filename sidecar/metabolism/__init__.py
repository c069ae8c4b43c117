"""Metabolism: what is not used expires. It proposes; only a person buries."""
