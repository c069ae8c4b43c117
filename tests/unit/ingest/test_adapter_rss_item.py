"""Items of feeds: whole ones are taken as they are, others lead to their page."""

from __future__ import annotations

import json
from html import escape

import pytest

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters import PAGE, PASTED, Need, Page, Wishes, find_adapter
from sidecar.ingest.document import Document
from tests.unit.ingest.hostile import PAYLOADS, assert_harmless

LINK = "https://example.com/post/1"
WORDS = "The words of the post are many enough to be taken for the whole of it. "
ITEM = {"title": "A post", "link": LINK + "?utm_source=rss", "author": "Ann", "published": "2026-02-03T04:05:06Z", "summary": "Short."}


def read(*pages: tuple[str, Page], **changes: str) -> Document | Need:
    item = Page("", "application/json", json.dumps(ITEM | changes))
    return find_adapter("rss-item").read(LINK, {PASTED: item, **dict(pages)}, Wishes())


def test_an_item_that_carries_its_text_is_read_without_fetching() -> None:
    document = read(content_html=f"<h1>A post</h1><p>{WORDS * 12}</p><p><a href='/x'>x</a></p>")
    assert isinstance(document, Document)
    assert ("A post", "Ann", "2026-02-03T04:05:06Z", LINK, "full", "example.com") == (
        document.title, document.author, document.published, document.url, document.body_state, document.site,
    )  # fmt: skip
    assert document.markdown.startswith("The words")
    assert "[x](https://example.com/x)" in document.markdown


@pytest.mark.parametrize("content", ["", "<p>Too short.</p>", f"<p>{WORDS * 12} [&#8230;]</p>", f"<p>{WORDS * 12} Read more</p>"])
def test_an_item_that_is_cut_leads_to_its_page_and_keeps_its_own_data(content: str) -> None:
    need = read(content_html=content)
    assert isinstance(need, Need)
    assert (PAGE, LINK, False) == (need.name, need.url, need.must)
    page = Page(LINK, "text/html", f"<html><head><title>Other</title></head><body><article><p>{WORDS * 30}</p></article></body></html>")
    document = read((PAGE, page), content_html=content)
    assert isinstance(document, Document)
    assert ("A post", "Ann", "full", "rss-item") == (document.title, document.author, document.body_state, document.adapter)
    assert len(document.markdown) > 1000


def test_without_its_page_the_summary_is_kept_and_the_reason_said() -> None:
    document = read((PAGE, Page(LINK, problem="example.com answered with 403.")))
    assert isinstance(document, Document)
    assert ("summary_only", "Short.\n") == (document.body_state, document.markdown)
    assert "403" in document.warnings[0]


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000])
def test_what_is_no_item_is_an_error(text: str) -> None:
    with pytest.raises(ExtractionError):
        find_adapter("rss-item").read(LINK, {PASTED: Page("", "application/json", text)}, Wishes())


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_an_item_says_acts_in_the_vault(payload: str) -> None:
    for content in (f"<p>{WORDS * 12}{escape(payload)}</p>", ""):
        pages = () if content else ((PAGE, Page(LINK, problem="no")),)
        document = read(*pages, title=payload, author=payload, published=payload, summary=escape(payload) + " x", content_html=content)
        assert isinstance(document, Document)
        assert_harmless(document)
