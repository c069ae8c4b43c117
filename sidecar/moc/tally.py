"""Figures about all living notes, kept in step with single changes so that a map need not look at every note (pure)."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date

from sidecar.config import Folders, MapSettings, MapSort
from sidecar.graph.metrics import changed_on
from sidecar.selection import Selection
from sidecar.vault.layers import Layer, layer_of
from sidecar.vault.note import Note, NotePath, fold_name, folder_of

Key = tuple[int, str, NotePath]
"""Sorts notes: newest first by a day's negative number, or by a title or path."""


class Tally:
    """Counts of the layers, the newest change, the captures by day, and for each further map the notes it selects.

    Canvases and buried notes are in none of them; canvases are remembered, since the graph ranks them among the hubs.
    """

    def __init__(self, folders: Folders, maps: Iterable[MapSettings] = ()) -> None:
        self.folders = folders
        self.maps = tuple(maps)
        self._layer_of_folder: dict[str, Layer] = {}
        self._days: Counter[date] = Counter()
        self._layers: dict[NotePath, Layer] = {}
        self._day_of: dict[NotePath, date] = {}
        self._count: Counter[Layer] = Counter()
        self._captures = SortedNotes()
        self.canvases: set[NotePath] = set()
        self.members = {settings.path: Members(settings) for settings in self.maps}

    def fits(self, folders: Folders, maps: Iterable[MapSettings]) -> bool:
        """Whether it was made for these settings."""
        return self.folders == folders and self.maps == tuple(maps)

    def __contains__(self, path: NotePath) -> bool:
        """Whether a path is a living note."""
        return path in self._layers

    def update(self, notes: Mapping[NotePath, Note], paths: Iterable[NotePath]) -> None:
        """Take the named notes in as ``notes`` has them now; one that it has not is gone."""
        for path in paths:
            self._drop(path)
            note = notes.get(path)
            if note is not None and note.kind == "note":
                self._add(note)
            elif note is not None:
                self.canvases.add(path)

    def _add(self, note: Note) -> None:
        path = note.path
        layer = self._layer(path)
        if layer == "graveyard":
            return
        day = changed_on(note)
        self._layers[path] = layer
        self._count[layer] += 1
        if day is not None:
            self._days[day] += 1
            self._day_of[path] = day
        if layer == "sources":
            self._captures.put(path, by_day(day, path))
        for members in self.members.values():
            members.offer(note, day)

    def _drop(self, path: NotePath) -> None:
        self.canvases.discard(path)
        layer = self._layers.pop(path, None)
        if layer is None:
            return
        self._count[layer] -= 1
        day = self._day_of.pop(path, None)
        if day is not None:
            self._days[day] -= 1
            if not self._days[day]:
                del self._days[day]
        self._captures.discard(path)
        for members in self.members.values():
            members.notes.discard(path)

    def _layer(self, path: NotePath) -> Layer:
        folder = folder_of(path)
        if folder not in self._layer_of_folder:
            self._layer_of_folder[folder] = layer_of(path, self.folders)
        return self._layer_of_folder[folder]

    def counts(self) -> dict[str, int]:
        """Give the number of living notes, in all and in the layers that the map names."""
        return {"notes": len(self._layers), **{layer: self._count[layer] for layer in ("wiki", "sources", "core", "inbox")}}

    @property
    def newest(self) -> date | None:
        """The day of the newest change that a note names."""
        return max(self._days, default=None)

    def day_of(self, path: NotePath) -> date | None:
        return self._day_of.get(path)

    def captures(self) -> Iterator[NotePath]:
        """Give the notes of the sources folder, the newest first, those without a day last."""
        return iter(self._captures)


class SortedNotes:
    """Paths kept in the order of their keys."""

    def __init__(self) -> None:
        self._keys: list[Key] = []
        self._key_of: dict[NotePath, Key] = {}

    def put(self, path: NotePath, key: Key) -> None:
        self._key_of[path] = key
        insort(self._keys, key)

    def discard(self, path: NotePath) -> None:
        key = self._key_of.pop(path, None)
        if key is not None:
            del self._keys[bisect_left(self._keys, key)]

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, path: NotePath) -> bool:
        return path in self._key_of

    def __iter__(self) -> Iterator[NotePath]:
        return (path for _, _, path in self._keys)


class Members:
    """The notes that a further map selects, in its order; for ``hubs`` by path, since the graph ranks those that have links."""

    def __init__(self, settings: MapSettings) -> None:
        self._selects = selector(settings.selection)
        self._sort: MapSort = settings.sort
        self.notes = SortedNotes()

    def offer(self, note: Note, day: date | None) -> None:
        if self._selects(note):
            self.notes.put(note.path, _KEYS[self._sort](note, day))


def selector(selection: Selection) -> Callable[[Note], bool]:
    """Give the test that a selection puts to a note. Case and Unicode form do not matter."""
    paths, not_paths = (tuple(map(fold_name, names)) for names in (selection.paths, selection.not_paths))
    tags, not_tags = (tuple(map(fold_name, names)) for names in (selection.tags, selection.not_tags))

    def selects(note: Note) -> bool:
        path = fold_name(note.path)
        if (paths and not path.startswith(paths)) or path.startswith(not_paths):
            return False
        if not tags and not not_tags:
            return True
        own = {fold_name(tag) for tag in note.tags}
        return all(_has_tag(own, tag) for tag in tags) and not any(_has_tag(own, tag) for tag in not_tags)

    return selects


def _has_tag(own: set[str], wanted: str) -> bool:
    return any(tag == wanted or tag.startswith(wanted + "/") for tag in own)


def by_day(day: date | None, path: NotePath) -> Key:
    """Key that puts the newest first and those without a day last."""
    return -(day or date.min).toordinal(), "", path


_KEYS: dict[MapSort, Callable[[Note, date | None], Key]] = {
    "hubs": lambda note, day: (0, "", note.path),
    "path": lambda note, day: (0, "", note.path),
    "title": lambda note, day: (0, fold_name(note.title), note.path),
    "newest": lambda note, day: by_day(day, note.path),
}
