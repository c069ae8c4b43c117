"""The queue of links: journalled before anything is done, worked off, tried again by itself, and resumed after a crash.

The journal is ``queue`` under ``.kb/journal/``. It is read for this machine alone: another machine that the vault is synced to must
not fetch the same links a second time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sidecar.clock import Clock
from sidecar.errors import InvalidUrl, SidecarError
from sidecar.ingest.plan import IngestOptions, Outcome
from sidecar.ingest.service import IngestService
from sidecar.ingest.waiting import NotTaken, Waiting, accepted_record, fold_journal, is_worth_another_try, pause_s
from sidecar.jobs import Step, VaultThread
from sidecar.store import Journal
from sidecar.vault.address import clean_url

_LOOK_EVERY_S = 30.0
_log = logging.getLogger(__name__)


class Intake:
    """Takes links in, one after the other, and loses none."""

    def __init__(self, ingest: IngestService, journal: Journal, thread: VaultThread, clock: Clock) -> None:
        self._ingest = ingest
        self._journal = journal
        self._thread = thread
        self._clock = clock
        self._waiting: dict[str, Waiting] | None = None
        self._held: set[str] = set()
        """Links that a job of this process works on or is going to."""
        self._is_closing = False

    async def accept(self, urls: Sequence[str], options: IngestOptions) -> list[Waiting]:
        """Put links down in the journal; from now on they are not lost. One that waits already takes the new wishes.

        What is no address is given back without an id: it fails when worked on, and is not worth keeping.

        Raises:
            WriteFailed: The journal could not be written; nothing was accepted.
        """
        waiting = await self._loaded()
        links = [Waiting(secrets.token_hex(6) if _is_address(url) else "", url, options) for url in urls]
        kept = [link for link in links if link.id]
        if kept:
            replaced = [old.id for old in waiting.values() if old.url in urls and old.id not in self._held]
            self._held |= {link.id for link in kept}
            await self._thread.run(self._append, accepted_record(kept, options, replaced))
            for id_ in replaced:
                waiting.pop(id_, None)
            waiting |= {link.id: link for link in kept}
        return links

    async def work(self, link: Waiting, step: Step) -> Outcome | NotTaken:
        """Make a note of an accepted link, or learn why not and when it is tried again."""
        try:
            outcome = await self._ingest.ingest(link.url, link.options, step, ticket=link.id)
            await self._end([link.id], "finished", path=outcome.path)
        except SidecarError as error:
            return await self._put_off(link, error)
        finally:
            self._held.discard(link.id)
        return outcome

    async def _put_off(self, link: Waiting, error: SidecarError) -> NotTaken:
        attempts = link.attempts + 1
        wish = error.params.get("retry_after_s")
        wait_s = pause_s(attempts, wish if isinstance(wish, int) else None) if is_worth_another_try(error) else None
        if not link.id or wait_s is None:
            await self._end([link.id], "finished", code=error.code)
            return NotTaken(error)
        until = self._clock() + timedelta(seconds=wait_s)
        later = replace(link, attempts=attempts, not_before=until, code=error.code, problem=error.message, fix=error.fix)
        record = {"event": "postponed", "id": link.id, "attempts": attempts, "until": until.isoformat(timespec="seconds")}
        await self._thread.run(self._append, {**record, "code": error.code, "problem": error.message, "fix": error.fix})
        (await self._loaded())[link.id] = later
        return NotTaken(error, until)

    async def give_up(self, links: Iterable[Waiting]) -> None:
        """Let go of links whose job was cancelled. While the sidecar stops they stay, and are resumed at its next start."""
        ids = [link.id for link in links]
        self._held -= set(ids)
        if not self._is_closing:
            await self._end(ids, "dropped")

    async def list_waiting(self) -> list[Waiting]:
        """List what waits, oldest first."""
        return list((await self._loaded()).values())

    async def drop(self, id_: str = "") -> int:
        """Forget a waiting link, or all of them; give how many. What a job works on is left to that job."""
        ids = [known for known in await self._loaded() if known not in self._held and id_ in ("", known)]
        await self._end(ids, "dropped")
        return len(ids)

    async def follow(self) -> None:
        """Work off what a crash left behind, then whatever is due, until cancelled."""
        await self._settle_written()
        while True:
            try:
                for link in await self._due():
                    self._held.add(link.id)
                    result = await self.work(link, lambda name, details: None)
                    _log.info("%s: %s", link.url, result.error.message if isinstance(result, NotTaken) else result.path)
            except SidecarError as error:  # a disk that refuses now may take it later
                _log.warning("the queue could not be worked off: %s", error.message)
            except Exception:  # noqa: BLE001 - one bad link must not end the queue
                _log.exception("the queue could not be worked off")
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _due(self) -> list[Waiting]:
        now = self._clock()
        waiting = (await self._loaded()).values()
        return [link for link in waiting if link.id not in self._held and (link.not_before is None or link.not_before <= now)]

    async def _settle_written(self) -> None:
        """Close what was written but not yet called finished: a new version that was forced must not be written twice."""
        tickets = {link.id for link in await self.list_waiting() if link.options.force and link.id not in self._held}
        if tickets:
            await self._end(await self._thread.run(self._ingest.written_tickets, tickets), "finished")

    def close(self) -> None:
        """Say that the sidecar stops: what is cancelled from now on was not cancelled by a person."""
        self._is_closing = True

    async def _end(self, ids: Sequence[str], event: str, **details: str) -> None:
        waiting = await self._loaded()
        known = [id_ for id_ in ids if id_ in waiting]
        if known:
            await self._thread.run(self._append, {"event": event, "ids": known, **details})
            for id_ in known:
                waiting.pop(id_, None)

    def _append(self, record: dict[str, Any]) -> None:
        self._journal.append("queue", **record)

    async def _loaded(self) -> dict[str, Waiting]:
        if self._waiting is None:
            found = await self._thread.run(lambda: fold_journal(self._journal.read("queue", own=True)))
            if self._waiting is None:  # asked twice at once
                self._waiting = found
        return self._waiting


def _is_address(url: str) -> bool:
    with contextlib.suppress(InvalidUrl):
        clean_url(url)
        return True
    return False
