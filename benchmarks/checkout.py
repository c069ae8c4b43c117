"""How a real sidecar takes a real ``git checkout`` that changes half of its notes, and how it answers meanwhile.

Questions are a fair mix of what panes and people ask: status, a note's links, a search for ordinary words (none that is in every
note), a note's text. Each is asked of the running process over loopback, one after the other, 20 ms apart.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import subprocess
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.idle import serve
from sidecar.cli.client import RunningSidecar

SUMMARY = "a git checkout that changes half of the notes while a sidecar serves them"

_PAUSE_S = 0.02
_MOST_S = 120
_SYLLABLES = ("ka", "lo", "mi", "ren", "ta", "vo", "su", "bel", "dor", "fin", "gra", "hu", "jo", "nes", "pir", "que")
_SIGNS = "知识管理方法笔记系统学习思考写作阅读研究时间工作生活项目计划目标习惯"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)


def run(args: argparse.Namespace) -> dict[str, Any]:
    return measure(args.notes, args.runs)


def measure(notes: int, runs: int) -> dict[str, Any]:
    """Check out the other branch and back, ``runs`` times in all.

    Gives medians of the seconds from git's begin to the last change taken in and the map written (``settled_s``), of git alone, and
    the p95 and the worst of all waits in ms; by question the p95. ``notices`` are change notices for each checkout.
    """
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder), lambda root: write_branches(root, notes)) as (_, client, root):
        client.call("GET", "/api/kb/search", q="note")  # search is in use
        outcomes = [_checkout(client, root, branch, notes) for _, branch in zip(range(runs), itertools.cycle(("two", "one")), strict=False)]
    waits: dict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        for kind, wait in outcome["waits"]:
            waits[kind].append(wait)
    every = [wait for found in waits.values() for wait in found]
    return {
        "notes": notes,
        "changed": notes // 2,
        "git_s": round(statistics.median(outcome["git_s"] for outcome in outcomes), 2),
        "settled_s": round(statistics.median(outcome["settled_s"] for outcome in outcomes), 2),
        "notices": max(outcome["notices"] for outcome in outcomes),
        "questions": len(every),
        "api_p50_ms": round(statistics.median(every), 1),
        "api_p95_ms": round(_p95(every), 1),
        "api_worst_ms": round(max(every), 1),
        **{f"{kind}_p95_ms": round(_p95(found), 1) for kind, found in sorted(waits.items())},
    }


def _p95(waits: list[float]) -> float:
    return statistics.quantiles(waits, n=20)[-1]


def _checkout(client: RunningSidecar, root: Path, branch: str, notes: int) -> dict[str, Any]:
    since = int(client.call("GET", "/api/kb/events", since=0)["revision"])
    waits: list[tuple[str, float]] = []
    done = threading.Event()
    asker = threading.Thread(target=lambda: _ask(client, notes, waits, done))
    asker.start()
    begin = time.perf_counter()
    _git(root, "checkout", "-q", branch)
    git_s = time.perf_counter() - begin
    notices, kinds = 0, set[str]()
    while not {"note-changed", "moc-changed"} <= kinds and time.perf_counter() - begin < _MOST_S:
        answer = client.call("GET", "/api/kb/events", since=since, wait_s=5)
        since = int(answer["revision"])
        kinds |= {event["type"] for event in answer["events"]}
        notices += sum(event["type"] == "note-changed" and event["data"]["count"] > 1 for event in answer["events"])
    settled_s = time.perf_counter() - begin
    done.set()
    asker.join()
    time.sleep(3)  # the graph file of this checkout is no part of the next
    return {"git_s": git_s, "settled_s": settled_s, "notices": notices, "waits": waits}


def _ask(client: RunningSidecar, notes: int, waits: list[tuple[str, float]], done: threading.Event) -> None:
    chance = random.Random(1)
    words = _vocabulary()[60:600]
    for kind in itertools.cycle(("status", "search", "links", "entry", "search")):
        if done.is_set():
            return
        note = f"n/{(n := chance.randrange(notes)) % 50}/{n}.md"
        begin = time.perf_counter()
        match kind:
            case "status":
                client.call("GET", "/api/kb/status")
            case "search":
                client.call("GET", "/api/kb/search", q=" ".join(chance.sample(words, 2)))
            case "links":
                client.call("GET", "/api/kb/links", note=note)
            case _:
                client.call("GET", "/api/kb/entry", note=note)
        waits.append((kind, (time.perf_counter() - begin) * 1000))
        time.sleep(_PAUSE_S)


def write_branches(root: Path, notes: int) -> None:
    """Write a vault with two branches that differ in every second note; branch ``one`` is checked out."""
    _git(root, "init", "-q", "-b", "one")
    for number, text in _texts(notes, 0):
        path = root / f"n/{number % 50}/{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / ".gitignore").write_text(".kb/\nindex.md\n", encoding="utf-8")
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "one")
    _git(root, "checkout", "-qb", "two")
    for number, text in _texts(notes, 1):
        if number % 2:
            (root / f"n/{number % 50}/{number}.md").write_text(text, encoding="utf-8")
    _git(root, "commit", "-qam", "two")
    _git(root, "checkout", "-q", "one")


def _texts(notes: int, seed: int) -> Iterator[tuple[int, str]]:
    """Give notes of about 1.2 kB: words as frequent as in a language, a few signs of Chinese, a tag, a heading, four links."""
    chance = random.Random(seed)
    words = _vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    for number in range(notes):
        prose = [" ".join(chance.choices(words, cum_weights=weights, k=35)) for _ in range(4)]
        signs = "".join(chance.choices(_SIGNS, k=20))
        links = [f"[[{chance.randrange(notes)}]]" for _ in range(4)]
        paragraphs = "\n\n".join(f"{text} {link}" for text, link in zip(prose, links, strict=True))
        yield number, f"---\ntags: [t{number % 40}]\nupdated: 2026-0{seed + 1}-01\n---\n# Note {number}\n\n{paragraphs}\n\n{signs}\n"


def _vocabulary() -> list[str]:
    chance = random.Random(7)
    return list(dict.fromkeys("".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(6000)))


def _git(root: Path, *args: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false", "-c", "gc.auto=0")
    subprocess.run(["git", *identity, *args], cwd=root, check=True, stdout=subprocess.DEVNULL)
