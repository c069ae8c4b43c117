"""The one door to the network."""

from sidecar.net.addresses import is_public_address
from sidecar.net.fetch import Fetched, Fetcher, FetchLimits

__all__ = ["FetchLimits", "Fetched", "Fetcher", "is_public_address"]
