"""What a person typed, as a query (pure).

Words are ranked by; ``"phrases"`` must stand in the note, ``-words`` and ``-"phrases"`` must not. Filters: ``tag:#x``,
``path:dir/``, ``layer:L1`` (or core, wiki, sources, inbox, graveyard), ``in:graveyard``, ``origin:web``, ``has:orphan``,
``after:2026-01-01`` (that day or later) and ``before:2026-01-01`` (earlier); a value with blanks stands in quotes, a dash before
a filter turns it round. Chinese input methods' ``：``, ``“”`` and ``－`` are read like their Latin kin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from sidecar.errors import QuerySyntaxError, QueryValueInvalid
from sidecar.search.terms import Run, cut_runs

_PIECE = re.compile(
    r"(?P<not>[-－])?(?:(?P<field>tag|path|layer|in|origin|has|after|before)[:：])?"
    r'(?:["“”](?P<phrase>[^"“”]*)["“”]|(?P<word>[^\s"“”]+))',
    re.IGNORECASE,
)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$")
_MAX_CHARS = 1_000

LAYERS = {
    "l0": ("core",), "core": ("core",), "l1": ("wiki", "sources"), "wiki": ("wiki",), "sources": ("sources",), "source": ("sources",),
    "inbox": ("inbox",), "graveyard": ("graveyard",),
}  # fmt: skip
_KNOWN = {"layer": tuple(LAYERS), "in": ("graveyard",), "origin": ("web", "own"), "has": ("orphan",)}


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a note's properties. ``value`` is in the form in which it is compared; days are ISO dates."""

    field: str
    value: str
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        runs: Words and CJK runs to rank by.
        phrases: Texts that must stand in the note as they are, case and width aside.
        excluded: Texts that must not.
        filters: Conditions; those of one field are alternatives for ``path`` and ``layer``, else all must hold.
        literal: The query as it was typed: a note that holds ``rm -rf`` answers it, though ``-rf`` reads as an exclusion.
        is_typing: Whether the last word may be unfinished.
    """

    runs: tuple[Run, ...]
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    literal: str = ""
    is_typing: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.runs or self.phrases or self.filters)

    @property
    def wants_buried(self) -> bool:
        """Whether buried notes are asked for."""
        return any(f.value == "graveyard" and f.field in ("in", "layer") and not f.is_negated for f in self.filters)


def parse_query(text: str, *, is_typing: bool = False) -> Query:
    """Read a query. A lone quote or dash is text, never an error; so is a filter's name without a value.

    Raises:
        QuerySyntaxError: The query is longer than a person types.
        QueryValueInvalid: A filter has a value that it does not know; not while that value is still being typed.
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
    filters: list[Filter] = []
    for piece in _PIECE.finditer(text):
        value = piece["phrase"] if piece["phrase"] is not None else piece["word"]
        if not value.strip():
            continue
        if piece["field"]:
            found = _filter(piece["field"].lower(), value, piece.start(), negated=bool(piece["not"]))
            if isinstance(found, Filter):
                filters.append(found)
            elif not (is_typing and piece.end() == len(text)):
                raise found
        elif piece["not"]:
            excluded.append(value)
        elif piece["phrase"] is not None:
            phrases.append(value)
        else:
            words.append(value)
    runs = tuple(run for part in (*words, *phrases) for run in cut_runs(part))
    typing = is_typing and bool(text) and not text[-1].isspace() and text[-1] not in '"“”'
    return Query(runs, tuple(phrases), tuple(excluded), tuple(filters), text, typing)


def _filter(field: str, value: str, position: int, *, negated: bool) -> Filter | QueryValueInvalid:
    if field == "path":
        return Filter(field, value, negated)
    if field == "tag":
        return Filter(field, value.lstrip("#＃").lower(), negated)
    if field in ("after", "before"):
        day = _day(value)
        return Filter(field, day, negated) if day else _unknown(field, value, "a day like 2026-01-31", position)
    known = _KNOWN[field]
    if value.lower() not in known:
        return _unknown(field, value, "one of: " + ", ".join(known), position)
    return Filter(field, value.lower(), negated)


def _day(value: str) -> str:
    """Give the first day of a year, a month or a day, as an ISO date; empty if there is no such day."""
    found = _DATE.match(value.replace("/", "-").replace(".", "-"))
    if not found:
        return ""
    try:
        return date(int(found[1]), int(found[2] or 1), int(found[3] or 1)).isoformat()
    except ValueError:
        return ""


def _unknown(field: str, value: str, wanted: str, position: int) -> QueryValueInvalid:
    return QueryValueInvalid(
        f"{field}: does not know {value[:60]!r}.",
        fix=f"Use {wanted}; to look for the text itself, put it in quotes.",
        field=field,
        value=value[:60],
        position=position,
    )
