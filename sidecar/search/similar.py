"""Which documents use the words of another (pure)."""

from __future__ import annotations

import numpy as np

from sidecar.search.document import PackedDocument
from sidecar.search.index import Floats, SearchIndex
from sidecar.search.stems import STOP_WORDS

_TERMS = 40
"""By so many terms a document is compared: those it uses often and few others hold."""
_SHOWN = 5


def score_similar(index: SearchIndex, document: PackedDocument) -> tuple[list[str], Floats]:
    """Give the terms by which ``document`` is compared, weightiest first, and the score of every document for them."""
    terms = index.terms_of(document, _TERMS, STOP_WORDS)
    scores = np.zeros(index.size, np.float64)
    for term in terms:
        docs, weights = index.weigh([term])
        scores[docs] += weights
    return terms, np.round(scores, 6)


def shared_terms(index: SearchIndex, terms: list[str], names: list[str]) -> list[tuple[str, ...]]:
    """List for each document the weightiest of ``terms`` that it holds; pairs of CJK characters that follow each other as one word."""
    numbers = [-1 if (number := index.number(name)) is None else number for name in names]
    holds = [np.isin(numbers, index.postings(term)[0]) for term in terms]
    return [_joined([term for term, held in zip(terms, holds, strict=True) if held[n]]) for n in range(len(names))]


def _joined(shared: list[str]) -> tuple[str, ...]:
    joined: list[str] = []
    for term in shared:
        at = next((n for n, other in enumerate(joined) if _follows(other, term) or _follows(term, other)), None)
        if at is None:
            joined.append(term)
        else:
            joined[at] = joined[at] + term[1:] if _follows(joined[at], term) else term + joined[at][1:]
    return tuple(joined[:_SHOWN])


def _follows(first: str, second: str) -> bool:
    return not first.isascii() and not second.isascii() and first[-1] == second[0]
