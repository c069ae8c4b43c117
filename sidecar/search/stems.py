"""English words of one stem, and the few that say nothing in a query (pure)."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

MIN_STEMMED = 3

STOP_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from had has have how i if in into is it its of on or our shall"
    " should so such than that the their them then there these they this those to was we were what when where which who why will"
    " with would you your".split()
)
"""Left out of a query that holds other words; never left out of a note or a phrase."""


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@lru_cache(100_000)
def stem(word: str) -> str:
    """Give the English stem of a lower-case word; the word itself where stemming makes no sense."""
    if len(word) < MIN_STEMMED or not (word.isascii() and word.isalpha()):
        return word
    return str(_stemmer().stemWord(word))


def shared_beginning(word: str) -> str:
    """Give what all words of the same stem begin with: the stem, but for a last letter that changes (``study``, ``studies``)."""
    root = stem(word)
    return root[:-1] if len(root) > MIN_STEMMED and root[-1] in "iye" else root
