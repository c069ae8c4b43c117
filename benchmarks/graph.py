"""What the panes' questions to the graph cost in a vault: back-links, mentions, related notes, hubs."""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sidecar.config import Config
from sidecar.daemon.container import open_cache, wire_vault
from sidecar.vault.files import VaultFiles

SUMMARY = "back-links, mentions, related notes and hubs: median and 95th of a hundred in milliseconds"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="a vault; it is copied, never written to")
    parser.add_argument("--notes", type=int, default=10_000, help="so many notes: the vault's, over and over in folders of their own")


def run(args: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        _multiply(args.path, root, args.notes)
        vault = wire_vault(VaultFiles(root), open_cache(None), Config)
        vault.open()
        vault.search.loaded()
        graph = vault.graph
        sample = random.Random(7).sample(sorted(vault.index.notes), min(300, len(vault.index.notes)))
        hubs = [hub.path for hub in graph.hubs(100)]  # no two questions about one note: its neighbours' texts are kept for a while
        questions: dict[str, tuple[Callable[[str], object], list[str]]] = {
            "backlinks": (graph.backlinks, sample),
            "backlinks_of_hubs": (graph.backlinks, hubs[:50]),
            "backlinks_of_hubs_page_of_20": (lambda path: graph.backlinks(path, 20), hubs[50:]),
            "mentions": (graph.mentions, sample),
            "mentions_of_hubs": (graph.mentions, hubs[:50]),
            "related": (graph.related, sample),
            "hubs_20": (lambda _: graph.hubs(20), sample),
        }
        times: dict[str, list[float]] = {name: [] for name in questions}
        graph.rebuild()  # texts that were kept are forgotten
        for n in range(len(sample)):  # in turns, so that another program's load falls on all alike
            for name, (ask, paths) in questions.items():
                if n < len(paths):
                    begin = time.perf_counter()
                    ask(paths[n])
                    times[name].append((time.perf_counter() - begin) * 1000)
    figures: dict[str, Any] = {"notes": len(vault.index.notes)}
    for name, measured in times.items():
        figures[f"{name}_median_ms"] = round(statistics.median(measured), 2)
        figures[f"{name}_p95_ms"] = round(sorted(measured)[int(len(measured) * 0.95)], 2)
    return figures


def _multiply(vault: Path, root: Path, notes: int) -> None:
    sources = sorted(path for path in vault.rglob("*.md") if not any(part.startswith(".") for part in path.relative_to(vault).parts))
    for n in range(notes):
        source = sources[n % len(sources)]
        target = root / f"copy {n // len(sources)}" / source.relative_to(vault)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
