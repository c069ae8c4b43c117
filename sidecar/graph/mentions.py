"""Where a note's name stands in another note's text without being a link (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sidecar.vault.generated import blank_block
from sidecar.vault.markdown import scan_markdown
from sidecar.vault.note import Note

_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_MIN_CHARS = 2


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text, in code points, and the name found there."""

    start: int
    end: int
    name: str


def mention_names(note: Note, slug: str) -> list[str]:
    """List the names by which a note may be mentioned, longest first; single characters would be found everywhere."""
    names = {name.strip(): None for name in (slug, note.title, *note.aliases)}
    return sorted((name for name in names if len(name) >= _MIN_CHARS), key=lambda name: (-len(name), name))


def find_mentions(names: list[str], text: str, body_start: int) -> list[Span]:
    """Find the names in a note's body, case aside, outside links, code and URLs; longer names first, no overlaps.

    A Latin name must stand as a whole word; a CJK one may stand anywhere, since those scripts put no blanks between words.
    """
    if not names:
        return []
    masked = _mask(text, body_start)
    pattern = re.compile("|".join(_bounded(name) for name in names), re.IGNORECASE)
    found = (m for m in pattern.finditer(masked, body_start))
    return [Span(m.start(), m.end(), text[m.start() : m.end()]) for m in found]


def _bounded(name: str) -> str:
    word = re.compile(r"[0-9A-Za-z\u00c0-\u024f\u0370-\u052f]")
    before = r"(?<![0-9A-Za-z_\u00c0-\u024f\u0370-\u052f])" if word.match(name[0]) else ""
    after = r"(?![0-9A-Za-z_\u00c0-\u024f\u0370-\u052f])" if word.match(name[-1]) else ""
    return before + re.escape(name) + after


def _mask(text: str, body_start: int) -> str:
    """Blank out what is no running text, keeping all offsets."""
    text = blank_block(text)
    structure = scan_markdown(text, body_start)
    chars = list(text)
    for link in structure.links:
        chars[link.start : link.start + len(link.raw)] = "\0" * len(link.raw)
    if structure.code_lines:
        code = set(structure.code_lines)
        offset = 0
        for n, line in enumerate(text.split("\n"), 1):
            if n in code:
                chars[offset : offset + len(line)] = "\0" * len(line)
            offset += len(line) + 1
    masked = "".join(chars)
    masked = re.sub(r"`+[^`\n]+`+", lambda m: "\0" * len(m[0]), masked)
    return _URL.sub(lambda m: "\0" * len(m[0]), masked)
