"""RSS, RDF, Atom, JSON Feed and podcasts, by the address of the feed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from sidecar.feeds.parse import parse_feed
from sidecar.feeds.subscription import Fetched, Subscription
from sidecar.feeds.types.base import FEED_ASK, Tools, Type


async def fetch(subscription: Subscription, cursor: Mapping[str, str], tools: Tools) -> Fetched:
    """Ask for the feed, and for nothing if it is as it was."""
    return await fetch_feed(subscription.url, cursor, tools, subscription.max)


async def fetch_feed(url: str, cursor: Mapping[str, str], tools: Tools, limit: int) -> Fetched:
    """Fetch and read the feed at an address; the cursor's ``etag`` and ``last_modified`` count for that address only."""
    known = cursor if cursor.get("url", url) == url else {}
    ask = replace(FEED_ASK, etag=known.get("etag", ""), last_modified=known.get("last_modified", ""))
    answer = await tools.fetcher.fetch(url, ask)
    if answer.is_unchanged:
        return Fetched("unchanged", cursor=dict(cursor), title=cursor.get("title", ""))
    parsed = await asyncio.to_thread(parse_feed, answer.body, answer.url, tools.clock(), charset=answer.charset)
    items = sorted(parsed.items, key=lambda item: item.published is not None and item.published.timestamp(), reverse=True)[:limit]
    fresh = {"url": url, "etag": answer.etag, "last_modified": answer.last_modified, "title": parsed.title, "moved_to": answer.moved_to}
    kept = tuple(item for item in items if item.title or item.body or item.url)
    return Fetched("ok", kept, " ".join(parsed.problems), parsed.title, {key: value for key, value in fresh.items() if value})


TYPE = Type(("rss",), fetch)
