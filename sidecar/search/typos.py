"""Words that a misspelt one may mean (pure)."""

from __future__ import annotations

from collections.abc import Iterable

MIN_LETTERS, _TWO_EDITS_FROM = 5, 8


def allowed_edits(word: str) -> int:
    """Give how many letters of a Latin word may be wrong: none below five, one from there, two from eight on."""
    if len(word) < MIN_LETTERS or not (word.isascii() and word.isalpha()):
        return 0
    return 2 if len(word) >= _TWO_EDITS_FROM else 1


def nearest(word: str, known: Iterable[str]) -> dict[str, int]:
    """Give the known words within the allowed edits (insert, drop, replace, swap neighbours), each with its distance."""
    most = allowed_edits(word)
    found: dict[str, int] = {}
    for other in known if most else ():
        if abs(len(other) - len(word)) <= most and other != word:
            distance = _distance(word, other, most)
            if distance <= most:
                found[other] = distance
    return found


def _distance(a: str, b: str, most: int) -> int:
    """Optimal string alignment distance; anything above ``most`` is told as ``most + 1``."""
    start = 0
    shortest = min(len(a), len(b))
    while start < shortest and a[start] == b[start]:
        start += 1
    end = 0
    while end < shortest - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, before_above = row, before
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before_above[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before = above
    return min(row[-1], most + 1)
