"""From a query to scores (pure)."""

from __future__ import annotations

import numpy as np

from sidecar.search.index import Floats, SearchIndex
from sidecar.search.terms import Run, run_terms

_SINGLE_WEIGHT = 0.5
"""What a single CJK character counts beside a pair: it finds 北大 in 北京大学 and little else."""

_WHOLE_RUN_CHARS = 4
"""A CJK run up to this length is one word to its writer: notes must hold all of its pairs."""


def score_documents(index: SearchIndex, runs: tuple[Run, ...], *, is_typing: bool) -> Floats:
    """Score every document for the runs of a query; 0 means no answer.

    A document answers if it holds at least one run whole. If none does, any pair or part will do, so that a long question
    still finds its note.
    """
    strict = _score(index, runs, is_typing=is_typing, whole=True)
    return strict if strict.any() else _score(index, runs, is_typing=is_typing, whole=False)


def _score(index: SearchIndex, runs: tuple[Run, ...], *, is_typing: bool, whole: bool) -> Floats:
    scores = np.zeros(index.size, np.float64)
    for n, run in enumerate(runs):
        unfinished = is_typing and n == len(runs) - 1
        if run.is_cjk:
            scores += _score_cjk(index, run, whole=whole)
        else:
            terms = [run.text.lower()]
            if unfinished and len(terms[0]) >= 2:
                terms = index.terms_with_prefix(terms[0]) or terms
            docs, weights = index.weigh(terms)
            if not len(docs) and not whole:
                for part in run_terms(run)[1:]:
                    docs, weights = index.weigh([part])
                    scores[docs] += weights
                continue
            scores[docs] += weights
    return scores


def _score_cjk(index: SearchIndex, run: Run, *, whole: bool) -> Floats:
    scores = np.zeros(index.size, np.float64)
    pairs = [run.text[n : n + 2] for n in range(len(run.text) - 1)]
    held = np.zeros(index.size, np.int32)
    for term in pairs or [run.text]:
        docs, weights = index.weigh([term])
        scores[docs] += weights
        held[docs] += 1
    if whole and len(run.text) <= _WHOLE_RUN_CHARS:
        scores[held < len(pairs or [run.text])] = 0
    elif whole:
        scores[held * 2 < len(pairs)] = 0
    if pairs:
        answering = scores > 0
        for char in dict.fromkeys(run.text):
            docs, weights = index.weigh([char])
            if whole:
                keep = answering[docs]
                docs, weights = docs[keep], weights[keep]
            scores[docs] += _SINGLE_WEIGHT * weights
    return scores
