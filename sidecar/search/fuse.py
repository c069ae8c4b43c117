"""Two rankings become one, and how much the dense one counts (pure).

Reciprocal rank fusion: a note scores ``1 / (60 + place)`` in the lexical ranking plus ``weight / (60 + place)`` in the dense one.
Only places count, so that scores of different scales need no calibration.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sidecar.search.index import SearchIndex
from sidecar.search.terms import Run, run_terms

Mode = Literal["lexical", "semantic", "hybrid"]

RANK_K = 60
DEPTH = 100
"""How many of the dense ranking can enter an answer: it ranks every note, and past this place it knows nothing."""

FAMILIAR = 0.3
"""From this coverage on, query and notes speak the same language, and the weight is the chosen one."""
_RISE = 8.0


@dataclass(frozen=True, slots=True)
class DenseRanking:
    """What a source of vectors answers to one query.

    Attributes:
        names: Notes, nearest first, at most :data:`DEPTH` that matter.
        scores: Their cosines, alike.
        weight: What the ranking counts in fusion before :func:`dense_weight` looks at the query.
        crosses_languages: Whether the source knows that words of two languages mean the same; LSA does not.
    """

    mode: Mode
    source: str
    names: tuple[str, ...]
    scores: tuple[float, ...]
    weight: float
    crosses_languages: bool


def fuse(lexical: Sequence[str], dense: Sequence[str], weight: float) -> list[tuple[str, float]]:
    """Join two rankings; best first, equal scores by name. With weight 0 the lexical ranking stays as it is."""
    scores = {name: 1 / (RANK_K + place) for place, name in enumerate(lexical, 1)}
    if weight <= 0:
        return list(scores.items())
    for place, name in enumerate(dense[:DEPTH], 1):
        scores[name] = scores.get(name, 0.0) + weight / (RANK_K + place)
    return sorted(((name, score) for name, score in scores.items()), key=lambda item: (-item[1], item[0]))


def dense_weight(base: float, coverage: float, *, crosses_languages: bool) -> float:
    """Give the weight of the dense ranking for one query.

    The chosen weight, as long as the best lexical answer holds :data:`FAMILIAR` of the query. Below, it rises in a straight line
    up to eight times (at least 8 in all) where no note holds any of it: then query and notes are likely of different languages, and
    what little the words find is chance. A base of 0 stays 0 (the owner's notes have shown that the source does not help), and so
    does the weight of a source that cannot cross languages.
    """
    if base <= 0 or not crosses_languages or coverage >= FAMILIAR:
        return base
    strangeness = 1 - max(coverage, 0.0) / FAMILIAR
    return base + (max(_RISE * base, _RISE) - base) * strangeness


def coverage_of(index: SearchIndex, runs: Sequence[Run], document: int | None) -> float:
    """Give the share of a query that a document holds: its terms weighed by how rare they are, 0 to 1."""
    total = held = 0.0
    for term in _telling_terms(runs):
        docs, _ = index.postings(term)
        weight = math.log(1 + (len(index) - len(docs) + 0.5) / (len(docs) + 0.5))
        total += weight
        if document is not None and bool(np.any(docs == document)):
            held += weight
    return held / total if total else 0.0


def _telling_terms(runs: Sequence[Run]) -> list[str]:
    """List a query's terms but for single characters of longer CJK runs, which any Chinese note holds by chance."""
    terms: dict[str, None] = {}
    for run in runs:
        if run.is_cjk and len(run.text) > 1:
            terms.update(dict.fromkeys(run.text[n : n + 2] for n in range(len(run.text) - 1)))
        else:
            terms.update(dict.fromkeys(run_terms(run)[:1]))
    return list(terms)
