"""What a real sidecar costs while nobody touches the vault, and how it answers while thousands of files change."""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sidecar.cli.client import RunningSidecar, find_running
from sidecar.daemon.init import init_vault

SUMMARY = "CPU and memory of a sidecar that nobody asks; with --checkout, half of the notes change at once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--checkout", action="store_true")


def run(args: argparse.Namespace) -> dict[str, Any]:
    return measure_checkout(args.notes) if args.checkout else measure_idle(args.notes, args.seconds)


def measure_idle(notes: int, seconds: float) -> dict[str, float]:
    """Give the share of one core used in ``seconds`` (percent), and resident memory in MB (Linux only)."""
    with tempfile.TemporaryDirectory() as folder, _serve(Path(folder), notes) as (process, _, _):
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


def measure_checkout(notes: int) -> dict[str, float]:
    """Rewrite half of the notes at once; give seconds to settled, change notices, and the API's p95 meanwhile in ms."""
    with tempfile.TemporaryDirectory() as folder, _serve(Path(folder), notes) as (_, client, root):
        client.call("GET", "/api/kb/search", q="note")
        since = int(client.call("GET", "/api/kb/events", since=0)["revision"])
        changed = sorted(root.glob("n/**/*.md"))[: notes // 2]
        waits: list[float] = []
        done = threading.Event()

        def ask() -> None:
            while not done.is_set():
                begin = time.perf_counter()
                client.call("GET", "/api/kb/search", q="note")
                waits.append((time.perf_counter() - begin) * 1000)
                time.sleep(0.02)

        asker = threading.Thread(target=ask)
        asker.start()
        begin = time.perf_counter()
        for n, path in enumerate(changed):
            path.write_text(f"# Changed {n}\n\nother words [[{n + 1}]] 知识 note\n", encoding="utf-8")
        notices, is_settled = 0, False
        while not is_settled and time.perf_counter() - begin < 60:
            answer = client.call("GET", "/api/kb/events", since=since, wait_s=5)
            since = int(answer["revision"])
            kinds = [event["type"] for event in answer["events"]]
            notices += kinds.count("note-changed")
            is_settled = "moc-changed" in kinds
        settled_s = time.perf_counter() - begin
        done.set()
        asker.join()
    p95 = statistics.quantiles(waits, n=20)[-1]
    return {"notes": notes, "changed": len(changed), "settled_s": round(settled_s, 2), "notices": notices, "api_p95_ms": round(p95, 1)}


@contextmanager
def _serve(folder: Path, notes: int) -> Iterator[tuple[subprocess.Popen[bytes], RunningSidecar, Path]]:
    root = folder / "vault"
    root.mkdir()
    init_vault(root, "en")
    for n in range(notes):
        path = root / "n" / str(n % 50) / f"{n}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\ntags: [t{n % 40}]\n---\n# Note {n}\n\n" + f"words of note {n} 知识库 [[{n * 7 % notes}]]\n" * 8, encoding="utf-8"
        )
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
