"""Whether a keyword of the preference stands in a text.

A keyword of ASCII alone that has a capital is taken as it is written, one without in any case; beside neither may stand a letter
or digit: ``UI`` is not in "building", and ``C++`` and ``.NET`` are found. Chinese has no borders, so a Chinese character beside
a keyword is none of these letters. Any other keyword is found wherever its characters stand. (``spec/feeds.md``, keyword rule)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def holds(text: str, keyword: str) -> bool:
    """Tell whether ``text`` holds ``keyword``; an empty keyword is in no text."""
    wanted = keyword.strip()
    if not wanted:
        return False
    if not wanted.isascii():
        return _plain(wanted) in _plain(text)
    if wanted == wanted.lower():
        text = text.lower()
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not _is_letter(text[start - 1 : start] if start else "") and not _is_letter(text[end : end + 1]):
            return True
        start = text.find(wanted, start + 1)
    return False


def find_keywords(text: str, keywords: Iterable[str]) -> tuple[str, ...]:
    """Give the keywords that ``text`` holds, in their own order."""
    return tuple(keyword for keyword in keywords if holds(text, keyword))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _is_letter(character: str) -> bool:
    return bool(character) and character.isalnum() and not "\u2e80" <= character <= "\uff0f"
