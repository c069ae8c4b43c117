"""Where names of notes stand in a text without being links (pure).

One pass of Aho and Corasick's automaton over the text, whatever the number of names. Text and names are compared in the form
in which Obsidian compares names (NFC, lower case); places are those of the text as it is written.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidecar.vault.generated import blank_block
from sidecar.vault.markdown import scan_markdown
from sidecar.vault.note import Link, Note, basename_of, fold_name

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_SCHEME = re.compile("[a-z0-9+.-]", re.IGNORECASE)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).){1,1000}?(?<!`)\1(?!`)", re.DOTALL)
"""Inline code within a paragraph; bounded, so that unmatched ticks do not cost quadratic time."""
_MAY_HOLD_CODE = re.compile(r"```|~~~|^[ >*+\-.)0-9]*(?: {4}|\t)", re.MULTILINE)
"""No line is code that has none of these: a fence, or four columns of blanks after the marks of quotes and lists."""
_MIN_CHARS = 2
_GONE = "\0"
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u318f\u31f0-\u31ff\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
"""Scripts that put no blanks between words, and Hangul, whose particles follow a word at once."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text, in code points, and what is written there."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in the form for comparing; ``places`` maps its offsets to those of the text, ``None`` if they are the same."""

    text: str
    places: Sequence[int] | None

    def place(self, offset: int) -> int:
        return offset if self.places is None else self.places[offset]


def mention_names(note: Note) -> list[str]:
    """List the names by which a note may be mentioned; single characters would be found everywhere."""
    names = {name.strip(): None for name in (basename_of(note.path), note.title, *note.aliases)}
    return [name for name in names if len(name) >= _MIN_CHARS]


def fold_text(text: str) -> Folded:
    """Bring a text to the form for comparing, keeping track of places: folding may make a character longer or shorter."""
    text = _encodable(text)
    lowered = text.lower()
    if len(lowered) == len(text) and unicodedata.is_normalized("NFC", text):
        return Folded(lowered, None)
    parts: list[str] = []
    places: list[int] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and _joins(text[end]):
            end += 1
        part = fold_name(text[start:end])
        parts.append(part)
        places += [start] * len(part)
        start = end
    return Folded("".join(parts), [*places, len(text)])


def _encodable(text: str) -> str:
    """Put ``?`` for half a surrogate pair, which has no UTF-8 and so cannot be searched for."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _joins(char: str) -> bool:
    """Whether a character may melt into the one before it."""
    return bool(unicodedata.combining(char)) or "\u1160" <= char <= "\u11ff"


class NameMatcher:
    """Finds any of many names in a text."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted({folded for name in names if len(folded := _encodable(fold_name(name.strip()))) >= _MIN_CHARS})
        self._automaton = _automaton(self._names) if self._names else None

    def may_mention(self, text: str, body_start: int, links: Iterable[Link]) -> bool:
        """Whether a name stands in the body outside the given links: a quick look before a thorough one, which misses nothing.

        Args:
            links: The note's links if the text is what they were parsed from, else none.
        """
        if self._automaton is None:
            return False
        folded = fold_text(text)
        taken = sorted((link.start, link.start + len(link.raw)) for link in links if link.start >= 0)
        for _, start, end in self._automaton.find_matches_as_indexes(folded.text, overlapping=True):
            first, last = folded.place(start), folded.place(end)
            if first < body_start or not (_is_whole(folded.text, start, end) or _URL.match(text, last)):
                continue
            at = bisect_right(taken, (first, len(text)))
            if not (at and taken[at - 1][1] >= last):
                return True
        return False

    def find(self, text: str) -> list[Span]:
        """Find the names in a text that :func:`mask` has prepared: leftmost first, the longest there, no overlaps.

        A name in a script with blanks between words must stand as a whole word; elsewhere it may stand anywhere.
        """
        if self._automaton is None:
            return []
        folded = fold_text(text)
        matches = self._automaton.find_matches_as_indexes(folded.text, overlapping=True)
        whole = [(start, -end) for _, start, end in matches if _is_whole(folded.text, start, end)]
        found: list[Span] = []
        for start, minus_end in sorted(whole):
            first, last = folded.place(start), folded.place(-minus_end)
            if first < last and (not found or first >= found[-1].end):
                found.append(Span(first, last, text[first:last]))
        return found


def _automaton(names: list[str]) -> AhoCorasick:
    from ahocorasick_rs import AhoCorasick, MatchKind  # slow to load, and most commands ask for no mentions

    return AhoCorasick(names, matchkind=MatchKind.Standard)


def _is_whole(text: str, start: int, end: int) -> bool:
    if _joins(text[start]) or (end < len(text) and _joins(text[end])):
        return False  # half a letter
    return not (_is_spaced(text[start]) and start and _is_spaced(text[start - 1])) and not (
        _is_spaced(text[end - 1]) and end < len(text) and _is_spaced(text[end])
    )


def _is_spaced(char: str) -> bool:
    """Whether a character is part of a word that blanks set off."""
    return (char.isalnum() or char == "_" or bool(unicodedata.combining(char))) and not _UNSPACED.match(char)


def mask(text: str, body_start: int, links: Sequence[Link] | None = None) -> str:
    """Blank out what is no running text of the owner's: frontmatter, generated block, links, code, URLs. Offsets stay.

    Args:
        links: Those parsed from this very text, if they are known: then a text without a trace of code is not parsed again.
    """
    text = blank_block(text)
    code: set[int] = set()
    if links is None or _MAY_HOLD_CODE.search(text):
        structure = scan_markdown(text, body_start)
        links, code = structure.links, set(structure.code_lines)
    spans = [(0, body_start), *((link.start, link.start + len(link.raw)) for link in links if link.start >= 0), *_lines(text, code)]
    text = _blank(text, sorted(spans))
    if "`" in text:
        text = _blank(text, (found.span() for found in _CODE.finditer(text)))
    return _blank(text, _urls(text)) if "://" in text else text


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Put something that is in no name for the given stretches, which are sorted by their start."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if end > at:
            parts += (text[at : max(start, at)], _GONE * (end - max(start, at)))
            at = end
    return "".join([*parts, text[at:]]) if parts else text


def _lines(text: str, numbers: set[int]) -> Iterator[tuple[int, int]]:
    """Give start and end of the lines of these numbers, counted from 1."""
    offset = 0
    for number, line in enumerate(text.split("\n") if numbers else (), 1):
        if number in numbers:
            yield offset, offset + len(line)
        offset += len(line) + 1


def _urls(text: str) -> Iterator[tuple[int, int]]:
    """Find addresses from their ``://``: a search from each word's start takes many times as long."""
    done = 0
    while (at := text.find("://", done)) >= 0:
        start = at
        while start > done and _SCHEME.match(text[start - 1]):
            start -= 1
        found = next((m for n in range(start, at) if (m := _URL.match(text, n))), None)
        if found:
            yield found.span()
        done = found.end() if found else at + 3
