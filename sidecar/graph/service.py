"""The graph of the open vault: kept current, asked by API, CLI and panes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sidecar.config import Folders
from sidecar.errors import VaultError
from sidecar.graph.build import Edge, VaultGraph
from sidecar.graph.context import Context, context_at
from sidecar.graph.mentions import find_mentions, mention_names
from sidecar.graph.metrics import Hub, Related, count_tags, list_orphans, rank_hubs, rank_related
from sidecar.vault.changes import IndexDelta
from sidecar.vault.files import VaultFiles
from sidecar.vault.frontmatter import body_offset
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.layers import is_generated, layer_of
from sidecar.vault.note import Heading, Note, NotePath, basename_of

FindTexts = Callable[[list[str]], Iterable[NotePath]]
"""Lists the notes whose text may hold one of the names."""

GRAPH_VERSION = 1
_MAX_MENTIONING_NOTES = 50


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link to the asked note, with its line. ``generated`` ones (of the MOC, of briefs) are shown folded."""

    source: NotePath
    title: str
    kind: str
    raw: str
    context: Context
    generated: bool


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where the note is named but not linked. ``start`` and ``end`` count code points of the source's text."""

    source: NotePath
    title: str
    name: str
    start: int
    end: int
    context: Context


class GraphService:
    """Answers about links.

    Args:
        find_texts: Narrows down where to look for unlinked mentions.
    """

    def __init__(self, index: VaultIndex, files: VaultFiles, folders: Callable[[], Folders], find_texts: FindTexts) -> None:
        self._index = index
        self._files = files
        self._folders = folders
        self._find_texts = find_texts
        self.graph = VaultGraph()

    def rebuild(self) -> None:
        """Build the graph from scratch."""
        self.graph = VaultGraph()
        self.graph.add_files(sorted(self._index.files))
        for path in sorted(self._index.notes):
            self.graph.put_links(self._index.notes[path], self._index.resolve)

    def apply(self, delta: IndexDelta) -> None:
        """Take in what changed; afterwards the graph equals a rebuilt one."""
        for path in delta.removed:
            self.graph.remove_file(path)
        self.graph.add_files(delta.added)
        for path in delta.parsed | delta.relinked:
            note = self._index.notes.get(path)
            if note is not None:
                self.graph.put_links(note, self._index.resolve)

    def counts(self, edge: Edge) -> bool:
        """Whether a link is an owner's own: not generated, not from a buried note."""
        source = self._index.notes.get(edge.source)
        return (
            not edge.link.generated
            and source is not None
            and layer_of(edge.source, self._folders()) != "graveyard"
            and not is_generated(source, self._folders())
        )

    def living_notes(self) -> dict[NotePath, Note]:
        """Give the notes that are not buried."""
        notes = self._index.notes
        return {path: note for path, note in notes.items() if layer_of(path, self._folders()) != "graveyard"}

    def hubs(self) -> list[Hub]:
        return rank_hubs(self.graph, self.living_notes(), self.counts)

    def orphans(self) -> list[NotePath]:
        return list_orphans(self.graph, self.living_notes(), self.counts)

    def tags(self) -> list[tuple[str, int]]:
        return count_tags(self.living_notes().values())

    def forward(self, path: NotePath) -> list[Edge]:
        return self.graph.links_of(path)

    def backlinks(self, path: NotePath) -> list[Backlink]:
        """List the links to a note by source and place; not those of the note itself nor of buried notes."""
        found: list[Backlink] = []
        texts: dict[NotePath, str] = {}
        for edge in self.graph.links_to(path):
            source = self._index.notes.get(edge.source)
            if source is None or edge.source == path or layer_of(edge.source, self._folders()) == "graveyard":
                continue
            if edge.source not in texts:
                texts[edge.source] = self._text(edge.source)
            generated = edge.link.generated or is_generated(source, self._folders())
            context = _link_context(edge, source, texts[edge.source])
            found.append(Backlink(edge.source, source.title, edge.link.kind, edge.link.raw, context, generated))
        return found

    def mentions(self, path: NotePath, limit: int = 100) -> list[Mention]:
        """List where other notes name this one without linking to it, by source and place."""
        note = self._index.notes.get(path)
        names = mention_names(note, basename_of(path)) if note else []
        found: list[Mention] = []
        looked_at = 0
        living = self.living_notes()
        for source in sorted(self._find_texts(names)) if names else ():
            other = living.get(source)
            if other is None or source == path or is_generated(other, self._folders()) or looked_at >= _MAX_MENTIONING_NOTES:
                continue
            text = self._text(source)
            spans = find_mentions(names, text, body_offset(text))
            looked_at += bool(spans)
            for span in spans:
                line = text.count("\n", 0, span.start) + 1
                context = context_at(text, span.start, span.end, line, _heading_above(other.headings, line))
                found.append(Mention(source, other.title, span.name, span.start, span.end, context))
                if len(found) >= limit:
                    return found
        return found

    def related(self, path: NotePath, limit: int = 8) -> list[Related]:
        return rank_related(path, self.graph, self.living_notes(), self.counts, limit)

    def unresolved(self) -> dict[str, list[NotePath]]:
        return self.graph.unresolved()

    def as_json(self) -> dict[str, Any]:
        """Give the whole graph in the shape of ``kb graph --json``."""
        notes = self._index.notes
        nodes = [
            {"path": path, "kind": kind, "title": notes[path].title if path in notes else basename_of(path)}
            for path, kind in self.graph.nodes()
        ]
        return {"version": GRAPH_VERSION, "nodes": nodes, "edges": [edge_json(edge) for edge in self.graph.edges()]}

    def write_file(self) -> bool:
        """Write ``.kb/index.json`` (graph, hubs, orphans, tags) if its bytes changed; tell whether they did."""
        whole = self.as_json()
        whole["hubs"] = [{"path": hub.path, "in_links": hub.in_links, "score": hub.score} for hub in self.hubs()]
        whole["orphans"] = self.orphans()
        whole["tags"] = [{"tag": tag, "count": count} for tag, count in self.tags()]
        data = json.dumps(whole, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return self._files.write_own("index.json", data.encode("utf-8", "replace"))

    def _text(self, path: NotePath) -> str:
        try:
            return self._files.read(path).text
        except VaultError:  # gone or unreadable since it was indexed; the link itself is still known
            return ""


def edge_json(edge: Edge) -> dict[str, Any]:
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": edge.link.kind,
        "raw": edge.link.raw,
        "subpath": edge.link.subpath,
        "display": edge.link.display,
        "resolved": edge.resolved,
    }


def _link_context(edge: Edge, source: Note, text: str) -> Context:
    link = edge.link
    end = link.start + len(link.raw)
    if link.start >= 0 and text[link.start : end] == link.raw:
        return context_at(text, link.start, end, link.line, _heading_above(source.headings, link.line))
    prefix = f"{link.key.split('.')[0]}: " if link.key else ""
    return Context(prefix + link.raw, ((len(prefix), len(prefix) + len(link.raw)),), link.line)


def _heading_above(headings: tuple[Heading, ...], line: int) -> str:
    return next((heading.text for heading in reversed(headings) if heading.line < line), "")
