"""From HTML that is all text, with no page around it, to Markdown: a README, a feed's item, what was pasted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urljoin

from lxml.html import HtmlElement

from sidecar.ingest.page.to_markdown import MarkdownWriter
from sidecar.ingest.page.tree import clean_page, parse_page, text_of

Join = Callable[[str], str]
"""Makes an address whole that may be relative."""


@dataclass(frozen=True, slots=True)
class Written:
    """Markdown, the addresses of its images in order, and its first heading (empty unless the text begins with it)."""

    markdown: str
    images: tuple[str, ...] = ()
    heading: str = ""


def write_fragment(html: str, base: str, *, link: Join | None = None, image: Join | None = None) -> Written:
    """Write HTML as harmless Markdown.

    Args:
        base: Address that relative links are joined to; without one they keep only their words.
        link, image: Join them otherwise.
    """
    tree = parse_page(html)
    return write_tree(tree, base, link=link, image=image) if tree is not None else Written("")


def write_tree(tree: HtmlElement, base: str, *, link: Join | None = None, image: Join | None = None) -> Written:
    """Write a tree, which is changed on the way; see :func:`write_fragment`."""
    clean_page(tree)
    for name, tag, join in (("href", "a", link), ("src", "img", image)):
        for element in tree.iter(tag) if join else ():
            address = (element.get(name) or "").strip()
            if join and address and not address.startswith("#"):
                element.set(name, join(address))
    writer = MarkdownWriter(base)
    markdown = writer.write(tree)
    heading = next((text_of(h) for h in tree.iter("h1", "h2") if text_of(h)), "")
    return Written(markdown, tuple(writer.images), heading if _starts_with(markdown, heading) else "")


def join_to(base: str, root: str = "") -> Join:
    """Join addresses to a base; those that begin with a slash to ``root``, which may lie deeper than the host."""

    def join(address: str) -> str:
        try:
            if root and address.startswith("/") and not address.startswith("//"):
                return urljoin(root, address.lstrip("/"))
            return urljoin(base, address)
        except ValueError:
            return ""

    return join


def without_title(markdown: str, title: str) -> str:
    """Drop a first heading that only repeats the title."""
    first, _, rest = markdown.partition("\n")
    return rest.lstrip("\n") if first.startswith("#") and _words(first) == _words(title) != "" else markdown


def prose_of(markdown: str) -> str:
    """Give a text without code, pictures and addresses, as its language is told by."""
    return re.sub(r"(?s)```.*?```|`[^`\n]*`|!\[(?:\\.|[^\]\\])*\]\([^)]*\)|\]\([^)]*\)", " ", markdown)


def _starts_with(markdown: str, heading: str) -> bool:
    """Whether the heading stands before any other text; pictures, as the badges of a README, may stand before it."""
    for line in markdown.split("\n"):
        if line.startswith("#"):
            return bool(heading) and _words(line) == _words(heading)
        if _words(re.sub(r"\[?!\[(?:\\.|[^\]\\])*\]\([^)]*\)(?:\]\([^)]*\))?", "", line)):
            return False
    return False


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", "", re.sub(r"\]\([^)]*\)", "]", text))
