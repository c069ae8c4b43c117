"""A filter over notes, as a person types it: folders and tags (pure).

The words are those of the search box: ``path:dir/`` (one of several must hold), ``tag:#x`` (all must hold, a nested tag
counts), a dash before either of them for "not", quotes around a value with blanks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PIECE = re.compile(r'(?P<not>-)?(?:(?P<field>tag|path):)?(?:"(?P<quoted>[^"]*)"|(?P<word>[^\s"]+))')


@dataclass(frozen=True, slots=True)
class Selection:
    """Beginnings of paths, and tags without ``#``; wanted ones and ones that must not be there."""

    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()


def parse_selection(text: str) -> Selection | str:
    """Read a filter; if it is none, give the word that cannot be read, or an empty text if there is no word at all."""
    found: dict[tuple[str, bool], list[str]] = {(field, negated): [] for field in ("path", "tag") for negated in (False, True)}
    for piece in _PIECE.finditer(text):
        value = (piece["quoted"] if piece["quoted"] is not None else piece["word"]).strip()
        value = value.lstrip("#") if piece["field"] == "tag" else value.removeprefix("./").lstrip("/")
        if not piece["field"] or not value:
            return piece[0]
        found[piece["field"], piece["not"] is not None].append(value)
    if not any(found.values()):
        return ""
    return Selection(*(tuple(found[key]) for key in (("path", False), ("tag", False), ("path", True), ("tag", True))))
