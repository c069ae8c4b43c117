"""What is asked for, within which bounds, and what came (pure)."""

from __future__ import annotations

from dataclasses import dataclass

PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml", "text/markdown", "")
"""Content types of pages; the empty one is that of a server that names none."""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Bounds of one fetch.

    Attributes:
        max_bytes: Decoded bytes.
        timeout_s: For the whole of it, redirects included.
        slow_after_s: From then on fewer than ``min_bytes_per_s`` on average end it.
    """

    max_bytes: int = 10_000_000
    timeout_s: float = 60.0
    connect_timeout_s: float = 5.0
    read_timeout_s: float = 10.0
    slow_after_s: float = 10.0
    min_bytes_per_s: int = 1000


@dataclass(frozen=True, slots=True)
class Ask:
    """How an address is asked for.

    Attributes:
        accept: Content types that are taken; ``image/`` takes all that begin so.
        unattended: Nobody asked for this very address: robots.txt and a site's wish for rest are honoured.
        etag, last_modified: Of what is known already; the answer is then :attr:`Fetched.is_unchanged` if it still holds.
        with_cookie: Whether to send the cookie that the owner set for the site.
        follow: Whether redirects are followed; if not, the answer is the redirect, its ``url`` where it leads.
        referer: Sent as it is, or not at all if empty.
    """

    accept: tuple[str, ...] = PAGE_TYPES
    unattended: bool = False
    etag: str = ""
    last_modified: str = ""
    with_cookie: bool = True
    referer: str = ""
    follow: bool = True

    def takes(self, content_type: str) -> bool:
        return any(content_type == kind or (kind.endswith("/") and content_type.startswith(kind)) for kind in self.accept)


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer.

    Attributes:
        url: Where it came from after redirects.
        charset: The one the header names, or empty.
        moved_to: Where the address has moved for good (every redirect on the way said so), or empty.
    """

    url: str
    status: int
    content_type: str
    charset: str
    body: bytes
    etag: str = ""
    last_modified: str = ""
    moved_to: str = ""

    @property
    def is_unchanged(self) -> bool:
        return self.status == 304
