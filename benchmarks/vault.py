"""How long a vault takes to open, cold and warm, and what one save and one search cost."""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sidecar.config import Config
from sidecar.daemon.container import open_cache, wire_vault
from sidecar.daemon.open_vault import OpenVault
from sidecar.vault.files import VaultFiles

SUMMARY = "cold start, warm start, one save, one search"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="a vault; it is copied, never written to")
    parser.add_argument("--runs", type=int, default=5)


def run(args: argparse.Namespace) -> dict[str, Any]:
    return measure(args.path, args.runs)


def measure(vault: Path, runs: int) -> dict[str, float]:
    """Give medians in milliseconds, and the ratio of a warm to a cold start."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        shutil.copytree(vault, root, copy_function=shutil.copyfile)
        cold = [_open(root, Path(folder) / f"cold-{n}.sqlite")[0] for n in range(runs)]
        warm_cache = Path(folder) / "warm.sqlite"
        _open(root, warm_cache)
        warm = [_open(root, warm_cache)[0] for _ in range(runs)]
        _, opened = _open(root, warm_cache)
        first_search = _timed(lambda: opened.search.search("知识 note"))
        search = [_timed(lambda: opened.search.search("知识 note")) for _ in range(runs * 4)]
        saves: list[float] = []
        for n in range(runs * 4):
            (root / "benchmark.md").write_text(f"# Save {n}\n\n[[index]] 第 {n} 次\n", encoding="utf-8")
            saves.append(_timed(lambda: opened.apply(["benchmark.md"])))
        notes = len(opened.index.notes)
    return {
        "notes": notes,
        "cold_start_ms": round(statistics.median(cold), 1),
        "warm_start_ms": round(statistics.median(warm), 1),
        "warm_to_cold": round(statistics.median(warm) / statistics.median(cold), 3),
        "first_search_ms": round(first_search, 1),
        "search_ms": round(statistics.median(search), 2),
        "save_ms": round(statistics.median(saves), 2),
    }


def _open(root: Path, cache_path: Path) -> tuple[float, OpenVault]:
    begin = time.perf_counter()
    vault = wire_vault(VaultFiles(root), open_cache(cache_path), Config)
    vault.open()
    return (time.perf_counter() - begin) * 1000, vault


def _timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return (time.perf_counter() - begin) * 1000
