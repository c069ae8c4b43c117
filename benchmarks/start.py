"""How long a client command takes, whole process: the time that a person waits for a prompt, and a hook for its context."""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from sidecar.daemon.init import init_vault

SUMMARY = "start of a client command, whole process"
_COMMANDS = (("--version",), ("status",), ("secrets", "list"), ("search", "--help"), ("status", "--json"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=15)


def run(args: argparse.Namespace) -> dict[str, float]:
    """Give the median of wall-clock and of CPU milliseconds of each command, and of Python that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        init_vault(root, "en")
        environment = {**os.environ, "KB_VAULT": str(root), "XDG_STATE_HOME": folder, "HOME": folder}
        kb = Path(sys.executable).with_name("kb")
        program = [str(kb)] if kb.exists() else [sys.executable, "-m", "sidecar.cli.main"]
        figures: dict[str, float] = {}
        for name, command in [
            ("python -c pass", [sys.executable, "-c", "pass"]),
            *((" ".join(words), [*program, *words]) for words in _COMMANDS),
        ]:
            _time(command, environment)
            times = [_time(command, environment) for _ in range(args.runs)]
            figures[f"{name}, ms"] = round(median(wall for wall, _ in times), 1)
            figures[f"{name}, CPU ms"] = round(median(cpu for _, cpu in times), 1)
        return figures


def _time(command: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    subprocess.run(command, env=environment, capture_output=True, check=False)
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000
