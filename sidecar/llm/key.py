"""The key of an endpoint: from the environment, the secrets that the owner set, or the system's keyring; never from the vault."""

from __future__ import annotations

import os
from collections.abc import Callable

SERVICE = "vault-sidecar"
VARIABLE = "KB_EMBEDDING_KEY"
JUDGE_VARIABLE = "KB_JUDGE_KEY"


def find_key(host: str, use: str = "embedding", variable: str = VARIABLE, *, kept: Callable[[str], str | None] = lambda name: None) -> str:
    """Find the key for a host, or give none: the variable's, else the secret ``USE:HOST``. May wait: not for the loop.

    Args:
        kept: Gives a secret that the owner set with ``kb secrets``, which on a machine without a keyring lies in a file.
    """
    if variable in os.environ:
        return os.environ[variable].strip()
    if found := kept(f"{use}:{host}"):
        return found.strip()
    import keyring  # looks through the system's services, which takes its time
    import keyring.errors

    try:
        return keyring.get_password(SERVICE, f"{use}:{host}") or ""
    except (keyring.errors.KeyringError, RuntimeError, OSError):  # a machine without a keyring
        return ""
