"""Search over the open vault.

The index is loaded from the cache when it is first asked: a sidecar that nobody searches with stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

from sidecar.config import Folders
from sidecar.errors import VaultError
from sidecar.search.document import unpack_document
from sidecar.search.fuse import DEPTH, DenseRanking, coverage_of, dense_weight, fuse
from sidecar.search.index import SearchIndex
from sidecar.search.query import Query, parse_query
from sidecar.search.ranking import score_documents
from sidecar.search.snippets import Snippet, find_matches, make_snippets
from sidecar.search.terms import cut_runs, fold, run_terms
from sidecar.store import NoteCache
from sidecar.vault.changes import IndexDelta
from sidecar.vault.files import VaultFiles
from sidecar.vault.frontmatter import body_offset
from sidecar.vault.generated import blank_block
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.layers import layer_of
from sidecar.vault.note import NotePath, fold_name

MAX_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that answers. ``title_highlights`` are code points of ``title``."""

    path: NotePath
    title: str
    title_highlights: tuple[tuple[int, int], ...]
    score: float
    layer: str
    tags: tuple[str, ...]
    snippets: tuple[Snippet, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits of one page, the number of all, how many notes were searched, and why there is none."""

    total: int
    searched: int
    hits: tuple[Hit, ...]
    reason: str = ""


class SearchService:
    """Answers queries. One thread owns it, as it does the index it follows."""

    def __init__(self, index: VaultIndex, files: VaultFiles, cache: NoteCache, folders: Callable[[], Folders]) -> None:
        self._notes = index
        self._files = files
        self._cache = cache
        self._folders = folders
        self._index: SearchIndex | None = None

    def apply(self, delta: IndexDelta) -> None:
        """Take in changed notes; before the first query there is nothing to keep current."""
        if self._index is None:
            return
        for path in delta.removed:
            self._index.remove(path)
        for path, packed in sorted(delta.packed.items()):
            self._index.put(path, unpack_document(packed))

    def loaded(self) -> SearchIndex:
        """Give the index, loading it first if need be."""
        if self._index is None:
            index = SearchIndex()
            index.load((path, unpack_document(packed)) for path, packed in self._cache.load_terms() if path in self._notes.notes)
            self._index = index
        return self._index

    def search(
        self, text: str, *, limit: int = 20, offset: int = 0, is_typing: bool = False, dense: DenseRanking | None = None
    ) -> SearchResult:
        """Answer a query, best first; equal scores by path, so that pages never overlap.

        Args:
            dense: What vectors say to the same query, if they are asked.
        Raises:
            QuerySyntaxError: The query is too long to be one.
        """
        query = parse_query(text, is_typing=is_typing)
        index = self.loaded()
        searched = len(index)
        if query.is_empty:
            return SearchResult(0, searched, (), "no-term" if text.strip() else "empty-query")
        ranked = [path for path in self._rank(query, index) if self._passes(path[0], query)]
        if dense is not None and query.runs and not query.phrases:  # who quotes wants these words
            ranked = self._with_dense(ranked, dense, query, index)
        page = ranked[offset : offset + min(limit, MAX_LIMIT)]
        hits = tuple(self._hit(path, score, query) for path, score in page)
        return SearchResult(len(ranked), searched, hits, "" if ranked else "no-match")

    def texts_with(self, names: list[str]) -> Iterable[NotePath]:
        """List the notes that hold all terms of one of the names: where it is worth to look for a mention."""
        index = self.loaded()
        found: set[NotePath] = set()
        for name in names:
            terms = {term for run in cut_runs(name) for term in ([run.text.lower()] if not run.is_cjk else run_terms(run))}
            holders = [{index.name(int(n)) for n in index.postings(term)[0]} for term in terms]
            if holders:
                found |= set.intersection(*holders)
        return found

    def _rank(self, query: Query, index: SearchIndex) -> list[tuple[NotePath, float]]:
        if not query.runs:
            return [(path, 0.0) for path in sorted(self._notes.notes) if path in index]
        scores = score_documents(index, query.runs, is_typing=query.is_typing)
        found = [(index.name(int(n)), round(float(scores[n]), 6)) for n in scores.nonzero()[0]]
        return sorted(found, key=lambda item: (-item[1], item[0]))

    def _with_dense(
        self, ranked: list[tuple[NotePath, float]], dense: DenseRanking, query: Query, index: SearchIndex
    ) -> list[tuple[NotePath, float]]:
        near = list(islice(((p, s) for p, s in zip(dense.names, dense.scores, strict=True) if self._passes(p, query)), DEPTH))
        if dense.mode == "semantic":
            return near
        best = index.number(ranked[0][0]) if ranked else -1
        coverage = coverage_of(index, query.runs, best)
        weight = dense_weight(dense.weight, coverage, crosses_languages=dense.crosses_languages)
        return fuse([path for path, _ in ranked], [path for path, _ in near], weight)

    def _passes(self, path: NotePath, query: Query) -> bool:
        note = self._notes.notes.get(path)
        if note is None or layer_of(path, self._folders()) == "graveyard":
            return False
        tags = {tag.lower() for tag in note.tags}
        if not all(any(tag == wanted or tag.startswith(wanted + "/") for tag in tags) for wanted in query.tags):
            return False
        if query.paths and not any(fold_name(path).startswith(fold_name(prefix)) for prefix in query.paths):
            return False
        if query.phrases or query.excluded:
            text = _comparable(self._text(path) + "\n" + note.title)
            if not all(_comparable(phrase) in text for phrase in query.phrases):
                return False
            if any(_comparable(word) in text for word in query.excluded) and _comparable(query.literal) not in text:
                return False
        return True

    def _hit(self, path: NotePath, score: float, query: Query) -> Hit:
        note = self._notes.notes[path]
        body = self._text(path)
        snippets = make_snippets(body, query.runs)
        marks = tuple(find_matches(note.title, query.runs))
        layer = layer_of(path, self._folders())
        return Hit(path, note.title, marks, score, layer, tuple(dict.fromkeys(note.tags)), tuple(snippets))

    def _text(self, path: NotePath) -> str:
        """Give the body of a note as it is searched; empty if it cannot be read any more."""
        if self._notes.notes[path].kind != "note":
            return ""
        try:
            text = self._files.read(path).text
        except VaultError:
            return ""
        return blank_block(text)[body_offset(text) :]


def _comparable(text: str) -> str:
    return " ".join(fold(text).lower().split())
