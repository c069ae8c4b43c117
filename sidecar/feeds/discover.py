"""Which feeds a page names, so that pasting a site's home page is enough."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from sidecar.errors import InvalidUrl
from sidecar.feeds.subscription import SubscriptionType
from sidecar.ingest.page.tree import parse_page, text_of
from sidecar.vault.address import clean_url

_TYPES = re.compile(r"application/(?:rss|atom|rdf|feed)\+(?:xml|json)|application/(?:json|xml)|text/xml", re.IGNORECASE)
_GUESSES = ("/feed", "/rss", "/atom.xml", "/feed.xml", "/rss.xml", "/index.xml", "/feed.json")
_LOOKS_LIKE = re.compile(r"(?:^|[/._-])(?:feed|rss|atom)(?:[/._?-]|\.xml|\.json|$)", re.IGNORECASE)
_YOUTUBE = re.compile(r"^https?://(?:www\.|m\.)?youtube\.com/(?:@[\w.%-]+|channel/UC[\w-]{22}|c/[\w.%-]+|user/[\w.%-]+)")
_BILIBILI = re.compile(r"^https?://space\.bilibili\.com/(\d+)")


@dataclass(frozen=True, slots=True)
class FoundFeed:
    """A feed that a page names, and what the page calls it."""

    url: str
    title: str
    type: SubscriptionType = "rss"


def known_by_address(url: str) -> FoundFeed | None:
    """Tell what a channel's address is subscribed to as, without asking the site."""
    if _YOUTUBE.match(url) or "youtube.com/feeds/videos.xml" in url:
        return FoundFeed(url, "", "youtube-channel")
    found = _BILIBILI.match(url)
    return FoundFeed(f"uid:{found[1]}", "", "bilibili") if found else None


def find_feeds(html: str, url: str) -> tuple[FoundFeed, ...]:
    """Find the feeds a page names: those in its head first, then links in its text that look like feeds."""
    tree = parse_page(html)
    if tree is None:
        return ()
    base = next((urljoin(url, href) for element in tree.iter("base") if (href := element.get("href"))), url)
    found: dict[str, FoundFeed] = {}
    for element in tree.iter("link"):
        if "alternate" in (element.get("rel") or "").lower().split() and _TYPES.search(element.get("type") or ""):
            _add(found, base, element.get("href"), element.get("title") or "")
    for element in tree.iter("a"):
        if _LOOKS_LIKE.search(urlsplit(_safe(base, element.get("href"))).path):
            _add(found, base, element.get("href"), text_of(element))
    return tuple(found.values())[:20]


def guesses(url: str) -> tuple[str, ...]:
    """Give addresses where sites often keep a feed that they do not name."""
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}"
    path = parts.path.rstrip("/")
    return tuple(dict.fromkeys([*(f"{root}{path}{guess}" for guess in _GUESSES[:2] if path), *(root + guess for guess in _GUESSES)]))


def _add(found: dict[str, FoundFeed], base: str, href: str | None, title: str) -> None:
    address = _safe(base, href)
    if address:
        found.setdefault(address, FoundFeed(address, " ".join(title.split())[:200]))


def _safe(base: str, href: str | None) -> str:
    try:
        return clean_url(urljoin(base, (href or "").strip())) if href else ""
    except (InvalidUrl, ValueError):
        return ""
