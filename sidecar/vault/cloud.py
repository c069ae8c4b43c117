"""Files that a cloud's program lists in the vault but keeps elsewhere: they exist, and reading them would fetch them (pure)."""

from __future__ import annotations

from sidecar.errors import VaultUnreadable
from sidecar.vault.note import NotePath

_DATALESS = 0x40000000
"""macOS: ``SF_DATALESS``; reading would fetch the file."""
_RECALLED = 0x400000 | 0x1000
"""Windows: ``FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS`` and ``FILE_ATTRIBUTE_OFFLINE``."""


def cloud_name(name: str) -> str:
    """Give the file that a name stands for: iCloud keeps ``.Note.md.icloud`` in place of a file that is not on this machine."""
    return name[1:-7] if name.startswith(".") and name.endswith(".icloud") and len(name) > 8 else name


def placeholder_name(name: str) -> str:
    return f".{name}.icloud"


def is_elsewhere(flags: int, attributes: int) -> bool:
    """Whether a file's flags (macOS) or attributes (Windows) say that its content is not on this machine."""
    return bool(flags & _DATALESS or attributes & _RECALLED)


def only_in_cloud(path: NotePath) -> VaultUnreadable:
    return VaultUnreadable(
        f"{path} is in the cloud and not on this machine; it stays as it was last known.",
        fix="Let the cloud's program keep the vault on this machine.",
        path=path,
    )
