"""The running sidecar: start, follow the vault, stop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import filelock
from aiohttp import web

from sidecar import PROTOCOL_VERSION, __version__
from sidecar.api.app import make_app
from sidecar.clock import clock_from_environment
from sidecar.config import load_config
from sidecar.daemon.bundle import console_folder
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.endpoint import Endpoint, find_endpoint, prepare_state_folder, remove_endpoint, write_endpoint
from sidecar.daemon.notify import Notifier
from sidecar.daemon.own_files import bring_back
from sidecar.daemon.protocol import read_vault_id
from sidecar.errors import ConfigError, PortTaken, SidecarError, SidecarRunning
from sidecar.graph.service import GRAPH_FILE
from sidecar.jobs import Settler
from sidecar.vault.changes import IndexDelta
from sidecar.vault.files import VaultFiles
from sidecar.vault.note import NotePath
from sidecar.vault.watcher import CONFIG_PATH, VaultWatcher

log = logging.getLogger("sidecar")

EXIT_RESTART = 75
_BATCH = 40
"""Some 25 ms of work, once they are read: a question waits no longer than that while a burst is taken in."""
_FEW = 4
"""So many files are read on the vault's thread at once: they are out sooner than by way of another."""
_GRAPH_FILE_QUIET_S = 1.0
_COMMIT_QUIET_S = 3.0
_COMMIT_AGAIN_S = 60.0
_NOTES_PER_QUIET_S = 5000
"""The larger the graph file, the less often it is written."""
_RESCAN_EVERY_S = 300.0
_LOOK_EVERY_S = 2.0
_MAX_CONNECTIONS = 64


class _StoppedError(Exception):
    """The process was asked to stop while it read the vault."""


