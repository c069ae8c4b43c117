"""A note as the search index sees it: its terms, weighted by the field they stand in, packed for the cache (pure)."""

from __future__ import annotations

import array
import struct
import sys
from collections import Counter
from dataclasses import dataclass

from sidecar.search.terms import TERMS_VERSION, cut_terms
from sidecar.vault.frontmatter import body_offset
from sidecar.vault.generated import blank_block
from sidecar.vault.note import Note, basename_of

FORMAT = f"{TERMS_VERSION}.1"
"""Changes whenever packed terms would differ for the same note."""

MAX_INDEXED_CHARS = 2_000_000
"""What of one note's body is indexed; compressed drawings can be far longer and hold no words."""

_TITLE_WEIGHT, _HEADING_WEIGHT, _TAG_WEIGHT, _BODY_WEIGHT = 3.0, 2.0, 2.0, 1.0


@dataclass(frozen=True, slots=True)
class PackedDocument:
    """Terms with their weighted frequencies, and the length by which scores are evened out."""

    terms: list[str]
    weights: array.array[float]
    length: float


def pack_note(note: Note, text: str) -> bytes:
    """Cut a note into weighted terms and pack them.

    The generated block of a map is left out: it names every hub, and would answer every query.
    """
    weights: dict[str, float] = {}
    body = blank_block(text)[body_offset(text) :][:MAX_INDEXED_CHARS] if note.kind == "note" else ""
    names = {basename_of(note.path), note.title, *note.aliases}
    fields = (
        (_BODY_WEIGHT, body),
        (_TITLE_WEIGHT, "\n".join(sorted(names))),
        (_HEADING_WEIGHT, "\n".join(heading.text for heading in note.headings)),
        (_TAG_WEIGHT, "\n".join(note.tags)),
        (_HEADING_WEIGHT, note.text_property("kb_use_when")),
    )
    length = 0
    for weight, field in fields:
        for term, count in Counter(cut_terms(field)).items():
            weights[term] = weights.get(term, 0.0) + weight * count
            # Single CJK characters repeat what the pairs say; counting them would make Chinese notes look twice as long.
            if len(term) > 1 or term.isascii():
                length += count
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
