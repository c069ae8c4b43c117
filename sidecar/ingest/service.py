"""From a link to a note: fetch, read, decide, write."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any

from sidecar.clock import Clock, local_day
from sidecar.config import Config
from sidecar.errors import NoteExists
from sidecar.ingest.document import Document
from sidecar.ingest.gather import Gatherer
from sidecar.ingest.plan import Buried, Created, Duplicate, IngestOptions, Outcome, find_known, ingested_map, plan_note
from sidecar.jobs import Step, VaultThread
from sidecar.store import Journal
from sidecar.vault.address import clean_url, url_hash
from sidecar.vault.files import ABSENT, VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.note import NotePath

IndexPaths = Callable[[list[NotePath]], object]
"""Takes written paths into the index at once, so that the caller's next look sees them."""


class IngestService:
    """Turns links into source notes.

    Args:
        index_paths: Runs on the vault's thread.
    """

    def __init__(
        self,
        index: VaultIndex,
        files: VaultFiles,
        journal: Journal,
        gatherer: Gatherer,
        thread: VaultThread,
        clock: Clock,
        config: Callable[[], Config],
        index_paths: IndexPaths,
    ) -> None:
        self._index = index
        self._files = files
        self._journal = journal
        self._gatherer = gatherer
        self._thread = thread
        self._clock = clock
        self._config = config
        self._index_paths = index_paths
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    async def ingest(self, url: str, options: IngestOptions, step: Step) -> Outcome:
        """Make a note of a page. Two calls for one page at the same time make one note.

        Raises:
            IngestError: The address is bad or not public, the page cannot be fetched or read. Nothing was written.
            VaultError: The note could not be written.
        """
        address = clean_url(url)
        async with self._alone(url_hash(address)):
            known = await self._known(url_hash(address))
            if known is not None and not options.force:
                return known
            document = await self._gatherer.gather(address, step)
            final = url_hash(document.url)
            if known is None and final != url_hash(address):
                known = await self._known(final)
            step("write", {"title": document.title})
            write = asyncio.ensure_future(self._thread.run(self._write, document, final, options, known))
            try:
                return await asyncio.shield(write)
            except asyncio.CancelledError:
                # Too late to stop: the note is being written, and its caller is told of it.
                return await write

    @asynccontextmanager
    async def _alone(self, key: str) -> Any:
        lock, users = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks[key]
            if users == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, users - 1)

    async def _known(self, hash_: str) -> Duplicate | Buried | None:
        return await self._thread.run(find_known, hash_, self._index.notes, self._config().folders)

    def _write(self, document: Document, hash_: str, options: IngestOptions, known: Duplicate | Buried | None) -> Outcome:
        """Carry the plan out. The journal comes first: where a note came from must be known even if the rest fails."""
        config = self._config()
        today = local_day(self._clock())
        folder = self._index.spelling_of(config.folders.sources)
        for _ in range(20):
            # The page may have come in by another door while this one was fetched.
            known = known or find_known(hash_, self._index.notes, config.folders)
            outcome = plan_note(document, hash_, today, options, known, self._index.names, folder, config.ingest)
            if not isinstance(outcome, Created):
                return outcome
            if self._files.stat(outcome.path) is not None:  # made since the index was read; the journal must not call it ingested
                self._index_paths([outcome.path])
                continue
            try:
                self._journal.append("notes", event="ingested", path=outcome.path, url=document.url, hash=hash_, via=options.via)
                self._files.write(outcome.path, outcome.text.encode("utf-8", "replace"), expected=ABSENT)
            except NoteExists:  # made in this very moment; the next plan takes another name
                self._index_paths([outcome.path])
                continue
            self._index_paths([outcome.path])
            self._files.write_own("ingested.json", _as_json(ingested_map(self._index.notes)))
            return outcome
        raise NoteExists(f"No free name was found for {document.title!r}.", fix="Try again.", path="")


def _as_json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def outcome_json(outcome: Outcome, url: str) -> dict[str, Any]:
    """Give an outcome as API and CLI tell it."""
    status = {Created: "created", Duplicate: "duplicate", Buried: "buried"}[type(outcome)]
    found: dict[str, Any] = {"status": status, "url": url, "path": outcome.path, "title": outcome.title}
    if isinstance(outcome, Created):
        found |= document_json(outcome.document)
    return found


def document_json(document: Document) -> dict[str, Any]:
    """Give what was read from a page, without its text."""
    return {
        "adapter": document.adapter,
        "site": document.site,
        "author": document.author,
        "account": document.account,
        "published": document.published,
        "lang": document.lang,
        "body_state": document.body_state,
        "words": count_words(document.markdown),
        "images": list(document.images),
        "warnings": list(document.warnings),
    }


def count_words(text: str) -> int:
    """Count words, each CJK character as one."""
    cjk = sum("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in text)
    return cjk + sum(1 for word in text.split() if any(c.isascii() and c.isalnum() for c in word))
