"""The inverted index: one frozen segment of sparse columns plus a small overlay of what changed since (pure).

A note saved costs its own terms, however large the vault. Scores depend only on what is in the index, not on the order of
events: document frequencies and lengths are those of the living documents, so an index that was kept current answers as one
built anew.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from sidecar.search.document import PackedDocument

K1, B = 1.2, 0.4
"""Saturation and length weight. Plain cosine and b = .75 over-reward stubs, of which vaults are full."""

_MERGE_SHARE = 0.1
_MERGE_MIN = 200

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(slots=True)
class _Segment:
    """Postings by term: ``docs[starts[t]:starts[t + 1]]`` hold term ``t`` with ``weights`` alike."""

    vocabulary: dict[str, int]
    starts: npt.NDArray[np.int64]
    docs: Ints
    weights: npt.NDArray[np.float32]


class SearchIndex:
    """Documents by name, searchable by term."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._lengths: list[float] = []
        self._segment = _Segment({}, np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
        self._segment_docs = 0
        self._overlay: defaultdict[str, dict[int, float]] = defaultdict(dict)
        self._dead = np.zeros(0, np.bool_)
        self._total_length = 0.0

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def load(self, documents: Iterable[tuple[str, PackedDocument]]) -> None:
        """Replace everything by ``documents``."""
        self.__init__()  # type: ignore[misc]
        vocabulary: dict[str, int] = {}
        term_ids: list[Ints] = []
        weights: list[npt.NDArray[np.float32]] = []
        counts: list[int] = []
        for name, document in documents:
            self._append(name, document.length)
            ids = [vocabulary.setdefault(term, len(vocabulary)) for term in document.terms]
            term_ids.append(np.array(ids, np.int32))
            weights.append(np.frombuffer(document.weights, np.float32) if ids else np.zeros(0, np.float32))
            counts.append(len(ids))
        self._freeze(vocabulary, term_ids, weights, counts)

    def put(self, name: str, document: PackedDocument) -> None:
        """Add a document or replace the one of that name."""
        self.remove(name)
        number = self._append(name, document.length)
        for term, weight in zip(document.terms, document.weights, strict=True):
            self._overlay[term][number] = weight
        if len(self._names) - self._segment_docs > max(_MERGE_MIN, _MERGE_SHARE * self._segment_docs):
            self._merge()

    def remove(self, name: str) -> None:
        """Take a document out, if it is there."""
        number = self._numbers.pop(name, None)
        if number is not None:
            self._total_length -= self._lengths[number]
            self._mark_dead(number)

    def postings(self, term: str) -> tuple[Ints, Floats]:
        """Give the living documents with ``term`` and their weights for it."""
        found = self._segment.vocabulary.get(term)
        docs: Ints = np.zeros(0, np.int32)
        weights: Floats = np.zeros(0, np.float64)
        if found is not None:
            a, b = self._segment.starts[found], self._segment.starts[found + 1]
            docs, weights = self._segment.docs[a:b], self._segment.weights[a:b].astype(np.float64)
        extra = self._overlay.get(term)
        if extra:
            docs = np.concatenate([docs, np.fromiter(extra.keys(), np.int32, len(extra))])
            weights = np.concatenate([weights, np.fromiter(extra.values(), np.float64, len(extra))])
        alive = ~self._dead[docs]
        return docs[alive], weights[alive]

    def terms_with_prefix(self, prefix: str, limit: int = 50) -> list[str]:
        """List indexed terms that begin with ``prefix``, sorted."""
        found = {t for t in self._segment.vocabulary if t.startswith(prefix)} | {t for t in self._overlay if t.startswith(prefix)}
        living = (t for t in sorted(found, key=lambda t: (len(t), t)) if len(self.postings(t)[0]))
        return list(islice(living, limit))

    def weigh(self, terms: Sequence[str]) -> tuple[Ints, Floats]:
        """Score the documents that hold any of ``terms``, taken as one: BM25 with the terms' frequencies added up."""
        parts = [self.postings(term) for term in terms]
        parts = [part for part in parts if len(part[0])]
        if not parts:
            return np.zeros(0, np.int32), np.zeros(0, np.float64)
        docs, frequency = parts[0]
        if len(parts) > 1:
            docs, inverse = np.unique(np.concatenate([p[0] for p in parts]), return_inverse=True)
            frequency = np.bincount(inverse, np.concatenate([p[1] for p in parts])).astype(np.float64)
        count = len(self._numbers)
        idf = math.log(1 + (count - len(docs) + 0.5) / (len(docs) + 0.5))
        average = self._total_length / max(count, 1)
        lengths = self._length_array[docs]
        norm = K1 * (1 - B + B * lengths / average)
        return docs, idf * frequency * (K1 + 1) / (frequency + norm)

    def name(self, number: int) -> str:
        return self._names[number]

    def number(self, name: str) -> int:
        """Give the number of a living document, or -1."""
        return self._numbers.get(name, -1)

    @property
    def size(self) -> int:
        """Upper bound of document numbers, for score arrays."""
        return len(self._names)

    @property
    def _length_array(self) -> Floats:
        if len(self._lengths_cache) != len(self._lengths):
            self._lengths_cache = np.array(self._lengths, np.float64)
        return self._lengths_cache

    _lengths_cache: Floats = np.zeros(0, np.float64)

    def _append(self, name: str, length: float) -> int:
        number = len(self._names)
        self._names.append(name)
        self._lengths.append(length)
        self._numbers[name] = number
        self._total_length += length
        if number >= len(self._dead):
            self._dead = np.concatenate([self._dead, np.zeros(max(64, len(self._dead)), np.bool_)])
        return number

    def _mark_dead(self, number: int) -> None:
        self._dead[number] = True

    def _freeze(self, vocabulary: dict[str, int], term_ids: list[Ints], weights: list[npt.NDArray[np.float32]], counts: list[int]) -> None:
        """Turn documents' terms (rows) into terms' documents (columns)."""
        self._segment_docs = len(self._names)
        if not term_ids:
            return
        terms = np.concatenate(term_ids)
        docs = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        order = np.argsort(terms, kind="stable")
        starts = np.zeros(len(vocabulary) + 1, np.int64)
        np.cumsum(np.bincount(terms, minlength=len(vocabulary)), out=starts[1:])
        self._segment = _Segment(vocabulary, starts, docs[order], np.concatenate(weights)[order])

    def _merge(self) -> None:
        """Fold overlay and tombstones into a new segment, numbering the living documents anew."""
        living = [n for n, name in enumerate(self._names) if self._numbers.get(name) == n]
        renumber = np.full(len(self._names), -1, np.int32)
        renumber[living] = np.arange(len(living), dtype=np.int32)
        old = self._segment
        vocabulary = dict(old.vocabulary)
        terms = [np.repeat(np.arange(len(old.vocabulary), dtype=np.int32), np.diff(old.starts))]
        docs, weights = [old.docs], [old.weights]
        for term, holders in self._overlay.items():
            number = vocabulary.setdefault(term, len(vocabulary))
            terms.append(np.full(len(holders), number, np.int32))
            docs.append(np.fromiter(holders.keys(), np.int32, len(holders)))
            weights.append(np.fromiter(holders.values(), np.float32, len(holders)))
        all_terms, all_docs, all_weights = np.concatenate(terms), renumber[np.concatenate(docs)], np.concatenate(weights)
        alive = all_docs >= 0
        all_terms, all_docs, all_weights = all_terms[alive], all_docs[alive], all_weights[alive]
        counts = np.bincount(all_terms, minlength=len(vocabulary))
        # Terms that no living document holds go, or a vault that changes for years would keep every word it ever had.
        kept = counts > 0
        numbers = np.cumsum(kept) - 1
        vocabulary = {term: int(numbers[number]) for term, number in vocabulary.items() if kept[number]}
        all_terms = numbers[all_terms]
        order = np.argsort(all_terms, kind="stable")
        starts = np.zeros(len(vocabulary) + 1, np.int64)
        np.cumsum(counts[kept], out=starts[1:])
        names = [self._names[n] for n in living]
        self._lengths = [self._lengths[n] for n in living]
        self._names = names
        self._numbers = {name: n for n, name in enumerate(names)}
        self._segment = _Segment(vocabulary, starts, all_docs[order], all_weights[order])
        self._segment_docs = len(names)
        self._overlay = defaultdict(dict)
        self._dead = np.zeros(len(names) + 64, np.bool_)
        self._lengths_cache = np.zeros(0, np.float64)
        self._total_length = math.fsum(self._lengths)
