"""Starting again: at once when asked, later after each failure, never when it is no use."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from sidecar.daemon import supervise
from sidecar.daemon.supervise import Again, Supervisor, decide


def test_pauses_double_up_to_a_bound_and_begin_anew_after_a_good_run() -> None:
    pauses, failures = [], 0
    for _ in range(12):
        step = decide(1, 2.0, failures)
        assert step is not None
        failures = step.failures
        pauses.append(step.after_s)
    assert [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300] == pauses
    assert Again(1.0, 1) == decide(1, 3600.0, failures)
    assert Again(1.0, 1) == decide(-9, 3600.0, failures), "killed by the system"


@pytest.mark.parametrize("code", [0, 78])
def test_what_was_meant_and_what_starting_cannot_mend_end_it(code: int) -> None:
    assert decide(code, 1.0, 0) is None


def test_a_restart_that_was_asked_for_comes_at_once() -> None:
    assert Again(0.0, 0) == decide(75, 1.0, 7)


def test_a_failing_program_is_started_again_until_it_ends_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "_FIRST_S", 0.01)
    count = tmp_path / "count"
    script = f"import pathlib, sys; p = pathlib.Path({str(count)!r}); n = len(p.read_text()) if p.exists() else 0\n"
    script += "p.write_text('x' * (n + 1)); sys.exit([1, 75, 9, 0][n])"
    assert 0 == Supervisor([sys.executable, "-c", script]).run()
    assert "xxxx" == count.read_text()


def test_told_to_stop_it_ends_the_program_and_waits_for_it(tmp_path: Path) -> None:
    ready, ended = tmp_path / "ready", tmp_path / "ended"
    script = "import pathlib, signal, sys, time\n"
    script += f"def end(*_):\n    pathlib.Path({str(ended)!r}).touch(); sys.exit(0)\n"
    script += f"signal.signal(signal.SIGTERM, end); pathlib.Path({str(ready)!r}).touch(); time.sleep(30)\n"
    supervisor = Supervisor([sys.executable, "-c", script])

    def stop_soon() -> None:
        while not ready.exists():
            time.sleep(0.01)
        supervisor.stop()

    threading.Thread(target=stop_soon).start()
    assert 0 == supervisor.run()
    assert ended.exists()
