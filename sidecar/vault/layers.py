"""What a note's folder says about it."""

from __future__ import annotations

from typing import Literal

from sidecar.config import Folders
from sidecar.vault.note import Link, LinkKind, Note, NotePath, basename_of, in_folder

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
    return (
        note.properties.get("kb_generated") is True
        or note.properties.get("origin") == "brief"
        or (layer_of(note.path, folders) == "sources" and basename_of(note.path).startswith("brief-"))
    )


def edge_role(link: Link, note: Note, folders: Folders) -> LinkKind:
    """Give the kind of edge that a link of ``note`` is among ours; ``link.kind`` stays what Obsidian counts it as.

    Any link of a wholly generated note is a ``citation``. Under ``sources`` and ``supersedes`` a property link has that role.
    """
    return "citation" if is_generated(note, folders) else link.role


def is_edge(link: Link, note: Note, folders: Folders) -> bool:
    """Whether a link is an edge: bare names under ``sources`` are links in wiki and core pages only, elsewhere mere text."""
    return link.kind != "sources" or layer_of(note.path, folders) in ("wiki", "core")
