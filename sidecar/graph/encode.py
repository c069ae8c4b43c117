"""The bytes of ``.kb/index.json`` (pure), made in pieces so that nothing else waits long for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

_PIECE = 400
"""Notes, nodes or hubs in one piece."""

Row = Mapping[str, Any]


def encode_graph(edges: Iterable[Iterable[Row]], hubs: Iterable[Row], nodes: Iterable[Row], tail: Row) -> Iterator[bytes]:
    """Encode the graph with sorted keys and no blanks: the same graph gives the same bytes.

    Args:
        edges: Those of one note after the other.
        tail: What follows, of keys that sort after ``nodes``.
    """
    yield b'{"edges":['
    yield from _rows(chain.from_iterable(piece) for piece in _pieces(edges))
    yield b'],"hubs":['
    yield from _rows(_pieces(hubs))
    yield b'],"nodes":['
    yield from _rows(_pieces(nodes))
    yield b"]," + _encode(tail)[1:]


def _pieces(items: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(items)
    while piece := list(islice(rest, _PIECE)):
        yield piece


def _rows(pieces: Iterable[Iterable[Row]]) -> Iterator[bytes]:
    between = b""
    for piece in pieces:
        if rows := list(piece):
            yield between + _encode(rows)[1:-1]
            between = b","


def _encode(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode("utf-8", "replace")
