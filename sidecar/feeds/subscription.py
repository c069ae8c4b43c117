"""What a subscription is, and what one fetch of it brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

SubscriptionType = Literal["rss", "youtube-channel", "bilibili", "xiaohongshu", "mcp", "site"]
SUBSCRIPTION_TYPES: tuple[str, ...] = get_args(SubscriptionType)
ItemKind = Literal["video", "article", "note"]
BodyState = Literal["full", "summary_only", "subtitle", "transcribed", "missing", "burned_in"]
FetchStatus = Literal["ok", "unchanged", "failed", "unavailable", "needs_login", "rate_limited"]


@dataclass(frozen=True, slots=True)
class ToolMapping:
    """How a stdio MCP server is asked for items.

    Attributes:
        command: Program and arguments; nothing is passed through a shell.
        tool: Name of the tool that lists items.
        arguments: What the tool is called with.
        login_tool: Tool whose answer holds the picture of a login code; empty if it needs none.
        items: Where the list lies in the answer, as names joined by dots; empty if the answer is the list.
        fields: Our field of an item → where its value lies in one entry, as names joined by dots.
        env: Variables of the server's environment → names of secrets.
    """

    command: tuple[str, ...] = ()
    tool: str = ""
    arguments: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    login_tool: str = ""
    items: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subscription:
    """One line of the watchlist: a feed, a channel, or a server of tools.

    Attributes:
        id: Its name in the preference file, in journals and in the interface.
        url: Address of the feed or the channel; may hold ``${secret:name}``, which is filled in at the fetch only.
        interval_min: Minutes that pass between two successful fetches on schedule.
        weight: What it adds to the score of its items.
        tags: Given to each item.
        max: How many entries of one fetch are looked at, newest first.
        max_age_days: Older items are stale; ``None`` for the general limit.
        follows: Whether its items skip the theme test.
    """

    id: str
    type: SubscriptionType
    url: str = ""
    enabled: bool = True
    interval_min: int = 360
    weight: float = 0.0
    tags: tuple[str, ...] = ()
    max: int = 50
    max_age_days: int | None = None
    title: str = ""
    follows: bool = False
    tool: ToolMapping | None = None


@dataclass(frozen=True, slots=True)
class RawItem:
    """One entry as a subscription gave it; nothing is judged, nothing is stored.

    Attributes:
        external_id: What the subscription itself tells entries apart by; never empty.
        published: Aware, in UTC; ``None`` if the subscription gives no day that can be.
        duration_s: Length of a video or a sound; ``None`` if it is not told.
        stats: Counts such as ``views`` and ``likes``.
        lang: Language as the subscription tells it; may be empty.
        body: The text as Markdown that cannot act; may be empty.
    """

    external_id: str
    kind: ItemKind
    title: str
    url: str
    author: str = ""
    published: datetime | None = None
    thumb: str = ""
    duration_s: int | None = None
    stats: Mapping[str, int] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    lang: str = ""
    body: str = ""
    body_state: BodyState = "missing"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one fetch of one subscription came to.

    Attributes:
        reason: Why it did not work and what to do, as a sentence; empty if it did.
        title: What the subscription calls itself.
        cursor: What the next fetch is given (``etag``, ``last_modified`` …). Kept only if the fetch worked.
    """

    status: FetchStatus
    items: tuple[RawItem, ...] = ()
    reason: str = ""
    title: str = ""
    cursor: Mapping[str, str] = field(default_factory=dict)
