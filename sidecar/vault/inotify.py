"""Linux's inotify through watchdog, made to say what it otherwise only logs or drops.

watchdog 7.1 rebuilds its watches after an overflow of the kernel's queue but names no file, and passes over a folder that the
kernel refuses to watch. Both leave the vault half watched, so both are told here.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from watchdog.observers.api import BaseObserver, EventQueue, ObservedWatch
from watchdog.observers.inotify import InotifyEmitter
from watchdog.observers.inotify_c import CallbackId, InotifyEvent, InotifyFD, Mask, WatchCallback, WatchDescriptor

log = logging.getLogger("sidecar")

_LIMITS = frozenset({errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM})


def make_inotify_observer(on_overflow: Callable[[], None], on_refused: Callable[[OSError], None]) -> BaseObserver:
    """Make an observer.

    Args:
        on_overflow: Told that the kernel dropped events: only a scan finds what they were.
        on_refused: Told that a limit keeps a folder from being watched. Both are called on the observer's thread.
    """
    return BaseObserver(partial(_Emitter, on_overflow=on_overflow, on_refused=on_refused))  # type: ignore[arg-type]


class _Emitter(InotifyEmitter):
    def __init__(
        self,
        event_queue: EventQueue,
        watch: ObservedWatch,
        *,
        on_overflow: Callable[[], None],
        on_refused: Callable[[OSError], None],
        **options: Any,
    ) -> None:
        # Its own descriptor: watchdog's shared one ends for all who use it when one event upsets its thread.
        self._own = _TellingFD(on_overflow, on_refused)
        self._own.start()
        super().__init__(event_queue, watch, inotify_fd=self._own, **options)
        self._on_overflow = on_overflow

    def on_thread_start(self) -> None:
        try:
            super().on_thread_start()
        except OSError:
            self._own.stop()
            raise
        group = self._inotify
        assert group is not None, "it was made just now"
        rebuild_watches = group.on_queue_overflow

        def on_queue_overflow() -> None:
            rebuild_watches()
            self._on_overflow()  # afterwards, so that the scan sees what came before the new watches

        group.on_queue_overflow = on_queue_overflow  # type: ignore[method-assign]

    def on_thread_stop(self) -> None:
        super().on_thread_stop()
        self._own.stop()


class _TellingFD(InotifyFD):
    """A queue of the kernel's that tells of limits before watchdog passes over them, and outlives an odd event."""

    def __init__(self, on_lost: Callable[[], None], on_refused: Callable[[OSError], None]) -> None:
        super().__init__()
        self._on_lost = on_lost
        self._on_refused = on_refused

    def _add_callback(self, path: bytes, mask: Mask, callback: WatchCallback, id_: CallbackId) -> WatchDescriptor:
        try:
            watch = self._get_or_create_watch(path, mask)
        except OSError as error:
            if error.errno in _LIMITS:
                self._on_refused(error)
            raise
        watch.callbacks[id_] = callback  # a folder that was moved out and came back still has one; watchdog 7.1 warns of it
        return watch.wd

    def handle_event(self, event: InotifyEvent) -> None:
        try:
            super().handle_event(event)
        except Exception:  # the thread must live on: without it nothing would be heard any more
            log.exception("an event of the system's could not be taken in")
            self._on_lost()
