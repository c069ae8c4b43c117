"""What became of each note, as the journal ``notes`` tells it: first seen, changed, renamed, gone, and how it came in.

A burst is one write, however many notes it names. Changes of one note on one day are one line, or two: the first, and the
state at the end of the day (or of the run), so that the journal grows with days and not with saves. A crash in between loses
nothing: the next start compares every note with the journal.

Where a note came from sticks to its path and follows renames, found by content; deleting the property ``origin`` raises no trust.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from sidecar.errors import WriteFailed
from sidecar.store.journal import Journal
from sidecar.vault.note import basename_of

KIND: Final = "notes"
IsWeb = Callable[[str], bool]
"""Tells of a path whether its note says itself that it came from outside."""


class NoteHistory:
    """The notes' journal with the state it adds up to, loaded when first asked.

    Args:
        journal: ``None`` where there is none to read, as in a vault that is not set up.
        writes: Whether this process keeps the journal; one that only looks does not.
    """

    def __init__(self, journal: Journal | None = None, *, writes: bool = False) -> None:
        self._journal = journal
        self._writes = writes and journal is not None
        self._is_loaded = False
        self._known: dict[str, str] = {}
        """Living notes, each with the hash of its content."""
        self._gone: dict[str, str] = {}
        """Contents that are gone, each with the path it had last: when it shows up again, it was renamed."""
        self._outside: set[str] = set()
        self._outside_gone: dict[str, str] = {}
        """Contents from outside that are gone, each with the path it had: a note of the owner's may take the path, not the content."""
        self._day = ""
        self._told_today: set[str] = set()
        self._untold: set[str] = set()
        """Notes that changed again after their line of the day."""
        self._unwritten: list[dict[str, Any]] = []
        self.problem = ""
        """Why the journal does not follow at the moment, or empty."""

    def came_from_outside(self, path: str) -> bool:
        """Whether the journal says that the note at ``path``, under whatever name, came from outside."""
        self._load()
        return path in self._outside

    def mark_outside(self, path: str) -> None:
        """Say that a note was made out of material from outside."""
        self._mark(path, "marked", {"origin": "web"})
        self._outside.add(path)

    def confirm(self, path: str) -> None:
        """Say that a person took a note for his own; what its properties say stays as it is."""
        self._mark(path, "confirmed", {})
        self._outside.discard(path)

    def _mark(self, path: str, event: str, more: dict[str, str]) -> None:
        self._load()
        if self._journal is not None:  # also from a process that does not keep the journal: nobody else knows of it
            self._journal.append(KIND, event=event, path=path, **more)

    def compare(self, hashes: Mapping[str, str], is_web: IsWeb) -> None:
        """Take in what happened since the last run, given all notes there are."""
        if self._journal is None:
            return
        self._load()
        self.record(hashes, [path for path in self._known if path not in hashes], is_web)

    def record(self, present: Mapping[str, str], gone: Iterable[str], is_web: IsWeb) -> None:
        """Take in one burst: notes that are new or changed, with the hash of their content, and those that are gone."""
        if self._journal is None:
            return
        self._load()
        lines = self._turn_day()
        left = {path: self._known.pop(path) for path in sorted(gone) if path in self._known}
        self._gone |= {content: path for path, content in left.items()}
        for path, content in left.items():
            self._let_go(path, content)
        moved = {basename_of(path) for path in left if self._outside_gone.get(left[path]) == path}
        for path in present:  # moved and edited at once: its content is new, its name tells
            if path not in self._known and basename_of(path) in moved:
                self._outside.add(path)
        for path in sorted(path for path, content in present.items() if content):  # one that was never read has none
            line = self._line(path, present[path], is_web(path))
            if line:
                left.pop(line.get("from", ""), None)
                lines.append(line)
        lines += [{"event": "gone", "path": path} for path in left]
        self._append(lines)

    def _line(self, path: str, content: str, is_web: bool) -> dict[str, Any] | None:
        """Bring the state up to date for one note; give its line, or ``None`` if there is nothing to tell now."""
        before = self._known.get(path)
        news = {"origin": "web"} if is_web and path not in self._outside else {}
        if before is None:
            old = self._gone.pop(content, None)
            event = {"event": "seen"} if old in (None, path) else {"event": "renamed", "from": old}
            if content in self._outside_gone or path in self._outside:
                self._outside_gone.pop(content, None)
                self._outside.add(path)
                event |= {"origin": "web"}
        elif before == content and not news:
            return None
        else:
            event = {"event": "changed"}
        self._known[path] = content
        if news:
            self._outside.add(path)
        if before is not None and path in self._told_today and not news:
            self._untold.add(path)
            return None
        if before is not None:
            self._told_today.add(path)
        self._untold.discard(path)
        return {**event, "path": path, "hash": content, **news}

    def _let_go(self, path: str, content: str) -> None:
        """Let a path be anybody's again, and remember of what is gone that it came from outside."""
        if path in self._outside:
            self._outside.discard(path)
            self._outside_gone[content] = path

    def _turn_day(self) -> list[dict[str, Any]]:
        assert self._journal is not None, "there is a journal to read the day from"
        day = f"{self._journal.now():%Y-%m-%d}"
        if day == self._day:
            return []
        lines = self._settled()
        self._day = day
        self._told_today.clear()
        return lines

    def _settled(self) -> list[dict[str, Any]]:
        lines = [{"event": "changed", "path": path, "hash": self._known[path]} for path in sorted(self._untold) if path in self._known]
        self._untold.clear()
        return lines

    def close(self) -> None:
        """Write what the day's first lines left out."""
        self._append(self._settled())

    def _append(self, lines: list[dict[str, Any]]) -> None:
        if not self._writes or self._journal is None:
            return
        self._unwritten += lines
        if not self._unwritten:
            return
        try:
            self._journal.append_all(KIND, self._unwritten)
        except WriteFailed as error:  # the notes themselves are safe; the lines go with the next that the disk takes
            self.problem = f"{error.message} {error.fix}"
        else:
            self._unwritten = []
            self.problem = ""

    def _load(self) -> None:
        if self._is_loaded or self._journal is None:
            return
        self._is_loaded = True
        self._day = f"{self._journal.now():%Y-%m-%d}"
        renames: list[tuple[str, str]] = []
        # By time, since the files of several machines lie side by side; equal times in the order of the files.
        for record in sorted(self._journal.read(KIND), key=lambda record: str(record.get("at", ""))):
            path, event = record.get("path"), record.get("event")
            if not isinstance(path, str):
                continue
            if event == "ingested" or record.get("origin") == "web":
                self._outside.add(path)
            elif event == "confirmed":
                self._outside.discard(path)
            if event == "gone":
                content = self._known.pop(path, "")
                self._gone[content] = path
                self._let_go(path, content)
            elif event in ("seen", "changed", "renamed"):
                old = record.get("from")
                content = str(record.get("hash", ""))
                if event == "renamed" and isinstance(old, str):
                    self._known.pop(old, None)
                    renames.append((old, path))
                if self._outside_gone.pop(content, None) is not None:
                    self._outside.add(path)
                self._known[path] = str(record.get("hash", ""))
                if event == "changed" and str(record.get("at", "")).startswith(self._day):
                    self._told_today.add(path)
        # Last, since another machine may tell late that a note came from outside.
        for old, path in renames:
            if old in self._outside:
                self._outside.add(path)
