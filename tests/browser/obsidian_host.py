"""Serves the stand-in for Obsidian: the real ``main.js``, the vault's files, and requests passed on without an Origin, as Electron does."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from aiohttp import web

from sidecar.daemon.bundle import plugin_folder
from tests.conftest import ROOT

PAGE = """<!doctype html><html><head><meta charset="utf-8"><link rel="icon" href="/icon"><link rel="stylesheet" href="/tokens.css">
<link rel="stylesheet" href="/host.css"><link rel="stylesheet" href="/views.css">
</head><body class="theme-light"><script src="/standin.js"></script></body></html>"""


@asynccontextmanager
async def serve_obsidian(root: Path, standin: Path, *, state: Path | None = None) -> AsyncIterator[str]:
    """Serve a vault as Obsidian would show it; give the page's address."""
    folder = plugin_folder()
    assert folder is not None, "the plugin is built"
    state_folder = state or Path(os.environ["XDG_STATE_HOME"])

    async def page(_: web.Request) -> web.Response:
        return web.Response(text=PAGE, content_type="text/html")

    async def text(request: web.Request) -> web.Response:
        # Obsidian's own variables and components are not ours to ship; the console's stand in for them.
        styles = ROOT / "obsidian-plugin" / "styles"
        paths = {"/main.js": folder / "main.js", "/views.css": folder / "styles.css", "/standin.js": standin}
        path = paths.get(request.path) or styles / request.path.removeprefix("/")
        kind = "text/css" if path.suffix == ".css" else "text/javascript"
        return web.Response(text=path.read_text("utf-8"), content_type=kind)

    async def state_file(request: web.Request) -> web.Response:
        path = state_folder / request.query["path"].removeprefix("/state/")
        return web.Response(text=path.read_text("utf-8")) if path.is_file() else web.Response(status=404)

    async def vault_file(request: web.Request) -> web.Response:
        path = root / request.match_info["path"]
        if request.method == "PUT":
            path.write_text(await request.text(), encoding="utf-8")
        return web.Response(text=path.read_text("utf-8")) if path.is_file() else web.Response(status=404)

    async def pass_on(request: web.Request) -> web.Response:
        wanted = json.loads(await request.text())
        headers = dict(wanted.get("headers") or {})
        if "contentType" in wanted:
            headers["Content-Type"] = wanted["contentType"]
        try:
            async with aiohttp.ClientSession() as session:
                call = session.request(wanted.get("method", "GET"), wanted["url"], data=wanted.get("body"), headers=headers)
                async with call as answer:
                    return web.Response(status=answer.status, text=await answer.text())
        except aiohttp.ClientError:
            return web.Response(status=599)

    app = web.Application()
    app.router.add_get("/", page)
    app.router.add_get("/icon", icon)
    for path in ("/main.js", "/views.css", "/standin.js", "/tokens.css", "/host.css"):
        app.router.add_get(path, text)
    app.router.add_get("/fs", state_file)
    app.router.add_route("*", "/vault/{path:.+}", vault_file)
    app.router.add_post("/request", pass_on)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


async def icon(_: web.Request) -> web.Response:
    return web.Response(status=204)
