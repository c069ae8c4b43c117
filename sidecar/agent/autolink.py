"""Links put into a page that an agent wrote: whole titles of wiki pages, once each; rather miss than err."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

_KEPT = re.compile(
    r"(?s:^---\n.*?\n---\n)|(?ms:^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^(?P=fence)[^\n]*$|\Z))|(?m:^(?: {4}|\t)[^\n]*$)"
    r"|(?s:(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))|`+"
    r"|!?\[\[[^\]\n]*\]\]|!?\[[^\]\n]*\]\([^)\n]*\)|(?m:^#{1,6}[ \t][^\n]*$)|<[^>\n]*>|https?://\S+|(?s:%%.*?%%)|(?s:\$\$.*?\$\$)|\$[^$\n]+\$"
)
"""What no link is put into: frontmatter, code, links, headings, HTML, addresses, comments, formulas."""
_MIN_LATIN, _MIN_CJK = 4, 2
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")


def is_long_enough(title: str) -> bool:
    """Tell whether a title says enough to be linked unasked: four Latin letters, or two CJK characters."""
    wide = len(_CJK.findall(title))
    return wide >= _MIN_CJK or sum(1 for character in title if character.isalpha() and not _CJK.match(character)) >= _MIN_LATIN


def autolink(text: str, titles: Iterable[tuple[str, str]], cut_words: Callable[[str], Sequence[str]]) -> str:
    """Link the first plain occurrence of each title.

    Args:
        titles: Title and link (``[[slug|title]]`` or ``[[title]]``) of each page; a title that stands there twice is ambiguous and left.
        cut_words: Cuts a run of CJK into words: a title must begin and end where a word does.
    """
    known: dict[str, str | None] = {}
    for title, link in titles:
        if is_long_enough(title):
            known[title] = None if title in known and known[title] != link else link
    free = _free_spans(text)
    edits: list[tuple[int, int, str]] = []
    wanted = (title for title, link in known.items() if link and link not in text and f"[[{title}" not in text)
    for title in sorted(wanted, key=lambda title: (-len(title), title)):
        place = _find(text, title, free, edits, cut_words)
        if place is not None:
            edits.append((place, place + len(title), known[title] or ""))
    for start, end, link in sorted(edits, reverse=True):
        text = text[:start] + link + text[end:]
    return text


def _free_spans(text: str) -> list[tuple[int, int]]:
    spans, at = [], 0
    for found in _KEPT.finditer(text):
        if found.start() > at:
            spans.append((at, found.start()))
        at = max(at, found.end())
    return [*spans, (at, len(text))] if at < len(text) else spans


def _find(
    text: str, title: str, free: Sequence[tuple[int, int]], taken: Sequence[tuple[int, int, str]], cut_words: Callable[[str], Sequence[str]]
) -> int | None:
    for begin, end in free:
        start = text.find(title, begin, end)
        while start >= 0:
            stop = start + len(title)
            is_free = all(stop <= one or start >= other for one, other, _ in taken)
            if is_free and _stands_alone(text, start, stop, cut_words):
                return start
            start = text.find(title, start + 1, end)
    return None


def _stands_alone(text: str, start: int, stop: int, cut_words: Callable[[str], Sequence[str]]) -> bool:
    before, after = text[start - 1 : start], text[stop : stop + 1]
    for outside, inside in ((before, text[start]), (after, text[stop - 1])):
        if outside and outside.isalnum() and inside.isalnum() and not (_CJK.match(outside) or _CJK.match(inside)):
            return False
        if outside == "_":
            return False
    first, last = bool(_CJK.match(text[start])), bool(_CJK.match(text[stop - 1]))
    if not (first and before and _CJK.match(before)) and not (last and after and _CJK.match(after)):
        return True
    left, right = start, stop
    while left > 0 and _CJK.match(text[left - 1]):
        left -= 1
    while right < len(text) and _CJK.match(text[right]):
        right += 1
    borders, at = {left}, left
    for word in cut_words(text[left:right]):
        at += len(word)
        borders.add(at)
    return start in borders and stop in borders
