"""The composition root: the only module that builds services and wires them together."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path

from sidecar.api.events import EventLog
from sidecar.api.security import Keys
from sidecar.api.services import Services
from sidecar.clock import Clock, clock_from_environment, local_day, system_clock
from sidecar.config import KB_FOLDER, Config, Folders, SearchSettings, load_config
from sidecar.daemon.endpoint import user_folder
from sidecar.daemon.open_vault import OpenVault
from sidecar.daemon.protocol import read_vault_id
from sidecar.daemon.wire_doctor import make_doctor
from sidecar.daemon.wire_metabolism import observing, wire_agent, wire_metabolism
from sidecar.daemon.wire_runs import Given, wire_runs
from sidecar.errors import ConfigError
from sidecar.graph.metrics import Likeness, changed_on
from sidecar.graph.service import GraphService
from sidecar.ingest.adapters import Wishes
from sidecar.ingest.gather import Gatherer
from sidecar.ingest.images import ImageFetcher
from sidecar.ingest.intake import Intake
from sidecar.ingest.media_tool import MediaTool
from sidecar.ingest.service import IngestService, write_ingested
from sidecar.ingest.worker import PageReader
from sidecar.jobs import Jobs, VaultThread
from sidecar.jobs.commits import GitCommits
from sidecar.llm import EmbeddingEndpoint, EndpointSettings, InstalledModel, find_key, host_of, is_installed
from sidecar.moc.service import MocService
from sidecar.net import Fetcher, FetchLimits
from sidecar.search.bench_service import BenchService
from sidecar.search.chinese_words import cut_words
from sidecar.search.document import FORMAT, pack_note
from sidecar.search.semantic_service import SemanticService, Source, SourceKind
from sidecar.search.service import Seams, SearchService
from sidecar.store import Journal, NoteCache, NoteHistory, Secrets, VectorStore
from sidecar.store.git import GitRepository
from sidecar.vault.codec import NOTE_FORMAT
from sidecar.vault.files import VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.note import NotePath


@dataclass(slots=True)
class ConfigBox:
    """Holds the one frozen config; replaced whole when its file changes."""

    current: Config

    def __call__(self) -> Config:
        return self.current

    def folders(self) -> Folders:
        return self.current.folders


@dataclass(frozen=True, slots=True)
class Container:
    """All parts of one vault's sidecar."""

    root: Path
    config: ConfigBox
    vault: OpenVault
    services: Services
    keys: Keys
    reader: PageReader
    commits: GitCommits
    followers: tuple[Callable[[], Coroutine[None, None, None]], ...]
    """What goes on in the background once the vault has been read, until the sidecar stops."""

    closers: tuple[Callable[[], Coroutine[None, None, None]], ...]
    """What is to be closed once no job runs any more, in this order."""

    async def close(self) -> None:
        """Stop jobs, reader and thread, in this order, and close the cache."""
        await self.services.semantic.close()
        self.services.intake.close()
        await self.services.jobs.close()
        for close in self.closers:
            await close()
        self.services.semantic.close_store()
        await self.reader.close()
        await self.services.thread.run(self.vault.close)
        self.services.thread.close()


def wire_vault(
    files: VaultFiles, cache: NoteCache, config: Callable[[], Config], clock: Clock = system_clock, *, history: NoteHistory | None = None
) -> OpenVault:
    """Put together what keeps a vault's state; nothing is read yet."""

    def folders() -> Folders:
        return config().folders

    index = VaultIndex(files, cache, pack_note, history)
    search = SearchService(
        index,
        files,
        cache,
        folders,
        Seams(lambda: graph.orphans(), changed_on, clock, lambda: cut_words if config().search.jieba else None),
    )

    def find_alike(path: NotePath, limit: int) -> list[Likeness]:
        return [Likeness(s.path, s.score, s.terms) for s in search.similar(path=path, limit=limit)]

    graph = GraphService(index, files, folders, search.texts_with, find_alike)
    return OpenVault(index, graph, search, MocService(index, graph, files, config), cache, lambda: write_ingested(index, files))


def open_cache(path: Path | None) -> NoteCache:
    """Open the cache at ``path``, or one in memory, for what this version of the parser and the tokeniser makes."""
    return NoteCache(path, f"{NOTE_FORMAT}/{FORMAT}")


def wire_ingest(
    vault: OpenVault,
    files: VaultFiles,
    journal: Journal,
    thread: VaultThread,
    clock: Clock,
    config: ConfigBox,
    reader: PageReader,
    loopback_ports: frozenset[int],
) -> IngestService:
    """Put together what turns links into notes."""
    ingest = config.current.ingest
    limits = FetchLimits(max_bytes=ingest.max_bytes, timeout_s=ingest.timeout_s)
    fetcher = Fetcher(limits, loopback_ports=loopback_ports, cookie_of=Secrets(user_folder()).cookie_of, clock=clock)
    tool = MediaTool(lambda: config.current.ingest.media_tool)
    gatherer = Gatherer(fetcher, reader, tool, lambda: Wishes(config.current.caption_languages))
    return IngestService(vault.index, files, journal, gatherer, ImageFetcher(fetcher), thread, clock, config, vault.apply)


def wire_commits(files: VaultFiles, config: ConfigBox, clock: Clock, *, is_guest: bool) -> GitCommits:
    """Put together what commits own writes."""
    root = files.root
    commits = GitCommits(root, GitRepository(root), lambda: config.current.git.autocommit and not is_guest, lambda: local_day(clock()))
    files.on_write = commits.note
    return commits


