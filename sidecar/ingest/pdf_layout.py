"""From the lines of a PDF's pages to headings and paragraphs.

A PDF knows neither: it puts text at places. What a reader takes for a paragraph is told by the gaps between lines, their size
and their indentation; what stands on page after page is furniture.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

_CJK = "\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_CJK_JOIN = re.compile(rf"[{_CJK}]$")
_CJK_BEGIN = re.compile(rf"[{_CJK}]")
_PAGE_NUMBER = re.compile(
    r"\W*(?:p(?:age|\.)?\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?\W*|第\s*\d+\s*页.{0,10}", re.IGNORECASE
)
_BULLET = re.compile(r"(?:[•‣▪◦●■–·]|\uf0b7)\s*(?=\S)")
_NUMBERED = re.compile(r"(?:\[\d{1,3}\]|\(?\d{1,2}[.)])\s")
_SENTENCE_END = re.compile(r"[.!?:。！？：”\"')）]$")
_EDGE_LINES = 2
_GAP = 1.35
_HEADING_SIZE = 1.12
_HEADING_CHARS = 150
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\u00ad": "", "\u00a0": " "})


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; sizes and places in points, ``up`` from the page's lower edge."""

    text: str
    size: float
    left: float
    up: float


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list item, or a heading of ``level`` 1 to 6 (0 for none)."""

    text: str
    level: int = 0
    is_item: bool = False


def lines_of(pieces: Sequence[tuple[str, float, float, float]]) -> list[Line]:
    """Cut pieces (text, size, left, up), in the order of the page's content, into lines; a line has its longest piece's size."""
    lines: list[Line] = []
    run: list[tuple[str, float, float, float]] = []

    def end() -> None:
        text = " ".join("".join(piece[0] for piece in run).translate(_LIGATURES).split())
        if text:
            seen = [piece for piece in run if piece[0].strip()]
            sizes: Counter[float] = Counter()
            for piece in seen:
                sizes[round(piece[1], 1)] += len(piece[0].strip())
            lines.append(Line(text, sizes.most_common(1)[0][0], seen[0][2], seen[0][3]))
        run.clear()

    for text, size, left, up in pieces:
        for n, part in enumerate(text.split("\n")):
            if n:
                end()
            if part:
                run.append((part, size, left, up))
    end()
    return lines


def without_furniture(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Take out running heads and feet, and page numbers."""
    edges = [_edges(page) for page in pages]
    lines = [line for page in pages for line in page]
    body = body_size(lines) if lines else 0.0
    counts = Counter(key for page in edges for key in {_pattern(line, body) for line in page})
    least = max(3, len(pages) * 0.3)
    numbered = sum(any(_PAGE_NUMBER.fullmatch(line.text) for line in page) for page in edges) * 2 >= len(pages) > 1
    kept: list[list[Line]] = []
    for page, edge in zip(pages, edges, strict=True):
        gone = {id(line) for line in edge if counts[_pattern(line, body)] >= least or (numbered and _PAGE_NUMBER.fullmatch(line.text))}
        kept.append([line for line in page if id(line) not in gone])
    return kept


def _edges(page: Sequence[Line]) -> list[Line]:
    """Give the lines furthest up and down."""
    heights = sorted({round(line.up) for line in page})
    outer = {*heights[:_EDGE_LINES], *heights[-_EDGE_LINES:]} if len(heights) > 2 * _EDGE_LINES else {*heights[:1], *heights[-1:]}
    return [line for line in page if round(line.up) in outer]


def _pattern(line: Line, body: float) -> tuple[str, int]:
    """Give what a running head has in common on all pages; larger text may be a heading, and another one with another number."""
    text = line.text if line.size > body * _HEADING_SIZE else re.sub(r"\d+", "0", line.text)
    return text, round(line.up / 6)


def blocks_of(pages: Sequence[Sequence[Line]], outline: Mapping[str, int] | None = None) -> list[Block]:
    """Join lines into blocks.

    Args:
        outline: Titles of the document's own outline (see :func:`outline_key`) and how deep they lie, from 0.
    """
    lines = [line for page in pages for line in page]
    if not lines:
        return []
    body = body_size(lines)
    gaps = [a.up - b.up for page in pages for a, b in pairwise(page) if 0 < a.up - b.up < 4 * body]
    leading = median(gaps) if gaps else body * 1.2
    groups: list[list[Line]] = []
    for page in pages:
        for n, line in enumerate(page):
            before = groups[-1][-1] if groups else None
            if before is None or _begins(before, line, n == 0, leading, groups[-1][0]):
                groups.append([line])
            else:
                groups[-1].append(line)
    levels = _levels(groups, body, first=2 if outline is None else 1)
    return [_block(group, levels, outline or {}) for group in groups]


def body_size(lines: Sequence[Line]) -> float:
    """Give the size that most of the text has."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0]


def outline_key(text: str) -> str:
    """Give a title without numbers and signs, as titles of outline and text are compared."""
    return re.sub(r"[\W\d_]+", "", text).lower()


def _begins(before: Line, line: Line, is_first: bool, leading: float, start: Line) -> bool:
    """Whether a line begins a paragraph of its own."""
    if abs(line.size - before.size) > 0.08 * max(before.size, line.size):
        return not (len(line.text) <= 3 and abs(line.up - before.up) < leading)  # else: a footnote's mark within a line
    if _BULLET.match(line.text) or (_NUMBERED.match(line.text) and _SENTENCE_END.search(before.text)):
        return True
    has_ended = bool(_SENTENCE_END.search(before.text))
    gap = before.up - line.up
    if is_first or gap < -leading:  # the next page or column; the paragraph goes on unless it had come to an end
        return has_ended or bool(_BULLET.match(start.text))
    if gap > _GAP * leading * max(1.0, line.size / max(before.size, 1)):
        return True
    return has_ended and line.left - before.left > 0.8 * line.size


def _levels(groups: Sequence[Sequence[Line]], body: float, *, first: int) -> dict[float, int]:
    """Rank the sizes that headings have; four at most."""
    sizes = {group[0].size for group in groups if _may_be_heading(group) and group[0].size >= body * _HEADING_SIZE}
    return {size: min(first + n, 5) for n, size in enumerate(sorted(sizes, reverse=True)[:4])}


def _may_be_heading(group: Sequence[Line]) -> bool:
    text = " ".join(line.text for line in group)
    return len(group) <= 4 and len(text) <= _HEADING_CHARS and bool(re.search(r"[^\W\d_]", text)) and not re.search(r"[.,;。，；]$", text)


def _block(group: Sequence[Line], levels: Mapping[float, int], outline: Mapping[str, int]) -> Block:
    text = joined([line.text for line in group])
    if _may_be_heading(group):
        depth = outline.get(outline_key(text))
        if depth is not None:
            return Block(text, min(depth + 2, 6))
        if group[0].size in levels:
            return Block(text, levels[group[0].size])
    bullet = _BULLET.match(text)
    return Block(text[bullet.end() :], is_item=True) if bullet else Block(text)


def joined(lines: Sequence[str]) -> str:
    """Put lines together: words that were cut at a line's end become whole, CJK needs no blank."""
    text = ""
    for line in lines:
        if re.search(r"[^\W\d_]{2}[-\u2010]$", text) and re.match(r"[a-zà-ÿ]", line):
            text = text[:-1] + line
        elif text and not (_CJK_JOIN.search(text) and _CJK_BEGIN.match(line)):
            text += " " + line
        else:
            text += line
    return text
