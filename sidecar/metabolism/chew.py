"""Which notes are used so much that a judgement of one's own is due: the list for chewing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sidecar.metabolism.signals import Signals

WINDOW = timedelta(days=90)
MIN_DAYS = 3


@dataclass(frozen=True, slots=True)
class Chewable:
    """A note that was read or cited on three days or more, and has no core note built on it."""

    path: str
    title: str
    days: int
    last: str


def chewable(notes: Iterable[tuple[str, str]], built_on: Iterable[str], signals: Signals, now: datetime) -> list[Chewable]:
    """List the notes to chew, the most used first.

    Args:
        notes: Path and title of each wiki page and source.
        built_on: Paths that a core note names as its sources.
    """
    done = set(built_on)
    found = []
    for path, title in notes:
        days = signals.of(path).days(now - WINDOW) if path not in done else set()
        if len(days) >= MIN_DAYS:
            found.append(Chewable(path, title, len(days), max(days).isoformat()))
    return sorted(found, key=lambda one: (-one.days, one.path))
