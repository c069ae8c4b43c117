"""Plain text files on the web: shown as they are, acting on nothing."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from sidecar.ingest.document import Document
from sidecar.ingest.page.safe_text import escape_line_start, escape_text


def matches(url: str, content_type: str) -> bool:
    return content_type == "text/plain"


def read(url: str, text: str) -> Document:
    """Take the text line by line; its first line that is not blank is the title if it is short."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    first = next((line.strip("# ").strip() for line in lines if line.strip()), "")
    name = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])
    body = "\n".join(escape_line_start(escape_text(line)) for line in lines).strip("\n")
    return Document(
        adapter="plain",
        url=url,
        title=first if 0 < len(first) <= 120 else name or urlsplit(url).hostname or url,
        author="",
        published="",
        site=urlsplit(url).hostname or "",
        lang="",
        body_state="full" if body.strip() else "missing",
        markdown=body + "\n" if body.strip() else "",
        warnings=() if body.strip() else ("The file is empty.",),
    )
