"""How long a run of many subscriptions takes, first and unchanged, and how fast a large library answers.

Feeds are served on many addresses of this machine, each a site of its own for the pacing; everything else is as in use.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sidecar.api.operations import find_operation
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.init import init_vault
from sidecar.items.item import item_id
from sidecar.net import guard

SUMMARY = "a run of 1,000 feeds, and a library of 100,000 items"

_SERVER = """
import hashlib, sys
from aiohttp import web
ENTRIES = int(sys.argv[1])
async def feed(request):
    name = request.match_info["name"]
    etag = '"' + name + '"'
    if request.headers.get("If-None-Match") == etag:
        raise web.HTTPNotModified
    items = "".join(
        f"<item><guid>{name}-{n}</guid><title>Entry {n} of {name}: {hashlib.md5(f'{name}{n}'.encode()).hexdigest()}</title>"
        f"<link>http://example.org/{name}/{n}</link><pubDate>Sun, 01 Nov 2026 0{n % 10}:00:00 GMT</pubDate>"
        f"<description>&lt;p&gt;{'Some words about agents and gardens. ' * 12}&lt;/p&gt;</description></item>" for n in range(ENTRIES))
    text = f"<rss version='2.0'><channel><title>Feed {name}</title>{items}</channel></rss>"
    return web.Response(text=text, content_type="application/rss+xml", headers={"ETag": etag})
app = web.Application()
app.router.add_get("/{name}", feed)
web.run_app(app, host="0.0.0.0", port=int(sys.argv[2]), print=None, access_log=None)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--feeds", type=int, default=1000)
    parser.add_argument("--entries", type=int, default=30)
    parser.add_argument("--items", type=int, default=100_000)


def run(args: argparse.Namespace) -> dict[str, float]:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        port = 18_431
        os.environ["KB_ALLOW_LOOPBACK"] = str(port)
        server = subprocess.Popen([sys.executable, "-c", _SERVER, str(args.entries), str(port)])
        try:
            time.sleep(1.5)
            figures |= asyncio.run(_runs(Path(folder) / "runs", args.feeds, port))
        finally:
            server.terminate()
            server.wait()
        figures |= asyncio.run(_library(Path(folder) / "library", args.items))
    return figures


def _vault(root: Path, preference: str) -> Container:
    root.mkdir()
    init_vault(root, "en")
    (root / ".kb/preference.yaml").write_text(preference, encoding="utf-8")
    (root / ".kb/config.toml").write_text('[judge]\nchannel = "none"\n[git]\nautocommit = false\n', encoding="utf-8")
    return open_container(root)


def _let_all_loopback_through() -> None:
    """Many addresses, as many sites: the product itself lets a single one through, and for tests only."""
    guard.is_test_address = lambda address: address.startswith("127.")


async def _runs(root: Path, feeds: int, port: int) -> dict[str, float]:
    _let_all_loopback_through()
    lines = ["themes: [{group: A, any: [agents]}]", "auto_ingest_top: 0", "sources:"]
    lines += [f"  - {{id: f{n}, url: 'http://127.0.{n // 200 + 1}.{n % 200 + 1}:{port}/f{n}'}}" for n in range(feeds)]
    container = _vault(root, "\n".join(lines) + "\n")
    await container.services.thread.run(container.vault.open)
    found: dict[str, float] = {"feeds": feeds}
    for name in ("first", "unchanged"):
        cpu, begin = time.process_time(), time.perf_counter()
        done = await container.services.runs.run("manual", lambda step, details: None)
        found[f"{name}_s"] = round(time.perf_counter() - begin, 1)
        found[f"{name}_cpu_s"] = round(time.process_time() - cpu, 1)
        found[f"{name}_new"] = done["new"]
        found[f"{name}_failed"] = sum(one["status"] not in ("ok", "unchanged") for one in done["per_sub"].values())
    found["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    await container.close()
    return found


async def _library(root: Path, count: int) -> dict[str, float]:
    container = _vault(root, "sources: []\n")
    items = container.services.items
    now = datetime(2026, 11, 1, tzinfo=UTC)
    begin = time.perf_counter()
    for start in range(0, count, 5000):
        await container.services.item_thread.run(items.write, "items", [_record(n, now) for n in range(start, min(start + 5000, count))])
    found: dict[str, float] = {"items": count, "write_s": round(time.perf_counter() - begin, 1)}
    questions: dict[str, dict[str, Any]] = {
        "list": {}, "page_200": {"offset": 10_000}, "facet": {"subscription": "s7", "kind": "video"}, "search": {"q": "entry 4711"},
        "theme_by_weight": {"theme": "A", "sort": "weight"},
    }  # fmt: skip
    operation = find_operation("GET", "/api/kb/items")
    assert operation is not None
    for name, parameters in questions.items():
        times = []
        for _ in range(15):
            begin = time.perf_counter()
            await operation.run(container.services, operation.request.model_validate(parameters))
            times.append((time.perf_counter() - begin) * 1000)
        found[f"{name}_p50_ms"] = round(statistics.median(times), 1)
        found[f"{name}_max_ms"] = round(max(times), 1)
    begin = time.perf_counter()
    await container.services.item_thread.run(items.rebuild)
    found["rebuild_s"] = round(time.perf_counter() - begin, 1)
    await container.close()
    return found


def _record(n: int, now: datetime) -> dict[str, Any]:
    sub, ext = f"s{n % 50}", f"e{n}"
    moment = (now - timedelta(minutes=n)).isoformat(timespec="seconds")
    match = {"themes": [{"theme": "AB"[n % 2], "keywords": ["x"], "where": "title"}], "parts": {}}
    text = {
        "title": f"Entry {n} {hashlib.md5(str(n).encode()).hexdigest()}",
        "author": f"Author {n % 200}",
        "body": "Some words of a body. " * 20,
    }
    times = {"published": moment, "estimated": False, "fetched": moment, "day": moment[:10]}
    rest: dict[str, Any] = {"thumb": "", "duration_s": None, "stats": {}, "tags": ["t"], "lang": "en"}
    rest |= {"body_state": "full", "run": "r", "reason": ""}
    kind = ("video", "article", "note")[n % 3]
    names = {"op": "seen", "id": item_id(sub, ext), "sub": sub, "ext": ext, "kind": kind, "url": f"https://example.org/{n}"}
    return {**names, **text, **times, **rest, "match": match, "score": n % 7, "status": "new"}
