"""Puts together what follows subscriptions."""

from __future__ import annotations

from sidecar.clock import Clock
from sidecar.daemon.endpoint import user_folder
from sidecar.feeds.fetching import TIMEOUT_S, SubscriptionFetcher
from sidecar.feeds.types.base import Tools
from sidecar.feeds.watchlist import WatchlistService
from sidecar.net import Fetcher, FetchLimits
from sidecar.store import Secrets
from sidecar.vault.files import VaultFiles


def wire_watchlist(files: VaultFiles, clock: Clock, loopback_ports: frozenset[int]) -> WatchlistService:
    """Give the watchlist of a vault, with a door to the network of its own: feeds have less time than pages."""
    secrets = Secrets(user_folder())
    fetcher = Fetcher(FetchLimits(timeout_s=TIMEOUT_S), loopback_ports=loopback_ports, cookie_of=secrets.cookie_of, clock=clock)
    return WatchlistService(files, SubscriptionFetcher(Tools(fetcher, secrets.find, clock)))
