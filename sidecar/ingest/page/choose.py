"""Which part of a page is the article.

trafilatura names the texts to keep (:mod:`~sidecar.ingest.page.ask`); what belongs to them by the page's structure is added here, the
rest is taken out, and the source is what gets written.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from sidecar.ingest.page.ask import Piece, ask, pieces_of
from sidecar.ingest.page.chaff import is_chaff
from sidecar.ingest.page.kind import PageKind
from sidecar.ingest.page.tree import BLOCKS, text_of

_CONTAINER_SHARE = 0.9
_HEADING_REACH = 6
_POST_TEXT = 40
_TOO_MANY = 20_000
"""Texts of a page from which on trafilatura is not asked: its time grows with the square of them."""
_LINKS_AT_MOST = 0.6
_CHAFF_AT_MOST = 0.1
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_PROSE = frozenset(("p", "blockquote", "figcaption", "dd", "dt"))


@dataclass(slots=True)
class _Block:
    """A block element with the text that is straight in it."""

    element: HtmlElement
    pieces: list[Piece] = field(default_factory=list)
    length: int = 0
    link_length: int = 0
    is_kept: bool = False
    is_chaff: bool = False


def choose_article(tree: HtmlElement, kind: PageKind = "article") -> HtmlElement | None:
    """Give the smallest element that holds the article, with everything else in it taken out; ``None`` if none was found."""
    pieces = pieces_of(tree)
    if len(pieces) > _TOO_MANY:
        return _choose_alone(tree, pieces)
    kept = ask(tree, pieces, comments=kind == "forum")
    if not kept:
        return None
    container = _container(tree, [pieces[n] for n in kept])
    if kind == "forum":
        container = _thread_of(container)
    page = _Page(container, pieces, kept)
    page.widen(kind)
    page.prune()
    return container


def _choose_alone(tree: HtmlElement, pieces: list[Piece]) -> HtmlElement:
    """Take the page's own main part, and of that all that is not chaff."""
    body = tree.find("body")
    mains = [element for element in tree.iter("main", "article") if element.getparent() is not None]
    container = mains[0] if len(mains) == 1 else body if body is not None else tree
    page = _Page(container, pieces, set())
    page.keep_all_but_chaff(links=True)
    page.prune()
    return container


def _container(tree: HtmlElement, kept: list[Piece]) -> HtmlElement:
    own: dict[HtmlElement, int] = {}
    for piece in kept:
        own[piece.block] = own.get(piece.block, 0) + len(piece.text.strip())
    weights: dict[HtmlElement, int] = {}
    for block, weight in own.items():
        element: HtmlElement | None = block
        while element is not None:
            weights[element] = weights.get(element, 0) + weight
            element = element.getparent()
    total = sum(own.values())
    holding = [element for element, weight in weights.items() if weight >= _CONTAINER_SHARE * total]
    deepest = max(holding, key=lambda element: sum(1 for _ in element.iterancestors()), default=tree)
    # A table cell or list item alone is not an article: take the whole table or list.
    while deepest.tag in ("tr", "td", "th", "tbody", "li") and deepest.getparent() is not None:
        deepest = deepest.getparent()
    return deepest


def _thread_of(post: HtmlElement) -> HtmlElement:
    """Give the element that holds a post's siblings, if the post is one of several of a kind; else the post itself."""
    found, element = post, post
    while (parent := element.getparent()) is not None and parent.tag != "html":
        names = set((element.get("class") or "").split())
        alike = [child for child in parent if child.tag == element.tag and names & set((child.get("class") or "").split())]
        if len(alike) >= 2 and sum(len(text_of(child)) >= _POST_TEXT for child in alike) * 2 >= len(alike):
            found = parent
        element = parent
    return found


