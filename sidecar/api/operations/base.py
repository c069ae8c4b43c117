"""What an operation is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from sidecar.api.models.base import Answer, Request
from sidecar.api.services import Services
from sidecar.errors import NoteNotFound
from sidecar.vault.links import render_link
from sidecar.vault.note import NotePath


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked.

    Attributes:
        needs_index: Whether it must wait until the vault has been read.
        only_reads: Whether it leaves the vault as it is although it is no ``GET``: it starts a job that looks.
        max_body_bytes: How large a request may be.
        run: Called with the services and the checked request.
    """

    method: Literal["GET", "POST", "DELETE"]
    path: str
    summary: str
    request: type[Request]
    answer: type[Answer]
    run: Callable[[Services, Any], Awaitable[Answer]]
    needs_index: bool = True
    only_reads: bool = False
    max_body_bytes: int = 1_048_576


def known_otherwise(services: Services, name: str, source: NotePath) -> tuple[list[NotePath], str]:
    """Give the notes that go by an unwritten note's name, and, if that is one, a link to it for ``source``; else an empty text."""
    known = services.graph.known_otherwise(name)
    return known, render_link(known[0], name, source, services.index.names) if len(known) == 1 else ""


def find_note(services: Services, name: str) -> NotePath:
    """Find the note a request names. Runs on the vault's thread.

    Raises:
        NoteNotFound: There is none.
    """
    path = services.index.find_note(name)
    if path is None:
        raise NoteNotFound(f"There is no note {name[:200]!r}.", fix="Look for it with: kb search", note=name[:200])
    return path
