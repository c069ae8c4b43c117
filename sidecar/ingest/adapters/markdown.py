"""Markdown files: their structure is kept, and nothing in them acts."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from sidecar.ingest.document import Document
from sidecar.ingest.page.fragment import Join, prose_of, without_title
from sidecar.ingest.page.from_markdown import read_head, write_markdown
from sidecar.ingest.page.metadata import language_of

ENDINGS = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd")
_TEXT = ("text/plain", "text/markdown", "text/x-markdown", "application/octet-stream", "")


def is_markdown_name(name: str) -> bool:
    """Whether a file's name says Markdown."""
    return name.lower().endswith(ENDINGS)


def matches(url: str, content_type: str) -> bool:
    return content_type in ("text/markdown", "text/x-markdown") or (content_type in _TEXT and is_markdown_name(urlsplit(url).path))


def read(url: str, text: str) -> Document:
    """Read a file; its frontmatter tells title, author, day and language, and is left out of the text."""
    return read_markdown(url, text, adapter="markdown")


def read_markdown(
    url: str, text: str, *, adapter: str, title: str = "", site: str = "", link: Join | None = None, image: Join | None = None
) -> Document:
    """Read a file for any adapter.

    Args:
        title: Instead of the file's own.
        link, image: How relative addresses are joined, if not to ``url``.
    """
    head = read_head(text)
    written = write_markdown(text[head.body_start :], url, link=link, image=image)
    name = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])
    title = title or head.title or written.heading or name or urlsplit(url).hostname or url
    body = without_title(written.markdown, title)
    return Document(
        adapter=adapter,
        url=url,
        title=title,
        author=head.author,
        published=head.published,
        site=site or (urlsplit(url).hostname or "").removeprefix("www."),
        lang=language_of(head.lang, prose_of(title + body)[:3000]),
        body_state="full" if body.strip() else "missing",
        markdown=body,
        images=written.images,
        warnings=() if body.strip() else ("The file is empty.",),
    )
