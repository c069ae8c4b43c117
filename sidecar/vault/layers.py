"""What a note's folder says about it."""

from __future__ import annotations

from typing import Literal

from sidecar.config import Folders
from sidecar.vault.note import Note, NotePath, basename_of, in_folder

Layer = Literal["core", "wiki", "sources", "inbox", "graveyard", ""]


def layer_of(path: NotePath, folders: Folders) -> Layer:
    """Give the layer of a note; empty for notes outside the configured folders, which are ordinary notes."""
    layers: tuple[tuple[Layer, str], ...] = (
        ("core", folders.core),
        ("wiki", folders.wiki),
        ("sources", folders.sources),
        ("inbox", folders.inbox),
        ("graveyard", folders.graveyard),
    )
    return next((layer for layer, folder in layers if in_folder(path, folder)), "")


def is_generated(note: Note, folders: Folders) -> bool:
    """Whether the whole note is the sidecar's own writing (briefs, roll-ups): its links make nothing important."""
    return note.properties.get("kb_generated") is True or (
        layer_of(note.path, folders) == "sources" and basename_of(note.path).startswith("brief-")
    )
