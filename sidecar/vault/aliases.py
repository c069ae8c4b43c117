"""Whose alias an unwritten name is.

Obsidian never takes an alias for a link's target; a person who typed ``[[AL]]`` may still mean the note that has it, so
that it can be offered as a repair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from sidecar.vault.note import Note, NotePath, fold_name


class AliasIndex:
    """Aliases of a vault's notes, compared as names are: without case, in NFC."""

    def __init__(self, notes: Iterable[Note] = ()) -> None:
        self._by_alias: defaultdict[str, set[NotePath]] = defaultdict(set)
        self._of_note: dict[NotePath, frozenset[str]] = {}
        for note in notes:
            self.put(note)

    def put(self, note: Note) -> None:
        """Take in a note's aliases in place of those it had."""
        self.discard(note.path)
        names = frozenset(fold_name(" ".join(alias.split())) for alias in note.aliases)
        self._of_note[note.path] = names
        for name in names:
            self._by_alias[name].add(note.path)

    def discard(self, path: NotePath) -> None:
        for name in self._of_note.pop(path, ()):
            same = self._by_alias[name]
            same.discard(path)
            if not same:
                del self._by_alias[name]

    def matches(self, link: str) -> list[NotePath]:
        """Name the notes that have the path of an unresolved link as an alias, sorted; ``.md`` at its end is no part of it."""
        name = fold_name(" ".join(link.split()))
        return sorted(self._by_alias.get(name, set()) | self._by_alias.get(name.removesuffix(".md"), set()))
