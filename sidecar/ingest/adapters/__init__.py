"""Site adapters: each reads one kind of page into a :class:`~sidecar.ingest.document.Document`.

A new site is one new module here that defines ``ADAPTER``, and its name in :data:`ADAPTERS`. The first that claims a link fetches
and reads it its own way; of all other links the page is fetched, and the first that takes such a page reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters import (
    arxiv,
    bilibili,
    generic,
    github,
    markdown,
    paste,
    pdf,
    plain,
    rss_item,
    wechat,
    youtube,
)
from sidecar.ingest.adapters.base import PAGE, PASTED, Adapter, Need, Page, Pages, Wishes, of_one_page
from sidecar.ingest.document import Document

ADAPTERS: tuple[Adapter, ...] = (
    wechat.ADAPTER,
    bilibili.ADAPTER,
    youtube.ADAPTER,
    arxiv.ADAPTER,
    github.ADAPTER,
    paste.ADAPTER,
    rss_item.ADAPTER,
    pdf.ADAPTER,
    Adapter("markdown", of_one_page(markdown.read), takes=markdown.matches),
    Adapter("plain", of_one_page(plain.read), takes=plain.matches),
    Adapter("generic", of_one_page(generic.read), takes=generic.matches),
)

__all__ = [
    "ADAPTERS",
    "PAGE",
    "PASTED",
    "Adapter",
    "Need",
    "Page",
    "Pages",
    "Wishes",
    "accepted_types",
    "claiming_adapter",
    "find_adapter",
    "read_page",
    "read_saved",
    "taking_adapter",
]


def claiming_adapter(url: str) -> Adapter | None:
    """Find the adapter whose own a link is."""
    return next((adapter for adapter in ADAPTERS if adapter.claims(url)), None)


def taking_adapter(url: str, content_type: str) -> Adapter:
    """Give the first adapter that can read the page; the generic one takes all that is left."""
    return next(adapter for adapter in ADAPTERS if adapter.takes(url, content_type))


def read_page(url: str, content_type: str, text: str, name: str = PAGE) -> Document:
    """Read one text page that is at hand, with nothing else to be fetched.

    Raises:
        ExtractionError: It cannot be read, or takes further pages.
    """
    adapter = claiming_adapter(url) or taking_adapter(url, content_type)
    found = adapter.read(url, {name: Page(url, content_type, text)}, Wishes())
    if isinstance(found, Document):
        return found
    raise ExtractionError(f"This page alone is not enough: {found.url} is needed as well.", fix="Type: kb add", url=url, step="gather")


def read_saved(name: Literal["bilibili", "youtube"], url: str, texts: Sequence[str]) -> Document:
    """Read a video from answers of its site that were saved; what is not among them counts as not to be had.

    Raises:
        ExtractionError: They say that there is no video, or hold nothing of one.
    """
    module = {"bilibili": bilibili, "youtube": youtube}[name]
    pages = {module.name_saved(text): Page(url, "application/json", text) for text in texts}
    found: Document | Need = module.first(url)
    while isinstance(found, Need):
        if found.name not in pages:
            pages[found.name] = module.stand_in(found.name, url, pages) or Page(found.url, status=0)
        found = module.read(url, pages, Wishes())
    return found


def find_adapter(name: str) -> Adapter:
    """Give the adapter of a name.

    Raises:
        KeyError: There is none.
    """
    return {adapter.name: adapter for adapter in ADAPTERS}[name]


def accepted_types() -> tuple[str, ...]:
    """List the content types that are fetched for adapters' sake beside those of ordinary pages."""
    return tuple(dict.fromkeys(kind for adapter in ADAPTERS for kind in adapter.accept))
