"""Vectors of notes: which passages of a note get one, and which notes are nearest to a query's (pure)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from sidecar.vault.frontmatter import body_offset
from sidecar.vault.generated import blank_block
from sidecar.vault.note import Note

PASSAGES_VERSION = 1
"""Raise it when a note would be cut into other passages."""

PASSAGE_CHARS = 1_200
"""About what small models read of a text (512 tokens) in Chinese and in English."""
MAX_PASSAGES = 4
"""Of one note: what stands beyond is found by its words only."""

Matrix = npt.NDArray[np.float32]
Part = Literal["text", "need"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that gets a vector. ``need`` is ``kb_use_when``: kept apart, for the bench must leave it out."""

    part: Part
    text: str

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def passages_of(note: Note, text: str) -> list[Passage]:
    """Cut a note into passages, each headed by its title, and its ``kb_use_when`` as one more. An empty note gives none."""
    body = blank_block(text)[body_offset(text) :].strip() if note.kind == "note" else ""
    pieces = _cut(body)[:MAX_PASSAGES]
    if not pieces and note.kind == "note":
        pieces = [""]
    found = [Passage("text", f"{note.title}\n{piece}".strip()) for piece in pieces]
    need = note.text_property("kb_use_when")
    return [passage for passage in (*found, *([Passage("need", need)] if need else [])) if passage.text]


def _cut(body: str) -> list[str]:
    """Cut a text into pieces of at most :data:`PASSAGE_CHARS`, at a paragraph, line or sentence where one ends in the second half."""
    pieces: list[str] = []
    at = 0
    while at < len(body) and len(pieces) < MAX_PASSAGES:
        piece = body[at : at + PASSAGE_CHARS]
        if at + PASSAGE_CHARS < len(body):
            ends = (piece.rfind(mark, PASSAGE_CHARS // 2) for mark in ("\n\n", "\n", "。", ". ", " "))
            end = next((end for end in ends if end > 0), len(piece) - 1)
            piece = piece[: end + 1]
        at += len(piece)
        if piece.strip():
            pieces.append(piece.strip())
    return pieces


def normalised(rows: Matrix) -> Matrix:
    """Bring each row to length 1; a row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Matrix = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return scaled


class VectorTable:
    """Vectors by note; a note is as near as its nearest passage.

    Args:
        vectors: For each note its passages' vectors, rows of length 1.
    """

    def __init__(self, vectors: Mapping[str, Matrix]) -> None:
        self._names = sorted(name for name, rows in vectors.items() if len(rows))
        counts = [len(vectors[name]) for name in self._names]
        self._starts = np.concatenate([[0], np.cumsum(counts)])[:-1].astype(np.int64) if counts else np.zeros(0, np.int64)
        self._rows: Matrix = np.concatenate([vectors[name] for name in self._names]) if counts else np.zeros((0, 1), np.float32)

    def __len__(self) -> int:
        return len(self._names)

    def replaced(self, changed: Mapping[str, Matrix | None]) -> VectorTable:
        """Give a table with some notes' vectors replaced, or taken out where there are none."""
        rows = dict(zip(self._names, np.split(self._rows, self._starts[1:]) if self._names else (), strict=True))
        rows |= {name: vectors for name, vectors in changed.items() if vectors is not None}
        return VectorTable({name: vectors for name, vectors in rows.items() if changed.get(name, vectors) is not None})

    def nearest(self, query: Matrix, limit: int) -> list[tuple[str, float]]:
        """List the notes nearest to a query's vector, equal ones by name."""
        if not self._names or query.shape != self._rows.shape[1:] or not query.any():
            return []
        cosines = np.maximum.reduceat(self._rows @ query, self._starts)
        order = np.argsort(-np.round(cosines, 6), kind="stable")
        return [(self._names[n], round(float(cosines[n]), 6)) for n in order[:limit]]


def pack_vector(vector: Sequence[float] | Matrix) -> bytes:
    """Pack a vector as little-endian float32."""
    return np.asarray(vector, "<f4").tobytes()


def unpack_vectors(blobs: Sequence[bytes]) -> Matrix:
    """Read vectors of one dimension that :func:`pack_vector` wrote."""
    return np.frombuffer(b"".join(blobs), "<f4").reshape(len(blobs), -1).astype(np.float32)
