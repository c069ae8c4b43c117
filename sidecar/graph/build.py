"""The vault as a graph: files and unwritten notes as nodes, each occurrence of a link as an edge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from sidecar.vault.note import Link, LinkKind, NodeKind, Note, NotePath, is_canvas_path, is_note_path

Unresolved = tuple[str]
"""Node of a link target that no file answers to: the link path as written, in a tuple so that it never equals a path."""
Node = NotePath | Unresolved
Resolve = Callable[[str, NotePath], NotePath | None]
KindOf = Callable[[Note, Link], LinkKind | None]
"""Gives the kind of edge that a link is; ``None`` if it is mere text."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One occurrence of a link. ``target`` is a path if ``resolved``, else the link path as written.

    ``kind`` says what it means here, ``link.kind`` how it is written and so what Obsidian counts it as.
    """

    source: NotePath
    target: str
    resolved: bool
    link: Link
    kind: LinkKind


class VaultGraph:
    """A ``networkx.MultiDiGraph`` of the vault; edges are keyed by the link's place in its note."""

    def __init__(self) -> None:
        self._graph: nx.MultiDiGraph[Node] = nx.MultiDiGraph()

    def add_files(self, paths: Iterable[NotePath]) -> None:
        self._graph.add_nodes_from(paths)

    def remove_file(self, path: NotePath) -> None:
        """Take a file and its links out. Links to it must be put again by :meth:`put_links` of their notes."""
        if path in self._graph:
            self._clear_links(path)
            self._graph.remove_node(path)

    def put_links(self, note: Note, resolve: Resolve, kind_of: KindOf = lambda note, link: link.kind) -> None:
        """Replace the edges that start at ``note``. A bare name under ``supersedes`` that no file has is no wish for a note."""
        self._clear_links(note.path)
        self._graph.add_node(note.path)
        for n, link in enumerate(note.links):
            kind = kind_of(note, link)
            target = resolve(link.path, note.path) if kind else None
            if kind and (target is not None or link.kind != "supersedes"):
                self._graph.add_edge(note.path, target if target is not None else (link.path,), key=n, link=link, kind=kind)

    def _clear_links(self, path: NotePath) -> None:
        if path not in self._graph:
            return
        targets = list(self._graph.successors(path))
        self._graph.remove_edges_from(list(self._graph.out_edges(path, keys=True)))
        # An unwritten note is a node only as long as someone links to it.
        self._graph.remove_nodes_from([t for t in targets if isinstance(t, tuple) and not self._graph.in_degree(t)])

    def __contains__(self, path: NotePath) -> bool:
        return path in self._graph

    def nodes(self) -> list[tuple[str, NodeKind]]:
        """List path and kind of every node, files first, each sorted by path."""
        files = sorted(n for n in self._graph if isinstance(n, str))
        unwritten = sorted(n[0] for n in self._graph if isinstance(n, tuple))
        return [*((path, node_kind(path)) for path in files), *((name, "unresolved") for name in unwritten)]

    def links_of(self, source: NotePath) -> list[Edge]:
        """List the links that start at a note, in the order of its text."""
        if source not in self._graph:
            return []
        found = [(key, target, data) for _, target, key, data in self._graph.out_edges(source, keys=True, data=True)]
        return [_edge(source, target, data) for _, target, data in sorted(found, key=lambda item: item[0])]

    def links_to(self, target: NotePath) -> list[Edge]:
        """List the links that lead to a file, by source and place."""
        if target not in self._graph:
            return []
        found = [(str(source), key, data) for source, _, key, data in self._graph.in_edges(target, keys=True, data=True)]
        return [_edge(source, target, data) for source, _, data in sorted(found, key=lambda item: item[:2])]

    def wanted_by(self, name: str) -> set[NotePath]:
        """Give the notes that link to the unwritten note of that name."""
        return {str(source) for source in self._graph.predecessors((name,))} if (name,) in self._graph else set()

    def unresolved(self) -> dict[str, list[NotePath]]:
        """Map each unwritten note's name to the notes that link to it, both sorted."""
        names = sorted(n[0] for n in self._graph if isinstance(n, tuple))
        return {name: sorted(str(source) for source in self._graph.predecessors((name,))) for name in names}


def node_kind(path: NotePath) -> NodeKind:
    return "note" if is_note_path(path) else "canvas" if is_canvas_path(path) else "attachment"


def _edge(source: NotePath, target: Node, data: Mapping[str, Any]) -> Edge:
    return Edge(source, target if isinstance(target, str) else target[0], isinstance(target, str), data["link"], data["kind"])
