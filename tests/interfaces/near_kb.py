"""``kb`` in the tests' own process: the same commands without the cost of starting Python for each."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.cli.main import main
from tests.interfaces.test_cli_kb import ROOT, Done, Kb, bytes_of, eventually, make
from tests.interfaces.test_cli_kb import vault as vault

__all__ = ["Done", "Kb", "NearKb", "bytes_of", "eventually", "kb", "make", "vault"]


class NearKb(Kb):
    """Runs a command by calling it, with an environment and a working folder of its own; ``serve`` still starts a process."""

    def __call__(self, *args: str | Path, cwd: Path | None = None, before: Callable[[], None] | None = None, **environment: str) -> Done:
        assert before is None, "what happens before a start needs a process"
        words = list(map(str, args))
        kept, kept_argv, here = dict(os.environ), sys.argv, Path.cwd()
        out, err = io.StringIO(), io.StringIO()
        os.environ.clear()
        os.environ.update({**self.environment, **environment})
        sys.argv = ["kb", *words]
        try:
            os.chdir(cwd or self.cwd)
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main(words)
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            os.chdir(here)
            sys.argv = kept_argv
            os.environ.clear()
            os.environ.update(kept)
        return Done(code, out.getvalue(), err.getvalue())


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Kb]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    found = NearKb(environment, tmp_path)
    yield found
    for process in found.serving:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=20)
