"""Site adapters: each reads one kind of page into a :class:`~sidecar.ingest.document.Document`.

A new site is one new module here and one entry in :data:`ADAPTERS`; the first whose ``matches`` says yes reads the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sidecar.ingest.adapters import generic, plain
from sidecar.ingest.document import Document


@dataclass(frozen=True, slots=True)
class Adapter:
    """``matches(url, content_type)`` chooses; ``read(url, text)`` reads, both pure."""

    name: str
    matches: Callable[[str, str], bool]
    read: Callable[[str, str], Document]


ADAPTERS: tuple[Adapter, ...] = (
    Adapter("plain", plain.matches, plain.read),
    Adapter("generic", generic.matches, generic.read),
)


def choose_adapter(url: str, content_type: str) -> Adapter:
    """Give the first adapter that can read the page; the generic one takes all that is left."""
    return next(adapter for adapter in ADAPTERS if adapter.matches(url, content_type))
