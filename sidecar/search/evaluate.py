"""How good a ranking is, measured against judgements (pure).

A judgement is a grade above 0 for each right answer of a query; what is not judged is wrong. The measures are those of TREC
and BEIR, so that figures can be compared with published ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Grades = Mapping[str, float]
"""The right answers of one query with their grades."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One document of a test set. ``title`` may be empty."""

    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class QrelsSet:
    """A test set in BEIR's shape: documents, queries by name, and the right answers of each query.

    Queries without a right answer are left out: nothing can be said about them.
    """

    documents: tuple[Judged, ...]
    queries: Mapping[str, str]
    relevant: Mapping[str, Grades]


def ndcg_at(ranked: Sequence[str], relevant: Grades, k: int) -> float:
    """Normalised discounted cumulative gain of the first ``k``: 1 for the best possible order, 0 if nothing right is there."""
    best = _gain(sorted(relevant.values(), reverse=True)[:k])
    return _gain([relevant.get(name, 0.0) for name in ranked[:k]]) / best if best else 0.0


def recall_at(ranked: Sequence[str], relevant: Grades, k: int) -> float:
    """Share of the right answers that stand among the first ``k``."""
    right = {name for name, grade in relevant.items() if grade > 0}
    return len(right.intersection(ranked[:k])) / len(right) if right else 0.0


def reciprocal_rank_at(ranked: Sequence[str], relevant: Grades, k: int) -> float:
    """One over the place of the first right answer; 0 if none stands among the first ``k``."""
    return next((1 / place for place, name in enumerate(ranked[:k], 1) if relevant.get(name, 0.0) > 0), 0.0)


def mean(values: Sequence[float]) -> float:
    """Give the mean; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def _gain(grades: Sequence[float]) -> float:
    return math.fsum(grade / math.log2(place + 1) for place, grade in enumerate(grades, 1))
