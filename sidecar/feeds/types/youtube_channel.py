"""A channel on YouTube: its newest fifteen videos, by the feed that the site offers for it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sidecar.feeds.subscription import Fetched, Subscription
from sidecar.feeds.types.base import FEED_ASK, NotFetched, Tools, Type
from sidecar.feeds.types.rss import fetch_feed

_FEED = "https://www.youtube.com/feeds/videos.xml?channel_id={}"
_ID = re.compile(r"UC[\w-]{22}")
_IN_PAGE = re.compile(r"(?:\"(?:externalId|channelId)\":\"|channel_id=|itemprop=\"(?:identifier|channelId)\" content=\")(UC[\w-]{22})")


async def fetch(subscription: Subscription, cursor: Mapping[str, str], tools: Tools) -> Fetched:
    """Find the channel's feed, once, and fetch it."""
    feed = cursor.get("feed") or feed_of(subscription.url)
    if not feed:
        answer = await tools.fetcher.fetch(page_of(subscription.url), FEED_ASK)
        found = _IN_PAGE.search(answer.body.decode("utf-8", "replace"))
        if found is None:
            raise NotFetched(
                f"No channel was found at {subscription.url}.", "failed", fix="Give the channel's address, as its page shows it."
            )
        feed = _FEED.format(found[1])
    fetched = await fetch_feed(feed, cursor, tools, subscription.max)
    return Fetched(fetched.status, fetched.items, fetched.reason, fetched.title, {**fetched.cursor, "feed": feed})


def feed_of(name: str) -> str:
    """Give the feed of a channel that is named by its id or by the feed's own address; else empty text."""
    found = _ID.fullmatch(name) or re.search(r"/channel/(UC[\w-]{22})(?:[/?#]|$)", name)
    if found:
        return _FEED.format(found[0] if found.re is _ID else found[1])
    return name if "/feeds/videos.xml" in name else ""


def page_of(name: str) -> str:
    """Give the address of a channel's page."""
    if "://" in name:
        return name
    return f"https://www.youtube.com/{name if name.startswith('@') else '@' + name}"


TYPE = Type(("youtube-channel",), fetch)
