"""A site without a feed: what its front page links to. Off until the owner asks for it by this type."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

from sidecar.errors import InvalidUrl
from sidecar.feeds.subscription import Fetched, RawItem, Subscription
from sidecar.feeds.types.base import FEED_ASK, Tools, Type
from sidecar.ingest.page.decode import decode_page
from sidecar.ingest.page.tree import clean_page, parse_page, text_of
from sidecar.vault.address import clean_url, find_address

_MIN_WEIGHT = 18
"""Words of a link that names an article, not a part of the site; a Chinese character weighs as much as three letters."""
_CHROME = ("nav", "header", "footer", "aside", "form")


async def fetch(subscription: Subscription, cursor: Mapping[str, str], tools: Tools) -> Fetched:
    """Give the front page's links to articles of the same site; what is new among them is told by their addresses."""
    answer = await tools.fetcher.fetch(subscription.url, FEED_ASK)
    title, items = await asyncio.to_thread(read_front_page, decode_page(answer.body, answer.charset), answer.url)
    return Fetched(
        "ok", items[: subscription.max], "" if items else "The page links to no article.", title, {"title": title} if title else {}
    )


def read_front_page(html: str, url: str) -> tuple[str, tuple[RawItem, ...]]:
    """Find the articles that a front page links to, in its own order, and the page's title."""
    tree = parse_page(html)
    if tree is None:
        return "", ()
    title = next((text_of(element) for element in tree.iter("title")), "")
    clean_page(tree)
    host = urlsplit(url).hostname
    found: dict[str, RawItem] = {}
    for link in tree.iter("a"):
        if any(parent.tag in _CHROME for parent in link.iterancestors()):
            continue
        words = text_of(link)
        if sum(1 if character.isascii() else 3 for character in words) < _MIN_WEIGHT:
            continue
        try:
            address = clean_url(urljoin(url, link.get("href") or ""))
        except (InvalidUrl, ValueError):
            continue
        key = find_address(address)
        if urlsplit(address).hostname == host and key != find_address(url):
            found.setdefault(key, RawItem(key, "article", words[:300], address))
    return title[:200], tuple(found.values())


TYPE = Type(("site",), fetch)
