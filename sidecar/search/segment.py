"""A frozen part of the index: for each term the documents that hold it (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sidecar.search.vocabulary import Vocabulary, encode_term

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float16]

MAX_WEIGHT = 2048.0
"""Weighted frequencies are whole numbers, which half floats hold exactly up to here; scores are long saturated by then."""


def as_weights(values: Iterable[float], count: int) -> Weights:
    """Bring weighted frequencies to the form they are kept in, frozen or not, so that both score alike."""
    return np.minimum(np.fromiter(values, np.float32, count), MAX_WEIGHT).astype(np.float16)


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings by term: ``docs[starts[t]:starts[t + 1]]``, ascending, hold term ``t`` with ``weights`` alike."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    starts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    docs: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    weights: Weights = field(default_factory=lambda: np.zeros(0, np.float16))

    def __len__(self) -> int:
        return len(self.docs)

    def postings(self, term: str) -> tuple[Ints, Weights]:
        """Give a term's documents and weights; they may be dead by now."""
        number = self.vocabulary.find(term)
        if number is None:
            return self.docs[:0], self.weights[:0]
        return self.at(number)

    def at(self, number: int) -> tuple[Ints, Weights]:
        a, b = self.starts[number], self.starts[number + 1]
        return self.docs[a:b], self.weights[a:b]


def freeze(terms: Sequence[str], term_ids: Sequence[Ints], docs: Ints, weights: Sequence[Weights]) -> Segment:
    """Turn documents' terms (rows) into terms' documents (columns).

    Args:
        terms: Each term once; ``term_ids`` count in it.
        docs: The document of each posting, ascending.
    """
    if not term_ids:
        return Segment()
    encoded = [encode_term(term) for term in terms]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    rank = np.empty(len(encoded), np.int32)
    rank[order] = np.arange(len(encoded), dtype=np.int32)
    return _by_term([encoded[n] for n in order], rank[np.concatenate(term_ids)], docs, np.concatenate(weights))


def join(parts: Sequence[Segment], renumber: Ints) -> Segment:
    """Make one segment of several, without what ``renumber`` maps to -1, and without terms that nobody holds any more.

    Args:
        renumber: The new number of each document; it must keep their order.
    """
    ordered = sorted({term for part in parts for term in part.vocabulary})
    known = {term: number for number, term in enumerate(ordered)}
    ids = [
        np.repeat(np.fromiter((known[t] for t in part.vocabulary), np.int32, len(part.vocabulary)), np.diff(part.starts)) for part in parts
    ]
    docs = renumber[np.concatenate([part.docs for part in parts])]
    alive = docs >= 0
    all_ids, docs = np.concatenate(ids)[alive], docs[alive]
    weights = np.concatenate([part.weights for part in parts])[alive]
    held = np.bincount(all_ids, minlength=len(ordered)) > 0
    numbers = (np.cumsum(held) - 1).astype(np.int32)
    kept = [term for term, is_held in zip(ordered, held, strict=True) if is_held]
    return _by_term(kept, numbers[all_ids], docs, weights)


def _by_term(terms: list[bytes], ids: Ints, docs: Ints, weights: Weights) -> Segment:
    order = np.argsort(ids, kind="stable")
    starts = np.zeros(len(terms) + 1, np.int64)
    np.cumsum(np.bincount(ids, minlength=len(terms)), out=starts[1:])
    return Segment(Vocabulary(terms), starts, docs[order], weights[order])
