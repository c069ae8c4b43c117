"""Which notes a query's filters let through (pure)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from sidecar.search.query import LAYERS, Filter
from sidecar.vault.note import Note, fold_name


@dataclass(frozen=True, slots=True)
class Facts:
    """What filters ask about a note beside the note itself.

    Attributes:
        layer_of: Gives a note's layer.
        day_of: Gives the day that a note names as its last change.
        orphans: Gives the paths of the orphans; called at most once for a query.
    """

    layer_of: Callable[[str], str]
    day_of: Callable[[Note], date | None]
    orphans: Callable[[], Collection[str]]


def make_filter(filters: tuple[Filter, ...], facts: Facts) -> Callable[[Note], bool]:
    """Give a test of notes: all filters must hold, but of several folders or layers one is enough."""
    orphans = frozenset(facts.orphans()) if any(f.field == "has" for f in filters) else frozenset()
    groups: list[tuple[list[Filter], bool]] = []
    ordered = sorted(filters, key=lambda f: (f.field, f.is_negated))
    for (field, negated), group in groupby(ordered, key=lambda f: (f.field, f.is_negated)):
        some = list(group)
        groups += [(some, False)] if field in ("path", "layer") and not negated else [([one], negated) for one in some]

    def passes(note: Note) -> bool:
        return all(any(_holds(f, note, facts, orphans) for f in some) is not negated for some, negated in groups)

    return passes


def _holds(wanted: Filter, note: Note, facts: Facts, orphans: frozenset[str]) -> bool:
    value = wanted.value
    match wanted.field:
        case "tag":
            return any(tag == value or tag.startswith(value + "/") for tag in map(str.lower, note.tags))
        case "path":
            return fold_name(note.path).startswith(fold_name(value))
        case "layer" | "in":
            return facts.layer_of(note.path) in LAYERS[value]
        case "origin":
            return note.from_web is (value == "web")
        case "has":
            return note.path in orphans
        case _:
            day = facts.day_of(note)
            return day is not None and (day.isoformat() >= value if wanted.field == "after" else day.isoformat() < value)