class _Page:
    """The blocks within the container, in order, so that the blocks of any element are one slice of them."""

    def __init__(self, container: HtmlElement, pieces: list[Piece], kept: set[int]) -> None:
        self._container = container
        self._places: dict[HtmlElement, tuple[int, int]] = {}
        self._chaff: set[HtmlElement] = set()
        self._number(container)
        by_element: dict[HtmlElement, _Block] = {}
        for n, piece in enumerate(pieces):
            if piece.block not in self._places:
                continue
            block = by_element.get(piece.block)
            if block is None:
                block = by_element[piece.block] = _Block(piece.block, is_chaff=piece.block in self._chaff)
            length = len(piece.text.strip())
            block.pieces.append(piece)
            block.length += length
            block.link_length += length if _is_linked(piece) else 0
            block.is_kept = block.is_kept or n in kept
        self._blocks = sorted(by_element.values(), key=lambda block: self._places[block.element])
        self._starts = [self._places[block.element][0] for block in self._blocks]

    def _number(self, container: HtmlElement) -> None:
        """Note where each element begins and ends, and which lie in chaff."""
        count = 0
        waiting: list[tuple[HtmlElement, bool, bool]] = [(container, False, False)]
        while waiting:
            element, is_end, in_chaff = waiting.pop()
            if is_end:
                self._places[element] = (self._places[element][0], count)
                continue
            self._places[element] = (count, count)
            count += 1
            in_chaff = in_chaff or (element is not container and is_chaff(element))
            if in_chaff:
                self._chaff.add(element)
            waiting.append((element, True, in_chaff))
            waiting.extend((child, False, in_chaff) for child in reversed(element) if isinstance(child.tag, str))

    def _within(self, element: HtmlElement) -> list[_Block]:
        begin, end = self._places[element]
        return self._blocks[bisect_left(self._starts, begin) : bisect_left(self._starts, end)]

    def widen(self, kind: PageKind) -> None:
        """Add what belongs to kept text by its structure: code, data tables, half-kept lists, headings of kept text."""
        self._drop_chaff()
        kept = [n for n, block in enumerate(self._blocks) if block.is_kept]
        if not kept:
            return
        first, last = self._starts[kept[0]], self._starts[min(kept[-1] + 4, len(self._blocks) - 1)]
        for element in self._container.iter("pre", "table", "ul", "ol"):
            blocks = self._within(element)
            if blocks and self._belongs(element, blocks, first, last):
                _keep(blocks)
        if kind != "article":
            self.keep_all_but_chaff(links=kind == "other")
        self._keep_neighbours()
        for n, block in enumerate(self._blocks):
            if block.element.tag in _HEADINGS and any(
                after.is_kept and after.element.tag not in _HEADINGS for after in self._blocks[n + 1 : n + 1 + _HEADING_REACH]
            ):
                block.is_kept = True

    def _drop_chaff(self) -> None:
        """Let go of kept text that lies in chaff, if it is little: else it is the names that mislead."""
        kept = [block for block in self._blocks if block.is_kept]
        chaff = [block for block in kept if block.is_chaff]
        if sum(block.length for block in chaff) < _CHAFF_AT_MOST * sum(block.length for block in kept):
            for block in chaff:
                block.is_kept = False

    def _belongs(self, element: HtmlElement, blocks: list[_Block], first: int, last: int) -> bool:
        share = sum(block.is_kept for block in blocks) / len(blocks)
        is_between = first <= self._places[blocks[0].element][0] <= last and not blocks[0].is_chaff
        if element.tag == "pre":
            return is_between
        if element.tag == "table":
            return is_data_table(element) and (share >= 0.1 or (is_between and element.find(".//th") is not None))
        if share >= 0.5:
            return _link_share(blocks) < 0.8
        return is_between and _link_share(blocks) < 0.3

    def keep_all_but_chaff(self, *, links: bool) -> None:
        for block in self._blocks:
            if not block.is_chaff and (links or block.element.tag == "li" or block.link_length < _LINKS_AT_MOST * block.length):
                block.is_kept = True

    def _keep_neighbours(self) -> None:
        """Keep prose that stands beside kept prose: a short last paragraph is as much of the text as the long ones before it."""
        homes = {block.element.getparent() for block in self._blocks if block.is_kept and block.element.tag == "p"}
        for block in self._blocks:
            if block.element.tag in _PROSE and block.element.getparent() in homes and not block.is_chaff:
                block.is_kept = block.is_kept or block.link_length < _LINKS_AT_MOST * block.length

    def prune(self) -> None:
        """Take out the texts that are not kept, and the pictures before, behind and among them."""
        for block in self._blocks:
            if not block.is_kept:
                for piece in block.pieces:
                    if piece.is_tail:
                        piece.element.tail = " "
                    else:
                        piece.element.text = None
        kept = [self._starts[n] for n, block in enumerate(self._blocks) if block.is_kept]
        for image in list(self._container.iter("img")):
            block = next((above for above in image.iterancestors() if above.tag in BLOCKS), self._container)
            place = self._places[block][0] if block in self._places else -1
            if not (kept and kept[0] <= place <= kept[-1]) and image.getparent() is not None:
                image.drop_tree()


def _keep(blocks: list[_Block]) -> None:
    for block in blocks:
        block.is_kept = True


def _is_linked(piece: Piece) -> bool:
    element: HtmlElement | None = piece.element.getparent() if piece.is_tail else piece.element
    while element is not None and element is not piece.block:
        if element.tag == "a":
            return True
        element = element.getparent()
    return False


def _link_share(blocks: list[_Block]) -> float:
    return sum(block.link_length for block in blocks) / (sum(block.length for block in blocks) or 1)


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
