"""Subscriptions: what is followed, where it is fetched from, and what comes out of it."""
