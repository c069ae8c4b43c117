"""Any web page."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from sidecar.errors import ExtractionError
from sidecar.ingest.document import BodyState, Document
from sidecar.ingest.page.choose import choose_article
from sidecar.ingest.page.kind import PageKind, kind_of
from sidecar.ingest.page.metadata import Metadata, language_of, read_metadata
from sidecar.ingest.page.safe_text import escape_line_start, escape_text
from sidecar.ingest.page.to_markdown import MarkdownWriter
from sidecar.ingest.page.tree import clean_page, parse_page, text_of

_TOO_SHORT = 80
_SHELL_TEXT = 200


def matches(url: str, content_type: str) -> bool:
    return True


def read(url: str, text: str) -> Document:
    """Read a page.

    Raises:
        ExtractionError: It is no HTML at all.
    """
    tree = parse_page(text)
    if tree is None:
        raise ExtractionError("The page is empty or no HTML.", fix="Open it in a browser and paste the text.", url=url, step="parse")
    metadata = read_metadata(tree, url)
    kind = kind_of(tree, url)
    base = (tree.xpath("string(//base/@href)") if tree.find(".//base") is not None else "") or url
    clean_page(tree)
    writer = MarkdownWriter(str(base))
    markdown, state, warnings = _body(tree, kind, metadata, writer)
    return Document(
        adapter="generic",
        url=url,
        title=metadata.title or (urlsplit(url).hostname or url),
        author=metadata.author,
        published=metadata.published,
        site=metadata.site or (urlsplit(url).hostname or "").removeprefix("www."),
        lang=language_of(metadata.lang, metadata.title + markdown[:3000]),
        body_state=state,
        markdown=_without_title(markdown, metadata.title),
        images=tuple(writer.images),
        warnings=tuple(warnings),
    )


def _body(tree: HtmlElement, kind: PageKind, metadata: Metadata, writer: MarkdownWriter) -> tuple[str, BodyState, list[str]]:
    """Give the text, how whole it is, and what to tell the reader."""
    whole = len(text_of(tree))
    article = choose_article(tree, kind)
    markdown = writer.write(article) if article is not None else ""
    if len(metadata.article_body) > 2 * len(markdown):
        paragraphs = [escape_line_start(escape_text(part.strip())) for part in re.split(r"\n+", metadata.article_body) if part.strip()]
        return "\n\n".join(paragraphs) + "\n", "full", ["The text was taken from the page's structured data."]
    if metadata.is_cut:
        return markdown, "summary_only", ["The page shows only a part of the article to readers without an account."]
    if len(markdown) >= _TOO_SHORT:
        return markdown, "full", []
    if whole < _SHELL_TEXT:
        if markdown.strip():
            return markdown, "full", []
        return "", "missing", ["The page holds no text of its own; it is probably built by scripts in the browser."]
    writer.images.clear()
    return writer.write(tree), "full", ["No article could be told apart, so the whole page was kept."]


def _without_title(markdown: str, title: str) -> str:
    """Drop a first heading that only repeats the title."""
    first, _, rest = markdown.partition("\n")
    words = re.sub(r"\W+", "", first)
    if first.startswith("#") and words and words == re.sub(r"\W+", "", title):
        return rest.lstrip("\n")
    return markdown
