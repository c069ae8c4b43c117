"""Items: what subscriptions yielded, how far each got, and the runs that fetched them."""
