"""Search over the open vault.

The index is loaded from the cache when it is first asked: a sidecar that nobody searches with stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime

import numpy as np

from sidecar.clock import Clock, local_day, system_clock
from sidecar.config import Folders
from sidecar.errors import VaultError
from sidecar.search.answers import Hit, IndexState, NoteState, Reason, SearchResult, Similar
from sidecar.search.chinese_words import CutWords
from sidecar.search.document import indexed_text, note_fields, pack_note, pack_text, unpack_document
from sidecar.search.filters import Facts, make_filter
from sidecar.search.fuse import DEPTH, DenseRanking, coverage_of, dense_weight, fuse
from sidecar.search.index import Floats, SearchIndex
from sidecar.search.query import Query, parse_query
from sidecar.search.ranking import correct_runs, score_documents
from sidecar.search.similar import score_similar, shared_terms
from sidecar.search.snippets import find_matches, make_snippets
from sidecar.search.terms import fold, sure_terms
from sidecar.store import NoteCache
from sidecar.vault.changes import IndexDelta
from sidecar.vault.files import VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.layers import layer_of
from sidecar.vault.note import Note, NotePath, is_canvas_path, is_note_path

__all__ = ["Hit", "IndexState", "NoteState", "Seams", "SearchResult", "SearchService", "Similar"]

MAX_LIMIT = 200
_NEAREST = 1000
"""How many of the nearest vectors are looked through for such as pass the filters."""
_DIGITS = 6
"""Scores are compared and told to so many digits: sums of the same parts in another order must not change an order."""


@dataclass(frozen=True, slots=True)
class Seams:
    """What search asks of others.

    Attributes:
        orphans: Lists the notes without links, for ``has:orphan``.
        day_of: Gives the day that a note names as its last change.
        cut_words: Gives what cuts Chinese words out of queries, if the owner wants that. Notes are indexed alike either way.
    """

    orphans: Callable[[], Collection[NotePath]] = tuple
    day_of: Callable[[Note], date | None] = lambda note: None
    clock: Clock = system_clock
    cut_words: Callable[[], CutWords | None] = lambda: None


class SearchService:
    """Answers queries. One thread owns it, as it does the index it follows."""

    def __init__(
        self, index: VaultIndex, files: VaultFiles, cache: NoteCache, folders: Callable[[], Folders], seams: Seams | None = None
    ) -> None:
        self._notes = index
        self._files = files
        self._cache = cache
        self._folders = folders
        self._seams = seams or Seams()
        self._index: SearchIndex | None = None
        self._buried: set[NotePath] = set()
        self._last: set[NotePath] = set()
        """Notes that the owner told Obsidian to exclude: they rank last."""
        self._placed_by: Folders | None = None
        self._loaded_at = self._seams.clock()
        self._taken_in_at: dict[NotePath, datetime] = {}

    def apply(self, delta: IndexDelta) -> None:
        """Take in changed notes; before the first query there is nothing to keep current."""
        if self._index is None:
            return
        for path in delta.removed:
            self._index.remove(path)
            self._taken_in_at.pop(path, None)
        moment = self._seams.clock()
        for path, packed in sorted(delta.packed.items()):
            self._index.put(path, unpack_document(packed))
            self._taken_in_at[path] = moment
            self._place(path)
        if delta.is_reordered:
            self._placed_by = None  # which files are excluded has changed: all are placed anew

    def loaded(self) -> SearchIndex:
        """Give the index, loading it first if need be."""
        if self._index is None:
            index = SearchIndex()
            index.load((path, unpack_document(packed)) for path, packed in self._cache.load_terms() if path in self._notes.notes)
            self._index = index
            self._loaded_at = self._seams.clock()
        if self._placed_by != self._folders():
            self._placed_by = self._folders()
            self._buried, self._last = set(), set()
            for path in self._notes.notes:
                self._place(path)
        return self._index

    def search(
        self, text: str, *, limit: int = 20, offset: int = 0, is_typing: bool = False, dense: DenseRanking | None = None
    ) -> SearchResult:
        """Answer a query, best first; equal scores by path, so that pages never overlap.

        Args:
            dense: What vectors say to the same query, if they are asked.
        Raises:
            QuerySyntaxError: The query is too long to be one, or a filter has a value that it does not know.
        """
        query = parse_query(text, is_typing=is_typing)
        index = self.loaded()
        if query.is_empty:
            return SearchResult(0, len(index), (), "no-term" if text.strip() else "empty-query")
        corrections: dict[str, str] = {}
        scores = self._scores(query, index)
        if query.runs and not query.phrases and not scores.any():
            runs = correct_runs(index, query.runs)
            corrections = {old.text: new.text for old, new in zip(query.runs, runs, strict=True) if old != new}
            if corrections:
                query = replace(query, runs=runs, is_typing=False)
                scores = self._scores(query, index)
        kept = self._filtered(query, index, scores)
        limit = min(limit, MAX_LIMIT)
        if dense is not None and query.runs and not query.phrases:  # who quotes wants these words
            total, page = self._with_dense(dense, query, index, kept, offset, limit)
        else:
            total, page = self._top(index, kept, offset, limit, plain=not query.runs)
        hits = tuple(self._hit(path, score, query) for path, score in page)
        reason: Reason = "" if total else self._reason(query, scores)
        return SearchResult(total, len(index), hits, reason, corrections if total else {})

    def best(self, text: str, limit: int) -> list[NotePath]:
        """Give the notes that answer a text best, without looking into them: a tenth of the time of a search with passages."""
        query = parse_query(text)
        index = self.loaded()
        if query.is_empty:
            return []
        scores = self._scores(query, index)
        _, page = self._top(index, self._filtered(query, index, scores), 0, limit, plain=not query.runs)
        return [path for path, _ in page]

    def similar(self, *, path: NotePath = "", text: str = "", limit: int = 8) -> list[Similar]:
        """List the notes that use the words of a note or of a text, best first; ties by path; never that note nor buried ones.

        Raises:
            VaultError: The note cannot be read.
        """
        index = self.loaded()
        note = self._notes.notes.get(path)
        document = unpack_document(pack_note(note, self._files.read(path).text) if note else pack_text(text))
        terms, scores = score_similar(index, document)
        for left_out in (path, *self._buried):
            number = index.number(left_out)
            if number is not None:
                scores[number] = 0
        _, page = self._top(index, scores, 0, limit)
        shared = shared_terms(index, terms, [found for found, _ in page])
        return [Similar(found, score, words) for (found, score), words in zip(page, shared, strict=True)]

    def state(self) -> IndexState:
        """Tell how much of the vault search knows, and name the files of which it knows only a part or nothing."""
        index = self.loaded()
        states = [self.state_of(path) for path in sorted(self._notes.notes)]
        others = tuple(state for state in states if state.state != "indexed")
        indexed = sum(state.path in index and state.state != "failed" for state in states)
        return IndexState(indexed, len(states), others, self._cache.rebuilt_because)

    def state_of(self, path: NotePath) -> NoteState:
        """Tell whether search knows a file, and why not."""
        index = self.loaded()
        if path not in self._notes.notes:
            why = "it was not read yet, or there is no such file" if is_note_path(path) else "only notes and canvases are searched"
            return NoteState(path, "skipped", why, None)
        moment = self._taken_in_at.get(path, self._loaded_at) if path in index else None
        if path in self._notes.problems:
            return NoteState(path, "failed", self._notes.problems[path], moment)
        if is_canvas_path(path):
            return NoteState(path, "partly", "of a canvas only the name is searched", moment)
        if path.lower().endswith(".excalidraw.md") or self._is_long(path):
            try:
                remark = indexed_text(path, self._files.read(path).text).remark
            except VaultError as error:
                return NoteState(path, "failed", error.message, moment)
            if remark:
                return NoteState(path, "partly", remark, moment)
        return NoteState(path, "indexed", "", moment)

    def texts_with(self, names: list[str]) -> Iterable[NotePath]:
        """List the notes that hold all terms of one of the names: where it is worth to look for a mention."""
        index = self.loaded()
        found: set[NotePath] = set()
        for name in names:
            holders = sorted((index.postings(term)[0] for term in sure_terms(name)), key=len)
            if holders:
                both = holders[0]
                for others in holders[1:]:
                    both = both[np.isin(both, others)]
                found.update(index.name(int(number)) for number in both)
        return found

    def _scores(self, query: Query, index: SearchIndex) -> Floats:
        if query.runs:
            return np.round(score_documents(index, query.runs, is_typing=query.is_typing, cut_words=self._seams.cut_words()), _DIGITS)
        scores = np.zeros(index.size, np.float64)
        if not query.phrases or not any(sure_terms(phrase) for phrase in query.phrases):
            numbers = (index.number(path) for path in self._notes.notes)
            scores[[n for n in numbers if n is not None]] = 1.0
        return scores

    def _with_dense(
        self, dense: DenseRanking, query: Query, index: SearchIndex, scores: Floats, offset: int, limit: int
    ) -> tuple[int, list[tuple[NotePath, float]]]:
        """Give the number of all answers and one page of them, ranked by vectors, or by words and vectors."""
        numbers = {name: number for name in dense.names[:_NEAREST] if (number := index.number(name)) is not None}
        nearest = np.zeros(index.size, np.float64)
        nearest[list(numbers.values())] = 1.0
        passing = self._filtered(query, index, nearest)
        pairs = zip(dense.names[:_NEAREST], dense.scores, strict=False)
        near = [(name, score) for name, score in pairs if name in numbers and passing[numbers[name]]][:DEPTH]
        if dense.mode == "semantic":
            return len(near), near[offset : offset + limit]
        _, ranked = self._top(index, scores, 0, index.size)
        best = index.number(ranked[0][0]) if ranked else None
        coverage = coverage_of(index, query.runs, best)
        weight = dense_weight(dense.weight, coverage, crosses_languages=dense.crosses_languages)
        fused = fuse([path for path, _ in ranked], [name for name, _ in near], weight)
        return len(fused), fused[offset : offset + limit]

    def _filtered(self, query: Query, index: SearchIndex, scores: Floats) -> Floats:
        """Give the scores with those of all documents at 0 that the query does not let through."""
        scores = scores.copy()
        buried = [n for path in self._buried if (n := index.number(path)) is not None]
        if query.wants_buried:
            alive = np.zeros(len(scores), np.bool_)
            alive[buried] = True
            scores[~alive] = 0
        else:
            scores[buried] = 0
        if query.filters:
            passes = make_filter(
                query.filters, Facts(lambda path: layer_of(path, self._folders()), self._seams.day_of, self._seams.orphans)
            )
            for number in scores.nonzero()[0]:
                note = self._notes.notes.get(index.name(int(number)))
                if note is None or not passes(note):
                    scores[number] = 0
        if query.phrases or query.excluded:
            self._check_texts(query, index, scores)
        return scores

    def _top(
        self, index: SearchIndex, scores: Floats, offset: int, limit: int, *, plain: bool = False
    ) -> tuple[int, list[tuple[NotePath, float]]]:
        numbers = scores.nonzero()[0]
        values = scores[numbers]
        last = [n for path in self._last if (n := index.number(path)) is not None]
        if last:
            is_last = np.isin(numbers, last)
            values = np.where(is_last, values - values.max(initial=0) - 1, values)
        wanted = offset + limit
        if 0 < wanted < len(values):
            lowest = np.partition(values, -wanted)[-wanted]
            kept = values >= lowest
        else:
            kept = np.ones(len(values), np.bool_)
        ranked = [(-float(v), index.name(int(n)), float(scores[n])) for n, v in zip(numbers[kept], values[kept], strict=True)]
        ranked.sort()
        return len(numbers), [(path, 0.0 if plain else round(score, _DIGITS)) for _, path, score in ranked[offset:wanted]]

    def _check_texts(self, query: Query, index: SearchIndex, scores: Floats) -> None:
        """Drop the documents that lack a phrase or hold an excluded text; only those are read that hold all its terms."""
        held = [_holders(index, phrase, scores) for phrase in query.phrases]
        for holders in held:
            scores[~holders] = 0
        doubtful = np.zeros(len(scores), np.bool_)
        for text in query.excluded:
            doubtful |= _holders(index, text, scores)
        wanted = [_comparable(phrase) for phrase in query.phrases]
        unwanted = [_comparable(text) for text in query.excluded]
        literal = _comparable(query.literal)
        for number in scores.nonzero()[0] if wanted else np.flatnonzero(doubtful & (scores > 0)):
            path = index.name(int(number))
            note = self._notes.notes[path]
            text = _comparable("\n".join([self._text(path), *note_fields(note).values()]))
            if not all(phrase in text for phrase in wanted) or (any(word in text for word in unwanted) and literal not in text):
                scores[number] = 0

    def _reason(self, query: Query, scores: Floats) -> Reason:
        if not scores.any():
            return "no-match"
        if query.filters or query.excluded:
            return "filtered-out"
        return "no-match" if query.phrases else "only-buried"

    def _hit(self, path: NotePath, score: float, query: Query) -> Hit:
        note = self._notes.notes[path]
        body = self._text(path)
        snippets = make_snippets(body, query.runs)
        fields = [name for name, text in note_fields(note).items() if text and find_matches(text, query.runs)]
        day = self._seams.day_of(note)
        return Hit(
            path,
            note.title,
            tuple(find_matches(note.title, query.runs)),
            score,
            layer_of(path, self._folders()),
            tuple(dict.fromkeys(note.tags)),
            tuple(snippets),
            (*fields, *(["body"] if snippets else [])),
            (local_day(self._seams.clock()) - day).days if day else None,
        )

    def _text(self, path: NotePath) -> str:
        """Give the body of a note as it is searched; empty if it cannot be read any more."""
        if self._notes.notes[path].kind != "note":
            return ""
        try:
            return indexed_text(path, self._files.read(path).text).body
        except VaultError:
            return ""

    def _place(self, path: NotePath) -> None:
        for places, belongs in (
            (self._buried, layer_of(path, self._folders()) == "graveyard"),
            (self._last, self._notes.is_excluded(path)),
        ):
            (places.add if belongs else places.discard)(path)

    def _is_long(self, path: NotePath) -> bool:
        try:
            state = self._files.stat(path)
        except VaultError:
            return False
        return state is not None and state.size > 2_000_000  # no text has more characters than bytes


def _holders(index: SearchIndex, text: str, scores: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Mark the documents that hold all terms of a text: all of them if it has none."""
    holders = np.ones(len(scores), np.bool_)
    for term in sure_terms(text):
        with_term = np.zeros(len(scores), np.bool_)
        with_term[index.postings(term)[0]] = True
        holders &= with_term
    return holders


def _comparable(text: str) -> str:
    return " ".join(fold(text).lower().split())
