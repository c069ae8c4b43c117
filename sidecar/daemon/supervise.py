"""Keeping the sidecar alive where no service manager does: start it again when it fails, each time later."""

from __future__ import annotations

import contextlib
import logging
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

log = logging.getLogger("sidecar.supervise")

EXIT_RESTART, EXIT_CONFIG = 75, 78
_FIRST_S, _LONGEST_S = 1.0, 300.0
_STEADY_S = 60.0
"""Who ran so long has started well: the next failure counts as the first."""
_LAST_WORD_S = 20.0


@dataclass(frozen=True, slots=True)
class Again:
    """Start anew after a pause. ``failures``: how many in a row."""

    after_s: float
    failures: int


def decide(exit_code: int, ran_s: float, failures: int) -> Again | None:
    """Decide what follows the end of the sidecar; ``None``: nothing, since it was meant or starting again is no use."""
    if exit_code in (0, EXIT_CONFIG):
        return None
    if exit_code == EXIT_RESTART:
        return Again(0.0, 0)
    count = 1 if ran_s >= _STEADY_S else failures + 1
    return Again(min(_LONGEST_S, _FIRST_S * 2 ** min(count - 1, 20)), count)


class Supervisor:
    """Runs a command again and again, until it ends as meant or SIGTERM comes."""

    def __init__(self, command: Sequence[str], clock: Callable[[], float] = time.monotonic, **popen: Any) -> None:
        self._command = list(command)
        self._clock = clock
        self._popen = {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0), **popen}
        self._stop = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Give the exit code of the last run; 0 if it was told to stop."""
        for name in ("SIGTERM", "SIGINT"):
            with contextlib.suppress(ValueError, OSError):
                signal.signal(getattr(signal, name), lambda *_: self.stop())
        failures = 0
        while not self._stop.is_set():
            begun = self._clock()
            self._child = subprocess.Popen(self._command, **self._popen)
            if self._stop.is_set():  # told between the question and the start
                self.stop()
            code = self._child.wait()
            if self._stop.is_set():
                return 0
            step = decide(code, self._clock() - begun, failures)
            if step is None:
                return code
            failures = step.failures
            log.warning("the sidecar ended with %d; it is started again in %g s", code, step.after_s)
            self._stop.wait(step.after_s)
        return 0

    def stop(self) -> None:
        """Ask the sidecar to stop, and end it if it does not. May be called from a signal or another thread."""
        self._stop.set()
        child = self._child
        if child is not None and child.poll() is None:
            child.terminate()
            last = threading.Timer(_LAST_WORD_S, child.kill)
            last.daemon = True
            last.start()
