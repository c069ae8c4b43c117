"""What relates notes without a link: tags, and web pages that one note was captured from and others mention (pure)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from sidecar.graph.build import Edge
from sidecar.vault.note import Link, NotePath


@dataclass(frozen=True, slots=True)
class Marks:
    """What a note says of itself.

    Attributes:
        address: Canonical address of the page the note was captured from, or empty.
        urls: Canonical addresses its text mentions.
    """

    tags: tuple[str, ...] = ()
    address: str = ""
    urls: tuple[str, ...] = ()


class Relations:
    """Finds notes by tag and by address; kept current from both sides, whichever note comes or goes first."""

    def __init__(self) -> None:
        self._marks: dict[NotePath, Marks] = {}
        self._holders: defaultdict[str, set[NotePath]] = defaultdict(set)
        self._owners: defaultdict[str, set[NotePath]] = defaultdict(set)

    def put(self, path: NotePath, marks: Marks) -> None:
        """Take in what a note says, in place of what it said before."""
        self.remove(path)
        self._marks[path] = marks
        for tag in marks.tags:
            self._holders[tag.lower()].add(path)
        if marks.address:
            self._owners[marks.address].add(path)

    def remove(self, path: NotePath) -> None:
        known = self._marks.pop(path, None)
        if known is None:
            return
        for tag in {tag.lower() for tag in known.tags}:
            _discard(self._holders, tag, path)
        if known.address:
            _discard(self._owners, known.address, path)

    def holders(self, tag: str) -> frozenset[NotePath]:
        """Give the notes that have a tag, case aside."""
        return frozenset(self._holders.get(tag.lower(), ()))

    def same_url(self, path: NotePath) -> list[Edge]:
        """List the notes captured from pages that this note mentions."""
        marks = self._marks.get(path, Marks())
        found = ((url, owner) for url in dict.fromkeys(marks.urls) for owner in sorted(self._owners.get(url, ())))
        return [Edge(path, owner, True, Link("same-url", url, owner, "", url), "same-url") for url, owner in found if owner != path]

    def tag_edges(self, path: NotePath) -> list[Edge]:
        """List the tags of a note as edges to nodes named ``#tag``, in lower case, in which they are one."""
        tags = {tag.lower(): tag for tag in reversed(self._marks.get(path, Marks()).tags)}
        return [Edge(path, "#" + tag, True, Link("tag", "#" + tags[tag], "", "", "#" + tags[tag]), "tag") for tag in sorted(tags)]

    def all_tags(self) -> Iterable[str]:
        """List every tag, in lower case, sorted."""
        return sorted(self._holders)


def _discard(sets: defaultdict[str, set[NotePath]], key: str, path: NotePath) -> None:
    sets[key].discard(path)
    if not sets[key]:
        del sets[key]
