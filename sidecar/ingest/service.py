"""From a link to a note: fetch, read, decide, write."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from sidecar.clock import Clock, local_day
from sidecar.config import Config
from sidecar.errors import NoteExists, VaultError
from sidecar.ingest.assets import attachment_folder, image_kind, image_name, with_local_images
from sidecar.ingest.document import Document
from sidecar.ingest.gather import Gatherer
from sidecar.ingest.identity import document_hash
from sidecar.ingest.images import ImageFetcher
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
        images: ImageFetcher,
        thread: VaultThread,
        clock: Clock,
        config: Callable[[], Config],
        index_paths: IndexPaths,
    ) -> None:
        self._index = index
        self._files = files
        self._journal = journal
        self._gatherer = gatherer
        self._images = images
        self._thread = thread
        self._clock = clock
        self._config = config
        self._index_paths = index_paths
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    async def ingest(self, url: str, options: IngestOptions, step: Step, *, ticket: str = "") -> Outcome:
        """Make a note of a page. Two calls for one page at the same time make one note.

        Args:
            ticket: Of the queue; goes into the journal beside the note's path.
        Raises:
            IngestError: The address is bad or not public, the page cannot be fetched or read. Nothing was written.
            VaultError: The note could not be written.
        """
        address = clean_url(url)
        async with self._alone(url_hash(address)):
            known = await self._known(url_hash(address))
            if known is not None and not options.force:
                return known
            is_unattended = self._config().ingest.robots == "always" or options.via in ("brief", "agent")
            document = await self._gatherer.gather(address, step, unattended=is_unattended)
            final = url_hash(document.url)
            if known is None and final != url_hash(address):
                known = await self._known(final)
            return await self._take_in(document, final, options, known, step, ticket)

    async def ingest_pasted(self, text: str, content_type: str, url: str, options: IngestOptions, step: Step) -> Outcome:
        """Make a note of pasted text or HTML, or of a saved page.

        Args:
            url: Where it comes from, if that is known: then it is the same page as that link. Else the text itself tells what is new.
        Raises:
            IngestError: The address is bad, or there is nothing to read. Nothing was written.
            VaultError: The note could not be written.
        """
        address = clean_url(url) if url.strip() else ""
        async with self._alone(address or text):
            step("read", {"bytes": len(text)})
            document = replace(await self._gatherer.read_pasted(text, content_type, address), url=address)
            hash_ = document_hash(document)
            known = await self._known(hash_)
            if known is not None and not options.force:
                return known
            return await self._take_in(document, hash_, options, known, step, "")

    async def _take_in(
        self, document: Document, hash_: str, options: IngestOptions, known: Duplicate | Buried | None, step: Step, ticket: str
    ) -> Outcome:
        images: dict[str, bytes] = {}
        settings = self._config().ingest
        is_new = known is None or options.force
        if is_new and not options.dry_run and (settings.assets if options.assets is None else options.assets):
            images = await self._images.fetch(document, settings.max_assets, step)
        step("write", {"title": document.title})
        write = asyncio.ensure_future(self._thread.run(self._write, document, hash_, options, known, images, ticket))
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

    def _write(
        self,
        document: Document,
        hash_: str,
        options: IngestOptions,
        known: Duplicate | Buried | None,
        images: dict[str, bytes],
        ticket: str,
    ) -> Outcome:
        """Carry the plan out. The journal comes first: where a note came from must be known even if the rest fails."""
        config = self._config()
        today = local_day(self._clock())
        spelt = self._index.spelling_of
        folder, inbox = spelt(config.folders.sources), spelt(config.folders.inbox)
        record = {"url": document.url, "hash": hash_, "via": options.via} | ({"ticket": ticket} if ticket else {})
        assets: tuple[NotePath, ...] = ()
        for _ in range(20):
            # The page may have come in by another door while this one was fetched.
            known = known or find_known(hash_, self._index.notes, config.folders)
            outcome = plan_note(document, hash_, today, options, known, self._index.names, folder, config.ingest, inbox)
            if not isinstance(outcome, Created) or options.dry_run:
                return outcome
            if self._files.stat(outcome.path) is not None:  # made since the index was read; the journal must not call it ingested
                self._index_paths([outcome.path])
                continue
            if images:
                saved = self._save_images(images, outcome.path)
                images, document = {}, replace(document, markdown=with_local_images(document.markdown, saved))
                assets = tuple(dict.fromkeys(saved.values()))
                continue
            try:
                self._journal.append("notes", event="ingested", path=outcome.path, **record)
                self._files.write(outcome.path, outcome.text.encode("utf-8", "replace"), expected=ABSENT)
            except NoteExists:  # made in this very moment; the next plan takes another name
                self._index_paths([outcome.path])
                continue
            self._index_paths([outcome.path, *assets])
            write_ingested(self._index, self._files)
            return replace(outcome, assets=assets)
        raise NoteExists(f"No free name was found for {document.title!r}.", fix="Try again.", path="")

    def _save_images(self, images: dict[str, bytes], note: NotePath) -> dict[str, NotePath]:
        """Write images where Obsidian would put them; give the path for each address. One that cannot be written stays remote."""
        folder = attachment_folder(self._files.read_app_settings(), note)
        folder = self._index.spelling_of(folder) if folder else ""
        saved: dict[str, NotePath] = {}
        for address, data in images.items():
            path = "/".join(filter(None, (folder, image_name(data, image_kind(data)))))
            try:
                self._files.write(path, data, expected=ABSENT)
            except NoteExists:  # the name tells the content: it is the same image
                pass
            except VaultError:
                continue
            saved[address] = path
        return saved

    def written_tickets(self, tickets: set[str]) -> list[str]:
        """Of tickets of the queue, list those whose note was written. Runs on the vault's thread."""
        records = [record for record in self._journal.read("notes", own=True) if record.get("ticket") in tickets]
        return [record["ticket"] for record in records if record.get("path") in self._index.notes]


def write_ingested(index: VaultIndex, files: VaultFiles) -> bool:
    """Make ``.kb/ingested.json`` anew from the notes; tell whether it was missing or wrong."""
    return files.write_own("ingested.json", _as_json(ingested_map(index.notes)))


def _as_json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def outcome_json(outcome: Outcome, url: str, *, is_planned: bool = False) -> dict[str, Any]:
    """Give an outcome as API and CLI tell it; one that is only planned with the text that would be written."""
    status = {Created: "created", Duplicate: "duplicate", Buried: "buried"}[type(outcome)]
    found: dict[str, Any] = {"status": status, "url": url, "path": outcome.path, "title": outcome.title}
    if isinstance(outcome, Created):
        found |= document_json(outcome.document) | {"assets": list(outcome.assets)}
        if is_planned:
            found |= {"status": "planned", "text": outcome.text}
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