class SidecarProcess:
    """One vault being served.

    Args:
        port: Port to listen on; 0 takes any free one.
        on_ready: Told the address of the console once the vault has been read.
        notifier: Tells a service manager how far it is.
    """

    def __init__(
        self, root: Path, port: int | None, on_ready: Callable[[str], None], *, is_service: bool, notifier: Notifier | None = None
    ) -> None:
        self._root = root
        self._wanted_port = port
        self._on_ready = on_ready
        self._is_service = is_service
        self._notifier = notifier or Notifier({})
        self._stop = asyncio.Event()
        self._exit_code = 0
        self._settlers: tuple[Settler, Settler]
        self._committer: Settler
        self._watcher: VaultWatcher

    async def run(self) -> int:
        """Serve until told to stop; give the exit code.

        Raises:
            SidecarRunning: Another sidecar serves this vault.
            PortTaken: The wanted port is in use.
            VaultError, ConfigError: See :func:`open_container`.
        """
        vault_id = read_vault_id(VaultFiles(self._root))
        lock = filelock.FileLock(prepare_state_folder(vault_id) / "lock")
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout as error:
            raise _already_served(vault_id) from error
        try:
            container = open_container(self._root, restart=self._restart, stop=self._end, is_service=self._is_service, keeps_history=True)
            try:
                await self._serve(container)
            finally:
                await container.close()
        finally:
            lock.release()
        return self._exit_code

    def _restart(self) -> None:
        self._exit_code = EXIT_RESTART
        asyncio.get_running_loop().call_later(0.2, self._stop.set)

    def _end(self) -> None:
        asyncio.get_running_loop().call_later(0.2, self._stop.set)

    async def _serve(self, container: Container) -> None:
        wanted = self._wanted_port if self._wanted_port is not None else container.config().server.port
        listener = _bind(wanted)
        port = int(listener.getsockname()[1])
        app = make_app(container.services, container.keys, port, console_folder())
        runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=2, access_log=None, keepalive_timeout=30)
        await runner.setup()
        await web.SockSite(runner, listener, backlog=_MAX_CONNECTIONS).start()
        url = f"http://127.0.0.1:{port}"
        services = container.services
        write_endpoint(
            Endpoint(url, container.keys.token, services.vault_id, str(self._root.resolve()), os.getpid(), __version__, PROTOCOL_VERSION)
        )
        self._take_signals()
        self._notifier.ready()
        alive = asyncio.create_task(self._notifier.keep_alive())
        self._settlers = (
            Settler(lambda: container.config().moc.settle_s, lambda: self._write_map(container)),
            Settler(
                lambda: max(_GRAPH_FILE_QUIET_S, len(container.vault.index.notes) / _NOTES_PER_QUIET_S),
                lambda: self._write_graph(container),
            ),
        )
        self._committer = Settler(lambda: _COMMIT_QUIET_S, lambda: self._commit(container))
        loop = asyncio.get_running_loop()
        container.commits.on_note = lambda: _later(loop, self._committer.touch)
        container.vault.on_change = lambda delta: _later(loop, lambda: self._announce(container, delta))
        watcher = VaultWatcher(
            self._root,
            lambda paths, rescan: self._on_burst(container, paths, rescan=rescan),
            container.config().watch.settle_s,
            polling=container.config().watch.polling,
            on_polling=lambda problem: self._polls(container, problem),
        )
        self._watcher = watcher
        try:
            # Watching begins before reading, so that nothing saved in between is missed.
            services.progress.watching, services.progress.problem = await watcher.start()
            if await self._open(container):
                self._on_ready(url)
                following = [asyncio.create_task(follow()) for follow in container.followers]
                try:
                    await self._until_stopped(container, watcher)
                finally:
                    services.intake.close()
                    for task in following:
                        task.cancel()
                    await asyncio.wait(following)
        finally:
            self._notifier.stopping()
            alive.cancel()
            services.events.close()
            await watcher.stop()
            try:
                for settler in (*self._settlers, self._committer):
                    await settler.finish()
                await container.commits.flush()
            finally:
                await runner.cleanup()
                remove_endpoint(services.vault_id, os.getpid())

    async def _open(self, container: Container) -> bool:
        """Read the vault; tell whether that came to its end, or the process was asked to stop meanwhile."""
        services, progress = container.services, container.services.progress
        self._notifier.say("reading notes")

        def tell(done: int, total: int) -> None:
            if self._stop.is_set():
                raise _StoppedError
            progress.done, progress.total = done, total

        try:
            report = await services.thread.run(container.vault.open, tell)
        except _StoppedError:
            return False
        progress.parsed, progress.reused = report.parsed, report.reused
        try:
            await services.thread.run(container.vault.refresh_moc)
        except SidecarError as error:  # the map can wait; questions can be answered all the same
            log.warning("%s", error.message)
        self._settlers[1].touch()
        progress.is_ready = True
        await services.thread.run(services.files.remove_leftovers, clock_from_environment()())
        services.events.publish("status", state="ready")
        self._notifier.say(f"{len(services.index.notes):,} notes")
        log.info("ready: %d files, %d notes parsed, %d from the cache", report.files, report.parsed, report.reused)
        return True

    async def _on_burst(self, container: Container, paths: set[NotePath], *, rescan: bool) -> None:
        services = container.services
        try:
            if services.files.folder_id() is None:  # all notes deleted by hand would leave .kb there
                services.progress.vault_problem = f"There is no vault at {self._root} any more. Bring it back to its place."
                return
            if CONFIG_PATH in paths:
                self._reload_config(container)
            wanted = sorted(paths - {CONFIG_PATH})
            # A burst may name thousands of files: the disk is asked on the vault's thread, not on the event loop.
            if rescan or await services.thread.run(lambda: any(map(services.files.is_link, wanted))):
                wanted = await self._rescan(container, wanted)
            whole = IndexDelta()
            try:
                # In batches, so that questions are answered in between; but told of once.
                for n in range(0, len(wanted), _BATCH):
                    part = wanted[n : n + _BATCH]
                    ahead = await asyncio.to_thread(services.index.read_ahead, part) if len(wanted) > _FEW else None
                    whole.add(await services.thread.run(container.vault.take, part, ahead))
            finally:
                await services.thread.run(container.vault.tell, whole)
        except SidecarError as error:
            log.warning("a change could not be taken in: %s", error.message)
        except Exception:  # one bad change must not end the watching
            log.exception("a change could not be taken in")

    async def _rescan(self, container: Container, wanted: list[NotePath]) -> list[NotePath]:
        services = container.services
        closed = set(services.files.closed)
        found = await services.thread.run(container.vault.index.rescan)
        if closed - services.files.closed.keys():  # nobody watched what could not be entered
            await self._watcher.renew()
            found += await services.thread.run(container.vault.index.rescan)
        return sorted({*wanted, *found})

    def _polls(self, container: Container, problem: str) -> None:
        log.warning("%s", problem)
        container.services.progress.watching, container.services.progress.problem = "polling", problem

    def _announce(self, container: Container, delta: IndexDelta) -> None:
        events = container.services.events
        events.publish("note-changed", paths=delta.paths[:100], count=len(delta.paths))
        events.publish("graph-changed", relinked=len(delta.relinked))
        self._touch_derived()
        container.services.semantic.touch()

    def _touch_derived(self) -> None:
        for settler in self._settlers:
            settler.touch()

    async def _write_map(self, container: Container) -> None:
        try:
            written = await container.services.thread.run(container.vault.refresh_moc)
        except SidecarError as error:
            log.warning("%s", error.message)
            return
        if written:
            container.services.events.publish("moc-changed", path=container.vault.moc.path)
            self._settlers[1].touch()

    async def _write_graph(self, container: Container) -> None:
        """Write ``.kb/index.json``: piece by piece, so that a save or a question never waits for the whole."""
        thread, graph = container.services.thread, container.vault.graph
        revision = graph.revision
        pieces = await thread.run(graph.file_parts)
        parts: list[bytes] = []
        while (part := await thread.run(next, pieces, None)) is not None:
            if graph.revision != revision:
                return  # the change that came in between has asked for another run
            parts.append(part)
        try:
            await asyncio.to_thread(container.services.files.write_own, GRAPH_FILE, b"".join(parts))
            await thread.run(container.vault.write_ingested)
        except SidecarError as error:
            log.warning("%s", error.message)

    async def _commit(self, container: Container) -> None:
        report = await container.commits.flush()
        progress = container.services.progress
        if report.outcome == "postponed":
            if not progress.git_problem:  # said once, not at each try
                log.warning("%s", container.commits.problem)
            asyncio.get_running_loop().call_later(_COMMIT_AGAIN_S, self._committer.touch)
        progress.git_problem = container.commits.problem

    def _reload_config(self, container: Container) -> None:
        try:
            container.config.current = load_config(self._root)
            container.services.progress.config_problem = ""
            self._touch_derived()
        except ConfigError as error:  # the settings in force stay in force
            container.services.progress.config_problem = f"{error.message} {error.fix}"
            log.warning("%s", error.message)

    async def _until_stopped(self, container: Container, watcher: VaultWatcher) -> None:
        """Scan the vault now and then, and look more often whether it is still the folder that is watched."""
        services, loop = container.services, asyncio.get_running_loop()
        watched = services.files.folder_id()
        scanned_at = loop.time()
        while not self._stop.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY_S):
                    await self._stop.wait()
            found = services.files.folder_id()
            is_back = found is not None and (found != watched or bool(services.progress.vault_problem))
            if is_back:
                try:
                    await watcher.renew()
                    watched, services.progress.vault_problem = found, ""
                except OSError as error:  # away once more, or the system refuses; the next look tries again
                    log.warning("the vault cannot be watched again: %s", error)
            elif found is not None and await asyncio.to_thread(bring_back, services.files, services.vault_id):
                log.warning("the sidecar's own files were deleted; they are written again")
                self._touch_derived()
            if not self._stop.is_set() and (found is None or is_back or loop.time() - scanned_at > _RESCAN_EVERY_S):
                scanned_at = loop.time()
                await self._on_burst(container, set(), rescan=True)

    def _take_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGINT"):
            with contextlib.suppress(NotImplementedError, ValueError):  # Windows; not the main thread
                loop.add_signal_handler(getattr(signal, name), self._stop.set)


def _already_served(vault_id: str) -> SidecarRunning:
    other = find_endpoint(vault_id)
    where = f": process {other.pid}, at {other.url}" if other else ""
    fix = "Use it: kb open. To see how it is: kb status; if it runs as a login item: kb service status"
    return SidecarRunning(f"A sidecar already serves this vault{where}.", fix=fix, pid=other.pid if other else None)


def _later(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Run a call on the event loop, from another thread."""
    loop.call_soon_threadsafe(call)


def _bind(port: int) -> socket.socket:
    if not 0 <= port <= 65_535:
        raise ConfigError(f"{port} is no port.", fix="Give a number up to 65535, or 0 for any free port.", key="server.port")
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise PortTaken(
                f"Port {port} is taken or not allowed.",
                fix="Choose another: --port, or [server] port in .kb/config.toml; 0 takes any free one.",
                port=port,
            ) from error
        raise
    return listener
