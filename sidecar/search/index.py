"""The inverted index: frozen segments of sparse columns plus a small overlay of what changed since (pure).

A note saved costs its own terms, however large the vault. Overlays freeze into small segments, and segments of like size are
joined, so that no single save pays for a large part of the vault. Scores depend only on what is in the index, not on the order
of events: document frequencies and lengths are those of the living documents, so an index that was kept current answers as one
built anew.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from sidecar.search.document import PackedDocument
from sidecar.search.segment import Floats, Ints, Segment, Weights, as_weights, freeze, join

__all__ = ["K1", "B", "Floats", "Ints", "SearchIndex"]

K1, B = 1.2, 0.4
"""Saturation and length weight. Plain cosine and b = .75 over-reward stubs, of which vaults are full."""

_MERGE_MIN = 200
"""How many changed documents wait in the overlay before they freeze."""


class _Numbers(dict[str, int]):
    """Numbers terms in the order in which they are first met."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


class SearchIndex:
    """Documents by name, searchable by term."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._lengths: Floats = np.zeros(0, np.float64)
        self._segments: list[Segment] = []
        self._overlay: defaultdict[str, dict[int, float]] = defaultdict(dict)
        self._overlay_docs = 0
        self._dead = np.zeros(0, np.bool_)
        self._dead_count = 0
        self._total_length = 0.0
        """Lengths are whole numbers, so that their sum is exact in whatever order they came and went."""

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def load(self, documents: Iterable[tuple[str, PackedDocument]]) -> None:
        """Replace everything by ``documents``."""
        self.__init__()  # type: ignore[misc]
        numbers = _Numbers()
        term_ids: list[Ints] = []
        weights: list[Weights] = []
        counts: list[int] = []
        lengths: list[float] = []
        for name, document in documents:
            self._numbers[name] = len(self._names)
            self._names.append(name)
            lengths.append(document.length)
            term_ids.append(np.fromiter(map(numbers.__getitem__, document.terms), np.int32, len(document.terms)))
            weights.append(as_weights(document.weights, len(document.weights)))
            counts.append(len(document.terms))
        self._lengths = np.array(lengths, np.float64)
        self._total_length = math.fsum(lengths)
        self._dead = np.zeros(len(lengths), np.bool_)
        docs = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        self._segments = [freeze(list(numbers), term_ids, docs, weights)]

    def put(self, name: str, document: PackedDocument) -> None:
        """Add a document or replace the one of that name."""
        self.remove(name)
        number = self._append(name, document.length)
        weights = as_weights(document.weights, len(document.weights)).astype(np.float64).tolist()
        for term, weight in zip(document.terms, weights, strict=True):
            self._overlay[term][number] = weight
        self._overlay_docs += 1
        if self._overlay_docs >= _MERGE_MIN:
            self._settle()

    def remove(self, name: str) -> None:
        """Take a document out, if it is there."""
        number = self._numbers.pop(name, None)
        if number is not None:
            self._dead[number] = True
            self._dead_count += 1
            self._total_length -= float(self._lengths[number])

    def postings(self, term: str) -> tuple[Ints, Floats]:
        """Give the living documents with ``term``, ascending, and their weights for it."""
        return self._living([segment.postings(term) for segment in self._segments], self._overlay.get(term))

    def frequency(self, term: str) -> int:
        """Count the living documents with ``term``."""
        return len(self.postings(term)[0])

    def terms_with_prefix(self, prefix: str, limit: int = 50) -> list[str]:
        """List living terms that begin with ``prefix``, in most documents first; equal ones by length and letters."""
        counts: defaultdict[str, int] = defaultdict(int)
        for segment in self._segments:
            for number in segment.vocabulary.beginning_with(prefix):
                counts[segment.vocabulary.text(number)] += int(segment.starts[number + 1] - segment.starts[number])
        for term, holders in self._overlay.items():
            if term.startswith(prefix):
                counts[term] += len(holders)
        found: list[str] = []
        for term in sorted(counts, key=lambda term: (-counts[term], len(term), term)):
            if not self._dead_count or self.frequency(term):
                found.append(term)
                if len(found) == limit:
                    break
        return found

    def words_beginning(self, prefix: str, longest: int, shortest: int = 1) -> set[str]:
        """List the terms that begin with ``prefix`` and are ``shortest`` to ``longest`` bytes long, living or not."""
        found = {term for term in self._overlay if term.startswith(prefix) and shortest <= len(term) <= longest}
        return found.union(*(segment.vocabulary.words(prefix, shortest, longest) for segment in self._segments))

    def weigh_prefix(self, prefix: str) -> tuple[Ints, Floats]:
        """Score the documents that hold a term beginning with ``prefix``, all of these terms taken as one."""
        parts: list[tuple[Ints, Weights]] = []
        for segment in self._segments:
            found = segment.vocabulary.beginning_with(prefix)
            if found:
                a, b = segment.starts[found.start], segment.starts[found.stop]
                parts.append((segment.docs[a:b], segment.weights[a:b]))
        extra: defaultdict[int, float] = defaultdict(float)
        for term, holders in self._overlay.items():
            if term.startswith(prefix):
                for number, weight in holders.items():
                    extra[number] += weight
        docs, weights = self._living(parts, extra)
        return self.weigh_found(*_added_up(docs, weights))

    def weigh(self, terms: Sequence[str]) -> tuple[Ints, Floats]:
        """Score the documents that hold any of ``terms``, taken as one: BM25 with the terms' frequencies added up."""
        parts = [self.postings(term) for term in terms]
        if len(parts) == 1:
            return self.weigh_found(*parts[0])
        docs = np.concatenate([part[0] for part in parts]) if parts else np.zeros(0, np.int32)
        weights = np.concatenate([part[1] for part in parts]) if parts else np.zeros(0, np.float64)
        return self.weigh_found(*_added_up(docs, weights))

    def terms_of(self, document: PackedDocument, limit: int, left_out: Collection[str] = ()) -> list[str]:
        """List the terms that say most about a document, weightiest first: those it uses often and few others hold."""
        count = len(self._numbers)

        def weight(term: str, frequency: float) -> float:
            held = self.frequency(term)
            return math.log(1 + (count - held + 0.5) / (held + 0.5)) * frequency / (frequency + K1) if held else 0.0

        weighed = [(-weight(t, f), t) for t, f in zip(document.terms, document.weights, strict=True) if len(t) > 1 and t not in left_out]
        return [term for weight_, term in sorted(weighed)[:limit] if weight_ < 0]

    def name(self, number: int) -> str:
        return self._names[number]

    def number(self, name: str) -> int | None:
        """Give the number by which a document stands in score arrays until the next change."""
        return self._numbers.get(name)

    @property
    def size(self) -> int:
        """Upper bound of document numbers, for score arrays."""
        return len(self._names)

    def weigh_found(self, docs: Ints, frequency: Floats) -> tuple[Ints, Floats]:
        """Score documents by BM25 as if they alone held one term so often."""
        if not len(docs):
            return docs, frequency
        count = len(self._numbers)
        idf = math.log(1 + (count - len(docs) + 0.5) / (len(docs) + 0.5))
        norm = K1 * (1 - B + B * self._lengths[docs] * count / self._total_length)
        return docs, idf * frequency * (K1 + 1) / (frequency + norm)

    def _living(self, parts: list[tuple[Ints, Weights]], extra: dict[int, float] | None) -> tuple[Ints, Floats]:
        parts = [part for part in parts if len(part[0])]
        docs = np.concatenate([part[0] for part in parts]) if parts else np.zeros(0, np.int32)
        weights = np.concatenate([part[1] for part in parts]).astype(np.float64) if parts else np.zeros(0, np.float64)
        if extra:
            docs = np.concatenate([docs, np.fromiter(extra.keys(), np.int32, len(extra))])
            weights = np.concatenate([weights, np.fromiter(extra.values(), np.float64, len(extra))])
        if not self._dead_count:
            return docs, weights
        alive = ~self._dead[docs]
        return docs[alive], weights[alive]

    def _append(self, name: str, length: float) -> int:
        number = len(self._names)
        if number >= len(self._dead):
            room = max(64, len(self._dead) // 4)
            self._dead = np.concatenate([self._dead, np.zeros(room, np.bool_)])
            self._lengths = np.concatenate([self._lengths, np.zeros(room, np.float64)])
        self._names.append(name)
        self._lengths[number] = length
        self._numbers[name] = number
        self._total_length += length
        return number

    def _settle(self) -> None:
        """Freeze the overlay, join small segments, and number the documents anew once most of the numbers are dead."""
        terms = list(self._overlay)
        holders = [self._overlay[term] for term in terms]
        ids = [np.full(len(held), n, np.int32) for n, held in enumerate(holders)]
        docs = np.fromiter((doc for held in holders for doc in held), np.int32)
        weights = as_weights((weight for held in holders for weight in held.values()), len(docs))
        self._overlay = defaultdict(dict)
        self._overlay_docs = 0
        self._segments.append(freeze(terms, ids, docs, [weights]))
        renumber: Ints = np.arange(len(self._names), dtype=np.int32)
        renumber[self._dead[: len(self._names)]] = -1
        if self._dead_count * 2 > len(self._names):
            self._renumber(renumber)
            return
        while len(self._segments) > 1 and 2 * len(self._segments[-1]) > len(self._segments[-2]):
            newest = self._segments.pop()
            self._segments[-1] = join([self._segments[-1], newest], renumber)

    def _renumber(self, renumber: Ints) -> None:
        living = np.flatnonzero(renumber >= 0)
        renumber[living] = np.arange(len(living), dtype=np.int32)
        self._segments = [join(self._segments, renumber)]
        self._names = [self._names[n] for n in living]
        self._numbers = {name: n for n, name in enumerate(self._names)}
        self._lengths = self._lengths[living]
        self._dead = np.zeros(len(living), np.bool_)
        self._dead_count = 0


def _added_up(docs: Ints, weights: Floats) -> tuple[Ints, Floats]:
    """Add up the weights of documents that stand there more than once."""
    if len(docs) < 2:
        return docs, weights
    unique, inverse = np.unique(docs, return_inverse=True)
    return unique.astype(np.int32), np.bincount(inverse, weights).astype(np.float64)
