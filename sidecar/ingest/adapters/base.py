"""What a site adapter is, and how it asks for further pages (pure)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from sidecar.ingest.document import Document

Tool = Literal["", "yt-dlp"]

PAGE = "page"
"""Name of the page that the link itself leads to."""
PASTED = "pasted"
"""Name of what was pasted or came from a file: there is nothing to fetch."""
HTML = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml", "text/markdown", "")
JSON = ("application/json", "text/json", "text/plain", "text/html", "text/javascript", "")


@dataclass(frozen=True, slots=True)
class Page:
    """What was fetched, or why it could not be.

    Attributes:
        url: Where it came from after redirects.
        text: The decoded text; empty for what is no text.
        data: The bytes, only where the adapter asked for what is no text.
        status: HTTP status; 0 if there was no answer.
        problem: Why it could not be fetched, a sentence; empty if it could.
    """

    url: str
    content_type: str = ""
    text: str = ""
    data: bytes = b""
    status: int = 200
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Need:
    """A page that an adapter wants to see before it can tell.

    Attributes:
        name: Under which it is given to the adapter.
        accept: Content types that are taken; ``image/`` takes all that begin so.
        as_bytes: The adapter wants the bytes, not text.
        follow: Whether redirects are followed; if not, the page's ``url`` is where the first one leads.
        must: Whether the ingest fails if it cannot be fetched; else the adapter is told of the problem.
        with_cookie: Whether the owner's cookie for the site is sent, if there is one.
        tool: A program to ask instead of the network: its output (JSON) is the page's text.
        languages: For the tool: languages of captions, best first.
    """

    name: str
    url: str
    accept: tuple[str, ...] = HTML
    as_bytes: bool = False
    follow: bool = True
    must: bool = False
    with_cookie: bool = False
    tool: Tool = ""
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the owner prefers: languages of captions, best first."""

    languages: tuple[str, ...] = ("zh", "en")


Pages = Mapping[str, Page]
Read = Callable[[str, Pages, Wishes], Document | Need]
"""Reads the pages at hand: gives the document, or names the next page. Called again with one page more each time."""


def the_page(url: str) -> Need:
    """Ask for the page that the link leads to, whatever text it is."""
    return Need(PAGE, url, must=True, with_cookie=True)


def never(url: str, content_type: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Adapter:
    """One kind of page.

    Attributes:
        claims: Whether links of this shape are its own, before anything is fetched.
        first: The first page that it wants of a link it claims.
        takes: Whether it can read what an ordinary link turned out to lead to, by address and content type.
        accept: Content types that are fetched for its sake, beside those of ordinary pages.
        read: Never opens a file or a socket. Raises :class:`~sidecar.errors.ExtractionError` or one of its kinds.
    """

    name: str
    read: Read
    claims: Callable[[str], bool] = field(default=lambda url: False)
    first: Callable[[str], Need] = the_page
    takes: Callable[[str, str], bool] = never
    accept: tuple[str, ...] = ()


def of_one_page(read: Callable[[str, str], Document]) -> Read:
    """Make a reader of one text page into an adapter's reader."""

    def read_page(url: str, pages: Pages, wishes: Wishes) -> Document:
        page = pages.get(PAGE) or pages[PASTED]
        return read(page.url, page.text)

    return read_page
