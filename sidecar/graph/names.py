"""The names of all notes, for finding them in one text (pure)."""

from __future__ import annotations

from collections import defaultdict

from sidecar.graph.mentions import NameMatcher, Span, mention_names
from sidecar.vault.note import NOTE_SUFFIX, Note, NotePath, basename_of, fold_name


class VaultNames:
    """Which notes go by which name. Names are kept current; the automaton over them is built when it is next asked for."""

    def __init__(self) -> None:
        self._names: dict[NotePath, frozenset[str]] = {}
        self._owners: defaultdict[str, set[NotePath]] = defaultdict(set)
        self._matcher: NameMatcher | None = None

    def put(self, note: Note) -> None:
        """Take in the names of a note, in place of those it had before."""
        names = frozenset(map(fold_name, mention_names(note)))
        if self._names.get(note.path) == names:
            return
        self.remove(note.path)
        self._names[note.path] = names
        for name in names:
            self._owners[name].add(note.path)
        self._matcher = None

    def remove(self, path: NotePath) -> None:
        for name in self._names.pop(path, ()):
            self._matcher = None
            self._owners[name].discard(path)
            if not self._owners[name]:
                del self._owners[name]

    def owners(self, name: str) -> list[NotePath]:
        """List the notes that go by a name, sorted."""
        return sorted(self._owners.get(fold_name(name.strip()), ()))

    def known_otherwise(self, name: str) -> list[NotePath]:
        """List the notes that have the name as alias or title only, so that a link by it, with or without ``.md``, leads nowhere."""
        wanted = fold_name(name.strip()).removesuffix(NOTE_SUFFIX)
        return [path for path in self.owners(wanted) if fold_name(basename_of(path)) != wanted]

    def find(self, masked: str, source: NotePath) -> list[tuple[Span, list[NotePath]]]:
        """Find all names in a prepared text, each with the notes that go by it, ``source`` aside."""
        if self._matcher is None:
            self._matcher = NameMatcher(self._owners)
        found = ((span, [path for path in self.owners(span.name) if path != source]) for span in self._matcher.find(masked))
        return [(span, paths) for span, paths in found if paths]
