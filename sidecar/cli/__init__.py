"""The command line ``kb``: parse, call one operation, print."""
