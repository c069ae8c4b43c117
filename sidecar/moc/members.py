"""Which notes further maps select, kept in step with single changes so that a map need not look at every note (pure)."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date

from sidecar.config import Folders, MapSettings, MapSort
from sidecar.graph.tally import Tally
from sidecar.selection import Selection
from sidecar.vault.note import Note, NotePath, fold_name

Key = tuple[int, str, NotePath]
"""Sorts notes: newest first by a day's negative number, or by a title or path."""


class MapMembers:
    """For each further map, the living notes that it selects. Which live, and on what day they changed, the graph's figures tell."""

    def __init__(self, folders: Folders, maps: Iterable[MapSettings] = ()) -> None:
        self._folders = folders
        self._maps = tuple(maps)
        self._of = {settings.path: Members(settings) for settings in self._maps}

    def fits(self, folders: Folders, maps: Iterable[MapSettings]) -> bool:
        """Whether they were chosen by these settings."""
        return self._folders == folders and self._maps == tuple(maps)

    def __getitem__(self, path: NotePath) -> SortedNotes:
        """Give the notes of the map at a path."""
        return self._of[path].notes

    def update(self, notes: Mapping[NotePath, Note], paths: Iterable[NotePath], tally: Tally) -> None:
        """Take the named notes in as ``notes`` has them now; one that it has not is gone."""
        if not self._of:
            return
        for path in paths:
            for members in self._of.values():
                members.notes.discard(path)
                if tally.is_note(path):
                    members.offer(notes[path], tally.day_of(path))


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


_KEYS: dict[MapSort, Callable[[Note, date | None], Key]] = {
    "hubs": lambda note, day: (0, "", note.path),
    "path": lambda note, day: (0, "", note.path),
    "title": lambda note, day: (0, fold_name(note.title), note.path),
    "newest": lambda note, day: (-(day or date.min).toordinal(), "", note.path),
}
