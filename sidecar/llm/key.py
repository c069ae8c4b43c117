"""The key of an embedding endpoint: from the environment or the system's keyring, never from a file of the vault."""

from __future__ import annotations

import os
from collections.abc import Callable

SERVICE = "vault-sidecar"
VARIABLE = "KB_EMBEDDING_KEY"


def find_key(host: str, kept: Callable[[str], str | None] = lambda name: None) -> str:
    """Find the key for a host, or give none: the variable's, else the secret ``embedding:HOST``. May wait: not for the loop.

    Args:
        kept: Gives a secret that the owner set with ``kb secrets``, which on a machine without a keyring lies in a file.
    """
    if VARIABLE in os.environ:
        return os.environ[VARIABLE].strip()
    if found := kept(f"embedding:{host}"):
        return found.strip()
    import keyring  # looks through the system's services, which takes its time
    import keyring.errors

    try:
        return keyring.get_password(SERVICE, f"embedding:{host}") or ""
    except (keyring.errors.KeyringError, RuntimeError, OSError):  # a machine without a keyring
        return ""
