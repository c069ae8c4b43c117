"""Lives through simulated days in a process of its own and tells, day by day, what it holds: ``python soak_days.py DAYS NOTES EDITS``."""

from __future__ import annotations

import gc
import json
import os
import random
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sidecar.daemon.container as container_module
from sidecar.daemon.in_process import InProcess
from sidecar.daemon.init import init_vault

WORDS = "garden soil compost nettle path water 土壤 花园 堆肥 知识库 笔记 链接 slow year season wall bed seed".split()


def main(days: int, notes: int, edits: int) -> None:
    dice = random.Random(7)
    now = [datetime(2026, 1, 1, 9, tzinfo=UTC)]
    container_module.clock_from_environment = lambda: lambda: now[0]  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        root = Path(folder) / "vault"
        root.mkdir()
        for n in range(notes):
            _write(root, n, dice, notes)
        init_vault(root, "en")
        vault = InProcess(root)
        vault.call("GET", "/api/kb/search", {"q": "garden"})
        for _ in range(days):
            now[0] += timedelta(days=1)
            _live_a_day(vault, root, dice, notes, edits)
            gc.collect()
            held = {"rss_kb": _rss_kb(), "descriptors": sum(1 for _ in Path("/proc/self/fd").iterdir()), "objects": len(gc.get_objects())}
            sys.stdout.write(json.dumps(held) + "\n")
        vault.close()


def _live_a_day(vault: InProcess, root: Path, dice: random.Random, notes: int, edits: int) -> None:
    opened = vault._container
    assert opened is not None
    for n in dice.sample(range(notes), edits):
        path = root / f"n{n}.md"
        if dice.random() < 0.2 and path.exists():
            path.unlink()
            vault._loop.run_until_complete(opened.services.thread.run(opened.vault.apply, [path.name]))
        _write(root, n, dice, notes)
        vault._loop.run_until_complete(opened.services.thread.run(opened.vault.apply, [path.name]))
        vault.call("GET", "/api/kb/search", {"q": " ".join(dice.sample(WORDS, 2))})
        vault.call("GET", "/api/kb/links", {"note": path.name})
        vault.call("GET", "/api/kb/entry", {"note": path.name})
    for kind in ("hubs", "orphans", "tags", "unresolved"):
        vault.call("GET", "/api/kb/list", {"kind": kind})
    vault.call("GET", "/api/kb/graph", {})
    vault.call("POST", "/api/kb/moc", {})
    vault.call("GET", "/api/kb/status", {})


def _write(root: Path, n: int, dice: random.Random, notes: int) -> None:
    lines = [" ".join(dice.choices(WORDS, k=12)) + f" [[n{dice.randrange(notes)}]]" for _ in range(8)]
    (root / f"n{n}.md").write_text(f"---\ntags: [{dice.choice(WORDS)}]\n---\n" + "\n".join(lines) + "\n", encoding="utf-8")


def _rss_kb() -> int:
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
