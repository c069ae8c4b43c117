"""Fetches what an adapter asks for, page by page, until it has its document."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sidecar.errors import ExtractionError, IngestError, InvalidUrl
from sidecar.ingest.adapters import (
    PAGE,
    PASTED,
    Adapter,
    Need,
    Page,
    Pages,
    Wishes,
    accepted_types,
    claiming_adapter,
    find_adapter,
    taking_adapter,
)
from sidecar.ingest.adapters.base import the_page
from sidecar.ingest.document import Document
from sidecar.ingest.media_tool import MediaTool
from sidecar.ingest.page.decode import decode_page
from sidecar.ingest.worker import PageReader
from sidecar.jobs import Step
from sidecar.net import PAGE_TYPES, Ask, Fetched, Fetcher
from sidecar.vault.address import clean_url

_MAX_PAGES = 12


class Gatherer:
    """Turns a link into a document.

    Args:
        tool: Asked for what only a program outside can get.
        wishes: Asked anew for each link, since settings may change.
    """

    def __init__(self, fetcher: Fetcher, reader: PageReader, tool: MediaTool, wishes: Callable[[], Wishes]) -> None:
        self._fetcher = fetcher
        self._reader = reader
        self._tool = tool
        self._wishes = wishes

    async def gather(self, url: str, step: Step, *, unattended: bool = False) -> Document:
        """Fetch and read what a link leads to.

        Raises:
            IngestError: The address is bad or not public, the page cannot be fetched or read.
        """
        adapter = claiming_adapter(url)
        need = adapter.first(url) if adapter else the_page(url)
        pages: dict[str, Page] = {}
        warming = asyncio.ensure_future(self._reader.warm())  # it loads its libraries while the page is on its way
        try:
            return await self._walk(url, adapter, need, pages, step, unattended=unattended)
        finally:
            await asyncio.wait([warming])

    async def _walk(
        self, url: str, adapter: Adapter | None, need: Need, pages: dict[str, Page], step: Step, *, unattended: bool
    ) -> Document:
        for _ in range(_MAX_PAGES):
            step("fetch", {"host": need.url.split("/")[2], "what": need.name})
            pages[need.name] = page = await self._get(need, unattended=unattended)
            if adapter is None:
                # A short link may have led to a page of a site that is read in its own way.
                adapter = claiming_adapter(page.url)
                if adapter is not None:
                    url = page.url
                    first = adapter.first(url)
                    if first.name != PAGE:
                        pages.clear()
                        need = first
                        continue
                else:
                    adapter = taking_adapter(page.url, page.content_type)
            step("read", {"bytes": len(page.text) or len(page.data)})
            found = await self.read(adapter, url, pages)
            if isinstance(found, Document):
                return found
            if found.name in pages:
                break
            need = found
        raise ExtractionError("The site asks for page after page.", fix="Open it in a browser and paste the text.", url=url, step="gather")

    async def read_pasted(self, text: str, content_type: str, url: str) -> Document:
        """Read what was pasted or came from a file; nothing is fetched.

        Raises:
            ExtractionError: There is nothing to read in it.
        """
        try:
            adapter = find_adapter("paste")
        except KeyError as error:
            raise ExtractionError("This version cannot read pasted text.", fix="Give the page's link instead.", step="paste") from error
        found = await self._reader.read(adapter.name, url, {PASTED: Page(url, content_type, text)}, self._wishes())
        if isinstance(found, Document):
            return found
        raise ExtractionError("What was pasted is not enough alone.", fix="Give the page's link instead.", url=url, step="paste")

    async def read(self, adapter: Adapter, url: str, pages: Pages) -> Document | Need:
        """Read pages that are at hand, fetching nothing."""
        return await self._reader.read(adapter.name, clean_url(url), pages, self._wishes())

    async def _get(self, need: Need, *, unattended: bool) -> Page:
        if need.tool:
            return await self._tool.ask(need)
        ask = Ask(
            accept=(*need.accept, *(accepted_types() if need.name == PAGE else ())),
            unattended=unattended,
            with_cookie=need.with_cookie,
            follow=need.follow,
        )
        try:
            fetched = await self._fetcher.fetch(need.url, ask)
        except IngestError as error:
            if need.must or isinstance(error, InvalidUrl):
                raise
            status = error.params.get("status")
            return Page(need.url, status=status if isinstance(status, int) else 0, problem=error.message)
        return await self._page_of(fetched, need)

    async def _page_of(self, fetched: Fetched, need: Need) -> Page:
        is_text = not need.as_bytes and (fetched.content_type in PAGE_TYPES or fetched.content_type in need.accept)
        text = await asyncio.to_thread(decode_page, fetched.body, fetched.charset) if is_text else ""
        return Page(fetched.url, fetched.content_type, text, b"" if is_text else fetched.body, fetched.status)
