"""How well a reader kept a page: its text against what a person read, its structure against the page's own elements.

Text is scored as the article-extraction benchmarks do it: runs of four words, each page of equal weight. The truth of the structure is
derived: an element of the source counts if its words lie, in order, in the true text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import mean
from urllib.parse import urljoin, urlsplit

import mistune
from lxml import html
from lxml.html import HtmlElement

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_RUN = 4
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_HOLDERS = ("p", "li", "td", "th", "dd", "dt", "blockquote", "div", "section", *_HEADINGS)
_NEVER = ("nav", "footer", "script", "style", "template", "noscript", "select")
KINDS = ("headings", "items", "code", "code_loose", "cells", "links")

_render = mistune.create_markdown(
    escape=False, plugins=["table", "mistune.plugins.table.table_in_list", "mistune.plugins.table.table_in_quote", "strikethrough", "math"]
)


def tokens(text: str) -> list[str]:
    """Give the words of a text in small letters, each CJK character as one."""
    return _TOKEN.findall(text.lower())


def overlap(true: str, found: str) -> tuple[float, float, float]:
    """Give hits, false ones and missed ones among runs of four words, together 1."""
    wanted, given = (Counter(_runs(tokens(text))) for text in (true, found))
    hits = sum((wanted & given).values())
    false, missed = sum(given.values()) - hits, sum(wanted.values()) - hits
    whole = hits + false + missed or 1
    return hits / whole, false / whole, missed / whole


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    for n in range(max(len(words) - _RUN + 1, min(len(words), 1))):
        yield tuple(words[n : n + _RUN])


@dataclass(slots=True)
class Parts:
    """The elements of a page or note, each as its words; code with its lines."""

    headings: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    code_loose: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PageScore:
    hits: float
    false: float
    missed: float
    kept: dict[str, float]
    """Share of the true elements that are there, for the kinds of which the page has some."""


def score(true_text: str, source: str, markdown: str, base: str, plain: str | None = None) -> PageScore:
    """Score one page.

    Args:
        source: The page's HTML.
        markdown: What the reader made of it.
        plain: Its text, if the reader gives that apart from its Markdown.
    """
    note = html.fragment_fromstring(str(_render(markdown)) or "<p></p>", create_parent="div")
    found = plain if plain is not None else _text(note)
    hits, false, missed = overlap(true_text, found)
    wanted, given = true_parts(source, true_text, base), parts(note, base)
    return PageScore(
        hits, false, missed, {kind: _share(getattr(wanted, kind), getattr(given, kind)) for kind in KINDS if getattr(wanted, kind)}
    )


def summary(scores: list[PageScore]) -> dict[str, float]:
    """Give means over pages; F1 is that of mean precision and mean recall."""
    precisions = [s.hits / (s.hits + s.false) for s in scores if s.hits + s.false]
    recalls = [s.hits / (s.hits + s.missed) for s in scores if s.hits + s.missed]
    precision, recall = mean(precisions or [0.0]), mean(recalls or [0.0])
    found = {"f1": 2 * precision * recall / ((precision + recall) or 1), "precision": precision, "recall": recall}
    for kind in KINDS:
        shares = [s.kept[kind] for s in scores if kind in s.kept]
        found[kind] = mean(shares) if shares else float("nan")
    return found


def _share(wanted: list[str], given: list[str]) -> float:
    return sum((Counter(wanted) & Counter(given)).values()) / len(wanted)


def true_parts(source: str, true_text: str, base: str) -> Parts:
    """Give the elements of a page whose words lie in the true text."""
    tree: HtmlElement = html.document_fromstring(
        source.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8", remove_comments=True)
    )
    for element in list(tree.iter(*_NEVER)):
        if isinstance(element, HtmlElement) and element.getparent() is not None:
            element.drop_tree()
    lies = _Truth(true_text)
    everything = parts(tree, base, lies)
    return Parts(
        headings=[text for text in everything.headings if lies.words(text)],
        items=[text for text in everything.items if text.count(" ") >= _RUN - 1 and lies.words(text)],
        code=[text for text in everything.code if lies.letters(text)],
        code_loose=[text for text in everything.code_loose if lies.letters(text)],
        cells=everything.cells,
        links=everything.links,
    )


class _Truth:
    def __init__(self, text: str) -> None:
        self._words = f" {' '.join(tokens(text))} "
        self._letters = re.sub(r"\s+", "", text)

    def words(self, text: str) -> bool:
        return bool(text) and f" {text} " in self._words

    def letters(self, text: str) -> bool:
        bare = re.sub(r"\s+", "", text)
        return len(bare) >= _RUN and bare in self._letters


def parts(tree: HtmlElement, base: str, truth: _Truth | None = None) -> Parts:
    """Collect the elements of a tree; cells and links, if there is a truth, only where what surrounds them lies in it."""
    found = Parts()
    for element in tree.iter():
        if element.tag in _HEADINGS:
            found.headings.append(_words(element))
        elif element.tag == "li":
            found.items.append(_words(element, without=("ul", "ol", "pre", "table")))
        elif element.tag == "pre":
            text = "\n".join(line.rstrip() for line in _text(element).replace("\r\n", "\n").strip("\n").split("\n")).strip("\n")
            found.code.append(text)
            found.code_loose.append(re.sub(r"\s+", "", text))
        elif element.tag == "table" and element.find(".//table") is None:
            cells = [words for cell in element.iter("td", "th") if (words := _words(cell))]
            if truth is None or (len(cells) >= 4 and _is_grid(element) and sum(map(truth.words, cells)) > 0.8 * len(cells)):
                found.cells += [words for words in cells if truth is None or truth.words(words)]
        elif element.tag == "a":
            found.links += _link(element, base, truth)
    return found


def _is_grid(table: HtmlElement) -> bool:
    rows = [sum(cell.tag in ("td", "th") for cell in row) for row in table.iter("tr")]
    return len(rows) >= 2 and max(rows) >= 2


def _link(element: HtmlElement, base: str, truth: _Truth | None) -> list[str]:
    words, href = _words(element), (element.get("href") or "").strip()
    if not words or not href or href.startswith(("#", "javascript:", "mailto:")):
        return []
    try:
        address = urlsplit(urljoin(base, href))
    except ValueError:
        return []
    if truth is not None:
        if address.netloc + address.path == urlsplit(base).netloc + urlsplit(base).path:
            return []  # a part of the same page
        holder = next((above for above in element.iterancestors() if above.tag in _HOLDERS), None)
        around = _words(holder) if holder is not None else ""
        if around.count(" ") < _RUN - 1 or not truth.words(around):
            return []
    return [f"{words} {address.netloc.removeprefix('www.')}{address.path.rstrip('/')}"]


def _words(element: HtmlElement, without: tuple[str, ...] = ()) -> str:
    return " ".join(tokens(_text(element, without)))


_APART = frozenset("p div li ul ol tr td th h1 h2 h3 h4 h5 h6 pre blockquote table dd dt dl section br hr".split())


def _text(element: HtmlElement, without: tuple[str, ...] = ()) -> str:
    pieces: list[str] = []

    def walk(node: HtmlElement, in_pre: bool) -> None:
        apart = node.tag in _APART and (not in_pre or node.tag in ("br", "div", "p", "li", "tr"))
        if apart and (not in_pre or node.tag == "br" or (pieces and not pieces[-1].endswith("\n"))):
            pieces.append("\n")
        pieces.append(node.text or "")
        for child in node:
            if isinstance(child.tag, str) and child.tag not in without:
                walk(child, in_pre or child.tag == "pre")
                if child.tag in _APART and not in_pre:
                    pieces.append("\n")
            pieces.append(child.tail or "")

    walk(element, element.tag == "pre")
    return "".join(pieces)
