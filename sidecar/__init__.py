"""Vault Sidecar: a local process that keeps an Obsidian vault linked, mapped and searchable."""

__version__ = "0.1.0"
PROTOCOL_VERSION = 1
"""Version of everything that others read: ``.kb/`` files, the HTTP API and the endpoint file."""
