"""Asking trafilatura which texts of a page to keep.

trafilatura chooses text better than anything else we measured and writes Markdown worse. So it only chooses: a mark is put
before every text of the page, trafilatura reads it, and the marks that come back name the source texts to keep.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml.html import HtmlElement

from sidecar.ingest.page.tree import BLOCKS

_MARK = "\u2316"  # printable, or trafilatura would strip it
_MARKED = re.compile(f"{_MARK}(\\d+){_MARK}")


@dataclass(slots=True)
class Piece:
    """One text node: ``element.text`` or, if ``is_tail``, the text behind it. ``block`` is the block element that shows it."""

    element: HtmlElement
    is_tail: bool
    block: HtmlElement
    text: str


def pieces_of(tree: HtmlElement) -> list[Piece]:
    """Give every text node that shows something, in the order of the page."""
    found: list[Piece] = []
    body = tree.find("body")
    _collect(body if body is not None else tree, found)
    return found


def _collect(root: HtmlElement, found: list[Piece]) -> None:
    """Walk without recursion: pages nest hundreds of elements deep."""
    waiting: list[tuple[HtmlElement, bool, HtmlElement]] = [(root, False, root)]
    while waiting:
        element, is_tail, block = waiting.pop()
        text = element.tail if is_tail else element.text
        if text and text.strip() and isinstance(element.tag, str) | is_tail:
            found.append(Piece(element, is_tail, block, text))
        if is_tail or not isinstance(element.tag, str):
            continue
        for child in reversed(element):
            inner = child if isinstance(child.tag, str) and child.tag in BLOCKS else block
            waiting.append((child, True, block))
            waiting.append((child, False, inner))


def ask(tree: HtmlElement, pieces: list[Piece], *, comments: bool) -> set[int]:
    """Give the numbers of the pieces that trafilatura would keep. The tree is marked for that time only."""
    from trafilatura import bare_extraction

    for n, piece in enumerate(pieces):
        _set(piece, f"{_MARK}{n}{_MARK}{piece.text}")
    try:
        # Given a tree, it reads a copy; without metadata it does not look for dates, which is most of its time.
        found = bare_extraction(tree, include_comments=comments, include_tables=True, with_metadata=False)
    finally:
        for piece in pieces:
            _set(piece, piece.text)
    text = f"{getattr(found, 'text', '') or ''}\n{getattr(found, 'comments', '') or ''}"
    return {number for mark in _MARKED.finditer(text) if (number := int(mark[1])) < len(pieces)}


def _set(piece: Piece, text: str) -> None:
    if piece.is_tail:
        piece.element.tail = text
    else:
        piece.element.text = text
