"""What a type of subscription is given, and what it gives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from sidecar.clock import Clock
from sidecar.errors import SidecarError
from sidecar.feeds.subscription import Fetched, FetchStatus, Subscription
from sidecar.net import Ask, Fetcher


class NotFetched(SidecarError):
    """A subscription could not be fetched for a reason that is its own; ``status`` says of what kind."""

    code = "subscription-not-fetched"

    def __init__(self, message: str, status: FetchStatus, *, fix: str = "", image: str = "") -> None:
        super().__init__(message, fix=fix)
        self.status = status
        self.image = image
        """The picture of a login code as a ``data:`` address, if the subscription's server gave one."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What types fetch with.

    Attributes:
        fetcher: The one door to the network.
        secret_of: Gives the secret of a name, or ``None``. May wait for the system's keyring.
    """

    fetcher: Fetcher
    secret_of: Callable[[str], str | None]
    clock: Clock


Fetch = Callable[[Subscription, Mapping[str, str], Tools], Awaitable[Fetched]]
"""Fetches one subscription, given the cursor of the last fetch that worked.

Raises:
    SidecarError: It did not work; classified by whoever called.
"""

FEED_ASK = Ask(accept=("application/", "text/", ""))
"""Feeds come under all sorts of types."""


@dataclass(frozen=True, slots=True)
class Type:
    """One way of subscribing: a new one is a module beside this one and a line in the table of this package."""

    names: tuple[str, ...]
    fetch: Fetch
