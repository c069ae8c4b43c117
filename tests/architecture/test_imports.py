"""Imports point down, pure modules touch nothing, and a client command starts light.

The rooms, uppermost first. A module may import from its own row and from rows below, never from one above::

    cli                                              parses, calls, prints
    daemon                                           the running process; the only place where services are built
    api                                              decodes, calls one service, encodes
    <room>.service, vault.indexer, vault.watcher     the rooms' services
    store, net, jobs, llm, vault.files               what touches disk, network, threads
    pure modules of moc → graph → vault, search → vault, ingest → vault
    config, clock, errors
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sidecar

PACKAGE = Path(sidecar.__file__).parent

# Modules that act. What is not listed here is pure: it decides and touches nothing.
SHELL = {
    "sidecar.graph.service",
    "sidecar.moc.service",
    "sidecar.search.service",
    "sidecar.ingest.service",
    "sidecar.ingest.worker",
    "sidecar.moc.file",
    "sidecar.search.semantic_service",
    "sidecar.search.bench_service",
    "sidecar.ingest.gather",
    "sidecar.ingest.media_tool",
    "sidecar.ingest.images",
    "sidecar.ingest.intake",
    "sidecar.vault.indexer",
    "sidecar.vault.reading",
    "sidecar.vault.watcher",
    "sidecar.vault.inotify",
    "sidecar.vault.files",
    "sidecar.vault.disk",
    "sidecar.login_item.service",
    "sidecar.config",
    "sidecar.feeds.fetching",
    "sidecar.feeds.watchlist",
    "sidecar.feeds.types",
    "sidecar.feeds.types.base",
    "sidecar.feeds.types.rss",
    "sidecar.feeds.types.youtube_channel",
    "sidecar.feeds.types.mcp_server",
    "sidecar.feeds.types.site",
    "sidecar.clock",
    "sidecar.items.store",
    "sidecar.agent.service",
    "sidecar.agent.server",
    "sidecar.metabolism.service",
    "sidecar.metabolism.promotion",
    "sidecar.metabolism.owner",
    "sidecar.vault.moves",
    "sidecar.items.service",
    "sidecar.items.sift",
    "sidecar.items.runner",
    "sidecar.judge.service",
    "sidecar.brief.service",
}
SHELL_ROOMS = {"cli", "daemon", "api", "store", "net", "jobs", "llm"}

ROWS: list[set[str]] = [
    {"cli"},
    {"daemon"},
    {"api"},
    {
        "graph.service",
        "moc.service",
        "search.service",
        "search.semantic_service",
        "search.bench_service",
        "ingest.service",
        "ingest.gather",
        "ingest.media_tool",
        "ingest.images",
        "ingest.intake",
        "ingest.worker",
        "login_item.service",
        "vault.indexer",
        "vault.reading",
        "vault.watcher",
        "agent.service",
        "agent.server",
        "metabolism.service",
        "metabolism.promotion",
        "metabolism.owner",
        "items.store",
        "items.service",
        "items.sift",
        "items.runner",
        "judge.service",
        "brief.service",
        "feeds.fetching",
        "feeds.watchlist",
        "feeds.types",
        "feeds.types.base",
        "feeds.types.rss",
        "feeds.types.youtube_channel",
        "feeds.types.mcp_server",
        "feeds.types.site",
    },
    {"store", "net", "jobs", "llm", "vault.files", "vault.disk", "vault.inotify", "vault.moves", "moc.file"},
    {
        "moc",
        "graph",
        "search",
        "ingest",
        "login_item",
        "feeds",
        "agent",
        "items",
        "judge",
        "brief",
        "metabolism",
        "vault",
    },
    {"config", "settings", "clock", "errors", "selection", "(package)"},
]

# What a room's pure modules may take from other rooms.
PURE_ROOMS = {
    "moc": {"moc", "graph", "vault"},
    "graph": {"graph", "vault"},
    "search": {"search", "vault"},
    "ingest": {"ingest", "vault"},
    "login_item": {"login_item"},
    "vault": {"vault"},
    "feeds": {"feeds", "ingest", "vault"},
    "items": {"items", "feeds", "vault"},
    "judge": {"judge", "items"},
    "agent": {"agent"},
    "metabolism": {"metabolism", "vault"},
    "brief": {"brief", "ingest", "vault"},
}

# Services of one room that another's service is given: which way they may be known.
SERVICES_KNOWN = {
    "moc.service": {"graph.service", "vault.indexer"},
    "graph.service": {"vault.indexer"},
    "search.service": {"vault.indexer"},
    "search.semantic_service": {"vault.indexer"},
    "search.bench_service": {"search.semantic_service", "vault.indexer"},
}
SERVICES_KNOWN |= {
    "ingest.service": {"ingest.gather", "ingest.images", "ingest.worker", "vault.indexer"},
    "ingest.intake": {"ingest.service"},
    "ingest.images": set(),
    "ingest.gather": {"ingest.media_tool", "ingest.worker"},
    "ingest.media_tool": set(),
    "vault.indexer": {"vault.reading"},
    "vault.reading": set(),
    "vault.watcher": set(),
    "ingest.worker": set(),
    "feeds.fetching": {"feeds.types", "feeds.types.base"},
    "feeds.watchlist": {"feeds.fetching", "feeds.types.base"},
    "metabolism.service": {"graph.service", "vault.indexer"},
    "metabolism.promotion": {"metabolism.service", "vault.indexer"},
    "metabolism.owner": {"metabolism.service", "vault.indexer"},
    "agent.service": {"graph.service", "metabolism.service", "moc.service", "search.service", "vault.indexer"},
    "agent.server": set(),
    "items.store": set(),
    "items.service": {"items.store"},
    "items.sift": {"items.store", "items.service"},
    "items.runner": {"brief.service", "feeds.watchlist", "items.service", "items.sift", "judge.service"},
    "judge.service": {"items.service"},
    "brief.service": {"ingest.service", "items.service", "vault.indexer"},
}

FORBIDDEN_IN_PURE = {
    "os", "socket", "asyncio", "sqlite3", "pathlib", "subprocess", "threading", "time", "shutil", "tempfile", "httpx", "httpcore",
    "aiohttp",     "watchdog", "random", "secrets", "concurrent", "multiprocessing", "urllib.request", "http",
}  # fmt: skip


def _modules() -> dict[str, ast.Module]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text("utf-8"))
    return found


MODULES = _modules()


def _imports(module: str) -> Iterator[str]:
    """Give what a module imports, wherever in it; of ``from a import b``, ``a.b`` if that is a module of ours, else ``a``."""
    for node in ast.walk(MODULES[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            base = node.module or ""
            for alias in node.names:
                yield f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base


def _short(module: str) -> str:
    return module.removeprefix("sidecar").removeprefix(".") or "(package)"


def _row(module: str) -> int:
    name = _short(module)
    room = name.partition(".")[0]
    exact = [n for n, row in enumerate(ROWS) if name in row]
    return exact[0] if exact else next(n for n, row in enumerate(ROWS) if room in row)


def _is_pure(module: str) -> bool:
    return module not in SHELL and _short(module).partition(".")[0] not in SHELL_ROOMS


PURE = sorted(filter(_is_pure, MODULES))
OURS = {module: sorted({name for name in _imports(module) if name.split(".")[0] == "sidecar"}) for module in MODULES}


def test_the_table_names_every_room() -> None:
    assert {_short(module).partition(".")[0] for module in MODULES} == {name.partition(".")[0] for row in ROWS for name in row}
    assert SHELL <= set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_imports_never_point_up(module: str) -> None:
    assert [] == [name for name in OURS[module] if _row(name) < _row(module)]


@pytest.mark.parametrize("module", [module for module in PURE if _short(module).partition(".")[0] in PURE_ROOMS])
def test_pure_rooms_know_only_those_below(module: str) -> None:
    allowed = PURE_ROOMS[_short(module).partition(".")[0]]
    rooms = {_short(name).partition(".")[0] for name in OURS[module]} - {"config", "settings", "clock", "errors", "selection", "(package)"}
    assert rooms <= allowed


@pytest.mark.parametrize("module", PURE)
def test_pure_modules_touch_nothing(module: str) -> None:
    names = set(_imports(module))
    assert set() == {name for name in names if name in FORBIDDEN_IN_PURE or name.split(".")[0] in FORBIDDEN_IN_PURE}
    assert [] == [name for name in names if name in SHELL - {"sidecar.config", "sidecar.clock"}]
    for node in ast.walk(MODULES[module]):
        assert not isinstance(node, (ast.AsyncFunctionDef, ast.Await, ast.Global)), f"line {node.lineno} waits or keeps state"
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in ("open", "print", "input"), f"line {node.lineno} calls {called}"
            assert not called.endswith((".now", ".today", ".utcnow")), f"line {node.lineno} asks the time"


@pytest.mark.parametrize("module", [module for module in MODULES if module != "sidecar.clock"])
def test_only_the_clock_asks_the_time(module: str) -> None:
    calls = [ast.unparse(node.func) for node in ast.walk(MODULES[module]) if isinstance(node, ast.Call)]
    assert [] == [call for call in calls if call in ("datetime.now", "datetime.utcnow", "date.today", "time.time", "datetime.today")]


# The composition root: the container, and a module beside it for each room that takes many lines to put together.
BUILDERS = {module for module in MODULES if module == "sidecar.daemon.container" or module.startswith("sidecar.daemon.wire_")}

SERVICES = {
    "VaultIndex",
    "GraphService",
    "SearchService",
    "SemanticService",
    "BenchService",
    "VectorStore",
    "MocService",
    "IngestService",
    "ImageFetcher",
    "Intake",
    "WatchlistService",
    "ItemService",
    "AgentService",
    "MetabolismService",
    "Promotion",
    "Owner",
    "GitHistory",
    "JudgeService",
    "BriefService",
    "RunService",
    "SubscriptionFetcher",
    "NoteCache",
    "OpenVault",
    "Journal",
    "Fetcher",
    "VaultThread",
    "GitRepository",
    "GitCommits",
}


@pytest.mark.parametrize("module", [module for module in MODULES if module not in BUILDERS])
def test_only_the_container_builds_services(module: str) -> None:
    calls = {ast.unparse(node.func) for node in ast.walk(MODULES[module]) if isinstance(node, ast.Call)}
    assert set() == calls & SERVICES


@pytest.mark.parametrize("module", [module for module in MODULES if not _short(module).startswith(("daemon", "cli"))])
def test_nobody_below_knows_the_container(module: str) -> None:
    assert "sidecar.daemon.container" not in OURS[module]


@pytest.mark.parametrize("service", SERVICES_KNOWN)
def test_services_know_only_the_services_they_are_given(service: str) -> None:
    known = {_short(name) for name in OURS[f"sidecar.{service}"]} & SERVICES_KNOWN.keys()
    assert known <= SERVICES_KNOWN[service]


@pytest.mark.parametrize("module", MODULES)
def test_modules_and_functions_stay_readable_in_one_go(module: str) -> None:
    longest = max((node.end_lineno or 0 for node in MODULES[module].body), default=0)
    assert longest <= 400
    functions = [node for node in ast.walk(MODULES[module]) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    assert [] == [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= 80]


HEAVY = ["aiohttp", "httpx", "lxml", "trafilatura", "networkx", "numpy", "mistune", "pydantic", "sklearn", "jieba"]


@pytest.mark.parametrize("command", [["status"], ["search", "--help"], ["--help"]], ids=" ".join)
def test_a_client_command_starts_without_the_heavy_libraries(command: list[str], tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / ".kb").mkdir(parents=True)
    (vault / ".kb/protocol.json").write_text('{"version": 1, "vault_id": "00000000-0000"}')
    script = f"""
import sys
sys.argv = ["kb", *{command!r}]
from sidecar.cli.main import run
try:
    run()
except SystemExit:
    pass
print("loaded:", *[name for name in {HEAVY!r} if name in sys.modules])
"""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "KB_VAULT": str(vault), "XDG_STATE_HOME": str(tmp_path / "state")}
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert ran.stdout.splitlines()[-1] == "loaded:", ran.stderr[-2000:]
