"""How text is cut into terms: the one tokeniser for index, query, snippets and mentions (pure).

Latin words: NFKC, lower case, accents folded, ``+ # . -`` kept inside (``c++``, ``gpt-4``, ``3.11``), and the parts of
``snake_case``, ``camelCase`` and ``tier1-test`` beside the whole. Chinese, Japanese, Korean: every pair of neighbouring
characters and every single one, so that a word is found wherever it stands in a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import add

from sidecar.search.scripts import simplified_characters

TERMS_VERSION = 2
"""Raise it when the same text gives other terms: caches are then rebuilt once."""

MAX_TERM_CHARS = 64
"""Longer ones are keys, hashes and data, never words; they are not indexed, their parts are."""

CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u1100-\u11ff\uf900-\ufaff\U00020000-\U0003134f"
_CJK_RUN = re.compile(f"[{CJK}]+")
_WORD = re.compile(rf"[^\W_{CJK}]+(?:[_.\-'’/][^\W_{CJK}]+)*[+#]*")
_RUN = re.compile(rf"(?P<cjk>{_CJK_RUN.pattern})|(?P<word>{_WORD.pattern})")
_PART = re.compile(rf"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W_A-Za-z\d{CJK}]+")
_SEPARATOR = re.compile(r"[_.\-'’/]")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text that is one word or one unbroken run of CJK characters.

    Attributes:
        text: Normalised.
        start: Where it begins in the original text, in code points.
        end: Where it ends there.
    """

    text: str
    is_cjk: bool
    start: int
    end: int


class _Folds(dict[int, str]):
    """Folds of single characters, worked out when first met: width, compatibility forms, accents, traditional characters."""

    def __missing__(self, code: int) -> str:
        kept = "".join(c for c in unicodedata.normalize("NFKD", chr(code)) if not unicodedata.combining(c) or c in _VOICING)
        folded = unicodedata.normalize("NFC", kept)
        if code >= _FIRST_IDEOGRAPH:
            folded = "".join(simplified_characters().get(c, c) for c in folded)
        self[code] = folded
        return folded


_FIRST_IDEOGRAPH = 0x3400
_VOICING = "\u3099\u309a"
_folds = _Folds({code: chr(code) for code in range(128)})
_MARKS = "\u0300-\u036f\u1160-\u11ff\u3099\u309a\uff9e\uff9f"
_CLUSTER = re.compile(f"[^{_MARKS}][{_MARKS}]*|.", re.DOTALL)


def fold(text: str) -> str:
    """Bring full-width and half-width, composed and decomposed, accented and plain letters, traditional and simplified to one form.

    Case stays.
    """
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFC", text).translate(_folds)
    return unicodedata.normalize("NFC", folded) if any(mark in folded for mark in _VOICING) else folded


def fold_with_origin(text: str) -> tuple[str, list[int] | None]:
    """Fold a text; if its length changes, also give for each character where it came from, and the length as last entry."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded, None
    parts: list[str] = []
    origin: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        part = fold(cluster[0])
        parts.append(part)
        origin += [cluster.start()] * len(part)
    return "".join(parts), [*origin, len(text)]


def original_span(start: int, end: int, origin: list[int]) -> tuple[int, int]:
    """Give where a stretch of folded text stands in the original; a character that folds to several counts whole."""
    last = origin[end - 1]
    while origin[end] == last:
        end += 1
    return origin[start], origin[end]


def cut_runs(text: str) -> Iterator[Run]:
    """Cut text into words and CJK runs, in order. The text of a word keeps its case, for its parts to be told apart."""
    folded, origin = fold_with_origin(text)
    for found in _RUN.finditer(folded):
        start, end = found.span()
        if origin is not None:
            start, end = original_span(start, end, origin)
        yield Run(found[0], found.lastgroup == "cjk", start, end)


def run_terms(run: Run) -> list[str]:
    """Give the terms of one run: for a word itself and its parts, for a CJK run its characters and pairs."""
    return _cjk_terms(run.text) if run.is_cjk else _word_terms(run.text)


def cut_terms(text: str) -> list[str]:
    """Give all terms of a text, with repetitions."""
    terms: list[str] = []
    for found in _RUN.finditer(fold(text)):
        terms += _cjk_terms(found[0]) if found.lastgroup == "cjk" else _word_terms(found[0])
    return terms


def count_terms(text: str) -> tuple[dict[str, int], int]:
    """Count the terms of a text that are not too long, as :func:`cut_terms` gives them, and give the text's length in terms.

    Single CJK characters do not add to the length: they repeat what the pairs say, and would make Chinese notes look twice as long.
    Each distinct word is taken apart once.
    """
    folded = fold(text)
    counts, length = ({}, 0) if folded.isascii() else _count_cjk(_CJK_RUN.findall(folded))
    for word, count in Counter(_WORD.findall(folded)).items():
        terms, long = _counted_word(word)
        length += count * long
        for term in terms:
            counts[term] = counts.get(term, 0) + count
    return counts, length


def _count_cjk(runs: list[str]) -> tuple[dict[str, int], int]:
    if not runs:
        return {}, 0
    joined = "\n".join(runs)
    counts = Counter(joined)
    counts.update(map(add, joined, joined[1:]))
    for run in runs:  # what reaches over the end of a run is no term
        counts.pop(run[-1] + "\n", None)
        counts.pop("\n" + run[0], None)
    counts.pop("\n", None)
    return counts, len(joined) - 2 * len(runs) + 1


def is_ideographic(run: str) -> bool:
    """Whether a CJK run holds Chinese characters only."""
    return all(char >= "\u3400" and not "\uac00" <= char <= "\ud7af" for char in run)


def sure_terms(text: str) -> set[str]:
    """Give terms that every note has in which ``text`` stands: a word of several parts may be part of a longer one."""
    terms: set[str] = set()
    for run in cut_runs(text):
        terms.update(_cjk_terms(run.text) if run.is_cjk else _SEPARATOR.split(run.text.lower().rstrip("+#")))
    return {term for term in terms if 0 < len(term) <= MAX_TERM_CHARS}


def _cjk_terms(run: str) -> list[str]:
    return [*run, *map("".join, pairwise(run))]


def _word_terms(word: str) -> list[str]:
    whole = word.lower()
    if word.isalpha() and word[1:].islower():
        return [whole]
    bare = whole.rstrip("+#")
    pieces = _SEPARATOR.split(bare)
    parts = [part.lower() for part in _PART.findall(word)]
    others = dict.fromkeys([bare, *pieces, *(parts if len(parts) > 1 else ())])
    return [whole, *(term for term in others if term and term != whole)]


@lru_cache(maxsize=20_000)
def _counted_word(word: str) -> tuple[list[str], int]:
    """Give the terms of a word that are indexed, and how many of them add to a text's length."""
    terms = [term for term in _word_terms(word) if len(term) <= MAX_TERM_CHARS]
    return terms, sum(len(term) > 1 or term.isascii() for term in terms)
