"""Signals: that a note was read, cited or injected. Each renews its life for a while; being seen renews nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, get_args

Kind = Literal["cite", "read", "inject", "search", "seen"]
KINDS: tuple[str, ...] = get_args(Kind)
Renewing = Literal["cite", "read", "inject"]
WINDOWS: Mapping[str, timedelta] = {"cite": timedelta(days=180), "read": timedelta(days=90), "inject": timedelta(days=30)}
"""How long a signal renews a note's life. Kinds that are not here renew nothing."""
OBSERVE = "observe"
"""Kind of the line that says since when signals are kept."""
_SAME_WITHIN = timedelta(minutes=1)


@dataclass(slots=True)
class Use:
    """How one note was used: moments of each renewing kind, in order; of one kind within a minute only the first."""

    moments: dict[str, list[datetime]] = field(default_factory=dict)

    def last(self, kind: str) -> datetime | None:
        found = self.moments.get(kind)
        return found[-1] if found else None

    def days(self, since: datetime, kinds: Iterable[str] = ("read", "cite")) -> set[date]:
        """Give the distinct days on which it was read or cited."""
        return {moment.date() for kind in kinds for moment in self.moments.get(kind, ()) if moment >= since}

    def lives(self, now: datetime) -> str:
        """Give the kind of a signal that still renews it, or nothing."""
        return next((kind for kind, window in WINDOWS.items() if (last := self.last(kind)) is not None and now - last <= window), "")


@dataclass(frozen=True, slots=True)
class Signals:
    """All signals of a vault.

    Attributes:
        observed_since: Since when signals are kept; before that an absence is unknown, not zero.
        counts: How many lines there are of each kind.
    """

    uses: Mapping[str, Use]
    observed_since: datetime | None
    counts: Mapping[str, int]

    def of(self, path: str) -> Use:
        return self.uses.get(path) or Use()


@dataclass(frozen=True, slots=True)
class Rename:
    at: datetime
    old: str
    new: str


class Renames:
    """Where a note that was at a path at a moment is now."""

    def __init__(self, renames: Iterable[Rename]) -> None:
        self._of: dict[str, list[Rename]] = {}
        for rename in sorted(renames, key=lambda one: one.at):
            self._of.setdefault(rename.old, []).append(rename)

    def now_at(self, path: str, at: datetime) -> str:
        """Follow the renames after a moment; a circle ends where it began."""
        seen = {path}
        while later := self._of.get(path):
            place = bisect_left(later, at, key=lambda one: one.at)
            if place == len(later):
                break
            path, at = later[place].new, later[place].at
            if path in seen and len(seen) > 100:
                break
            seen.add(path)
        return path


def fold_signals(lines: Iterable[Mapping[str, Any]], renames: Renames, now: datetime) -> Signals:
    """Add up the lines of the journals, of whatever machines and in whatever order. A clock that ran ahead counts as now."""
    found: dict[str, list[tuple[datetime, str]]] = {}
    counts: dict[str, int] = {}
    since: datetime | None = None
    for line in lines:
        at = moment_of(line.get("at"))
        kind = line.get("kind")
        if at is None or not isinstance(kind, str):
            continue
        at = min(at, now)
        since = at if since is None else min(since, at)
        note = line.get("note")
        if kind == OBSERVE or not isinstance(note, str):
            continue
        counts[kind] = counts.get(kind, 0) + 1
        if kind in WINDOWS:
            found.setdefault(renames.now_at(note, at), []).append((at, kind))
    uses: dict[str, Use] = {}
    for path, moments in found.items():
        use = uses[path] = Use()
        for at, kind in sorted(moments):
            known = use.moments.setdefault(kind, [])
            if not known or at - known[-1] >= _SAME_WITHIN:
                known.append(at)
    return Signals(uses, since, counts)


def moment_of(value: object) -> datetime | None:
    """Read a moment; one without a zone is taken as UTC, what is none gives ``None``."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found.astimezone(UTC) if found is not None else None
