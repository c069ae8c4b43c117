"""From a query to scores (pure).

Words and pairs of CJK characters are added up by BM25, single characters with half the weight. A Latin word finds all words of
its stem; notes that hold it as it was typed gain by it. The weights were chosen on the development sets of
``tests/unit/search/test_search_quality.py``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sidecar.search.chinese_words import CutWords
from sidecar.search.index import Floats, Ints, SearchIndex
from sidecar.search.stems import STOP_WORDS, shared_beginning, stem
from sidecar.search.terms import Run, run_terms
from sidecar.search.typos import allowed_edits, nearest

_SINGLE_WEIGHT = 0.5
"""What a single CJK character counts beside a pair: it finds 北大 in 北京大学 and little else."""

_EXACT_WEIGHT = 0.2
"""What a word as it was typed counts beside all words of its stem."""

_WORD_WEIGHT = 0.5
"""What a Chinese word of a query counts beside its pairs, where words are cut."""

_WHOLE_RUN_CHARS = 4
"""A CJK run up to this length is one word to its writer: notes must hold all of its pairs."""

_MAX_VARIANTS = 40
_MIN_PREFIX = 2


def score_documents(index: SearchIndex, runs: tuple[Run, ...], *, is_typing: bool, cut_words: CutWords | None = None) -> Floats:
    """Score every document for the runs of a query; 0 means no answer.

    A document answers if it holds at least one run whole. If none does, any pair or part will do, so that a long question
    still finds its note.
    """
    wanted = content_runs(runs)
    is_question = any(run.is_cjk and len(run.text) > _WHOLE_RUN_CHARS for run in wanted)
    strict = np.zeros(0) if is_question else _score(index, wanted, is_typing=is_typing, whole=True)
    scores = strict if strict.any() else _score(index, wanted, is_typing=is_typing, whole=False)
    if cut_words is not None:
        for word in dict.fromkeys(word for run in wanted if run.is_cjk for word in cut_words(run.text)):
            docs, weights = _weigh_word(index, word)
            # Only what answers already is raised: with words or without, the same notes are found.
            scores[docs] += _WORD_WEIGHT * weights * (scores[docs] > 0)
    return scores


def _weigh_word(index: SearchIndex, word: str) -> tuple[Ints, Floats]:
    """Score the documents that hold all pairs of a CJK word: the word stands there, or nearly so."""
    parts = [index.postings(word[n : n + 2]) for n in range(len(word) - 1)]
    docs = parts[0][0]
    for others, _ in parts[1:]:
        docs = np.intersect1d(docs, others, assume_unique=True)
    frequency = np.full(len(docs), np.inf)
    for others, weights in parts:
        order = np.argsort(others, kind="stable")
        frequency = np.minimum(frequency, weights[order][np.searchsorted(others[order], docs)])
    return index.weigh_found(docs, frequency)


def correct_runs(index: SearchIndex, runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """Give the runs with each Latin word that no document holds replaced by the likeliest known one; the same if there is none.

    A word that begins alike, or with its first two letters swapped, is likely; of equally near ones, the more frequent.
    """
    return tuple(replace(run, text=_corrected(index, run.text.lower())) if not run.is_cjk else run for run in runs)


def _corrected(index: SearchIndex, word: str) -> str:
    most = allowed_edits(word)
    if not most or index.frequency(word):
        return word
    known = {term for begin in {word[0], word[1]} for term in index.words_beginning(begin, len(word) + most, len(word) - most)}
    near = nearest(word, (term for term in known if term.isascii() and term.isalpha()))
    living = [(distance, -count, term) for term, distance in near.items() if (count := index.frequency(term))]
    return min(living)[2] if living else word


def content_runs(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """Leave out English words that say nothing, unless the query has no others."""
    kept = tuple(run for run in runs if run.is_cjk or run.text.lower() not in STOP_WORDS)
    return kept or runs


def word_variants(index: SearchIndex, word: str) -> list[str]:
    """List the words of the index that share the English stem of ``word``, itself first.

    It is looked for among the words that begin alike, so that notes need not be stemmed, and no stem takes a word's place.
    """
    root = stem(word)
    if not (word.isascii() and word.isalpha()) or len(root) < _MIN_PREFIX + 1:
        return [word]
    begins = shared_beginning(word)
    others = (term for term in index.words_beginning(begins, len(word) + 4) if term != word and stem(term) == root)
    return [word, *sorted(others, key=lambda term: (len(term), term))[:_MAX_VARIANTS]]


def _score(index: SearchIndex, runs: tuple[Run, ...], *, is_typing: bool, whole: bool) -> Floats:
    scores = np.zeros(index.size, np.float64)
    for n, run in enumerate(runs):
        if run.is_cjk:
            scores += _score_cjk(index, run, whole=whole)
        else:
            scores += _score_word(index, run, unfinished=is_typing and n == len(runs) - 1, whole=whole)
    return scores


def _score_word(index: SearchIndex, run: Run, *, unfinished: bool, whole: bool) -> Floats:
    scores = np.zeros(index.size, np.float64)
    word = run.text.lower()
    if unfinished and len(word) >= _MIN_PREFIX:
        docs, weights = index.weigh_prefix(word)
        scores[docs] += weights
    else:
        docs, weights = index.weigh(word_variants(index, word))
        scores[docs] += weights
    docs, weights = index.weigh([word])
    scores[docs] += _EXACT_WEIGHT * weights
    if not whole and not scores.any():
        for part in run_terms(run)[1:]:
            docs, weights = index.weigh([part])
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
    if whole:
        scores[held < len(pairs or [run.text])] = 0
    if pairs:
        answering = scores > 0
        for char in dict.fromkeys(run.text):
            docs, weights = index.weigh([char])
            if whole:
                keep = answering[docs]
                docs, weights = docs[keep], weights[keep]
            scores[docs] += _SINGLE_WEIGHT * weights
    return scores
