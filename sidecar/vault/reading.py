"""Reads a file and works out all that depends on it alone: the note, and its row for the cache with its search terms.

It touches nothing of the vault's state, so a burst of many files is read on another thread than the vault's, which is then held
only for what follows from each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sidecar.store import CachedNote
from sidecar.vault.changes import FileStat
from sidecar.vault.codec import encode_note
from sidecar.vault.files import Content
from sidecar.vault.note import Note, NotePath, is_canvas_path, is_note_path
from sidecar.vault.parse import parse_canvas, parse_note

PackTerms = Callable[[Note, str], bytes]
"""Cuts a note's text into search terms, packed for the cache."""


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note and its row; good for as long as the file has the state that the row names."""

    note: Note
    row: CachedNote

    @property
    def state(self) -> FileStat:
        return FileStat(self.row.mtime_ns, self.row.size, self.row.inode)


def make_note(path: NotePath, state: FileStat, content: Content, pack_terms: PackTerms, note: Note | None = None) -> ReadNote:
    """Make note and row of a file's content.

    Args:
        state: What the file looked like before it was read.
        note: What this content was parsed into before, if it was.
    """
    note = note or parse_file(path, content.text)
    terms = pack_terms(note, content.text)
    return ReadNote(note, CachedNote(path, state.mtime_ns, state.size, state.inode, content.hash, encode_note(note), terms))


def is_parsed(path: NotePath) -> bool:
    """Whether files of this name are parsed; others are only listed."""
    return is_note_path(path) or is_canvas_path(path)


def parse_file(path: NotePath, text: str) -> Note:
    return parse_canvas(path, text) if is_canvas_path(path) else parse_note(path, text)
