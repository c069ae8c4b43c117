"""Fetches subscriptions: a few at a time, each within its bounds, and whatever goes wrong is that one's result."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from dataclasses import replace

from sidecar.errors import FeedParseError, FetchError, RobotsRefused, SidecarError, SiteResting, UnsupportedContent
from sidecar.feeds.subscription import Fetched, FetchStatus, Subscription
from sidecar.feeds.types import type_of
from sidecar.feeds.types.base import NotFetched, Tools

log = logging.getLogger("sidecar.feeds")

TIMEOUT_S = 20.0
AT_ONCE = 4
_RETRY_AFTER_S = 0.5
_SECRET = re.compile(r"\$\{secret:([\w.@-]{1,100})\}")


class SubscriptionFetcher:
    """Fetches one subscription after another, or several side by side; never raises for one that does not work.

    Args:
        timeout_s: For the whole of one subscription, its second try included.
        retry_after_s: Pause before the one retry.
    """

    def __init__(
        self, tools: Tools, *, timeout_s: float = TIMEOUT_S, at_once: int = AT_ONCE, retry_after_s: float = _RETRY_AFTER_S
    ) -> None:
        self._tools = tools
        self._timeout_s = timeout_s
        self._retry_after_s = retry_after_s
        self._places = asyncio.Semaphore(at_once)

    @property
    def tools(self) -> Tools:
        return self._tools

    async def fetch(self, subscription: Subscription, cursor: Mapping[str, str]) -> Fetched:
        """Fetch a subscription, given the cursor of the last fetch that worked."""
        async with self._places:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await self._tried_twice(subscription, cursor)
            except TimeoutError:
                return Fetched("failed", reason=f"It took longer than {self._timeout_s:g} s.")

    async def _tried_twice(self, subscription: Subscription, cursor: Mapping[str, str]) -> Fetched:
        first = await self._tried(subscription, cursor)
        if first.status not in ("failed", "rate_limited") or first.cursor.get("final"):
            return _without_mark(first)
        await asyncio.sleep(self._retry_after_s)
        return _without_mark(await self._tried(subscription, cursor))

    async def _tried(self, subscription: Subscription, cursor: Mapping[str, str]) -> Fetched:
        try:
            ready = await asyncio.to_thread(self._with_secrets, subscription)
            return await type_of(subscription.type).fetch(ready, cursor, self._tools)
        except NotFetched as error:
            return _failed(error.status, error, is_final=error.status != "rate_limited")
        except SiteResting as error:
            return _failed("rate_limited", error, is_final=True)
        except FeedParseError as error:
            return _failed("failed", error, is_final=True)
        except (RobotsRefused, UnsupportedContent) as error:
            return _failed("failed", error, is_final=True)
        except FetchError as error:
            status = error.params.get("status")
            limited = status in (412, 429, 503)
            return _failed("rate_limited" if limited else "failed", error, is_final=limited or status in (401, 403, 404, 410))
        except SidecarError as error:
            return _failed("failed", error, is_final=True)
        except Exception as error:  # a fault of ours in one type must not stop the others
            log.exception("%s could not be fetched", subscription.id)
            return Fetched("failed", reason=f"An unexpected fault: {type(error).__name__}.", cursor={"final": "1"})

    def _with_secrets(self, subscription: Subscription) -> Subscription:
        """Fill the secrets into an address. May wait for the system's keyring."""

        def secret(found: re.Match[str]) -> str:
            value = self._tools.secret_of(found[1])
            if value is None:
                raise NotFetched(f"The secret {found[1]} is not set.", "unavailable", fix=f"Set it: kb secrets set {found[1]}")
            return value

        return replace(subscription, url=_SECRET.sub(secret, subscription.url))


def _failed(status: FetchStatus, error: SidecarError, *, is_final: bool) -> Fetched:
    reason = f"{error.message} {error.fix}".strip()
    return Fetched(status, reason=reason, cursor={"final": "1"} if is_final else {})


def _without_mark(fetched: Fetched) -> Fetched:
    """Take out what tells that a second try is of no use."""
    if "final" not in fetched.cursor:
        return fetched
    return replace(fetched, cursor={key: value for key, value in fetched.cursor.items() if key != "final"})
