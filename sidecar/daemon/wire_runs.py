"""Puts together what fetches, judges and writes up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sidecar.brief.service import BriefService
from sidecar.clock import Clock, local_day
from sidecar.config import KB_FOLDER, Config, Folders
from sidecar.daemon.endpoint import user_folder
from sidecar.daemon.open_vault import OpenVault
from sidecar.daemon.wire_feeds import wire_watchlist
from sidecar.feeds.watchlist import WatchlistService
from sidecar.ingest.service import IngestService
from sidecar.items.prefilter import Likeness
from sidecar.items.runner import Parts, RunService
from sidecar.items.service import ItemService
from sidecar.jobs import VaultThread
from sidecar.judge.service import Chat, JudgeService
from sidecar.llm import JUDGE_VARIABLE, ChatEndpoint, ChatSettings, find_key, host_of
from sidecar.search.service import SearchService
from sidecar.store import Journal, Secrets
from sidecar.vault.files import VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.layers import layer_of

DATABASE = "items.sqlite"


@dataclass(frozen=True, slots=True)
class RunsParts:
    """What the container keeps of it."""

    watchlist: WatchlistService
    items: ItemService
    thread: VaultThread
    judge: JudgeService
    brief: BriefService
    runs: RunService

    async def close(self) -> None:
        await self.runs.settle()
        await self.thread.run(self.items.close)
        self.thread.close()


@dataclass(frozen=True, slots=True)
class Given:
    """What stands already."""

    files: VaultFiles
    journal: Journal
    clock: Clock
    config: Callable[[], Config]
    thread: VaultThread
    vault: OpenVault
    ingest: IngestService
    publish: Callable[..., object]
    ports: frozenset[int]
    is_guest: bool


def wire_runs(given: Given) -> RunsParts:
    """Put the rooms of items, judgement and brief together; nothing is opened yet."""
    cache = given.files.root / KB_FOLDER / "cache"
    path: Path | None = None if given.is_guest else cache / DATABASE
    watchlist = wire_watchlist(given.files, given.clock, given.ports)
    likeness = make_likeness(given.vault.search, given.vault.index, given.thread, lambda: given.config().folders)
    items = ItemService(path, given.journal, given.clock, local_day)
    thread = VaultThread("items")
    judge = JudgeService(items, thread, watchlist.preference, lambda: make_chat(given.config()))
    brief = BriefService(
        items, thread, given.thread, given.files, given.vault.index, given.ingest, watchlist.preference, given.config, given.vault.apply
    )
    parts = Parts(
        items, thread, watchlist, judge, brief, given.files, given.config, given.clock, lambda moment: moment.astimezone(),
        given.publish, likeness,
    )  # fmt: skip
    runs = RunService(parts, cache / "run.lock")
    watchlist.last_results = runs.last_results
    return RunsParts(watchlist, items, thread, judge, brief, runs)


def make_likeness(
    search: SearchService, index: VaultIndex, thread: VaultThread, folders: Callable[[], Folders]
) -> Callable[[str], Likeness]:
    """Give a call that tells how close a text is to what the owner has written: wiki and core notes of his own."""

    def look(text: str) -> Likeness:
        own = {folders().wiki, folders().core}
        if not any(layer_of(path, folders()) in ("wiki", "core") for path in index.notes):
            return Likeness()
        for found in search.similar(text=text, limit=8):
            if found.path.split("/")[0] in own and not index.is_untrusted(found.path):
                return Likeness(min(max(found.score, 0.0), 1.0), index.notes[found.path].title)
        return Likeness()

    return lambda text: thread.ask(look, text)


def make_chat(config: Config) -> Chat | None:
    """Build the judge's endpoint, if one is set. May wait for the system's keyring.

    Raises:
        ConfigError: Its settings are wrong.
    """
    settings = config.judge
    if settings.channel != "endpoint" or not settings.endpoint:
        return None
    key = find_key(host_of(settings.endpoint), "judge", JUDGE_VARIABLE, kept=Secrets(user_folder()).find)
    return ChatEndpoint(ChatSettings(settings.endpoint, settings.model, settings.timeout_s, key))
