"""The daily brief: what is worth reading today, as a note and as data."""
