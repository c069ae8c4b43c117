"""Which links count, and for what: the table "What counts where" of the vault's specification (pure)."""

from __future__ import annotations

from typing import Literal

from sidecar.config import Folders
from sidecar.graph.build import Edge
from sidecar.vault.layers import edge_role, is_edge, is_generated, layer_of
from sidecar.vault.note import Link, LinkKind, Note, in_folder

Standing = Literal["own", "output", "generated", "buried"]
"""Whose a note's links are: the owner's, those of a folder of outputs, the sidecar's, or nobody's any more."""

RELATING = frozenset({"tag", "same-url", "supersedes"})
"""Kinds that only relate: no back-link, no hub, no orphan saved."""


def standing_of(note: Note, folders: Folders) -> Standing:
    """Give the standing of a note's links. A folder of outputs goes first: what is linked from there is always in use."""
    if any(in_folder(note.path, folder) for folder in folders.outputs):
        return "output"
    if layer_of(note.path, folders) == "graveyard":
        return "buried"
    return "generated" if is_generated(note, folders) else "own"


def kind_of(link: Link, note: Note, folders: Folders) -> LinkKind | None:
    """Give the kind of edge that a link makes, ``None`` if it makes none. ``sources`` of other than wiki and core pages say nothing."""
    if not is_edge(link, note, folders):
        return None
    role = edge_role(link, note, folders)
    return link.kind if role == "sources" and layer_of(note.path, folders) not in ("wiki", "core") else role


def link_counts(edge: Edge, standing: Standing) -> bool:
    """Whether a link counts for hubs and orphans, and keeps its target off the docket."""
    return standing in ("own", "output") and not is_folded(edge, standing) and edge.kind not in RELATING


def is_backlink(edge: Edge, standing: Standing) -> bool:
    """Whether a link is shown among the back-links of its target."""
    return standing != "buried" and edge.source != edge.target and edge.kind not in RELATING


def is_folded(edge: Edge, standing: Standing) -> bool:
    """Whether a back-link is the sidecar's own and so shown folded."""
    return edge.link.generated or standing == "generated"
