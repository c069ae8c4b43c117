"""Which links were accepted and are not finished, as the queue's journal tells it (pure)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sidecar.errors import (
    FetchError,
    FetchTimeout,
    PageUnavailable,
    SidecarError,
    SiteResting,
    VaultMissing,
    VerificationWall,
    WriteFailed,
)
from sidecar.ingest.plan import IngestOptions

_PAUSES_S = (300, 900, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 24 * 3600)
"""How long a link rests after each failure; after the last it is given up."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A link that was accepted and has not come to its end.

    Attributes:
        attempts: How often it failed.
        not_before: When it is tried again; ``None`` if it was never tried to the end.
        code, problem, fix: Of the last failure.
    """

    id: str
    url: str
    options: IngestOptions
    attempts: int = 0
    not_before: datetime | None = None
    code: str = ""
    problem: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class NotTaken:
    """A link that gave no note this time. ``retry_at`` is ``None`` if it is not tried again."""

    error: SidecarError
    retry_at: datetime | None = None


def is_worth_another_try(error: SidecarError) -> bool:
    """Whether time may mend it: walls, rest, no answer, 429, 5xx, a full disk. What is gone, refused or unreadable stays so."""
    if isinstance(error, (VerificationWall, PageUnavailable, SiteResting, FetchTimeout, WriteFailed, VaultMissing)):
        return True
    if type(error) is not FetchError:
        return False
    status = error.params.get("status")
    return not isinstance(status, int) or status == 429 or status >= 500


def pause_s(attempts: int, retry_after_s: int | None) -> int | None:
    """Give how long to wait after the nth failure, at least as long as the site wishes; ``None`` to give up."""
    if attempts > len(_PAUSES_S):
        return None
    return max(_PAUSES_S[attempts - 1], retry_after_s or 0)


def accepted_record(links: Iterable[Waiting], options: IngestOptions, replaced: Iterable[str]) -> dict[str, Any]:
    """Give the journal's line for links that were accepted together."""
    return {
        "event": "accepted",
        "links": [{"id": link.id, "url": link.url} for link in links],
        "replaces": list(replaced),
        "tags": list(options.tags),
        "use_when": options.use_when,
        "via": options.via,
        "force": options.force,
        "assets": options.assets,
    }


def fold_journal(records: Iterable[dict[str, Any]]) -> dict[str, Waiting]:
    """Give what still waits, oldest first. Lines that make no sense are passed over."""
    waiting: dict[str, Waiting] = {}
    for record in records:
        try:
            _take(record, waiting)
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    return waiting


def _take(record: dict[str, Any], waiting: dict[str, Waiting]) -> None:
    match record["event"]:
        case "accepted":
            options = IngestOptions(
                tuple(record["tags"]), record["use_when"], record["via"], force=record["force"] is True, assets=record.get("assets")
            )
            for id_ in record["replaces"]:
                waiting.pop(id_, None)
            for link in record["links"]:
                waiting[link["id"]] = Waiting(str(link["id"]), str(link["url"]), options)
        case "postponed":
            waiting[record["id"]] = replace(
                waiting[record["id"]],
                attempts=int(record["attempts"]),
                not_before=datetime.fromisoformat(record["until"]),
                code=str(record["code"]),
                problem=str(record["problem"]),
                fix=str(record["fix"]),
            )
        case "finished" | "dropped":
            for id_ in record["ids"]:
                waiting.pop(id_, None)
