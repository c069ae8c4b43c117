"""What a person pastes: HTML from a page or a word processor, Markdown, or plain text."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from sidecar.errors import ExtractionError, InvalidUrl
from sidecar.ingest.adapters.base import PASTED, Adapter, Pages, Wishes
from sidecar.ingest.document import Document
from sidecar.ingest.page.fragment import Written, without_title, write_tree
from sidecar.ingest.page.from_markdown import Head, read_head, write_markdown
from sidecar.ingest.page.metadata import language_of
from sidecar.ingest.page.office import mend_office, unpack_clipboard
from sidecar.ingest.page.safe_text import escape_line_start, escape_text
from sidecar.ingest.page.tree import parse_page, text_of
from sidecar.vault.address import clean_url

_TITLE_CHARS = 80
_HTML_BEGIN = re.compile(r"\s*(?:<!doctype html|<html\b|<meta\b|<!--StartFragment|Version:\d[\d.]*\s+StartHTML:)", re.IGNORECASE)
_STRONG_SIGNS = (r"(?m)^(?:```|~~~)", r"\]\(https?://", r"(?m)^\|(?:\s*:?-+:?\s*\|)+\s*$")
_SIGNS = (r"(?m)^#{1,6} \S", r"(?m)^[-*+] \S.*\n+[-*+] \S", r"\*\*\S", r"(?m)^> \S", r"(?m)^\d+\. \S.*\n+\d+\. \S", r"`[^`\n]+`")


def read(url: str, pages: Pages, wishes: Wishes) -> Document:
    """Read what was pasted. Without an address, given or told by the clipboard, the document has none.

    Raises:
        ExtractionError: There is nothing in it.
    """
    page = pages[PASTED]
    text, address = page.text, _address(page.url)
    head, heading = Head(), ""
    if page.content_type == "text/html" or _HTML_BEGIN.match(text):
        html, source = unpack_clipboard(text)
        address = address or _address(source)
        written, heading = _read_html(html, address)
    elif page.content_type == "text/markdown" or looks_like_markdown(text):
        head = read_head(text)
        written = write_markdown(text[head.body_start :], address)
    else:
        written = Written(_plain(text))
    if not written.markdown.strip():
        raise ExtractionError("There is no text in what was pasted.", fix="Copy the text once more.", url=address, step="parse")
    title = head.title or written.heading or heading or first_words(written.markdown)
    body = without_title(written.markdown, title)
    return Document(
        adapter="paste",
        url=address,
        title=title,
        author=head.author,
        published=head.published,
        site=(urlsplit(address).hostname or "").removeprefix("www."),
        lang=language_of(head.lang, title + body[:3000]),
        body_state="full",
        markdown=body or written.markdown,
        images=written.images,
    )


def looks_like_markdown(text: str) -> bool:
    """Whether plain text is Markdown: one sign that hardly stands in other text, or two that may."""
    return any(re.search(sign, text) for sign in _STRONG_SIGNS) or sum(bool(re.search(sign, text)) for sign in _SIGNS) >= 2


def first_words(markdown: str) -> str:
    """Give the first line of a text, cut at a word, as its title."""
    for line in markdown.split("\n"):
        words = re.sub(r"!?\[((?:\\.|[^\]\\])*)\]\([^)]*\)", r"\1", line)
        words = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", re.sub(r"(?<!\\)[*`]+|^[>\s#|-]+", "", words)).strip()
        if re.search(r"\w", words):
            return words if len(words) <= _TITLE_CHARS else (words[:_TITLE_CHARS].rsplit(" ", 1)[0] or words[:_TITLE_CHARS]) + "…"
    return "Pasted text"


def _read_html(html: str, address: str) -> tuple[Written, str]:
    tree = parse_page(html)
    if tree is None:
        return Written(""), ""
    title = next((text_of(t) for t in tree.iter("title") if text_of(t)), "")
    mend_office(tree)
    return write_tree(tree, address), title


def _plain(text: str) -> str:
    lines = [escape_line_start(escape_text(line.strip())) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


def _address(url: str) -> str:
    try:
        return clean_url(url) if url else ""
    except InvalidUrl:
        return ""


ADAPTER = Adapter("paste", read)
