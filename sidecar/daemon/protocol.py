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


def read_vault_id(files: VaultFiles) -> str:
    """Give the vault's id.

    Raises:
        VaultNotInitialised: The vault has none yet.
        ProtocolError: It was made by a newer version, or the file is damaged.
    """
    path = files.root / KB_FOLDER / "protocol.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        version, vault_id = int(found["version"]), str(found["vault_id"])
    except FileNotFoundError as error:
        raise VaultNotInitialised(f"{files.root} is not set up yet.", fix=f"Type: kb init {files.root}") from error
    except OSError as error:
        raise VaultUnreadable(f"{KB_FOLDER}/protocol.json cannot be read: {error.strerror}.", fix="Check its permissions.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ProtocolError(f"{KB_FOLDER}/protocol.json is damaged.", fix="Delete it and type: kb init") from error
    if version > PROTOCOL_VERSION:
        raise ProtocolError(
            f"This vault speaks protocol {version}, this sidecar {PROTOCOL_VERSION}.", fix="Upgrade: pipx upgrade vault-sidecar"
        )
    if not _VAULT_ID.match(vault_id):
        raise ProtocolError(f"{KB_FOLDER}/protocol.json is damaged.", fix="Delete it and type: kb init")
    return vault_id


def make_vault_id(files: VaultFiles) -> str:
    """Write a new ``protocol.json`` and give the id in it."""
    vault_id = str(uuid.uuid4())
    body = json.dumps({"version": PROTOCOL_VERSION, "vault_id": vault_id}, indent=1) + "\n"
    files.write_own("protocol.json", body.encode("ascii"))
    return vault_id
