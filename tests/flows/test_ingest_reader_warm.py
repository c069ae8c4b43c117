"""The reader's process started ahead of its first page."""

from __future__ import annotations

import asyncio

import pytest

from sidecar.ingest import worker
from sidecar.ingest.adapters import Page, Wishes
from sidecar.ingest.document import Document
from sidecar.ingest.worker import PageReader

PAGE = (
    "<html><head><title>A story</title></head><body><article><p>"
    + "Plain words that anyone can read. " * 20
    + "</p></article></body></html>"
)


async def test_a_reader_warmed_twice_has_one_process_that_reads_the_first_page() -> None:
    reader = PageReader()
    try:
        await asyncio.gather(reader.warm(), reader.warm())
        process = reader._process
        assert process is not None
        url = "https://example.com/a"
        found = await reader.read("generic", url, {"page": Page(url, "text/html", PAGE)}, Wishes())
        assert isinstance(found, Document)
        assert "A story" == found.title
        assert process is reader._process
    finally:
        await reader.close()
    assert process.returncode is not None


async def test_a_warmed_reader_that_is_never_asked_goes_to_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_IDLE_S", 0.01)
    reader = PageReader()
    await reader.warm()
    process = reader._process
    assert process is not None
    await asyncio.wait_for(process.wait(), 20)
    await reader.close()


async def test_a_warmed_reader_that_is_never_asked_can_be_closed() -> None:
    reader = PageReader()
    await reader.warm()
    process = reader._process
    await reader.close()
    assert process is not None
    assert process.returncode is not None
