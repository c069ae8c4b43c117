"""The key of an embedding endpoint: from the environment or the system's keyring, never from a file of the vault."""

from __future__ import annotations

import os

SERVICE = "vault-sidecar"
VARIABLE = "KB_EMBEDDING_KEY"
JUDGE_VARIABLE = "KB_JUDGE_KEY"


def find_key(host: str, use: str = "embedding", variable: str = VARIABLE) -> str:
    """Find the key for a host, or give none. The keyring's entry is ``vault-sidecar`` / ``USE:HOST``. May wait: not for the loop."""
    if variable in os.environ:
        return os.environ[variable].strip()
    import keyring  # looks through the system's services, which takes its time
    import keyring.errors

    try:
        return keyring.get_password(SERVICE, f"{use}:{host}") or ""
    except (keyring.errors.KeyringError, RuntimeError, OSError):  # a machine without a keyring
        return ""
