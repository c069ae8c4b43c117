"""What the vault holds, kept in memory and in step with the disk.

A file whose size, time and inode are as before is not read; one whose content hash is as before is not parsed. A file that
is seen but cannot be read still exists: only absence removes it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sidecar.errors import VaultError
from sidecar.store import CachedNote, NoteCache
from sidecar.vault.changes import FileStat, IndexDelta, diff_disk
from sidecar.vault.codec import decode_note, encode_note
from sidecar.vault.excluded import ExcludedFiles, parse_excluded
from sidecar.vault.files import VaultFiles
from sidecar.vault.links import NameIndex, lookup_keys, resolve_link
from sidecar.vault.note import Note, NotePath, in_folder, is_canvas_path, is_note_path
from sidecar.vault.parse import parse_canvas, parse_note

PackTerms = Callable[[Note, str], bytes]
"""Cuts a note's text into search terms, packed for the cache."""
Progress = Callable[[int, int], None]
"""Told how many of how many files are done."""


@dataclass(frozen=True, slots=True)
class OpenReport:
    """What a start found: notes taken from the cache, notes parsed, files in all."""

    reused: int
    parsed: int
    files: int


class VaultIndex:
    """All files and parsed notes of a vault.

    Not safe for several threads: one thread owns it.
    """

    def __init__(self, files: VaultFiles, cache: NoteCache, pack_terms: PackTerms) -> None:
        self._files = files
        self._cache = cache
        self._pack_terms = pack_terms
        self._stats: dict[NotePath, FileStat] = {}
        self._hashes: dict[NotePath, str] = {}
        self._lookups: defaultdict[str, set[NotePath]] = defaultdict(set)
        self._excluded = ExcludedFiles()
        self.notes: dict[NotePath, Note] = {}
        self.names = NameIndex()
        self.problems: dict[NotePath, str] = {}
        """Files that could not be read, each with the reason."""

    def is_excluded(self, path: NotePath) -> bool:
        """Whether the owner told Obsidian to exclude the file: it ranks last, but its links count."""
        return self._excluded.matches(path)

    def is_untrusted(self, path: NotePath) -> bool:
        """Whether the note's text came from outside, so that it is material and never instruction."""
        note = self.notes.get(path)
        return note is not None and note.from_web

    def hash_of(self, path: NotePath) -> str:
        """Give the content hash of the text that a note was parsed from; empty if it could not be read."""
        return self._hashes.get(path, "")

    @property
    def files(self) -> Iterable[NotePath]:
        """All files that are not hidden, of any kind."""
        return self._stats.keys()

    @property
    def cache_problem(self) -> str:
        """Why the cache on disk does not follow, or empty."""
        return self._cache.problem

    def resolve(self, path: str, source: NotePath) -> NotePath | None:
        return resolve_link(path, source, self.names)

    def find_note(self, text: str) -> NotePath | None:
        """Find the note that a person means by a path or a name: an exact path first, then as a link from the root."""
        wanted = text.strip().removeprefix("./")
        for path in (text, wanted):  # a name may begin with a blank
            if path in self.notes:
                return path
        target = resolve_link(wanted.removeprefix("[[").removesuffix("]]"), "", self.names) if wanted else None
        return target if target in self.notes else None

    def spelling_of(self, folder: str) -> str:
        """Give a folder's name as the disk spells it, so that ``sources`` never comes to lie beside ``Sources``."""
        depth = folder.count("/") + 1
        found = next((path for path in self._stats if in_folder(path, folder)), None)
        return "/".join(found.split("/")[:depth]) if found else folder

    def open(self, progress: Progress | None = None) -> OpenReport:
        """Bring memory and cache in step with the disk, reading only what changed since the cache was written."""
        self._excluded = parse_excluded(self._files.read_app_settings())
        disk = self._files.scan()
        gone: list[NotePath] = []
        for row in self._cache.load():
            if row.path in disk or self._is_shut_in(row.path):
                self.names.add(row.path)
                self._stats[row.path] = FileStat(row.mtime_ns, row.size, row.inode)
                self._hashes[row.path] = row.hash
                self._put_note(decode_note(row.note))
            else:
                gone.append(row.path)
        if gone:
            self._cache.replace((), gone)
        self.problems |= self._files.closed
        cached = set(self.notes)
        for path, state in disk.items():
            self.names.add(path)
            if not _is_parsed(path):
                self._stats[path] = state
        touched = diff_disk(disk, self._stats).touched
        parsed = 0
        for n in range(0, len(touched), 500):
            delta = self._read_all(touched[n : n + 500])
            parsed += len(delta.parsed)
            if progress:
                progress(min(n + 500, len(touched)), len(touched))
        return OpenReport(len(cached.difference(touched)), parsed, len(disk))

    def rescan(self) -> list[NotePath]:
        """List the paths that differ from the disk, for :meth:`refresh`."""
        closed_before = dict(self._files.closed)
        found = diff_disk(self._files.scan(), self._stats)
        for folder in closed_before:
            self.problems.pop(folder, None)
        self.problems |= self._files.closed
        return sorted({*found.touched, *(path for path in found.gone if not self._is_shut_in(path)), *self.problems})

    def _is_shut_in(self, path: NotePath) -> bool:
        """Whether a file lies in a folder that cannot be entered now: it was not seen, and yet it is not gone."""
        return any(path.startswith(folder + "/") for folder in self._files.closed)

    def refresh(self, paths: Iterable[NotePath]) -> IndexDelta:
        """Look at the named files again and take in whatever became of them."""
        present: list[NotePath] = []
        delta = IndexDelta()
        named = set(paths)
        named.update(*(self._files.other_names(path) for path in named))
        for path in sorted(named):
            state = self._look(path)
            if state is None:
                if path in self._stats:
                    self._drop(path)
                    delta.removed.add(path)
            elif state != self._stats.get(path) or path in self.problems:  # new permissions leave time and size as they were
                if path not in self._stats:
                    delta.added.add(path)
                present.append(path)
        read = self._read_all(present, delta.removed)
        delta.parsed, delta.packed = read.parsed, read.packed
        delta.added &= self._stats.keys()  # one may be gone again
        for path in delta.added:
            self.names.add(path)
        for path in delta.added | delta.removed:
            delta.relinked |= self._looking_for(path)
        delta.relinked -= delta.parsed | delta.removed
        return delta

    def _look(self, path: NotePath) -> FileStat | None:
        """Give a file's state on disk. In a folder that cannot be entered any more, the known one: only absence removes."""
        try:
            state = self._files.stat(path)
        except VaultError as error:
            self.problems[path] = error.message
            return self._stats.get(path)
        for folder in [folder for folder in self._files.closed if path.startswith(folder + "/")]:
            del self._files.closed[folder]  # it can be entered again
            self.problems.pop(folder, None)
        return state

    def _looking_for(self, path: NotePath) -> set[NotePath]:
        name, _ = lookup_keys(path)
        return self._lookups.get(name, set()).copy()

    def _read_all(self, paths: list[NotePath], removed: Iterable[NotePath] = ()) -> IndexDelta:
        rows: list[CachedNote] = []
        delta = IndexDelta()
        for path in paths:
            state = self._look(path)
            if state is None:
                continue  # gone in the meantime; its own event follows
            self._stats[path] = state
            if _is_parsed(path):
                row, is_new = self._read(path, state)
                if row is not None:
                    rows.append(row)
                if is_new:
                    delta.parsed.add(path)
                    delta.packed[path] = row.terms if row is not None else self._pack_terms(self.notes[path], "")
        if rows or removed:
            self._cache.replace(rows, removed)
        return delta

    def _read(self, path: NotePath, state: FileStat) -> tuple[CachedNote | None, bool]:
        """Read one file; give its row and whether its content is new."""
        try:
            content = self._files.read(path)
        except VaultError as error:
            changed = self.problems.get(path) != error.message or path not in self.notes
            self.problems[path] = error.message
            if path not in self.notes:
                self._put_note(_parse(path, ""))
            self._hashes.setdefault(path, "")
            return None, changed
        # What could not be read for a while was searched as if it were empty.
        was_unread = self.problems.pop(path, None) is not None
        is_new = was_unread or self._hashes.get(path) != content.hash or path not in self.notes
        note = _parse(path, content.text) if is_new else self.notes[path]
        if is_new:
            self._hashes[path] = content.hash
            self._put_note(note)
        terms = self._pack_terms(note, content.text)
        row = CachedNote(path, state.mtime_ns, state.size, state.inode, content.hash, encode_note(note), terms)
        return row, is_new

    def _put_note(self, note: Note) -> None:
        self._forget_links(note.path)
        self.notes[note.path] = note
        for link in note.links:
            for key in lookup_keys(link.path):
                self._lookups[key].add(note.path)

    def _forget_links(self, path: NotePath) -> None:
        known = self.notes.get(path)
        for link in known.links if known else ():
            for key in lookup_keys(link.path):
                waiting = self._lookups.get(key)
                if waiting is not None:
                    waiting.discard(path)
                    if not waiting:
                        del self._lookups[key]

    def _drop(self, path: NotePath) -> None:
        self._forget_links(path)
        self._stats.pop(path, None)
        self._hashes.pop(path, None)
        self.notes.pop(path, None)
        self.problems.pop(path, None)
        self.names.discard(path)


def _is_parsed(path: NotePath) -> bool:
    return is_note_path(path) or is_canvas_path(path)


def _parse(path: NotePath, text: str) -> Note:
    return parse_canvas(path, text) if is_canvas_path(path) else parse_note(path, text)
