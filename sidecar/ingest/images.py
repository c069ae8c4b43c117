"""Downloads the images of a page through the one door to the network."""

from __future__ import annotations

import asyncio
import contextlib

from sidecar.errors import IngestError
from sidecar.ingest.assets import image_kind, referer_for, wanted_images
from sidecar.ingest.document import Document
from sidecar.jobs import Step
from sidecar.net import Ask, Fetcher

_AT_ONCE = 4
_TOTAL_BYTES = 60_000_000
_TOTAL_S = 120.0


class ImageFetcher:
    """Gets images, as many as there is time and room for. What cannot be had is left where it is."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    async def fetch(self, document: Document, at_most: int, step: Step) -> dict[str, bytes]:
        """Give the images of a document by address; those that failed are missing. Never fails itself."""
        found: dict[str, bytes] = {}
        turn = asyncio.Semaphore(_AT_ONCE)
        addresses = wanted_images(document, at_most)
        if addresses:
            step("images", {"count": len(addresses)})

        async def get(address: str) -> None:
            async with turn:
                data = await self._image(address, document.url)
            if data and sum(map(len, found.values())) + len(data) <= _TOTAL_BYTES:
                found[address] = data

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_TOTAL_S), asyncio.TaskGroup() as group:
                for address in addresses:
                    group.create_task(get(address))
        return {address: found[address] for address in addresses if address in found}

    async def _image(self, address: str, page: str) -> bytes:
        ask = Ask(accept=("image/", "application/octet-stream", ""), with_cookie=False, referer=referer_for(page, address))
        try:
            data = (await self._fetcher.fetch(address, ask)).body
        except IngestError:
            return b""
        return data if image_kind(data) else b""
