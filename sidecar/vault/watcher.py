"""Watches the vault's folder and reports, in bursts, which paths to look at again.

What happened to a path is not told: after a burst only its present state counts, so every order of an editor's temporary
files, renames and deletions ends right. Renamed folders end in a scan of the whole vault;
events that the system dropped are made good by the scan that the process makes every few minutes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from sidecar.config import KB_FOLDER
from sidecar.vault.note import NotePath

OnBurst = Callable[[set[NotePath], bool], Awaitable[None]]
"""Given the paths of a burst and whether the whole vault must be scanned."""

_LONGEST_WAIT_S = 1.0
_IGNORED_EVENTS = frozenset({"opened", "closed_no_write"})
CONFIG_PATH = f"{KB_FOLDER}/config.toml"
"""The one hidden file that is reported."""


class VaultWatcher:
    """Watches one vault.

    Args:
        settle_s: A burst ends when this long nothing more came, or after a second.
        polling: Compare listings instead of asking the system; for network drives.
    """

    def __init__(self, root: Path, on_burst: OnBurst, settle_s: float, *, polling: bool) -> None:
        self._root = root
        self._real_root = root.resolve()
        self._on_burst = on_burst
        self._settle_s = settle_s
        self._polling = polling
        self._loop: asyncio.AbstractEventLoop | None = None
        self._paths: set[NotePath] = set()
        self._rescan = False
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._observer: BaseObserver | None = None

    async def start(self) -> tuple[str, str]:
        """Begin to watch; give how (``native`` or ``polling``) and, if it had to fall back, why and what to do."""
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._report(), name="watcher")
        if not self._polling:
            try:
                await asyncio.to_thread(self._observe, Observer())
            except OSError as error:
                reason = os.strerror(error.errno) if error.errno else str(error)
                await asyncio.to_thread(self._observe, PollingObserver(timeout=2))
                return "polling", f"The system refused to watch ({reason}); raise fs.inotify.max_user_watches. Looking every 2 s instead."
            return "native", ""
        await asyncio.to_thread(self._observe, PollingObserver(timeout=2))
        return "polling", ""

    async def renew(self) -> None:
        """Watch the folder that is at the vault's place now; the one watched so far was moved or its disk unmounted."""
        old = self._observer
        assert old is not None, "renewed before it was started"
        await asyncio.to_thread(self._observe, PollingObserver(timeout=2) if isinstance(old, PollingObserver) else Observer())
        old.stop()
        await asyncio.to_thread(old.join, 5)

    def _observe(self, observer: BaseObserver) -> None:
        observer.schedule(_Handler(self._on_event), str(self._real_root), recursive=True)
        observer.start()
        self._observer = observer

    def _on_event(self, event: FileSystemEvent) -> None:
        """Take one event on the observer's thread."""
        if event.event_type in _IGNORED_EVENTS or (event.is_directory and event.event_type == "modified"):
            return
        paths = {path for name in (event.src_path, event.dest_path) if name and (path := self._relative(os.fsdecode(name)))}
        visible = {path for path in paths if path == CONFIG_PATH or not any(part.startswith(".") for part in path.split("/"))}
        if visible and self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has closed
                self._loop.call_soon_threadsafe(self._take, visible, event.is_directory)

    def _relative(self, name: str) -> NotePath:
        path = Path(name)
        return path.relative_to(self._real_root).as_posix() if path.is_relative_to(self._real_root) else ""

    def _take(self, paths: set[NotePath], is_directory: bool) -> None:
        self._rescan |= is_directory
        if not is_directory:
            self._paths |= paths
        self._wake.set()

    async def _report(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            deadline = loop.time() + _LONGEST_WAIT_S
            while self._wake.is_set() and loop.time() < deadline:
                self._wake.clear()
                await asyncio.sleep(min(self._settle_s, max(deadline - loop.time(), 0)))
            self._wake.clear()
            paths, self._paths = self._paths, set()
            rescan, self._rescan = self._rescan, False
            if paths or rescan:
                await self._on_burst(paths, rescan)

    async def stop(self) -> None:
        """Stop watching; what was seen and not yet reported is left for the next start's scan."""
        if self._observer is not None:
            observer = self._observer
            observer.stop()
            await asyncio.to_thread(observer.join, 5)
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])


class _Handler(FileSystemEventHandler):
    def __init__(self, on_event: Callable[[FileSystemEvent], None]) -> None:
        self._on_event = on_event

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._on_event(event)
