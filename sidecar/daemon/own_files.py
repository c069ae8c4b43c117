"""The sidecar's own files in a vault, put back when somebody deleted them while the vault is served."""

from __future__ import annotations

import json

from sidecar import PROTOCOL_VERSION
from sidecar.config import KB_FOLDER
from sidecar.errors import SidecarError
from sidecar.vault.files import VaultFiles

GITIGNORE = "cache/\n"


def bring_back(files: VaultFiles, vault_id: str) -> bool:
    """Write what is missing of ``.kb``, under the same id; tell whether anything was. Settings and journals that are gone stay gone."""
    folder = files.root / KB_FOLDER
    if (folder / "protocol.json").is_file() and (folder / ".gitignore").is_file():
        return False
    body = json.dumps({"version": PROTOCOL_VERSION, "vault_id": vault_id}, indent=1) + "\n"
    try:
        written = files.write_own("protocol.json", body.encode("ascii")) if not (folder / "protocol.json").is_file() else False
        if not (folder / ".gitignore").is_file():
            written = files.write_own(".gitignore", GITIGNORE.encode("ascii")) or written
        (folder / "cache").mkdir(exist_ok=True)
        (folder / "journal").mkdir(exist_ok=True)
    except (SidecarError, OSError):  # a vault that is going away, or may not be written: the next look tells
        return False
    return written
