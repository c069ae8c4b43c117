"""How long a link takes to become a note that can be found: a page from this machine, everything else as in use."""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from sidecar.api.operations import find_operation
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.init import init_vault

SUMMARY = "a 200 kB article from this machine, from request to indexed note"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=40)


def run(args: argparse.Namespace) -> dict[str, float]:
    return measure(args.runs)


_WORDS = "The river carries soil from the hills to the plain, and the plain keeps what the river leaves behind after each flood. "


def article(title: str, size: int) -> bytes:
    """Make a page of about ``size`` bytes with headings, lists, code, a table and links, half of it text as on real pages."""
    part = (
        f"<h2>A part</h2><p>{_WORDS * 3}<a href='/x?utm_source=y'>A link</a> ends it.</p><ul><li>{_WORDS}</li><li>Two</li></ul>"
        f"<pre><code class='language-python'>for n in range(10):\n    print(n)\n</code></pre>"
        f"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>{_WORDS}</td></tr></table>"
        f"<script>var state = {'{'}{'x' * 500}{'}'};</script><div class='advert'><a href='/buy'>Buy</a></div>"
    )
    head = f"<!DOCTYPE html><html lang=en><head><title>{title}</title></head><body><nav><a href='/'>Home</a></nav><article><h1>{title}</h1>"
    return (head + part * (size // len(part)) + "</article></body></html>").encode()


class _Server:
    """Serves one article under any path, each with a title of its own."""

    def __init__(self, size: int) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = article(f"Article {self.path.strip('/')} of the benchmark", size)
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Nothing is printed."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def measure(runs: int, size: int = 200_000) -> dict[str, float]:
    """Give p50 and p95 in milliseconds of the whole, from the request to the note in the index, and medians of its parts."""
    server = _Server(size)
    os.environ["KB_ALLOW_LOOPBACK"] = str(server.port)
    try:
        with tempfile.TemporaryDirectory() as folder:
            return asyncio.run(_measure(Path(folder), server.port, runs))
    finally:
        server.close()


async def _measure(folder: Path, port: int, runs: int) -> dict[str, float]:
    root = folder / "vault"
    root.mkdir()
    (root / "mine.md").write_text("My own words.\n", encoding="utf-8")
    init_vault(root, "en")
    container = open_container(root)
    await container.services.thread.run(container.vault.open)
    container.services.progress.is_ready = True
    try:
        first = await _once(container, f"http://127.0.0.1:{port}/warm-up")
        timed = [await _once(container, f"http://127.0.0.1:{port}/{n}") for n in range(runs)]
    finally:
        await container.close()
    whole = sorted(one["whole"] for one in timed)
    parts = {f"{name}_ms": round(statistics.median(one[name] for one in timed), 1) for name in ("accept", "fetch", "read", "write")}
    return {
        "runs": runs,
        "first_ms": round(first["whole"], 1),
        "p50_ms": round(statistics.median(whole), 1),
        "p95_ms": round(whole[min(int(len(whole) * 0.95), len(whole) - 1)], 1),
        **parts,
    }


async def _once(container: Container, url: str) -> dict[str, float]:
    operation = find_operation("POST", "/api/kb/ingest")
    assert operation is not None
    services = container.services
    marks: dict[str, float] = {}
    begin = time.perf_counter()
    answer: Any = await operation.run(services, operation.request.model_validate({"url": url}))
    job = services.jobs.get(answer.id)
    marks["accept"] = (time.perf_counter() - begin) * 1000
    seen = 0
    while job.task is not None and not job.task.done():
        await asyncio.sleep(0.0005)
        for step in job.steps[seen:]:
            marks.setdefault("at_" + step["step"], (time.perf_counter() - begin) * 1000)
        seen = len(job.steps)
    end = (time.perf_counter() - begin) * 1000
    assert job.result is not None
    path = job.result["results"][0]["path"]
    assert await services.thread.run(lambda: path in services.index.notes)
    return {
        "whole": end,
        "accept": marks["accept"],
        "fetch": marks["at_read"] - marks["at_fetch"],
        "read": marks["at_write"] - marks["at_read"],
        "write": end - marks["at_write"],
    }
