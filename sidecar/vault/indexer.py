"""What the vault holds, kept in memory and in step with the disk.

A file whose size, time and inode are as before is not read; one whose content hash is as before is not parsed. A file that
is seen but cannot be read still exists: only absence removes it.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from sidecar.errors import VaultError
from sidecar.store import CachedNote, NoteCache, NoteHistory
from sidecar.vault.changes import FileStat, IndexDelta, diff_disk
from sidecar.vault.codec import decode_note
from sidecar.vault.excluded import EXCLUDED_PATH, ExcludedFiles, parse_excluded
from sidecar.vault.files import VaultFiles
from sidecar.vault.links import NameIndex, lookup_keys, resolve_link
from sidecar.vault.note import Note, NotePath, in_folder
from sidecar.vault.reading import PackTerms, ReadNote, is_parsed, make_note, parse_file

_NOTHING_READ: Final[Mapping[NotePath, ReadNote]] = MappingProxyType({})
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

    def __init__(self, files: VaultFiles, cache: NoteCache, pack_terms: PackTerms, history: NoteHistory | None = None) -> None:
        self._files = files
        self._cache = cache
        self._pack_terms = pack_terms
        self._history = history or NoteHistory()
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

    def content_hash(self, path: NotePath) -> str:
        """Give the hash of a file's content as it was last read; empty if it never could be."""
        return self._hashes.get(path, "")

    def is_untrusted(self, path: NotePath) -> bool:
        """Whether the note's text came from outside, so that it is material and never instruction.

        Its properties or the journal say so: deleting the property raises no trust.
        """
        return self._says_web(path) or self._history.came_from_outside(path)

    def mark_outside(self, path: NotePath) -> None:
        """Remember that a note was made out of material: it is material, too, until a person confirms it."""
        self._history.mark_outside(path)

    def confirm(self, path: NotePath) -> None:
        """Remember that a person took a note for his own."""
        self._history.confirm(path)

    def _says_web(self, path: NotePath) -> bool:
        note = self.notes.get(path)
        return note is not None and (note.from_web or note.text_property("origin") == "brief")

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

    @property
    def history_problem(self) -> str:
        """Why the journal of the notes does not follow, or empty."""
        return self._history.problem

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
            if not is_parsed(path):
                self._stats[path] = state
        touched = diff_disk(disk, self._stats).touched
        parsed = 0
        for n in range(0, len(touched), 500):
            found = {path: now for path in touched[n : n + 500] if (now := self._look(path)) is not None}
            delta = self._read_all(found)
            parsed += len(delta.parsed)
            if progress:
                progress(min(n + 500, len(touched)), len(touched))
        self._history.compare(self._hashes, self._says_web)
        return OpenReport(len(cached.difference(touched)), parsed, len(disk))

    def record(self, delta: IndexDelta) -> None:
        """Have the journal tell what a burst changed."""
        changed = {path: self._hashes[path] for path in delta.parsed if path in self._hashes}
        if changed or delta.removed:
            self._history.record(changed, delta.removed, self._says_web)

    def close(self) -> None:
        """Write what the journal has not told yet."""
        self._history.close()

    def rescan(self) -> list[NotePath]:
        """List the paths that differ from the disk, for :meth:`refresh`."""
        closed_before = dict(self._files.closed)
        found = diff_disk(self._files.scan(), self._stats)
        for folder in closed_before:
            self.problems.pop(folder, None)
        self.problems |= self._files.closed
        again = {*found.touched, *(path for path in found.gone if not self._is_shut_in(path)), *self.problems}
        if parse_excluded(self._files.read_app_settings()) != self._excluded:
            again.add(EXCLUDED_PATH)
        return sorted(again)

    def _is_shut_in(self, path: NotePath) -> bool:
        """Whether a file lies in a folder that cannot be entered now: it was not seen, and yet it is not gone."""
        return any(path.startswith(folder + "/") for folder in self._files.closed)

    def read_ahead(self, paths: Iterable[NotePath]) -> dict[NotePath, ReadNote]:
        """Read those of the named files that look changed, for :meth:`refresh` to take in. Changes nothing; safe on any thread."""
        found: dict[NotePath, ReadNote] = {}
        for path in filter(is_parsed, paths):
            with contextlib.suppress(VaultError):  # its turn comes, and tells what is wrong with it
                state = self._files.stat(path)
                if state is not None and state != self._stats.get(path):
                    content = self._files.read(path)
                    if content.hash != self._hashes.get(path):
                        found[path] = make_note(path, state, content, self._pack_terms)
        return found

    def refresh(self, paths: Iterable[NotePath], ahead: Mapping[NotePath, ReadNote] = _NOTHING_READ) -> IndexDelta:
        """Look at the named files again and take in whatever became of them.

        While the vault itself is away, nothing in it is gone.

        Args:
            ahead: Files read before; one that has another state by now is read again.
        """
        present: dict[NotePath, FileStat] = {}
        delta = IndexDelta()
        named = set(paths)
        if EXCLUDED_PATH in named:
            named.discard(EXCLUDED_PATH)
            before, self._excluded = self._excluded, parse_excluded(self._files.read_app_settings())
            delta.is_reordered = self._excluded != before
        named.update(*(self._files.other_names(path) for path in named))
        for path in sorted(named):
            state = self._look(path)
            if state is None:
                if path in self._stats:
                    delta.removed.add(path)
            elif state != self._stats.get(path) or path in self.problems:  # new permissions leave time and size as they were
                if path not in self._stats:
                    delta.added.add(path)
                present[path] = state
        if delta.removed and self._files.folder_id() is None:
            delta.removed.clear()
        for path in delta.removed:
            self._drop(path)
        read = self._read_all(present, delta.removed, ahead)
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

    def _read_all(
        self,
        present: Mapping[NotePath, FileStat],
        removed: Iterable[NotePath] = (),
        ahead: Mapping[NotePath, ReadNote] = _NOTHING_READ,
    ) -> IndexDelta:
        """Read files, given the states that they had before: what is saved meanwhile has another state, and is read once more."""
        rows: list[CachedNote] = []
        delta = IndexDelta()
        for path, state in present.items():
            self._stats[path] = state
            if is_parsed(path):
                row, is_new = self._read(path, state, ahead.get(path))
                if row is not None:
                    rows.append(row)
                if is_new:
                    delta.parsed.add(path)
                    delta.packed[path] = row.terms if row is not None else self._pack_terms(self.notes[path], "")
        if rows or removed:
            self._cache.replace(rows, removed)
        return delta

    def _read(self, path: NotePath, state: FileStat, ahead: ReadNote | None) -> tuple[CachedNote | None, bool]:
        """Read one file, if it is not read yet; give its row and whether its content is new."""
        try:
            found = ahead if ahead is not None and ahead.state == state else self._read_now(path, state)
        except VaultError as error:
            self.problems[path] = error.message
            if path in self.notes:
                return None, False  # as it was last known
            self._put_note(parse_file(path, ""))
            self._hashes[path] = ""
            return None, True
        # What could not be read when it was first seen is searched as if it were empty.
        was_unread = self.problems.pop(path, None) is not None
        is_new = was_unread or self._hashes.get(path) != found.row.hash or path not in self.notes
        if is_new:
            self._hashes[path] = found.row.hash
            self._put_note(found.note)
        return found.row, is_new

    def _read_now(self, path: NotePath, state: FileStat) -> ReadNote:
        content = self._files.read(path)
        is_known = self._hashes.get(path) == content.hash and path not in self.problems
        return make_note(path, state, content, self._pack_terms, self.notes.get(path) if is_known else None)

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
