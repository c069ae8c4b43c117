"""What belongs on the map of content (pure)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import chain, islice
from typing import Generic, TypeVar

from sidecar.config import MapSettings, MocSettings
from sidecar.graph.metrics import Hub
from sidecar.graph.tally import Tally
from sidecar.moc.members import MapMembers
from sidecar.vault.inline import is_tag
from sidecar.vault.layers import Layer
from sidecar.vault.note import Note, NotePath, basename_of

T = TypeVar("T")
Judge = Callable[[NotePath], bool]
_HUB_TAGS = 3
_LAYERS: tuple[Layer, ...] = ("wiki", "sources", "core", "inbox")
"""The layers that the counts line names."""
_is_tag = lru_cache(maxsize=100_000)(is_tag)
_FIRST_LOOK = 64


@dataclass(frozen=True, slots=True)
class Ranked(Generic[T]):
    """What the graph ranks, asked for no further than it is looked at: a map shows twenty of what may be many thousands.

    Attributes:
        first: Gives so many from the top, all for ``None``.
        total: How many there are.
        holds: Whether a note is one of them.
    """

    first: Callable[[int | None], list[T]]
    total: int
    holds: Judge

    def __iter__(self) -> Iterator[T]:
        seen = 0
        for limit in (_FIRST_LOOK, 8 * _FIRST_LOOK, None):
            yield from self.first(limit)[seen:]
            if limit is None or limit >= self.total:
                return
            seen = limit

    def total_without(self, hidden: Iterable[NotePath]) -> int:
        return self.total - sum(map(self.holds, hidden))


@dataclass(frozen=True, slots=True)
class HubEntry:
    """A line of the hub list. ``gist`` is empty for notes from outside: their text is material, not a summary to trust."""

    path: NotePath
    title: str
    in_links: int
    tags: tuple[str, ...]
    gist: str


@dataclass(frozen=True, slots=True)
class CaptureEntry:
    path: NotePath
    title: str
    day: date | None


@dataclass(frozen=True, slots=True)
class MocPlan:
    """All that the map says, in order. The ``*_total`` figures count also what did not fit in the lists."""

    counts: dict[str, int]
    newest: date | None
    hubs: tuple[HubEntry, ...]
    hubs_total: int
    topics: tuple[tuple[str, int], ...]
    topics_total: int
    recent: tuple[CaptureEntry, ...]
    orphans: tuple[tuple[NotePath, str], ...]
    orphans_total: int


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A line of a further map, with what it is sorted by, if that can be told: the linking notes or the day."""

    path: NotePath
    title: str
    in_links: int = 0
    day: date | None = None


