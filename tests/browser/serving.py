"""A real sidecar in a process of its own, and pages on loopback for it to fetch."""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sidecar.cli.client import RunningSidecar, find_running
from sidecar.daemon.init import init_vault

SHOTS = Path(__file__).parent / "shots"


@dataclass(frozen=True)
class Served:
    """A vault with its running sidecar."""

    root: Path
    process: subprocess.Popen[str]

    @property
    def client(self) -> RunningSidecar:
        endpoint = find_running(self.root)
        assert endpoint is not None, "the sidecar runs"
        return RunningSidecar(endpoint)

    def console_link(self) -> str:
        client = self.client
        return f"{client.endpoint.url}/#code={client.call('POST', '/api/kb/console-code')['code']}"


@contextmanager
def serve_vault(root: Path, page_port: int) -> Iterator[Served]:
    """Set a vault up and serve it in a process of its own until the block ends."""
    init_vault(root, "en")
    process = subprocess.Popen(
        [sys.executable, "-m", "sidecar.cli.main", "serve", "--vault", str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "KB_ALLOW_LOOPBACK": str(page_port)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("Serving"), f"the sidecar did not start: {line}{process.stderr.read() if process.poll() else ''}"
        yield Served(root, process)
    finally:
        process.terminate()
        process.communicate(timeout=20)


@contextmanager
def serve_folder(folder: Path) -> Iterator[int]:
    """Serve a folder's files on a loopback port."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
