"""How the vault lives: figures, and what needs the owner this week, as plain sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sidecar.metabolism.docket import Judgement

CORE_CAP = 100
_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Counts:
    """What the health is counted from."""

    layers: Mapping[str, int]
    born: Mapping[str, int]
    """Notes by the month they were born in, like ``2026-03``."""
    alive: int
    judged: int
    """How many notes can be judged at all."""
    orphans: int
    broken_links: int
    without_use: int
    inbox: Sequence[tuple[str, str, int]]
    """Path, day of expiry, age in days, of each inbox note."""
    signals: Mapping[str, int]
    chewable: int


def months_until(now: datetime, count: int = _MONTHS) -> list[str]:
    """Give the last months, oldest first, like ``2026-03``."""
    found = []
    year, month = now.year, now.month
    for _ in range(count):
        found.append(f"{year:04d}-{month:02d}")
        year, month = (year, month - 1) if month > 1 else (year - 1, 12)
    return found[::-1]


def health_of(
    counts: Counts, docket: Iterable[Judgement], decisions: Iterable[Mapping[str, Any]], now: datetime, budget: int
) -> dict[str, Any]:
    """Add up the health."""
    listed = list(docket)
    months = months_until(now)
    kinds: dict[str, Counter[str]] = {"bury": Counter(), "promote": Counter(), "resurrect": Counter()}
    for line in decisions:
        if line.get("kind") in kinds:
            kinds[line["kind"]][str(line.get("at", ""))[:7]] += 1
    soon = sorted((day, path) for path, day, _ in counts.inbox if day)[:10]
    core = counts.layers.get("core", 0)
    return {
        "layers": dict(counts.layers),
        "core": {"count": core, "cap": CORE_CAP, "free": max(CORE_CAP - core, 0)},
        "alive": {"count": counts.alive, "of": counts.judged, "share": round(counts.alive / counts.judged, 3) if counts.judged else None},
        "docket": len(listed),
        "budget": budget,
        "months": months,
        "births": [counts.born.get(month, 0) for month in months],
        "deaths": [kinds["bury"][month] for month in months],
        "promotions": [kinds["promote"][month] for month in months],
        "resurrections": [kinds["resurrect"][month] for month in months],
        "inbox": {
            "count": len(counts.inbox),
            "oldest_days": max((age for *_, age in counts.inbox), default=0),
            "next": [list(one) for one in soon],
        },
        "signals": dict(counts.signals),
        "orphans": counts.orphans,
        "broken_links": counts.broken_links,
        "without_use_when": counts.without_use,
        "chewable": counts.chewable,
        "needs": _needs(len(listed), budget, counts, core, soon, now),
    }


def _needs(listed: int, budget: int, counts: Counts, core: int, soon: Sequence[tuple[str, str]], now: datetime) -> list[str]:
    said = []
    if listed:
        said.append(
            f"{listed} {'note waits' if listed == 1 else 'notes wait'} for your decision ({min(listed, budget)} this week): kb trial"
        )
    week = [path for day, path in soon if 0 <= (datetime.fromisoformat(day).date() - now.date()).days <= 7]
    if week:
        said.append(f"{len(week)} inbox {'note expires' if len(week) == 1 else 'notes expire'} within a week: kb list notes path:inbox/")
    if counts.chewable:
        said.append(
            f"{counts.chewable} much-used {'note has' if counts.chewable == 1 else 'notes have'} no judgement of yours yet: kb chew"
        )
    if core >= CORE_CAP:
        said.append("The core is full: a new core note displaces one that you name.")
    return said
