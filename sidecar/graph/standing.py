"""Which links count, and for what: the table "What counts where" of the vault's specification (pure)."""

from __future__ import annotations

from typing import Literal

from sidecar.config import Folders
from sidecar.graph.build import Edge
from sidecar.vault.layers import is_generated, layer_of
from sidecar.vault.note import Link, Note, in_folder

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


def link_counts(link: Link, standing: Standing) -> bool:
    """Whether a link counts for hubs and orphans, and keeps its target off the docket."""
    return standing in ("own", "output") and not is_folded(link, standing) and link.kind not in RELATING


def is_backlink(edge: Edge, standing: Standing) -> bool:
    """Whether a link is shown among the back-links of its target."""
    return standing != "buried" and edge.source != edge.target and edge.link.kind not in RELATING


def is_folded(link: Link, standing: Standing) -> bool:
    """Whether a back-link is the sidecar's own and so shown folded."""
    return link.generated or standing == "generated" or link.kind == "citation"
