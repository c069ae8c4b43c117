"""What is counted over the links, kept current note by note: hubs, orphans, dead ends, tags, days, layers (pure).

A note's share in the figures is remembered, so that a save takes out the old share and puts in the new one; nothing else is
looked at. The figures equal those of a fresh count whatever the order of changes.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from types import MappingProxyType
from typing import TypeVar

from sidecar.graph.metrics import Hub, changed_on, freshness
from sidecar.vault.layers import Layer
from sidecar.vault.note import Note, NotePath

_K = TypeVar("_K")
_S = TypeVar("_S", NotePath, tuple[int, NotePath])
_NOTHING: frozenset[NotePath] = frozenset()


@dataclass(frozen=True, slots=True)
class Share:
    """What one file adds to the figures.

    Attributes:
        note: The note, if it lives.
        targets: The files it links to with links that count, itself aside.
        links_out: Whether it has a link that counts; also one to an unwritten note.
    """

    note: Note | None
    layer: Layer
    day: date | None
    targets: frozenset[NotePath]
    links_out: bool


class Tally:
    """Running figures over the notes of a vault."""

    def __init__(self) -> None:
        self._shares: dict[NotePath, Share] = {}
        self._into: defaultdict[NotePath, set[NotePath]] = defaultdict(set)
        self._living: dict[NotePath, Note] = {}
        self._days: Counter[date] = Counter()
        self._layers: Counter[Layer] = Counter()
        self._hubs: defaultdict[int, dict[date | None, set[NotePath]]] = defaultdict(dict)
        """Notes by number of linking notes and day: those of one such bucket have the same score, whatever the newest day."""
        self._sizes: Counter[int] = Counter()
        """How many notes have so many linking notes."""
        self._orphans: list[NotePath] = []
        self._dead_ends: list[NotePath] = []
        self._captures: list[tuple[int, NotePath]] = []
        self._canvases: set[NotePath] = set()
        self._spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._ranked_tags: list[tuple[str, int]] | None = None
        self._newest: date | None = None

    @property
    def living(self) -> Mapping[NotePath, Note]:
        """The notes and canvases that are not buried; a view, which follows."""
        return MappingProxyType(self._living)

    @property
    def newest(self) -> date | None:
        """The day of the newest change that a living note names."""
        return self._newest

    @property
    def layers(self) -> Mapping[Layer, int]:
        """Number of living notes, canvases aside, in each layer."""
        return MappingProxyType(self._layers)

    @property
    def canvases(self) -> AbstractSet[NotePath]:
        """The living canvases: they have links, but no map and no list of notes shows them."""
        return self._canvases

    def is_note(self, path: NotePath) -> bool:
        """Whether a path is a living note and no canvas."""
        return path in self._living and path not in self._canvases

    def day_of(self, path: NotePath) -> date | None:
        """Give the day of the last change that a file names, if it does."""
        share = self._shares.get(path)
        return share.day if share else None

    def targets_of(self, path: NotePath) -> frozenset[NotePath]:
        """Give the files a note links to with links that count."""
        share = self._shares.get(path)
        return share.targets if share else _NOTHING

    def linking_to(self, path: NotePath) -> frozenset[NotePath]:
        """Give the notes that link to a file with links that count."""
        return frozenset(self._into.get(path, ()))

    def neighbours(self, path: NotePath) -> frozenset[NotePath]:
        return self.targets_of(path) | self._into.get(path, _NOTHING)

    def put(self, path: NotePath, share: Share) -> None:
        """Take in what a file adds now, in place of what it added before."""
        known = self._shares.get(path)
        if known == share:
            return
        touched = {path, *(known.targets if known else ()), *share.targets}
        for other in touched:
            self._unplace(other)
        # Tags are ranked anew only if they changed, which most saves leave as they were.
        same_tags = known is not None and _tags_of(known) == _tags_of(share)
        if known:
            self._count(path, known, -1, with_tags=not same_tags)
        self._shares[path] = share
        self._count(path, share, 1, with_tags=not same_tags)
        for other in touched:
            self._place(other)

    def fill(self, shares: Mapping[NotePath, Share]) -> None:
        """Take in all files of a vault at once; before, there must be none."""
        self._shares = dict(shares)
        for path, share in shares.items():
            self._count(path, share, 1, with_tags=True)
        for path in shares:
            self._place(path)

    def remove(self, path: NotePath) -> None:
        """Forget a file. What links to it is put anew by the caller."""
        if path in self._shares:
            self.put(path, Share(None, "", None, _NOTHING, links_out=False))
            del self._shares[path]

    def hubs(self, limit: int | None = None) -> list[Hub]:
        """Rank notes by distinct linking notes × freshness, best first; ties by path."""
        buckets = [(count, day) for count in self._top_counts(limit) for day in self._hubs[count]]
        fresh = {day: freshness(day, self._newest) for day in {day for _, day in buckets}}
        ranked = sorted(((-round(count * fresh[day], 6), -count, day) for count, day in buckets), key=lambda item: item[:2])
        hubs: list[Hub] = []
        for (score, count), group in groupby(ranked, key=lambda item: item[:2]):
            paths = sorted(path for _, _, day in group for path in self._hubs[-count][day])
            hubs += [Hub(path, -count, -score) for path in paths]
            if limit is not None and len(hubs) >= limit:
                return hubs[:limit]
        return hubs

    def _top_counts(self, limit: int | None) -> list[int]:
        """Give the numbers of links that the first hubs may have: freshness is ½ to 1, so half as many links never come first."""
        counts = sorted(self._sizes, reverse=True)
        if limit is None:
            return counts
        least, held = 0, 0
        for least in counts:
            held += self._sizes[least]
            if held >= limit:
                break
        return [count for count in counts if count * 2 >= least]

    @property
    def hub_count(self) -> int:
        return self._sizes.total()

    def is_hub(self, path: NotePath) -> bool:
        """Whether a living note is linked to, so that :meth:`hubs` ranks it."""
        return path in self._living and path in self._into

    def in_links(self, path: NotePath) -> int:
        """Count the notes that link to a file with links that count."""
        return len(self._into.get(path, ()))

    def orphans(self, limit: int | None = None) -> list[NotePath]:
        return self._orphans[:limit]

    @property
    def orphan_count(self) -> int:
        return len(self._orphans)

    def is_orphan(self, path: NotePath) -> bool:
        share = self._shares.get(path)
        return share is not None and self._lonely(share, self.in_links(path)) is self._orphans

    def dead_ends(self) -> list[NotePath]:
        """List the notes that are linked to and link to nothing, sorted."""
        return self._dead_ends[:]

    def captures(self) -> Iterator[NotePath]:
        """Give the living notes of the layer ``sources``, newest day first, those without a day last, then by path."""
        return (path for _, path in self._captures)

    def tags(self) -> list[tuple[str, int]]:
        """Count the notes of each tag, most first; case does not matter, the most used spelling is shown."""
        if self._ranked_tags is None:
            counts = ((min(c, key=lambda s: (-c[s], s)), c.total()) for c in self._spellings.values())
            self._ranked_tags = sorted(counts, key=lambda item: (-item[1], item[0]))
        return self._ranked_tags[:]

    def _count(self, path: NotePath, share: Share, sign: int, *, with_tags: bool) -> None:
        for target in share.targets:
            if sign > 0:
                self._into[target].add(path)
            else:
                self._into[target].discard(path)
                if not self._into[target]:
                    del self._into[target]
        if share.note is None:
            return
        self._count_day(share.day, sign)
        if sign > 0:
            self._living[path] = share.note
        else:
            del self._living[path]
        if share.note.kind != "note":
            (self._canvases.add if sign > 0 else self._canvases.discard)(path)
        else:
            _add(self._layers, share.layer, sign)
            if share.layer == "sources":
                _keep(self._captures, (-(share.day or date.min).toordinal(), path), sign)
        for tag in {t.lower(): t for t in share.note.tags}.values() if with_tags else ():
            self._ranked_tags = None
            _add(self._spellings[tag.lower()], tag, sign)
            if not self._spellings[tag.lower()]:
                del self._spellings[tag.lower()]

    def _count_day(self, day: date | None, sign: int) -> None:
        if day is None:
            return
        _add(self._days, day, sign)
        if sign > 0 and (self._newest is None or day > self._newest):
            self._newest = day
        elif day == self._newest and day not in self._days:
            self._newest = max(self._days, default=None)

    def _unplace(self, path: NotePath) -> None:
        share, count = self._shares.get(path), self.in_links(path)
        if share is None or share.note is None:
            return
        if count:
            days = self._hubs[count]
            days[share.day].discard(path)
            if not days[share.day]:
                del days[share.day]
            _add(self._sizes, count, -1)
            if not days:
                del self._hubs[count]
        if (lonely := self._lonely(share, count)) is not None:
            _keep(lonely, path, -1)

    def _place(self, path: NotePath) -> None:
        share, count = self._shares.get(path), self.in_links(path)
        if share is None or share.note is None:
            return
        if count:
            self._hubs[count].setdefault(share.day, set()).add(path)
            _add(self._sizes, count, 1)
        if (lonely := self._lonely(share, count)) is not None:
            _keep(lonely, path, 1)

    def _lonely(self, share: Share, count: int) -> list[NotePath] | None:
        """Give the list a note belongs to for want of links."""
        if share.note is None or share.note.kind != "note" or share.links_out:
            return None
        return self._dead_ends if count else self._orphans


def share_of(note: Note | None, layer: Layer, targets: Iterable[NotePath], *, links_out: bool) -> Share:
    """Put together what a note adds; a buried one adds nothing but is known."""
    return Share(note, layer, changed_on(note) if note else None, frozenset(targets), links_out)


def _tags_of(share: Share) -> tuple[str, ...]:
    return share.note.tags if share.note else ()


def _add(counter: Counter[_K], key: _K, sign: int) -> None:
    counter[key] += sign
    if not counter[key]:
        del counter[key]


def _keep(ordered: list[_S], item: _S, sign: int) -> None:
    """Put an item into a sorted list, or take it out."""
    if sign > 0:
        insort(ordered, item)
    else:
        del ordered[bisect_left(ordered, item)]
