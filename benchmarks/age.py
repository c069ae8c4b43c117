"""How long the git pass takes that tells when each note was last changed: cold, and when one commit was added."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

from sidecar.clock import system_clock
from sidecar.config import Config
from sidecar.daemon.container import open_container
from sidecar.daemon.init import init_vault
from sidecar.metabolism.service import MetabolismService
from sidecar.store.git_history import GitHistory

SUMMARY = "the git pass over 10,000 notes and 5,000 commits"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--commits", type=int, default=5_000)


def run(args: argparse.Namespace) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        root.mkdir()
        _make(root, args.notes, args.commits)
        init_vault(root, "en")
        container = open_container(root)
        (root / ".kb/cache").mkdir(exist_ok=True)
        figures: dict[str, float] = {"notes": args.notes, "commits": args.commits}
        begin = time.perf_counter()
        words = ["git", "log", "-z", "--raw", "--no-abbrev", "--find-renames", "--topo-order"]
        subprocess.run(words, cwd=root, stdout=subprocess.DEVNULL, check=True)
        figures["git_log_alone_s"] = round(time.perf_counter() - begin, 2)
        for name in ("cold", "same", "one_more"):
            if name == "one_more":
                (root / "1/n1.md").write_text("Changed once more.\n")
                _git(root, "commit", "-qam", "one more")
            service = _service(container, root)
            begin = time.perf_counter()
            service.look_at_git()
            figures[f"{name}_s"] = round(time.perf_counter() - begin, 2)
        container.vault.close()
        container.services.thread.close()
        container.services.item_thread.close()
        return figures


def _service(container: object, root: Path) -> MetabolismService:
    services = container.services  # type: ignore[attr-defined]
    journal = services.metabolism._journal
    return MetabolismService(services.index, services.graph, journal, GitHistory(root), Config, system_clock, root / ".kb/cache")


def _git(root: Path, *words: str, given: bytes = b"") -> None:
    subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *words], cwd=root, input=given, check=True, capture_output=True)


def _make(root: Path, notes: int, commits: int) -> None:
    """Import a history through git's own fast channel: all notes, then commits of two notes each."""
    _git(root, "init", "-q", "-b", "main")
    now = int(time.time())
    parts = [f"commit refs/heads/main\ncommitter A <a@b.c> {now - commits * 3600} +0000\ndata 1\nx\n".encode()]
    parts += [_file(n, f"Note {n}, written for a measurement.\n" * 10) for n in range(notes)]
    for n in range(commits):
        parts.append(f"commit refs/heads/main\ncommitter A <a@b.c> {now - (commits - n) * 3600} +0000\ndata 1\nx\n".encode())
        parts += [_file((n * 7 + k) % notes, f"Note, changed in {n}.\n" * 10) for k in range(2)]
    _git(root, "fast-import", "--quiet", given=b"".join(parts))
    _git(root, "reset", "-q", "--hard", "main")


def _file(n: int, text: str) -> bytes:
    data = text.encode()
    return f"M 100644 inline {n % 100}/n{n}.md\ndata {len(data)}\n".encode() + data + b"\n"
