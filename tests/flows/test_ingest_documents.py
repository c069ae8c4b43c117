"""A link to a file that is no page becomes a note by the same way, through network, reader's process and writer."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from sidecar.daemon.container import open_container
from sidecar.daemon.init import init_vault
from sidecar.ingest.plan import Created, IngestOptions
from tests.unit.ingest.pdf_bytes import paragraph, pdf

FILES = {
    "/paper.pdf": ("application/pdf", pdf([[(72, 740, 20, "On Foxes"), *paragraph(["Foxes are", "quick."], 700)]])),
    "/guide.md": ("text/plain", b"---\ntitle: A guide\n---\n\n- [[one]]\n"),
}


@pytest.mark.parametrize(
    ("path", "note", "body"), [("/paper.pdf", "on-foxes", "Foxes are quick.\n"), ("/guide.md", "a-guide", "- \\[\\[one\\]\\]\n")]
)
async def test_a_link_to_a_file_becomes_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, note: str, body: str) -> None:
    async def handle(request: web.Request) -> web.Response:
        kind, data = FILES[request.path]
        return web.Response(body=data, content_type=kind)

    app = web.Application()
    app.router.add_get("/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    monkeypatch.setenv("KB_ALLOW_LOOPBACK", str(port))
    root = tmp_path / "vault"
    root.mkdir()
    init_vault(root, "en")
    container = open_container(root)
    try:
        await container.services.thread.run(container.vault.open)
        container.services.progress.is_ready = True
        async with asyncio.timeout(30):
            outcome = await container.services.ingest.ingest(f"http://127.0.0.1:{port}{path}", IngestOptions(), lambda name, details: None)
        assert isinstance(outcome, Created)
        assert f"sources/{note}.md" == outcome.path
        assert (root / outcome.path).read_text("utf-8").endswith(f"---\n\n{body}")
    finally:
        await container.close()
        await runner.cleanup()