@dataclass(frozen=True, slots=True)
class ListPlan:
    """What a further map says."""

    entries: tuple[ListEntry, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Vault:
    """What is known of the vault when maps are planned.

    Attributes:
        notes: All notes, buried ones and canvases included.
        tally: The graph's figures about the living ones.
        members: What further maps select.
        hubs, orphans, tags: As ranked by the graph.
        maps: The maps themselves, which stand on no map.
        is_excluded: Whether the owner excluded a file: it comes after all others.
        is_untrusted: Whether a note's text came from outside.
    """

    notes: Mapping[NotePath, Note]
    tally: Tally
    members: MapMembers
    hubs: Ranked[Hub]
    orphans: Ranked[NotePath]
    tags: Sequence[tuple[str, int]]
    maps: frozenset[NotePath]
    is_excluded: Judge
    is_untrusted: Judge

    def is_shown(self, path: NotePath) -> bool:
        return self.tally.is_note(path) and path not in self.maps


def plan_moc(vault: Vault, settings: MocSettings) -> MocPlan:
    """Choose what the main map shows; a section that is switched off holds nothing and counts nothing."""
    wants = {name: name in settings.sections for name in ("hubs", "topics", "recent", "orphans")}
    topics = [(tag, count) for tag, count in vault.tags if _is_tag(tag)] if wants["topics"] else []
    captures = vault.tally.captures() if wants["recent"] else ()
    hidden = vault.maps | vault.tally.canvases
    return MocPlan(
        counts=count_layers(vault.tally),
        newest=vault.tally.newest,
        hubs=tuple(
            _hub_entry(hub, vault) for hub in _first(vault.hubs if wants["hubs"] else (), settings.hubs, vault, lambda hub: hub.path)
        ),
        hubs_total=vault.hubs.total_without(hidden) if wants["hubs"] else 0,
        topics=tuple(topics[: settings.topics]),
        topics_total=len(topics),
        recent=tuple(
            CaptureEntry(path, title_of(vault.notes[path]), vault.tally.day_of(path))
            for path in _first(captures, settings.recent, vault, str)
        ),
        orphans=tuple(
            (path, title_of(vault.notes[path])) for path in _first(vault.orphans if wants["orphans"] else (), settings.orphans, vault, str)
        ),
        orphans_total=vault.orphans.total_without(hidden) if wants["orphans"] else 0,
    )


def plan_list(vault: Vault, settings: MapSettings) -> ListPlan:
    """Choose what a further map shows: the notes it selects, in its order.

    By ``hubs``, notes that others link to come first as the graph ranks them, then the rest by path.
    """
    members = vault.members[settings.path]
    total = len(members) - sum(path in members for path in vault.maps)
    if settings.sort == "hubs":
        ranked = {hub.path: hub.in_links for hub in vault.hubs.first(None) if hub.path in members}
        rest = (path for path in members if path not in ranked)
        order = _first(chain(ranked, rest), settings.notes, vault, str)
        return ListPlan(tuple(ListEntry(path, title_of(vault.notes[path]), ranked.get(path, 0)) for path in order), total)
    order = _first(members, settings.notes, vault, str)
    shows_day = settings.sort == "newest"
    return ListPlan(
        tuple(ListEntry(path, title_of(vault.notes[path]), day=vault.tally.day_of(path) if shows_day else None) for path in order), total
    )


def count_layers(tally: Tally) -> dict[str, int]:
    """Give the number of living notes, in all and in the layers that the map names."""
    layers = tally.layers
    return {"notes": sum(layers.values()), **{layer: layers.get(layer, 0) for layer in _LAYERS}}


def _first(entries: Iterable[T], limit: int, vault: Vault, path_of: Callable[[T], NotePath]) -> list[T]:
    """Give the first entries that may be shown, all excluded ones after the others; looks no further than it must."""
    if limit == 0:
        return []
    last: list[T] = []

    def others() -> Iterator[T]:
        for entry in entries:
            if not vault.is_shown(path_of(entry)):
                continue
            if not vault.is_excluded(path_of(entry)):
                yield entry
            elif len(last) < limit:
                last.append(entry)

    found = list(islice(others(), limit))
    return (found + last)[:limit]


def _hub_entry(hub: Hub, vault: Vault) -> HubEntry:
    note = vault.notes[hub.path]
    gist = "" if vault.is_untrusted(hub.path) else readable_gist(note.text_property("gist") or note.excerpt)
    return HubEntry(hub.path, title_of(note), hub.in_links, tuple(filter(_is_tag, dict.fromkeys(note.tags)))[:_HUB_TAGS], gist)


def title_of(note: Note) -> str:
    """Give a note's title; its name where the title is still a template's code."""
    return basename_of(note.path) if _TEMPLATE.search(note.title) else note.title


def readable_gist(text: str) -> str:
    """Take the mark of a callout off a gist; what holds no word or is a template's code is none."""
    text = _CALLOUT.sub("", text)
    return text if re.search(r"\w", text) and not _TEMPLATE.search(text) else ""


_TEMPLATE = re.compile(r"<%|%>|\{\{")
_CALLOUT = re.compile(r"^[>\s]*\[![\w-]+\][+-]?\s*")
