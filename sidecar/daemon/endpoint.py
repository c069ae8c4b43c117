"""The endpoint file: how plugin, command line and agents find the running sidecar of a vault.

It holds the token, so it lies outside every vault (vaults are synced), readable by its owner only. Nothing here is heavy:
client commands read it on every call.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from sidecar.errors import StoreError

_APP = "vault-sidecar"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a sidecar listens. ``pid`` is its process."""

    url: str
    token: str
    vault_id: str
    vault_path: str
    pid: int
    version: str
    protocol: int


def state_folder(vault_id: str) -> Path:
    """Give the folder for what belongs to a vault on this machine only; the plugin finds the same by the same rule."""
    return user_folder() / vault_id


def user_folder() -> Path:
    """Give the folder for what belongs to this machine's user, whatever the vault, by each system's custom."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or home / ".local" / "state")
    return base / _APP


def prepare_state_folder(vault_id: str) -> Path:
    """Make the folder, for its owner only.

    Raises:
        StoreError: It cannot be made, or is a link or belongs to someone else, so that it cannot be trusted with a token.
    """
    folder = state_folder(vault_id)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made: {error.strerror}.", fix="Check permissions, or set XDG_STATE_HOME.") from error
    if os.name != "nt":
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            raise StoreError(f"{folder} is a link or belongs to another user.", fix="Remove it and start again.")
        folder.chmod(0o700)
    return folder


def write_endpoint(endpoint: Endpoint) -> Path:
    """Write the endpoint file whole, with mode 0600 from its first byte on."""
    path = prepare_state_folder(endpoint.vault_id) / "endpoint.json"
    temporary = path.with_name(f".endpoint-{secrets.token_hex(6)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(asdict(endpoint), file)
    temporary.replace(path)
    return path


def find_endpoint(vault_id: str) -> Endpoint | None:
    """Read the endpoint file; ``None`` if there is none, or its process is gone."""
    try:
        found = json.loads((state_folder(vault_id) / "endpoint.json").read_text(encoding="utf-8"))
        endpoint = Endpoint(**found)
    except (OSError, ValueError, TypeError):
        return None
    is_ours = endpoint.vault_id == vault_id and isinstance(endpoint.pid, int) and 0 < endpoint.pid < 2**31
    return endpoint if is_ours and _is_alive(endpoint.pid) else None


def remove_endpoint(vault_id: str, pid: int) -> None:
    """Remove the endpoint file if it is still that of process ``pid``."""
    found = find_endpoint(vault_id)
    if found is not None and found.pid == pid:
        with contextlib.suppress(OSError):
            (state_folder(vault_id) / "endpoint.json").unlink()


def _is_alive(pid: int) -> bool:
    if os.name == "nt":
        return True  # signal 0 would end the process there; the handshake tells
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
