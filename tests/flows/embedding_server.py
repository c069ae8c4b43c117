"""An embedding endpoint on loopback that speaks OpenAI's and Ollama's shapes and can be told to misbehave."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]
TOPICS = ("tea", "茶"), ("wing", "翼"), ("money", "钱")


def vector_of(text: str, dimension: int = 8) -> list[float]:
    """A model of three topics in two languages, and a little of the text's own."""
    row = [float(any(word in text.lower() for word in topic)) for topic in TOPICS]
    own = hashlib.sha256(text.encode()).digest()
    return (row + [byte / 2560 for byte in own])[:dimension]


@dataclass
class EmbeddingServer:
    """Keeps what it was asked. ``script`` answers the next requests instead of the model."""

    requests: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    script: list[Callable[[], Answer]] = field(default_factory=list)
    dimension: int = 8

    def __post_init__(self) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, dict(self.headers.items()), body))
                status, headers, data = outer.script.pop(0)() if outer.script else (200, {}, outer.answer(self.path, body))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, path: str, body: dict[str, Any]) -> bytes:
        rows = [vector_of(text, self.dimension) for text in body["input"]]
        if path == "/api/embed":
            return json.dumps({"embeddings": rows}).encode()
        return json.dumps({"data": [{"index": n, "embedding": row} for n, row in reversed(list(enumerate(rows)))]}).encode()

    @property
    def texts(self) -> list[str]:
        return [text for _, _, body in self.requests for text in body["input"]]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
