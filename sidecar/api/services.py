"""What the operations are given: the rooms' services of one vault, and nothing that builds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sidecar.api.events import EventLog
from sidecar.config import Config
from sidecar.graph.service import GraphService
from sidecar.ingest.intake import Intake
from sidecar.ingest.service import IngestService
from sidecar.jobs import Jobs, VaultThread
from sidecar.moc.service import MocService
from sidecar.search.service import SearchService
from sidecar.vault.files import VaultFiles
from sidecar.vault.indexer import VaultIndex


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
    moc: MocService
    ingest: IngestService
    intake: Intake
    jobs: Jobs
    events: EventLog
    refresh_moc: Callable[[], bool]
    adopt_moc: Callable[[], bool]
    restart: Callable[[], None]
    make_console_code: Callable[[], str]
    progress: Progress = field(default_factory=Progress)
