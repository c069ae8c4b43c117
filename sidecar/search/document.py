"""A note as the search index sees it: its terms, weighted by the field they stand in, packed for the cache (pure)."""

from __future__ import annotations

import array
import re
import struct
import sys
from dataclasses import dataclass

from sidecar.search.terms import TERMS_VERSION, count_terms
from sidecar.vault.frontmatter import body_offset
from sidecar.vault.generated import blank_block
from sidecar.vault.note import Note, basename_of

FORMAT = f"{TERMS_VERSION}.2"
"""Changes whenever packed terms would differ for the same note."""

MAX_INDEXED_CHARS = 2_000_000
"""What of one note's body is indexed."""

_DRAWING = re.compile(r"^```(?:compressed-)?json\s*\n.*?(?:^```|\Z)", re.MULTILINE | re.DOTALL)

_FIELD_WEIGHTS = {"title": 3.0, "aliases": 3.0, "headings": 2.0, "tags": 2.0, "kb_use_when": 2.0}
"""A word in the body weighs 1."""


@dataclass(frozen=True, slots=True)
class PackedDocument:
    """Terms with their weighted frequencies, and the length by which scores are evened out."""

    terms: list[str]
    weights: array.array[float]
    length: float


@dataclass(frozen=True, slots=True)
class IndexedText:
    """What of a note's text is searched, and a remark on what is not; empty if all is."""

    body: str
    remark: str = ""


def indexed_text(path: str, text: str) -> IndexedText:
    """Give the part of a note's text that search knows.

    The generated block of a map is blanked: it names every hub, and would answer every query. So is the data of an Excalidraw
    drawing, which is long and holds no words; the drawing's own texts stand before it.
    """
    body = blank_block(text)[body_offset(text) :]
    remarks: list[str] = []
    if path.lower().endswith(".excalidraw.md"):
        shorter = _DRAWING.sub("", body)
        if shorter != body:
            remarks.append("the drawing's data is left out")
        body = shorter
    if len(body) > MAX_INDEXED_CHARS:
        remarks.append(f"only the first {MAX_INDEXED_CHARS:,} of {len(body):,} characters are indexed")
        body = body[:MAX_INDEXED_CHARS]
    return IndexedText(body, "; ".join(remarks))


def pack_note(note: Note, text: str) -> bytes:
    """Cut a note into weighted terms and pack them."""
    fields = note_fields(note)
    body = indexed_text(note.path, text).body if note.kind == "note" else ""
    return _pack(body, [(_FIELD_WEIGHTS[name], field) for name, field in fields.items()])


def pack_text(text: str) -> bytes:
    """Cut a text that is no note, for comparing notes with it."""
    return _pack(text[:MAX_INDEXED_CHARS], [])


def note_fields(note: Note) -> dict[str, str]:
    """Give the fields of a note that are searched beside its body, by name, as text."""
    names = [basename_of(note.path), *([note.title] if note.title != basename_of(note.path) else [])]
    return {
        "title": "\n".join(names),
        "aliases": "\n".join(alias for alias in dict.fromkeys(note.aliases) if alias not in names),
        "headings": "\n".join(heading.text for heading in note.headings),
        "tags": "\n".join(note.tags),
        "kb_use_when": note.text_property("kb_use_when"),
    }


def _pack(body: str, fields: list[tuple[float, str]]) -> bytes:
    counts, length = count_terms(body)
    weights: dict[str, float] = {**counts}
    for weight, field in fields:
        counts, terms = count_terms(field)
        length += terms
        for term, count in counts.items():
            weights[term] = weights.get(term, 0.0) + weight * count
    values = array.array("f", weights.values())
    if sys.byteorder == "big":
        values.byteswap()
    joined = "\n".join(weights).encode("utf-8", "surrogatepass")
    return struct.pack("<fI", float(max(length, 1)), len(weights)) + values.tobytes() + joined


def unpack_document(data: bytes) -> PackedDocument:
    """Read what :func:`pack_note` wrote."""
    length, count = struct.unpack_from("<fI", data)
    values = array.array("f")
    values.frombytes(data[8 : 8 + 4 * count])
    if sys.byteorder == "big":
        values.byteswap()
    joined = data[8 + 4 * count :].decode("utf-8", "surrogatepass")
    return PackedDocument(joined.split("\n") if count else [], values, length)
