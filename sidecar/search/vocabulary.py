"""Sorted terms in one block of bytes: some 15 bytes a term where a dictionary of texts takes 150 (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

_LAST = b"\xff"
"""Greater than any byte of UTF-8."""


def encode_term(term: str) -> bytes:
    """Bring a term to the bytes by which it is sorted; half a surrogate pair, which broken files hold, included."""
    return term.encode("utf-8", "surrogatepass")


class Vocabulary:
    """Terms numbered in their order.

    Args:
        terms: Encoded, sorted, without repetitions.
    """

    def __init__(self, terms: Sequence[bytes] = ()) -> None:
        self._bytes = b"".join(terms)
        self._starts: npt.NDArray[np.int64] = np.zeros(len(terms) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, terms), np.int64, len(terms)), out=self._starts[1:])
        if len(self._bytes) < 2**31:
            self._starts = self._starts.astype(np.int32)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __iter__(self) -> Iterator[bytes]:
        return (self[n] for n in range(len(self)))

    def __getitem__(self, number: int) -> bytes:
        return self._bytes[self._starts[number] : self._starts[number + 1]]

    def find(self, term: str) -> int | None:
        """Give a term's number, or ``None``."""
        wanted = encode_term(term)
        number = self._place(wanted)
        return number if number < len(self) and self[number] == wanted else None

    def beginning_with(self, prefix: str) -> range:
        """Give the numbers of the terms that begin with ``prefix``."""
        wanted = encode_term(prefix)
        return range(self._place(wanted), self._place(wanted + _LAST))

    def words(self, prefix: str, shortest: int, longest: int) -> list[str]:
        """List the terms that begin with ``prefix`` and are so many bytes long."""
        found = self.beginning_with(prefix)
        lengths = np.diff(self._starts[found.start : found.stop + 1])
        return [self.text(found.start + int(n)) for n in np.flatnonzero((lengths >= shortest) & (lengths <= longest))]

    def text(self, number: int) -> str:
        return self[number].decode("utf-8", "surrogatepass")

    def _place(self, wanted: bytes) -> int:
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        return low
