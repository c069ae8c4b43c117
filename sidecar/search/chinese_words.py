"""Chinese words as jieba cuts them, for queries (pure but for its library's own data).

Notes are indexed by characters and pairs alone: a word of a query is looked for as the notes that hold all of its pairs. So
jieba costs nothing while indexing, and what it finds can only raise a note, never hide one.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from sidecar.search.terms import is_ideographic

MIN_WORD = 3
"""Shorter words are pairs, which count already."""

CutWords = Callable[[str], list[str]]


@cache
def _tokenizer() -> Any:
    """Load the dictionary: some two seconds and 80 MB. Its pickled copy in a shared temporary folder is neither read nor written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba 0.42 has patterns and imports that Python warns of
        import jieba

    jieba.setLogLevel(logging.CRITICAL)
    tokenizer = jieba.Tokenizer()
    with jieba.get_module_res("dict.txt") as file:
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(file)
    tokenizer.initialized = True
    return tokenizer


def cut_words(run: str) -> list[str]:
    """Give the words of at least three characters in a run of Chinese; none where it holds kana or Hangul."""
    if len(run) < MIN_WORD or not is_ideographic(run):
        return []
    return list(dict.fromkeys(word for word in _tokenizer().cut_for_search(run) if len(word) >= MIN_WORD))
