"""A real sidecar in a process of its own, and pages on loopback for it to fetch."""

from __future__ import annotations

import asyncio
import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sidecar.cli.client import RunningSidecar, find_running
from sidecar.daemon.init import init_vault

SHOTS = Path(__file__).parent / "shots"


NOTES = {
    "检索评测.md": "# 检索评测\n\n只在自己的查询上测，见 [[倒排索引]] 与 [[召回审计]]。\n",
    "倒排索引.md": "---\naliases: [inverted index]\ntags: [检索]\n---\n二元切分足够应付短查询。[[检索评测]]\n",
    "周记.md": "本周把检索评测的查询又筛了一遍。\n\nSee the inverted index. #检索\n",
    "Local-first.md": "Files are the truth; a server is a convenience. [[倒排索引]]\n",
}
PAGE = """<!doctype html><html lang="zh"><head><title>知识库的设计</title><meta property="og:site_name" content="示例周刊"></head>
<body><nav>首页 关于</nav><article><h1>知识库的设计</h1>
<p>这篇文章讲的是知识库的设计：每一条笔记都应该能够被检索、被链接、被遗忘，而不是堆在一起等待整理。</p>
<p>第二段继续说明，倒排索引是最简单也最可靠的办法，二元切分足够应付短查询，长问句交给第二路。</p>
<pre><code class="language-python">print("你好")</code></pre></article></body></html>"""


@dataclass(frozen=True)
class Served:
    """A vault with its running sidecar."""

    root: Path
    process: subprocess.Popen[str]
    state: Path
    """Where its endpoint file lies."""

    @property
    def client(self) -> RunningSidecar:
        before = os.environ.get("XDG_STATE_HOME")
        os.environ["XDG_STATE_HOME"] = str(self.state)
        try:
            endpoint = find_running(self.root)
        finally:
            if before is None:
                del os.environ["XDG_STATE_HOME"]
            else:
                os.environ["XDG_STATE_HOME"] = before
        assert endpoint is not None, "the sidecar runs"
        return RunningSidecar(endpoint)

    def console_link(self) -> str:
        client = self.client
        return f"{client.endpoint.url}/#code={client.call('POST', '/api/kb/console-code')['code']}"


@contextmanager
def serve_vault(root: Path, page_port: int, *, state: Path | None = None) -> Iterator[Served]:
    """Set a vault up and serve it in a process of its own until the block ends."""
    state = state or Path(os.environ["XDG_STATE_HOME"])
    init_vault(root, "en")
    process = subprocess.Popen(
        [sys.executable, "-m", "sidecar.cli.main", "serve", "--vault", str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "KB_ALLOW_LOOPBACK": str(page_port), "XDG_STATE_HOME": str(state)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("Serving"), f"the sidecar did not start: {line}{process.stderr.read() if process.poll() else ''}"
        yield Served(root, process, state)
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


async def until(holds: Callable[[], bool], seconds: float = 3.0) -> None:
    """Wait until something holds; fail if it does not in time."""
    for _ in range(int(seconds / 0.05)):
        if holds():
            return
        await asyncio.sleep(0.05)
    assert holds()
