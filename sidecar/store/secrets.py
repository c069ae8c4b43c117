"""Secrets of this machine's user: in the system's keyring, or in a file that only its owner can read; never in a vault.

A keyring cannot list what it holds, so the names (never the values) stand in a file beside.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
from pathlib import Path
from typing import Any, Literal

from sidecar.errors import SecretInvalid, StoreError

Place = Literal["keyring", "file"]

COOKIE = "cookie:"
"""Beginning of the name of a site's cookie; the domain follows."""
_SERVICE = "vault-sidecar"
_NAME = re.compile(r"[a-z0-9][a-z0-9._:/-]{0,199}")


class Secrets:
    """Keeps secrets by name.

    Args:
        folder: Where the file lies, outside every vault.
        place: ``file`` to leave the keyring alone; by default the keyring if there is one.
    """

    def __init__(self, folder: Path, place: Place | None = None) -> None:
        self._folder = folder
        self._place = place or ("file" if os.environ.get("KB_SECRETS") == "file" else None)
        self._keyring: Any = None

    @property
    def place(self) -> Place:
        """Where a new secret would go."""
        return "file" if self._backend() is None else "keyring"

    def names(self) -> list[str]:
        """List the names of all secrets, sorted."""
        return sorted(self._read())

    def places(self) -> dict[str, Place]:
        """Tell where each secret lies, by name, without asking the keyring."""
        return {name: "keyring" if value is None else "file" for name, value in sorted(self._read().items())}

    def find(self, name: str) -> str | None:
        """Give a secret; ``None`` if there is none of that name. Asks the keyring only for what is known to be in it."""
        known = self._read()
        if name not in known:
            return None
        if known[name] is not None:
            return known[name]
        backend = self._backend()
        with contextlib.suppress(Exception):  # keyrings of all kinds raise errors of all kinds; then it is as if there were none
            return str(found) if backend and (found := backend.get_password(_SERVICE, name)) is not None else None
        return None

    def put(self, name: str, value: str) -> Place:
        """Keep a secret; give where it went.

        Raises:
            SecretInvalid: The name or the value cannot be one.
            StoreError: The file cannot be written.
        """
        if not _NAME.fullmatch(name):
            raise SecretInvalid(
                f"{name[:60]!r} cannot name a secret.", fix="Use small letters, digits and . _ : / -, like cookie:example.com."
            )
        if not value or any(char in value for char in "\r\n\0"):
            raise SecretInvalid("The secret is empty or has several lines.", fix="Give it on one line.")
        backend = self._backend()
        known = self._read()
        known[name] = value
        if backend is not None:
            with contextlib.suppress(Exception):  # a keyring that is locked or broken: the file takes it
                backend.set_password(_SERVICE, name, value)
                known[name] = None
        self._write(known)
        return "file" if known[name] is not None else "keyring"

    def remove(self, name: str) -> bool:
        """Forget a secret; tell whether there was one."""
        known = self._read()
        if name not in known:
            return False
        if known.pop(name) is None and (backend := self._backend()) is not None:
            with contextlib.suppress(Exception):  # it is forgotten here in any case
                backend.delete_password(_SERVICE, name)
        self._write(known)
        return True

    def cookie_of(self, host: str) -> str:
        """Give the cookie that the owner set for a host or for a domain above it; empty if there is none."""
        known = self._read()
        labels = host.lower().rstrip(".").split(".")
        for n in range(len(labels) - 1):  # never for a whole top-level domain
            name = COOKIE + ".".join(labels[n:])
            if name in known:
                return self.find(name) or ""
        return ""

    def _backend(self) -> Any:
        if self._place == "file":
            return None
        if self._keyring is None:
            import keyring  # takes a tenth of a second

            with contextlib.suppress(Exception):  # see find()
                self._keyring = keyring.get_keyring()
            if self._keyring is None or getattr(self._keyring, "priority", 0) <= 0:
                self._place = "file"
                return None
        return self._keyring

    @property
    def _path(self) -> Path:
        return self._folder / "secrets.json"

    def _read(self) -> dict[str, str | None]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(name): value if isinstance(value, str) else None for name, value in found.items()} if isinstance(found, dict) else {}

    def _write(self, known: dict[str, str | None]) -> None:
        temporary = self._path.with_name(f".secrets-{secrets.token_hex(6)}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(known, file, ensure_ascii=False, sort_keys=True)
            temporary.replace(self._path)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise StoreError(f"{self._path} cannot be written: {error.strerror}.", fix="Check permissions and free space.") from error
