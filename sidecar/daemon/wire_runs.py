"""Puts together what fetches, judges and writes up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sidecar.brief.service import BriefService
from sidecar.clock import Clock, local_day
from sidecar.config import KB_FOLDER, Config
from sidecar.feeds.watchlist import WatchlistService
from sidecar.ingest.service import IngestService
from sidecar.items.prefilter import Likeness
from sidecar.items.runner import Parts, RunService
from sidecar.items.service import ItemService
from sidecar.jobs import VaultThread
from sidecar.judge.service import Chat, JudgeService
from sidecar.llm import JUDGE_VARIABLE, ChatEndpoint, ChatSettings, find_key, host_of
from sidecar.store import Journal
from sidecar.vault.files import VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.note import NotePath

DATABASE = "items.sqlite"


@dataclass(frozen=True, slots=True)
class RunsParts:
    """What the container keeps of it."""

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
    index: VaultIndex
    ingest: IngestService
    watchlist: WatchlistService
    publish: Callable[..., object]
    take_in: Callable[[Iterable[NotePath]], object]
    likeness: Callable[[str], Likeness]
    is_guest: bool


def wire_runs(given: Given) -> RunsParts:
    """Put the rooms of items, judgement and brief together; nothing is opened yet."""
    cache = given.files.root / KB_FOLDER / "cache"
    path: Path | None = None if given.is_guest else cache / DATABASE
    items = ItemService(path, given.journal, given.clock, local_day)
    thread = VaultThread("items")
    judge = JudgeService(items, thread, given.watchlist.preference, lambda: make_chat(given.config()))
    brief = BriefService(
        items, thread, given.thread, given.files, given.index, given.ingest, given.watchlist.preference, given.config, given.take_in
    )
    parts = Parts(
        items, thread, given.watchlist, judge, brief, given.files, given.config, given.clock, lambda moment: moment.astimezone(),
        given.publish, given.likeness,
    )  # fmt: skip
    runs = RunService(parts, cache / "run.lock")
    given.watchlist.last_results = runs.last_results
    return RunsParts(items, thread, judge, brief, runs)


def make_chat(config: Config) -> Chat | None:
    """Build the judge's endpoint, if one is set. May wait for the system's keyring.

    Raises:
        ConfigError: Its settings are wrong.
    """
    settings = config.judge
    if settings.channel != "endpoint" or not settings.endpoint:
        return None
    key = find_key(host_of(settings.endpoint), "judge", JUDGE_VARIABLE)
    return ChatEndpoint(ChatSettings(settings.endpoint, settings.model, settings.timeout_s, key))
