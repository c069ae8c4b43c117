"""What the links say about notes: hubs, orphans, dead ends, tags, related notes (pure)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from sidecar.graph.build import Edge, VaultGraph
from sidecar.vault.note import Note, NotePath

IsCounted = Callable[[Edge], bool]
"""Whether a link counts as an owner's own: for hubs, orphans and related notes."""

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_DATE_PROPERTIES = ("updated", "modified", "created", "date", "published")
_HALF_LIFE_DAYS = 365.0


@dataclass(frozen=True, slots=True)
class Hub:
    """A much-linked note. ``in_links`` counts distinct notes that link to it."""

    path: NotePath
    in_links: int
    score: float


@dataclass(frozen=True, slots=True)
class Related:
    """A note related to another. ``reasons`` maps what they share to how much: ``tags``, ``neighbours``."""

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


def rank_hubs(graph: VaultGraph, notes: Mapping[NotePath, Note], counts: IsCounted) -> list[Hub]:
    """Rank notes by distinct linking notes × freshness, best first; ties by path. Links of a note to itself do not count."""
    sources: defaultdict[NotePath, set[NotePath]] = defaultdict(set)
    for edge in graph.edges_unordered():
        if edge.resolved and edge.source != edge.target and edge.target in notes and counts(edge):
            sources[edge.target].add(edge.source)
    newest = newest_change(notes.values())
    hubs = [
        Hub(path, len(linking), round(len(linking) * freshness(changed_on(notes[path]), newest), 6)) for path, linking in sources.items()
    ]
    return sorted(hubs, key=lambda hub: (-hub.score, -hub.in_links, hub.path))


def newest_change(notes: Iterable[Note]) -> date | None:
    return max((day for note in notes if (day := changed_on(note))), default=None)


def list_orphans(graph: VaultGraph, notes: Mapping[NotePath, Note], counts: IsCounted) -> list[NotePath]:
    """List the notes with no link in or out but their own, sorted. Links to unwritten notes are links out."""
    joined: set[NotePath] = set()
    for edge in graph.edges_unordered():
        if counts(edge) and edge.source != edge.target:
            joined.add(edge.source)
            if edge.resolved:
                joined.add(edge.target)
    return sorted(path for path, note in notes.items() if note.kind == "note" and path not in joined)


def count_tags(notes: Iterable[Note]) -> list[tuple[str, int]]:
    """Count the notes of each tag, most first; case does not matter, the most used spelling is shown."""
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for note in notes:
        for tag in {t.lower(): t for t in note.tags}.values():
            spellings[tag.lower()][tag] += 1
    counts = [(min(c, key=lambda s: (-c[s], s)), c.total()) for c in spellings.values()]
    return sorted(counts, key=lambda item: (-item[1], item[0]))


def rank_related(path: NotePath, graph: VaultGraph, notes: Mapping[NotePath, Note], counts: IsCounted, limit: int) -> list[Related]:
    """Rank notes that share tags or neighbours with ``path`` and are not linked with it yet, each with its reasons.

    A shared tag or neighbour weighs less the more notes have it.
    """
    linked = _neighbours(path, graph, counts)
    scores: defaultdict[NotePath, float] = defaultdict(float)
    reasons: defaultdict[NotePath, dict[str, list[str]]] = defaultdict(dict)
    for neighbour in sorted(linked):
        second = _neighbours(neighbour, graph, counts)
        for other in second - linked - {path}:
            scores[other] += 1 / (1 + len(second)) ** 0.5
            reasons[other].setdefault("neighbours", []).append(neighbour)
    own = {tag.lower(): tag for tag in notes[path].tags} if path in notes else {}
    if own:
        holders: defaultdict[str, list[NotePath]] = defaultdict(list)
        for other, note in notes.items():
            for tag in {t.lower() for t in note.tags} & own.keys():
                holders[tag].append(other)
        for tag, others in holders.items():
            for other in others:
                if other != path and other not in linked:
                    scores[other] += 1 / (1 + len(others)) ** 0.5
                    reasons[other].setdefault("tags", []).append(own[tag])
    best = sorted((p for p in scores if p in notes), key=lambda p: (-scores[p], p))[:limit]
    return [Related(p, round(scores[p], 6), {k: sorted(v) for k, v in sorted(reasons[p].items())}) for p in best]


def _neighbours(path: NotePath, graph: VaultGraph, counts: IsCounted) -> set[NotePath]:
    found = {edge.target for edge in graph.links_of(path) if edge.resolved and counts(edge)}
    found |= {edge.source for edge in graph.links_to(path) if counts(edge)}
    return found - {path}
