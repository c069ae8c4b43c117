"""``.kb/protocol.json``: which vault this is and which version of our files it holds."""

from __future__ import annotations

import json
import re
import uuid

from sidecar import PROTOCOL_VERSION
from sidecar.config import KB_FOLDER
from sidecar.errors import ProtocolError, VaultNotInitialised, VaultUnreadable
from sidecar.vault.files import VaultFiles

_VAULT_ID = re.compile(r"[0-9a-f-]{8,64}$")


def find_version(files: VaultFiles) -> int:
    """Give the version of the vault's own files; 0 for a vault that has none yet.

    Raises:
        ProtocolError: It was made by a newer version, or the file is damaged.
    """
    try:
        return _read(files)[0]
    except VaultNotInitialised:
        return 0


def read_vault_id(files: VaultFiles) -> str:
    """Give the vault's id.

    Raises:
        VaultNotInitialised: The vault has none yet.
        ProtocolError: It was made by another version, or the file is damaged.
    """
    version, vault_id = _read(files)
    if version < PROTOCOL_VERSION:
        raise ProtocolError(
            f"This vault speaks protocol {version}, this sidecar {PROTOCOL_VERSION}.", fix=f"Bring it up: kb init {files.root}"
        )
    return vault_id


def _read(files: VaultFiles) -> tuple[int, str]:
    path = files.root / KB_FOLDER / "protocol.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        version, vault_id = int(found["version"]), str(found["vault_id"])
    except FileNotFoundError as error:
        raise VaultNotInitialised(f"{files.root} is not set up yet.", fix=f"Type: kb init {files.root}") from error
    except OSError as error:
        raise VaultUnreadable(f"{KB_FOLDER}/protocol.json cannot be read: {error.strerror}.", fix="Check its permissions.") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ProtocolError(f"{KB_FOLDER}/protocol.json is damaged.", fix="Delete it and type: kb init") from error
    if version > PROTOCOL_VERSION:
        raise ProtocolError(
            f"This vault was set up by a newer Vault Sidecar: it speaks protocol {version}, this one {PROTOCOL_VERSION}.",
            fix="Upgrade this one: pipx upgrade vault-sidecar, or uv tool upgrade vault-sidecar",
        )
    if version < 0 or not _VAULT_ID.match(vault_id):
        raise ProtocolError(f"{KB_FOLDER}/protocol.json is damaged.", fix="Delete it and type: kb init")
    return version, vault_id


def make_vault_id(files: VaultFiles) -> str:
    """Write ``protocol.json`` for the present version and give the id in it: the vault's own, if it has one."""
    try:
        vault_id = _read(files)[1]
    except VaultNotInitialised:
        vault_id = str(uuid.uuid4())
    body = json.dumps({"version": PROTOCOL_VERSION, "vault_id": vault_id}, indent=1) + "\n"
    files.write_own("protocol.json", body.encode("ascii"))
    return vault_id
