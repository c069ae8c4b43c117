"""Linux's inotify through watchdog, made to say what it otherwise only logs or drops.

watchdog 7.1 rebuilds its watches after an overflow of the kernel's queue but names no file, and passes over a folder that the
kernel refuses to watch. Both leave the vault half watched, so both are told here.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import partial
from typing import Any

from watchdog.observers.api import BaseObserver, EventQueue, ObservedWatch
from watchdog.observers.inotify import InotifyEmitter
from watchdog.observers.inotify_c import InotifyFD

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
        super().__init__(event_queue, watch, inotify_fd=_TellingFD(InotifyFD.get_instance(), on_refused), **options)  # type: ignore[arg-type]
        self._on_overflow = on_overflow

    def on_thread_start(self) -> None:
        super().on_thread_start()
        group = self._inotify
        assert group is not None, "it was made just now"
        rebuild_watches = group.on_queue_overflow

        def on_queue_overflow() -> None:
            rebuild_watches()
            self._on_overflow()  # afterwards, so that the scan sees what came before the new watches

        group.on_queue_overflow = on_queue_overflow  # type: ignore[method-assign]


class _TellingFD:
    """The shared descriptor, which tells of limits before watchdog passes over them."""

    def __init__(self, real: InotifyFD, on_refused: Callable[[OSError], None]) -> None:
        self._real = real
        self._on_refused = on_refused

    def add_callback(self, *args: Any) -> Any:
        try:
            return self._real.add_callback(*args)
        except OSError as error:
            if error.errno in _LIMITS:
                self._on_refused(error)
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)
