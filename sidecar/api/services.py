"""What the operations are given: the rooms' services of one vault, and nothing that builds them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from sidecar.agent.service import AgentService
from sidecar.api.events import EventLog
from sidecar.brief.service import BriefService
from sidecar.config import Config
from sidecar.feeds.watchlist import WatchlistService
from sidecar.graph.service import GraphService
from sidecar.ingest.intake import Intake
from sidecar.ingest.service import IngestService
from sidecar.items.runner import RunService
from sidecar.items.service import ItemService
from sidecar.jobs import Jobs, VaultThread
from sidecar.judge.service import JudgeService
from sidecar.metabolism.promotion import Promotion
from sidecar.metabolism.service import MetabolismService
from sidecar.moc.service import MocService
from sidecar.search.bench_service import BenchService
from sidecar.search.semantic_service import SemanticService
from sidecar.search.service import SearchService
from sidecar.vault.files import VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.note import NotePath


@dataclass(slots=True)
class Progress:
    """How far the first reading of the vault is, and what it found."""

    is_ready: bool = False
    done: int = 0
    total: int = 0
    parsed: int = 0
    reused: int = 0
    watching: str = ""
    """``native``, ``polling`` or empty while nothing is watched."""
    git_problem: str = ""
    """Why own writes wait to be committed; else empty."""
    problem: str = ""
    """Why watching had to fall back, and what to do; else empty."""
    vault_problem: str = ""
    """Why the vault cannot be followed at all; else empty."""
    config_problem: str = ""
    """Why the settings as they are on disk are not in force; else empty."""


@dataclass(frozen=True, slots=True)
class Services:
    """The services of one vault. ``index``, ``graph``, ``search`` and ``moc`` are touched on ``thread`` only."""

    vault_id: str
    vault_name: str
    config: Callable[[], Config]
    thread: VaultThread
    files: VaultFiles
    index: VaultIndex
    graph: GraphService
    search: SearchService
    semantic: SemanticService
    bench: BenchService
    moc: MocService
    ingest: IngestService
    intake: Intake
    watchlist: WatchlistService
    items: ItemService
    item_thread: VaultThread
    """``items`` and the plain calls of ``judge`` are touched on this thread only."""
    agent: AgentService
    metabolism: MetabolismService
    promotion: Promotion
    judge: JudgeService
    brief: BriefService
    runs: RunService
    jobs: Jobs
    events: EventLog
    refresh_moc: Callable[[], bool]
    """Looks at the disk and writes all maps; tells whether one was written."""
    adopt_moc: Callable[[str], bool]
    take_in: Callable[[Iterable[NotePath]], object]
    """Takes files in as they are now, so that the next question sees them."""
    restart: Callable[[], None]
    stop: Callable[[], None]
    make_console_code: Callable[[], str]
    doctor: Callable[[], Awaitable[tuple[list[dict[str, Any]], str]]]
    """Checks vault and machine; gives the findings and a report without what is private."""
    progress: Progress = field(default_factory=Progress)
