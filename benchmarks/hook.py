"""How long an agent waits for ``kb hook prompt``, whole process, beside a bare start of Python; a sidecar serves the vault."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.made_vault import add_folder, make_vault
from sidecar.daemon.init import init_vault

SUMMARY = "kb hook prompt at 10,000 notes, whole process"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=60)


def run(args: argparse.Namespace) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        make_vault(args.path, root, args.notes)
        init_vault(root, "en")
        command = [sys.executable, "-m", "sidecar.cli.entry", "serve", "--vault", str(root)]
        serving = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert serving.stdout is not None
        serving.stdout.readline()
        try:
            prompts = ["How does git rebase work?", "知识管理怎么做", "fix the failing test in this file", "Tell me about Zettelkasten"]
            for prompt in prompts:
                _hook(root, prompt)
                time.sleep(0.5)
            found = [_hook(root, prompts[n % len(prompts)]) for n in range(args.runs)]
            bare = [_timed([sys.executable, "-c", "pass"], "") for _ in range(args.runs // 2)]
        finally:
            serving.terminate()
            serving.wait()
    ordered = sorted(found)
    return {
        "notes": args.notes,
        "hook_p50_ms": round(statistics.median(ordered)),
        "hook_p95_ms": round(ordered[int(len(ordered) * 0.95) - 1]),
        "python_alone_p50_ms": round(statistics.median(bare)),
        "ratio_to_python": round(statistics.median(ordered) / statistics.median(bare), 2),
    }


def _hook(root: Path, prompt: str) -> float:
    return _timed([sys.executable, "-m", "sidecar.cli.entry", "hook", "prompt", "--vault", str(root)], json.dumps({"prompt": prompt}))


def _timed(command: list[str], given: str) -> float:
    begin = time.perf_counter()
    subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    return (time.perf_counter() - begin) * 1000
