"""Watches the vault's folder and reports, in bursts, which paths to look at again.

What happened to a path is not told: after a burst only its present state counts, so every order of an editor's temporary
files, renames and deletions ends right. Folders that come, go or open, and a queue of the system's that ran over, end in a
scan of the whole vault.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from sidecar.config import KB_FOLDER
from sidecar.vault.cloud import cloud_name
from sidecar.vault.excluded import EXCLUDED_PATH
from sidecar.vault.note import NotePath

OnBurst = Callable[[set[NotePath], bool], Awaitable[None]]
"""Given the paths of a burst and whether the whole vault must be scanned."""

OnPolling = Callable[[str], None]
"""Given why the system does not watch any more, and what to do."""

_LONGEST_WAIT_S = 1.0
_MANY = 200
_LONGEST_WAIT_FOR_MANY_S = 5.0
"""A checkout or a sync of many files is waited for, so that it is taken in at once."""
_POLL_S = 2.0
_IGNORED_EVENTS = frozenset({"opened", "closed_no_write"})
CONFIG_PATH = f"{KB_FOLDER}/config.toml"
_HIDDEN_REPORTED = frozenset({CONFIG_PATH, EXCLUDED_PATH})


class VaultWatcher:
    """Watches one vault.

    Args:
        settle_s: A burst ends when this long nothing more came, or after a second; of many files, after five.
        polling: Compare listings instead of asking the system; for network drives.
        on_polling: Told, on the event loop, when it has to begin to poll after it was started.
    """

    def __init__(
        self, root: Path, on_burst: OnBurst, settle_s: float, *, polling: bool, on_polling: OnPolling = lambda problem: None
    ) -> None:
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
        self._on_polling = on_polling
        self._refused: OSError | None = None
        self._is_started = False
        self._fallback: asyncio.Task[None] | None = None

    async def start(self) -> tuple[str, str]:
        """Begin to watch; give how (``native`` or ``polling``) and, if it had to fall back, why and what to do."""
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._report(), name="watcher")
        problem = ""
        if not self._polling:
            try:
                await self._replace(self._native())
            except OSError as error:
                self._refused = self._refused or error
            if self._refused is None:
                self._is_started = True
                return "native", ""
            problem = _explain(self._refused)
        await self._replace(PollingObserver(timeout=_POLL_S))
        self._is_started = True
        return "polling", problem

    async def renew(self) -> None:
        """Watch the folders that are there now; some were moved, could not be entered, or their disk was not mounted."""
        assert self._observer is not None, "renewed before it was started"
        polls = isinstance(self._observer, PollingObserver)
        await self._replace(PollingObserver(timeout=_POLL_S) if polls else self._native())

    def _native(self) -> BaseObserver:
        if sys.platform.startswith("linux"):
            from sidecar.vault.inotify import make_inotify_observer  # it loads on Linux only

            return make_inotify_observer(self._on_overflow, self._on_refused)
        return Observer()

    async def _replace(self, observer: BaseObserver) -> None:
        """Watch with ``observer`` from now on; the one before ends after it has begun, so that nothing falls in between."""
        old = self._observer
        await asyncio.to_thread(self._observe, observer)
        if old is not None:
            old.stop()
            await asyncio.to_thread(old.join, 5)

    def _on_overflow(self) -> None:
        self._call(self._take, set(), True)

    def _on_refused(self, error: OSError) -> None:
        """A new folder cannot be watched; what is watched already stays so until polling has begun."""
        self._refused = self._refused or error
        self._call(self._fall_back)

    def _fall_back(self) -> None:
        if self._is_started and self._fallback is None and self._refused is not None:
            self._fallback = asyncio.create_task(self._poll_from_now(_explain(self._refused)), name="watcher-falls-back")

    async def _poll_from_now(self, problem: str) -> None:
        await self._replace(PollingObserver(timeout=_POLL_S))
        self._on_polling(problem)
        self._take(set(), True)

    def _call(self, call: Callable[..., None], *args: object) -> None:
        """Run a call on the event loop, from the observer's thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has closed
                self._loop.call_soon_threadsafe(call, *args)

    def _observe(self, observer: BaseObserver) -> None:
        observer.schedule(_Handler(self._on_event), str(self._real_root), recursive=True)
        observer.start()
        self._observer = observer

    def _on_event(self, event: FileSystemEvent) -> None:
        """Take one event on the observer's thread."""
        if event.event_type in _IGNORED_EVENTS or (event.is_directory and event.event_type == "modified"):
            return
        paths = {path for name in (event.src_path, event.dest_path) if name and (path := self._relative(os.fsdecode(name)))}
        visible = {path for path in paths if path in _HIDDEN_REPORTED or not any(part.startswith(".") for part in path.split("/"))}
        if visible:
            self._call(self._take, visible, event.is_directory)

    def _relative(self, name: str) -> NotePath:
        path = Path(name)
        path = path.with_name(cloud_name(path.name)) if path.name.endswith(".icloud") else path
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
            begin = loop.time()
            while self._wake.is_set() and (left := begin + self._longest_wait_s() - loop.time()) > 0:
                self._wake.clear()
                await asyncio.sleep(min(self._settle_s, left))
            self._wake.clear()
            paths, self._paths = self._paths, set()
            rescan, self._rescan = self._rescan, False
            if paths or rescan:
                await self._on_burst(paths, rescan)

    def _longest_wait_s(self) -> float:
        return _LONGEST_WAIT_FOR_MANY_S if len(self._paths) > _MANY else _LONGEST_WAIT_S

    async def stop(self) -> None:
        """Stop watching; what was seen and not yet reported is left for the next start's scan."""
        if self._fallback is not None:
            await asyncio.wait([self._fallback])
        if self._observer is not None:
            observer = self._observer
            observer.stop()
            await asyncio.to_thread(observer.join, 5)
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])


def _explain(error: OSError) -> str:
    reason = os.strerror(error.errno) if error.errno else str(error)
    setting = "max_user_instances" if error.errno == errno.EMFILE else "max_user_watches"
    return f"The system refused to watch ({reason}); raise fs.inotify.{setting}. Looking every {_POLL_S:.0f} s instead."


class _Handler(FileSystemEventHandler):
    def __init__(self, on_event: Callable[[FileSystemEvent], None]) -> None:
        self._on_event = on_event

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._on_event(event)
