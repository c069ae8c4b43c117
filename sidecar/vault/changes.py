"""Comparing what is on disk with what is known (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sidecar.vault.note import NotePath


@dataclass(frozen=True, slots=True)
class FileStat:
    """What tells, without reading, that a file is still the same."""

    mtime_ns: int
    size: int
    inode: int


@dataclass(frozen=True, slots=True)
class DiskDiff:
    """Paths to read again and paths that are gone, each sorted."""

    touched: list[NotePath]
    gone: list[NotePath]


@dataclass(slots=True)
class IndexDelta:
    """What one refresh changed.

    Attributes:
        parsed: Notes read and parsed anew.
        added: Files of any kind that are new.
        removed: Files of any kind that are gone.
        packed: Search terms of the notes in ``parsed``, as the cache keeps them.
        relinked: Notes whose text is the same but whose links may lead elsewhere now.
        is_reordered: Whether Obsidian's excluded files are others now: lists rank anew though no note changed.
    """

    parsed: set[NotePath] = field(default_factory=set)
    added: set[NotePath] = field(default_factory=set)
    removed: set[NotePath] = field(default_factory=set)
    relinked: set[NotePath] = field(default_factory=set)
    packed: dict[NotePath, bytes] = field(default_factory=dict)
    is_reordered: bool = False

    def __bool__(self) -> bool:
        return bool(self.parsed or self.added or self.removed or self.relinked or self.is_reordered)

    def add(self, later: IndexDelta) -> None:
        """Take in what a later refresh of the same burst changed; the terms, which were for search alone, are let go."""
        self.parsed = (self.parsed - later.removed) | later.parsed
        self.added = (self.added - later.removed) | later.added
        self.removed = (self.removed - later.added) | later.removed
        self.relinked = (self.relinked | later.relinked) - self.parsed - self.removed
        self.is_reordered |= later.is_reordered

    @property
    def paths(self) -> list[NotePath]:
        """All files that changed themselves, sorted."""
        return sorted(self.parsed | self.added | self.removed)


def diff_disk(disk: Mapping[NotePath, FileStat], known: Mapping[NotePath, FileStat]) -> DiskDiff:
    """Find the files whose state is not the known one."""
    return DiskDiff(
        touched=sorted(path for path, state in disk.items() if known.get(path) != state),
        gone=sorted(path for path in known if path not in disk),
    )
