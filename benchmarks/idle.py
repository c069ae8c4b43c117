"""What a real sidecar costs while nobody touches the vault."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sidecar.cli.client import RunningSidecar, find_running
from sidecar.daemon.init import init_vault

SUMMARY = "CPU and memory of a sidecar that nobody asks"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)


def run(args: argparse.Namespace) -> dict[str, Any]:
    return measure_idle(args.notes, args.seconds)


def measure_idle(notes: int, seconds: float) -> dict[str, float]:
    """Give the share of one core used in ``seconds`` (percent), and resident memory in MB (Linux only)."""
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder), lambda root: _write_notes(root, notes)) as (process, _, _):
        _until_quiet(process.pid)
        begin, used = time.monotonic(), _cpu_s(process.pid)
        time.sleep(seconds)
        share = (_cpu_s(process.pid) - used) / (time.monotonic() - begin)
        return {
            "notes": notes,
            "seconds": seconds,
            "idle_cpu_percent": round(100 * share, 3),
            "resident_mb": round(_rss_mb(process.pid), 1),
        }


@contextmanager
def serve(folder: Path, write: Callable[[Path], None]) -> Iterator[tuple[subprocess.Popen[bytes], RunningSidecar, Path]]:
    """Serve a new vault with the notes that ``write`` writes; give the process, a client once it is ready, and the vault."""
    root = folder / "vault"
    root.mkdir()
    write(root)
    init_vault(root, "en")
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    os.environ["XDG_STATE_HOME"] = environment["XDG_STATE_HOME"]
    command = [sys.executable, "-m", "sidecar.cli.main", "serve", "--vault", str(root)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not ((found := find_running(root)) and RunningSidecar(found).call("GET", "/api/kb/status")["state"] == "ready"):
            time.sleep(0.2)
        yield process, RunningSidecar(found), root
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(root, ignore_errors=True)


def _write_notes(root: Path, notes: int) -> None:
    for n in range(notes):
        path = root / "n" / str(n % 50) / f"{n}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\ntags: [t{n % 40}]\n---\n# Note {n}\n\n" + f"words of note {n} 知识库 [[{n * 7 % notes}]]\n" * 8, encoding="utf-8"
        )


def _until_quiet(pid: int) -> None:
    """Wait for the work that follows a start: the graph file is written once the vault has been quiet."""
    for _ in range(60):
        used = _cpu_s(pid)
        time.sleep(2)
        if _cpu_s(pid) - used < 0.03:
            return


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _rss_mb(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
