"""An item of a feed: its own text where the feed carries it, else that of the page it links to."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from sidecar.errors import ExtractionError, InvalidUrl
from sidecar.ingest.adapters import generic
from sidecar.ingest.adapters.base import PAGE, PASTED, Adapter, Need, Pages, Wishes
from sidecar.ingest.document import Document
from sidecar.ingest.page.fragment import Written, without_title, write_fragment
from sidecar.ingest.page.metadata import language_of
from sidecar.ingest.page.tree import parse_page, text_of
from sidecar.vault.address import clean_url

_FULL_CHARS = 600
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?")
_CUT = re.compile(r"(?:\[(?:…|\.\.\.|&#8230;)\]|…|\.\.\.|read more|continue reading\W*|阅读全文|查看全文|阅读原文)\W*$", re.IGNORECASE)


def read(url: str, pages: Pages, wishes: Wishes) -> Document | Need:
    """Read an item, given as JSON: title, link, author, published, content_html, summary.

    Raises:
        ExtractionError: It is no item, or holds neither text nor a link that can be followed.
    """
    item = _item(pages[PASTED].text, url)
    link = _link(item.get("link") or url)
    own = write_fragment(item["content_html"], link) if item.get("content_html") else Written("")
    if _is_whole(own.markdown, item.get("summary", "")) or (not link and own.markdown):
        return _document(item, link, own, ())
    page = pages.get(PAGE)
    if page is None and link:
        return Need(PAGE, link)
    found = None
    if page is not None and not page.problem:
        try:
            found = generic.read(page.url, page.text)
        except ExtractionError:
            found = None
    if found is not None and found.body_state == "full" and len(found.markdown) > len(own.markdown):
        return replace(
            found,
            adapter="rss-item",
            title=item.get("title") or found.title,
            author=item.get("author") or found.author,
            published=item.get("published") or found.published,
        )
    summary = own if own.markdown else write_fragment(item.get("summary", ""), link)
    if not summary.markdown and not item.get("title"):
        raise ExtractionError("The feed's item is empty.", fix="Open the feed's site in a browser.", url=link, step="parse")
    why = f" {page.problem}" if page is not None and page.problem else ""
    return _document(item, link, summary, (f"Only what the feed carries is here; the page could not be read.{why}",))


def _document(item: dict[str, str], link: str, written: Written, warnings: tuple[str, ...]) -> Document:
    title = item.get("title") or written.heading or text_of_html(item.get("summary", ""))[:80] or link
    body = without_title(written.markdown, title)
    return Document(
        adapter="rss-item",
        url=link,
        title=title,
        author=item.get("author", ""),
        published=item.get("published", ""),
        site=re.sub(r"^https?://(?:www\.)?([^/:]*).*", r"\1", link),
        lang=language_of("", title + body[:3000]),
        body_state="full" if not warnings else "summary_only" if body else "missing",
        markdown=body,
        images=written.images,
        warnings=warnings,
    )


def _is_whole(markdown: str, summary: str) -> bool:
    """Whether an item's content is the article: long enough, not ending in a hint that there is more, more than the summary."""
    plain = markdown.strip()
    weight = len(plain) + 2 * len(re.findall(r"[\u4e00-\u9fff]", plain))  # a Chinese character says as much as three letters
    return weight >= _FULL_CHARS and not _CUT.search(plain[-60:]) and len(plain) > len(text_of_html(summary)) * 0.8


def text_of_html(html: str) -> str:
    """Give the words of HTML on one line."""
    tree = parse_page(html) if html else None
    return text_of(tree) if tree is not None else ""


def _item(text: str, url: str) -> dict[str, str]:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ExtractionError("This is no item of a feed.", fix="Add its link instead.", url=url, step="parse")
    found = {key: field for key, field in value.items() if isinstance(key, str) and isinstance(field, str)}
    if not _MOMENT.fullmatch(found.get("published", "")):
        found.pop("published", None)  # it becomes a property as it is
    return {key: field if key in ("content_html", "summary") else " ".join(field.split())[:1000] for key, field in found.items()}


def _link(url: str) -> str:
    try:
        return clean_url(url) if url else ""
    except InvalidUrl:
        return ""


ADAPTER = Adapter("rss-item", read)
