"""The types of subscriptions. A new one is a module here and a line in :data:`TYPES`."""

from __future__ import annotations

from sidecar.feeds.types import mcp_server, rss, site, youtube_channel
from sidecar.feeds.types.base import Type

TYPES: tuple[Type, ...] = (rss.TYPE, youtube_channel.TYPE, mcp_server.TYPE, site.TYPE)


def type_of(name: str) -> Type:
    """Give the type of a name."""
    return next(found for found in TYPES if name in found.names)
