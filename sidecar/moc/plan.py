"""What belongs on the map of content (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sidecar.config import Folders, MocSettings
from sidecar.graph.metrics import Hub, changed_on, newest_change
from sidecar.vault.inline import is_tag
from sidecar.vault.layers import layer_of
from sidecar.vault.note import Note, NotePath


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


def plan_moc(
    notes: Mapping[NotePath, Note],
    hubs: Sequence[Hub],
    orphans: Sequence[NotePath],
    tags: Sequence[tuple[str, int]],
    folders: Folders,
    settings: MocSettings,
) -> MocPlan:
    """Choose what the map shows.

    Args:
        notes: The living notes; canvases are not counted.
        hubs, orphans, tags: As ranked by the graph.
    """
    moc_path = settings.path
    pages = {path: note for path, note in notes.items() if note.kind == "note"}
    counts = {"notes": len(pages)}
    for layer in ("wiki", "sources", "core", "inbox"):
        counts[layer] = sum(layer_of(path, folders) == layer for path in pages)
    shown = [hub for hub in hubs if hub.path in pages and hub.path != moc_path]
    topics = [(tag, count) for tag, count in tags if is_tag(tag)]
    lonely = [path for path in orphans if path != moc_path]
    return MocPlan(
        counts=counts,
        newest=newest_change(pages.values()),
        hubs=tuple(_hub_entry(hub, pages[hub.path]) for hub in shown[: settings.hubs]),
        hubs_total=len(shown),
        topics=tuple(topics[: settings.topics]),
        topics_total=len(topics),
        recent=_recent(pages, folders, settings.recent),
        orphans=tuple((path, pages[path].title) for path in lonely[: settings.orphans]),
        orphans_total=len(lonely),
    )


def _hub_entry(hub: Hub, note: Note) -> HubEntry:
    gist = "" if note.from_web else note.text_property("gist") or note.excerpt
    return HubEntry(hub.path, note.title, hub.in_links, tuple(filter(is_tag, dict.fromkeys(note.tags)))[:3], gist)


def _recent(pages: Mapping[NotePath, Note], folders: Folders, limit: int) -> tuple[CaptureEntry, ...]:
    captured = [CaptureEntry(path, note.title, changed_on(note)) for path, note in pages.items() if layer_of(path, folders) == "sources"]
    captured.sort(key=lambda entry: (-(entry.day or date.min).toordinal(), entry.path))
    return tuple(captured[:limit])
