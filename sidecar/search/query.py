"""What a person typed, as a query (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sidecar.errors import QuerySyntaxError
from sidecar.search.terms import Run, cut_runs

_PIECE = re.compile(r'(?P<not>-)?(?:(?P<field>tag|path):)?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')
_MAX_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        runs: Words and CJK runs to rank by.
        phrases: Texts that must stand in the note as they are, case and width aside.
        excluded: Texts that must not.
        tags: Tags (without ``#``) that the note must have, itself or a nested one.
        paths: Folders or path prefixes one of which the note must lie under.
        literal: The query as it was typed: a note that holds ``rm -rf`` answers it, though ``-rf`` reads as an exclusion.
        is_typing: Whether the last word may be unfinished.
    """

    runs: tuple[Run, ...]
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    literal: str = ""
    is_typing: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.runs or self.phrases or self.tags or self.paths)


def parse_query(text: str, *, is_typing: bool = False) -> Query:
    """Read free text, ``"phrases"``, ``-exclusions``, ``tag:`` and ``path:``. A lone quote or dash is text, never an error.

    Raises:
        QuerySyntaxError: The query is longer than a person types.
    """
    if len(text) > _MAX_CHARS:
        raise QuerySyntaxError(
            f"The query has {len(text)} characters; at most {_MAX_CHARS} are read.",
            fix="Use a few words of it.",
            position=_MAX_CHARS,
        )
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    tags: list[str] = []
    paths: list[str] = []
    for piece in _PIECE.finditer(text):
        value = piece["phrase"] if piece["phrase"] is not None else piece["word"]
        if not value.strip():
            continue
        if piece["field"] == "tag":
            tags.append(value.lstrip("#").lower())
        elif piece["field"] == "path":
            paths.append(value)
        elif piece["not"]:
            excluded.append(value)
        elif piece["phrase"] is not None:
            phrases.append(value)
        else:
            words.append(value)
    runs = tuple(run for part in (*words, *phrases) for run in cut_runs(part))
    typing = is_typing and bool(text) and not text[-1].isspace() and text[-1] != '"'
    return Query(runs, tuple(phrases), tuple(excluded), tuple(tags), tuple(paths), text, typing)
