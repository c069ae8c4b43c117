"""The one door to the network."""

from sidecar.net.addresses import is_public_address
from sidecar.net.fetch import Fetcher
from sidecar.net.limits import PAGE_TYPES, Ask, Fetched, FetchLimits

__all__ = ["PAGE_TYPES", "Ask", "FetchLimits", "Fetched", "Fetcher", "is_public_address"]
