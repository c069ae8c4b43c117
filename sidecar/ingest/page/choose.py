"""Which part of a page is the article.

trafilatura chooses text better than anything else we measured and writes Markdown worse. So it only chooses: a mark is put
before every text of the page, trafilatura reads a copy, and the marks that come back name the source elements to keep.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field

from lxml import html
from lxml.html import HtmlElement

from sidecar.ingest.page.tree import BLOCKS, text_of

_MARK = "\u2316"  # printable, or trafilatura would strip it
_MARKED = re.compile(f"{_MARK}(\\d+){_MARK}")
_CONTAINER_SHARE = 0.9
_HEADING_REACH = 6
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(slots=True)
class _Piece:
    """One text node: ``element.text`` or, if ``is_tail``, the text behind it."""

    element: HtmlElement
    is_tail: bool
    block: HtmlElement
    length: int


@dataclass(slots=True)
class _Kept:
    pieces: set[int] = field(default_factory=set)
    blocks: set[HtmlElement] = field(default_factory=set)


def choose_article(tree: HtmlElement) -> HtmlElement | None:
    """Give the smallest element that holds the article, with everything else in it taken out; ``None`` if none was found."""
    pieces = _pieces(tree)
    kept = _ask(tree, pieces)
    if not kept.pieces:
        return None
    container = _container(tree, pieces, kept.pieces)
    inside = [n for n, piece in enumerate(pieces) if _is_within(piece.block, container)]
    blocks = list(dict.fromkeys(pieces[n].block for n in inside))
    keep = _widen(container, blocks, kept.blocks)
    _prune(container, [pieces[n] for n in inside], keep)
    return container


def _pieces(tree: HtmlElement) -> list[_Piece]:
    found: list[_Piece] = []
    body = tree.find("body")
    root = body if body is not None else tree
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        if element.text and element.text.strip():
            found.append(_Piece(element, False, _block_of(element), len(element.text.strip())))
        parent = element.getparent()
        if element is not root and element.tail and element.tail.strip() and parent is not None:
            found.append(_Piece(element, True, _block_of(parent), len(element.tail.strip())))
    return found


def _block_of(element: HtmlElement) -> HtmlElement:
    while element.tag not in BLOCKS and element.getparent() is not None:
        element = element.getparent()
    return element


def _ask(tree: HtmlElement, pieces: list[_Piece]) -> _Kept:
    """Mark a copy of the page, let trafilatura read it, and collect the marks that come back."""
    import trafilatura

    marked = copy.deepcopy(tree)
    twins = dict(zip(tree.iter(), marked.iter(), strict=True))
    for n, piece in enumerate(pieces):
        twin = twins[piece.element]
        if piece.is_tail:
            twin.tail = f"{_MARK}{n}{_MARK}{twin.tail}"
        else:
            twin.text = f"{_MARK}{n}{_MARK}{twin.text}"
    source = html.tostring(marked, encoding="unicode")
    text = trafilatura.extract(source, include_comments=False, include_tables=True, deduplicate=False) or ""
    kept = _Kept()
    for found in _MARKED.finditer(text):
        number = int(found[1])
        if number < len(pieces):
            kept.pieces.add(number)
            kept.blocks.add(pieces[number].block)
    return kept


def _container(tree: HtmlElement, pieces: list[_Piece], kept: set[int]) -> HtmlElement:
    weights: dict[HtmlElement, int] = {}
    total = 0
    for number in kept:
        piece = pieces[number]
        total += piece.length
        element: HtmlElement | None = piece.block
        while element is not None:
            weights[element] = weights.get(element, 0) + piece.length
            element = element.getparent()
    holding = [element for element, weight in weights.items() if weight >= _CONTAINER_SHARE * total]
    deepest = max(holding, key=lambda element: sum(1 for _ in element.iterancestors()), default=tree)
    # A table cell or list item alone is not an article: take the whole table or list.
    while deepest.tag in ("tr", "td", "th", "tbody", "li") and deepest.getparent() is not None:
        deepest = deepest.getparent()
    return deepest


def _is_within(element: HtmlElement, container: HtmlElement) -> bool:
    return element is container or any(above is container for above in element.iterancestors())


def _widen(container: HtmlElement, blocks: list[HtmlElement], kept: set[HtmlElement]) -> set[HtmlElement]:
    """Add what belongs to kept text by its structure: code, data tables, half-kept lists, headings of kept text."""
    keep = {block for block in blocks if block in kept}
    order = {block: n for n, block in enumerate(blocks)}
    places = [order[block] for block in keep]
    if not places:
        return keep
    first, last = min(places), max(places)
    reach = range(first, min(last + 4, len(blocks)))
    for pre in container.iter("pre"):
        _keep_if_between(pre, order, reach, keep)
    for table in container.iter("table"):
        cells = [order[block] for block in order if _is_within(block, table)]
        share = sum(blocks[n] in keep for n in cells) / max(len(cells), 1)
        if is_data_table(table) and (share >= 0.1 or (cells and cells[0] in reach and table.find(".//th") is not None)):
            keep.update(blocks[n] for n in cells)
    for listing in container.iter("ul", "ol"):
        items = [order[block] for block in order if _is_within(block, listing)]
        if items and sum(blocks[n] in keep for n in items) * 2 >= len(items) and _link_share(listing) < 0.8:
            keep.update(blocks[n] for n in items)
    for n, block in enumerate(blocks):
        if block.tag in _HEADINGS and any(after in keep and after.tag not in _HEADINGS for after in blocks[n + 1 : n + 1 + _HEADING_REACH]):
            keep.add(block)
    return keep


def _keep_if_between(element: HtmlElement, order: dict[HtmlElement, int], reach: range, keep: set[HtmlElement]) -> None:
    inner = [block for block in order if _is_within(block, element)]
    if any(order[block] in reach for block in inner):
        keep.update(inner)


def _prune(container: HtmlElement, pieces: list[_Piece], keep: set[HtmlElement]) -> None:
    for piece in pieces:
        if piece.block not in keep:
            if piece.is_tail:
                piece.element.tail = " "
            else:
                piece.element.text = None
    order = [block for block in container.iter() if isinstance(block.tag, str) and block.tag in BLOCKS]
    places = [n for n, block in enumerate(order) if block in keep]
    between = set(order[places[0] : places[-1] + 1]) if places else set()
    for image in list(container.iter("img")):
        if _block_of(image) not in between | keep and image.getparent() is not None:
            image.drop_tree()


def is_data_table(table: HtmlElement) -> bool:
    """Whether a table holds data rather than a page's layout."""
    if table.find(".//table") is not None:
        return False
    if table.find(".//th") is not None or table.find("caption") is not None:
        return True
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
    widths = {len(row) for row in rows}
    longest = max((len(text_of(cell)) for row in rows for cell in row), default=0)
    return len(rows) >= 2 and max(widths, default=0) >= 2 and longest < 400


def _link_share(element: HtmlElement) -> float:
    whole = len(text_of(element)) or 1
    return sum(len(text_of(link)) for link in element.iter("a")) / whole
