"""The graph of the open vault: kept current, asked by API, CLI and panes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sidecar.config import Folders
from sidecar.errors import VaultError
from sidecar.graph.build import Edge, VaultGraph, node_kind
from sidecar.graph.context import Context, context_at, heading_above
from sidecar.graph.encode import encode_graph
from sidecar.graph.mentions import NameMatcher, Span, mask, mention_names
from sidecar.graph.metrics import Hub, Likeness, Related, rank_related
from sidecar.graph.names import VaultNames
from sidecar.graph.relations import Marks, Relations
from sidecar.graph.standing import Standing, is_backlink, is_folded, kind_of, link_counts, standing_of
from sidecar.graph.tally import Share, Tally, share_of
from sidecar.graph.texts import KeptText, NoteTexts
from sidecar.graph.walks import Surroundings, around, components, shortest_path
from sidecar.vault.changes import IndexDelta
from sidecar.vault.files import VaultFiles
from sidecar.vault.frontmatter import body_offset
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.layers import layer_of
from sidecar.vault.note import Note, NotePath, basename_of

FindTexts = Callable[[list[str]], Iterable[NotePath]]
"""Lists the notes whose text may hold one of the names."""
FindAlike = Callable[[NotePath, int], list[Likeness]]
"""Lists notes of like text, at most so many. Raises ``VaultError`` if the note cannot be read."""

GRAPH_VERSION = 1
GRAPH_FILE = "index.json"
_MAX_MENTIONING_NOTES = 50
_ALIKE = 30


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


@dataclass(frozen=True, slots=True)
class Evidence:
    """A link that keeps a note off the docket. From a folder of outputs it holds ``always``, else while ``source`` lives."""

    source: NotePath
    kind: str
    always: bool


class GraphService:
    """Answers about links.

    Args:
        find_texts: Narrows down where to look for unlinked mentions.
        find_alike: Finds notes of like text; by default none is like another.
    """

    def __init__(
        self,
        index: VaultIndex,
        files: VaultFiles,
        folders: Callable[[], Folders],
        find_texts: FindTexts,
        find_alike: FindAlike = lambda path, limit: [],
    ) -> None:
        self._index = index
        self._files = files
        self._folders = folders
        self._find_texts = find_texts
        self._find_alike = find_alike
        self._texts = NoteTexts(self._read)
        self.graph = VaultGraph()
        self.relations = Relations()
        self._names = VaultNames()
        self._tally = Tally()
        self._counted_for = folders()
        self.revision = 0
        """Raised by each change, so that a long piece of work can tell that the graph moved on."""

    def rebuild(self) -> None:
        """Build the graph from scratch."""
        self.revision += 1
        self.graph, self.relations = VaultGraph(), Relations()
        self._texts.clear()
        self.graph.add_files(sorted(self._index.files))
        self._tally, self._names = Tally(), VaultNames()
        self._counted_for = self._folders()
        for path in sorted(self._index.notes):
            note = self._index.notes[path]
            self._put_links(note)
            self.relations.put(path, _marks(note))
        self._tally.fill({path: self._share(self._index.notes[path]) for path in sorted(self._index.notes)})
        for note in self._index.notes.values():
            self._name(note)

    def apply(self, delta: IndexDelta) -> None:
        """Take in what changed; afterwards the graph equals a rebuilt one."""
        self.revision += 1
        for path in delta.removed | delta.parsed:
            self._texts.forget(path)
        for path in delta.removed:
            self.graph.remove_file(path)
            self.relations.remove(path)
            self._names.remove(path)
            self._tally.remove(path)
        self.graph.add_files(delta.added)
        for path in delta.parsed | delta.relinked:
            note = self._index.notes.get(path)
            if note is not None:
                self._put_links(note)
                self._tally.put(path, self._share(note))
                self._name(note)
        for path in delta.parsed & self._index.notes.keys():
            self.relations.put(path, _marks(self._index.notes[path]))

    def _put_links(self, note: Note) -> None:
        self.graph.put_links(note, self._index.resolve, lambda of, link: kind_of(link, of, self._counted_for))

    def _share(self, note: Note) -> Share:
        standing = standing_of(note, self._counted_for)
        targets: set[NotePath] = set()
        links_out = False
        for edge in self.graph.links_of(note.path):
            if link_counts(edge, standing) and not (edge.resolved and edge.target == note.path):
                links_out = True
                if edge.resolved:
                    targets.add(edge.target)
        layer = layer_of(note.path, self._counted_for)
        return share_of(note if layer != "graveyard" else None, layer, targets, links_out=links_out)

    def _name(self, note: Note) -> None:
        standing = standing_of(note, self._counted_for)
        if standing in ("own", "output") and layer_of(note.path, self._counted_for) != "graveyard":
            self._names.put(note)
        else:
            self._names.remove(note.path)

    @property
    def tally(self) -> Tally:
        """The running figures; built anew, as the graph is, only when the folders' names were changed in the settings."""
        self._follow_settings()
        return self._tally

    def _follow_settings(self) -> None:
        folders = self._folders()
        if folders is not self._counted_for and folders != self._counted_for:
            self.rebuild()

    def _standing(self, note: Note) -> Standing:
        return standing_of(note, self._folders())

    def counts(self, edge: Edge) -> bool:
        """Whether a link is an owner's own: not generated, not from a buried note, no mere relation."""
        source = self._index.notes.get(edge.source)
        return source is not None and link_counts(edge, self._standing(source))

    def evidence(self, path: NotePath) -> list[Evidence]:
        """List the links that keep a note off the docket, by source and place.

        That a linking note lives means here that it is not buried; who wants more looks at each ``source``.
        """
        self._follow_settings()
        edges = (edge for edge in self.graph.links_to(path) if edge.source != path and self.counts(edge))
        return [Evidence(e.source, e.kind, self._standing(self._index.notes[e.source]) == "output") for e in edges]

    def keeps_alive(self, path: NotePath) -> bool:
        """Whether a link keeps the note off the docket."""
        return bool(self.tally.linking_to(path))

    def living_notes(self) -> Mapping[NotePath, Note]:
        """Give the notes that are not buried: a view that follows the vault."""
        return self.tally.living

    def hubs(self, limit: int | None = None) -> list[Hub]:
        return self.tally.hubs(limit)

    def orphans(self, limit: int | None = None) -> list[NotePath]:
        """List the notes with no link in or out but their own, sorted. Links to unwritten notes are links out."""
        return self.tally.orphans(limit)

    def dead_ends(self) -> list[NotePath]:
        return self.tally.dead_ends()

    def tags(self) -> list[tuple[str, int]]:
        return self.tally.tags()

    def forward(self, path: NotePath) -> list[Edge]:
        self._follow_settings()
        return self.graph.links_of(path)

    def backlinks(self, path: NotePath, limit: int | None = None, offset: int = 0) -> list[Backlink]:
        """List the links to a note by source and place; not those of the note itself nor of buried notes.

        Only the notes of the asked part are read.
        """
        part = self._back_edges(path)[offset : None if limit is None else offset + limit]
        found: list[Backlink] = []
        for edge, source, standing in part:
            context = _link_context(edge, source, self._texts.get(edge.source).text if edge.link.start >= 0 else "")
            found.append(Backlink(edge.source, source.title, edge.kind, edge.link.raw, context, is_folded(edge, standing)))
        return found

    def count_backlinks(self, path: NotePath) -> int:
        """Count what :meth:`backlinks` lists in all."""
        return len(self._back_edges(path))

    def _back_edges(self, path: NotePath) -> list[tuple[Edge, Note, Standing]]:
        self._follow_settings()
        found: list[tuple[Edge, Note, Standing]] = []
        for edge in self.graph.links_to(path):
            source = self._index.notes.get(edge.source)
            if source is not None and is_backlink(edge, standing := self._standing(source)):
                found.append((edge, source, standing))
        return found

    def mentions(self, path: NotePath, limit: int = 100) -> list[Mention]:
        """List where other notes name this one without linking to it, by source and place; excluded files come last."""
        note = self._index.notes.get(path)
        names = mention_names(note) if note else []
        matcher = NameMatcher(names)
        found: list[Mention] = []
        looked_at = 0
        for other in self._may_mention(names, path):
            kept = self._texts.get(other.path)
            spans = self._spans(other, kept, matcher)
            looked_at += bool(spans)
            found += _mentions(other, kept.text, spans[: limit - len(found)])
            if len(found) >= limit or looked_at >= _MAX_MENTIONING_NOTES:
                break
        return found

    def _spans(self, note: Note, kept: KeptText, matcher: NameMatcher) -> list[Span]:
        start = body_offset(kept.text)
        if not matcher.may_mention(kept.text, start, note.links if kept.is_indexed else ()):
            return []
        if kept.masked is None:
            kept.masked = mask(kept.text, start, note.links if kept.is_indexed else None)
        return matcher.find(kept.masked)

    def _may_mention(self, names: list[str], path: NotePath) -> Iterator[Note]:
        living = self.living_notes()
        notes = [living[other] for other in (self._find_texts(names) if names else ()) if other in living and other != path]
        ordered = sorted(notes, key=lambda note: (self._index.is_excluded(note.path), note.path))
        return (note for note in ordered if note.kind == "note" and self._standing(note) != "generated")

    def names_in(self, text: str, source: NotePath = "") -> list[tuple[Span, list[NotePath]]]:
        """Find the names of all living notes in one text, outside links, code and URLs, each with the notes that go by it."""
        self._follow_settings()
        return self._names.find(mask(text, body_offset(text)), source)

    def known_otherwise(self, name: str) -> list[NotePath]:
        """List the notes whose alias or title an unwritten note's name is."""
        return self._names.known_otherwise(name)

    def related(self, path: NotePath, limit: int = 8) -> list[Related]:
        """Rank the living notes that have something in common with this one and are not linked with it."""
        note, tally = self._index.notes.get(path), self.tally
        tags = note.tags if note else ()
        ranked = rank_related(path, tags, tally.neighbours, self.relations.holders, self._alike(path) if note else ())
        return [related for related in ranked if related.path in tally.living][:limit]

    def _alike(self, path: NotePath) -> list[Likeness]:
        try:
            return self._find_alike(path, _ALIKE)
        except VaultError:  # gone or unreadable since it was indexed; tags and links still say something
            return []

    def unresolved(self) -> dict[str, list[NotePath]]:
        self._follow_settings()
        return self.graph.unresolved()

    def around(self, path: NotePath, depth: int, cap: int) -> Surroundings:
        """Walk from a note along links that count; attachments are met but not passed through."""
        tally = self.tally
        return around(path, depth, lambda at: tally.neighbours(at) if at == path or at in tally.living else frozenset(), cap)

    def path_between(self, start: NotePath, goal: NotePath) -> list[NotePath]:
        """Give a shortest way from note to note along links that count, in either direction."""
        return shortest_path(start, goal, self._note_neighbours)

    def components(self) -> list[list[NotePath]]:
        """Part the living notes into groups that links join."""
        return components(self.living_notes(), self._note_neighbours)

    def _note_neighbours(self, path: NotePath) -> frozenset[NotePath]:
        living = self.living_notes()
        return frozenset(other for other in self.tally.neighbours(path) if other in living)

    def edges_from(self, path: NotePath, *, tags: bool = False) -> list[Edge]:
        """List the edges that start at a note: its links, then pages it mentions that other notes hold, then its tags."""
        self._follow_settings()
        return [*self.graph.links_of(path), *self.relations.same_url(path), *(self.relations.tag_edges(path) if tags else ())]

    def node_json(self, path: NotePath) -> dict[str, Any]:
        """Describe one file in the shape of ``kb graph --json``."""
        note = self._index.notes.get(path)
        title, layer = (note.title, layer_of(path, self._folders())) if note else (basename_of(path), "")
        return {"path": path, "kind": node_kind(path), "title": title, "layer": layer}

    def as_json(self, *, tags: bool = False) -> dict[str, Any]:
        """Give the whole graph in the shape of ``kb graph --json``; tags as nodes only if asked, as in Obsidian's picture."""
        nodes = [
            self.node_json(path) if kind != "unresolved" else {"path": path, "kind": kind, "title": basename_of(path), "layer": ""}
            for path, kind in self.graph.nodes()
        ]
        if tags:
            nodes += [{"path": "#" + tag, "kind": "tag", "title": "#" + tag, "layer": ""} for tag in self.relations.all_tags()]
        edges = [edge_json(edge) for path in sorted(self._index.notes) for edge in self.edges_from(path, tags=tags)]
        return {"version": GRAPH_VERSION, "nodes": nodes, "edges": edges}

    def file_parts(self) -> Iterator[bytes]:
        """Give the bytes of ``.kb/index.json`` piece by piece, each a few milliseconds of work.

        A caller that lets other work in between compares :attr:`revision` at the end and throws the pieces away if it moved.
        """
        sources = sorted(self._index.notes)
        edges = ([edge_json(edge) for edge in self.edges_from(path)] for path in sources if path in self._index.notes)
        nodes = (
            self.node_json(path) if kind != "unresolved" else {"path": path, "kind": kind, "title": basename_of(path), "layer": ""}
            for path, kind in self.graph.nodes()
        )
        tail = {
            "orphans": self.orphans(),
            "tags": [{"tag": tag, "count": count} for tag, count in self.tags()],
            "version": GRAPH_VERSION,
        }
        hubs = ({"path": hub.path, "in_links": hub.in_links, "score": hub.score} for hub in self.hubs())
        return encode_graph(edges, hubs, nodes, tail)

    def write_file(self) -> bool:
        """Write ``.kb/index.json`` (graph, hubs, orphans, tags) if its bytes changed; tell whether they did."""
        return self._files.write_own(GRAPH_FILE, b"".join(self.file_parts()))

    def _read(self, path: NotePath) -> KeptText:
        try:
            content = self._files.read(path)
        except VaultError:  # gone or unreadable since it was indexed; the link itself is still known
            return KeptText("", is_indexed=False)
        return KeptText(content.text, content.hash == self._index.hash_of(path))


def edge_json(edge: Edge) -> dict[str, Any]:
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": edge.kind,
        "syntax": edge.link.kind,
        "raw": edge.link.raw,
        "subpath": edge.link.subpath,
        "display": edge.link.display,
        "resolved": edge.resolved,
    }


def _marks(note: Note) -> Marks:
    return Marks(note.tags, note.address, note.urls)


def _mentions(source: Note, text: str, spans: list[Span]) -> list[Mention]:
    found: list[Mention] = []
    for span in spans:
        line = text.count("\n", 0, span.start) + 1
        context = context_at(text, span.start, span.end, line, heading_above(source.headings, line))
        found.append(Mention(source.path, source.title, span.name, span.start, span.end, context))
    return found


def _link_context(edge: Edge, source: Note, text: str) -> Context:
    link = edge.link
    end = link.start + len(link.raw)
    if link.start >= 0 and text[link.start : end] == link.raw:
        return context_at(text, link.start, end, link.line, heading_above(source.headings, link.line))
    prefix = f"{link.key.split('.')[0]}: " if link.key else ""
    return Context(prefix + link.raw, ((len(prefix), len(prefix) + len(link.raw)),), link.line)
