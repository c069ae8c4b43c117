"""How notes are weighed: freshness, hubs, related notes (pure)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from datetime import date

from sidecar.vault.note import Note, NotePath

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_DATE_PROPERTIES = ("updated", "modified", "created", "date", "published")
_HALF_LIFE_DAYS = 365.0
_TOO_COMMON = 1000
_HALF_ALIKE = 40.0
"""BM25 over forty words gives 20 to 60 for notes on one subject, some 200 for copies."""


@dataclass(frozen=True, slots=True)
class Hub:
    """A much-linked note. ``in_links`` counts distinct notes that link to it."""

    path: NotePath
    in_links: int
    score: float


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much the text of a note is like another's: a score without bound, and the words they share, weightiest first."""

    path: NotePath
    score: float
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """A note related to another. ``reasons`` maps what they share to which: ``neighbours``, ``tags``, ``text`` (words)."""

    path: NotePath
    score: float
    reasons: dict[str, list[str]]


def changed_on(note: Note) -> date | None:
    """Give the day a note says it was last changed: the latest of its date properties; ``None`` if it names none.

    File times are not asked: a copy or a checkout would move them, and the same vault must give the same map.
    """
    days: list[date] = []
    for key in _DATE_PROPERTIES:
        found = _DATE.match(note.text_property(key))
        if found:
            try:
                days.append(date(int(found[1]), int(found[2]), int(found[3])))
            except ValueError:
                continue
    return max(days, default=None)


def freshness(day: date | None, newest: date | None) -> float:
    """Weigh a day against the vault's newest change: 1 for that day, half the way to ½ each year before, ½ if unknown."""
    if day is None or newest is None:
        return 0.5
    halvings = max((newest - day).days, 0) / _HALF_LIFE_DAYS
    return float(0.5 + 0.5 * 0.5**halvings)


def newest_change(notes: Iterable[Note]) -> date | None:
    return max((day for note in notes if (day := changed_on(note))), default=None)


def rank_related(
    path: NotePath,
    tags: Iterable[str],
    neighbours: Callable[[NotePath], Set[NotePath]],
    holders: Callable[[str], Set[NotePath]],
    alike: Iterable[Likeness],
) -> list[Related]:
    """Rank notes that share tags, neighbours or words with ``path`` and are not linked with it yet, each with its reasons.

    A tag or neighbour shared by n notes weighs ``1/√(n+1)``: ½ if three have it, a tenth if a hundred have, nothing beyond
    1000. Text weighs ``s/(s+40)`` for a likeness s, so from nothing to 1: as much as two rare tags.
    """
    linked = neighbours(path)
    scores: defaultdict[NotePath, float] = defaultdict(float)
    reasons: defaultdict[NotePath, dict[str, list[str]]] = defaultdict(dict)

    def add(reason: str, name: str, others: Set[NotePath]) -> None:
        if len(others) > _TOO_COMMON:
            return
        for other in others - linked - {path}:
            scores[other] += 1 / (1 + len(others)) ** 0.5
            reasons[other].setdefault(reason, []).append(name)

    for neighbour in sorted(linked):
        add("neighbours", neighbour, neighbours(neighbour))
    for tag in sorted({tag.lower(): tag for tag in tags}.values()):
        add("tags", tag, holders(tag))
    for like in alike:
        if like.path != path and like.path not in linked and like.terms:
            scores[like.path] += like.score / (like.score + _HALF_ALIKE)
            reasons[like.path]["text"] = list(like.terms)
    best = sorted(scores, key=lambda other: (-round(scores[other], 6), other))
    return [Related(other, round(scores[other], 6), dict(sorted(reasons[other].items()))) for other in best]