def wire_semantic(
    vault: OpenVault,
    files: VaultFiles,
    cache: NoteCache,
    thread: VaultThread,
    jobs: Jobs,
    config: ConfigBox,
    clock: Clock,
    cache_path: Path | None,
) -> SemanticService:
    """Put together what finds by meaning; it follows the vault's changes."""
    store = VectorStore(cache_path.with_name("vectors.sqlite") if cache_path else None)
    semantic = SemanticService(vault.index, files, cache, store, thread, jobs, config, clock, make_source, is_installed)
    vault.on_delta = semantic.apply
    return semantic


def make_jobs(events: EventLog) -> Jobs:
    """Give the jobs of a vault, which tell of their steps."""
    return Jobs(lambda job: events.publish("job", id=job.id, kind=job.kind, state=job.state, steps=job.steps[-1:]))


def open_container(
    root: Path,
    *,
    restart: Callable[[], None] = lambda: None,
    stop: Callable[[], None] = lambda: None,
    is_service: bool = False,
    is_guest: bool = False,
    keeps_history: bool = False,
) -> Container:
    """Wire up the sidecar of the vault at ``root``; nothing is read or started yet.

    Args:
        is_guest: Take a vault that is not set up and leave nothing in it: for commands that only look.
        restart: What a request to restart does.
        stop: What a request to stop does.
        keeps_history: Write what becomes of the notes into the journal; one process does, the one that serves the vault.
        is_service: Whether it runs as a login item, where test settings are refused.
    Raises:
        VaultError: The folder is missing, unreadable or not set up.
        ConfigError: A setting is wrong.
    """
    files = VaultFiles(root)
    vault_id = "" if is_guest else read_vault_id(files)
    config = ConfigBox(load_config(root))
    clock = clock_from_environment()
    cache_path = None if is_guest else root / KB_FOLDER / "cache" / "index.sqlite"
    cache = open_cache(cache_path)
    journal = Journal(root / KB_FOLDER / "journal", clock)
    history = NoteHistory(None if is_guest else journal, writes=keeps_history)
    vault = wire_vault(files, cache, config, clock, history=history)
    thread = VaultThread()
    events = EventLog()
    keys = Keys()
    reader = PageReader()
    ports = allowed_loopback_ports(is_service=is_service)
    ingest = wire_ingest(vault, files, journal, thread, clock, config, reader, ports)
    jobs = make_jobs(events)
    semantic = wire_semantic(vault, files, cache, thread, jobs, config, clock, cache_path)
    runs = wire_runs(Given(files, journal, clock, config, thread, vault, ingest, events.publish, ports, is_guest))
    metabolism, promotion = wire_metabolism(vault, files, journal, config, clock, is_guest=is_guest)
    services = Services(
        vault_id=vault_id,
        vault_name=root.resolve().name,
        config=config,
        thread=thread,
        files=files,
        index=vault.index,
        graph=vault.graph,
        search=vault.search,
        moc=vault.moc,
        ingest=ingest,
        intake=Intake(ingest, journal, thread, clock),
        watchlist=runs.watchlist,
        items=runs.items,
        item_thread=runs.thread,
        agent=wire_agent(vault, files, metabolism, config, clock),
        metabolism=metabolism,
        promotion=promotion,
        judge=runs.judge,
        brief=runs.brief,
        runs=runs.runs,
        jobs=jobs,
        semantic=semantic,
        bench=BenchService(vault.index, files, cache, semantic, thread, config.folders),
        events=events,
        refresh_moc=vault.renew_moc,
        adopt_moc=vault.adopt_moc,
        take_in=vault.apply,
        restart=restart,
        stop=stop,
        make_console_code=keys.make_code,
        doctor=make_doctor(root, lambda: services),
    )
    commits = wire_commits(files, config, clock, is_guest=is_guest)
    followers = (
        observing(thread, metabolism),
        services.intake.follow,
        services.runs.follow,
    )
    return Container(root, config, vault, services, keys, reader, commits, followers, (runs.close,))


def make_source(kind: SourceKind, settings: SearchSettings) -> Source:
    """Build the source of vectors that the settings name. May wait for the system's keyring.

    Raises:
        ConfigError: The endpoint's settings are wrong.
    """
    if kind != "endpoint":
        return InstalledModel()
    return EmbeddingEndpoint(
        EndpointSettings(
            settings.endpoint,
            settings.shape,
            settings.model,
            settings.query_prefix,
            settings.passage_prefix,
            settings.timeout_s,
            find_key(host_of(settings.endpoint), kept=Secrets(user_folder()).find),
        )
    )


def allowed_loopback_ports(*, is_service: bool) -> frozenset[int]:
    """Read ``KB_ALLOW_LOOPBACK``, which lets tests fetch pages from this machine.

    Raises:
        ConfigError: It is set for a login item, or is no list of ports.
    """
    text = os.environ.get("KB_ALLOW_LOOPBACK", "")
    if not text:
        return frozenset()
    if is_service:
        raise ConfigError("KB_ALLOW_LOOPBACK is for tests only.", fix="Remove it from the service's environment.", key="KB_ALLOW_LOOPBACK")
    try:
        return frozenset(int(port) for port in text.split(","))
    except ValueError as error:
        raise ConfigError(f"KB_ALLOW_LOOPBACK is {text!r}.", fix="List ports: 8000,8001.", key="KB_ALLOW_LOOPBACK") from error
