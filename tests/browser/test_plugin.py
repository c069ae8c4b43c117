"""The real ``main.js`` in a stand-in for Obsidian, in a real Chromium, against a real sidecar."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.obsidian_host import serve_obsidian
from tests.browser.serving import SHOTS, Served, serve_vault, until

pytestmark = pytest.mark.browser

Watch = Callable[[Page], list[str]]


async def open_obsidian(browser: Browser, address: str, *, query: str = "") -> Page:
    context = await browser.new_context(viewport={"width": 420, "height": 900}, permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(10_000)
    page = await context.new_page()
    await page.goto(address + query)
    await page.evaluate("window.standin.then(() => null)")
    return page


async def command(page: Page, name: str) -> None:
    await page.evaluate("(id) => window.standin.then(({ app }) => { app.commands.get(id).callback(); })", name)


async def open_note(page: Page, path: str) -> None:
    await page.evaluate("(path) => window.standin.then(({ app }) => app.workspace.openLinkText(path))", path)


async def test_it_pairs_by_itself_and_the_panes_follow_note_and_edits(
    browser: Browser, served: tuple[Served, int], standin: Path, watch_page: Watch
) -> None:
    vault, _ = served
    async with serve_obsidian(vault.root, standin) as address:
        page = await open_obsidian(browser, address)
        complaints = watch_page(page)
        await expect(page.locator(".standin-status")).to_have_text("Sidecar: vault")
        await command(page, "open-map")
        await command(page, "open-backlinks")
        await expect(page.locator(".vs-pane", has_text="Open a note")).to_be_visible()
        await open_note(page, "倒排索引.md")
        linked = page.locator(".vs-group", has_text="Linked mentions").first
        await expect(linked.locator(".tree-item-flair").first).to_have_text("2")
        (vault.root / "新.md").write_text("[[倒排索引]]\n", encoding="utf-8")
        await expect(linked.locator(".tree-item-flair").first).to_have_text("3", timeout=3000)
        SHOTS.mkdir(exist_ok=True)
        await page.screenshot(path=SHOTS / "plugin-panes.png", full_page=True)
        assert complaints == []


async def test_ingest_link_takes_the_clipboard_shows_the_outcome_and_opens_the_note(
    browser: Browser, served: tuple[Served, int], standin: Path
) -> None:
    vault, port = served
    async with serve_obsidian(vault.root, standin) as address:
        page = await open_obsidian(browser, address)
        await expect(page.locator(".standin-status")).to_have_text("Sidecar: vault")
        await page.evaluate("(url) => navigator.clipboard.writeText(url)", f"http://127.0.0.1:{port}/design.html")
        await command(page, "ingest-link")
        await expect(page.get_by_label("Link", exact=True)).to_have_value(f"http://127.0.0.1:{port}/design.html")
        await page.keyboard.press("Enter")
        await expect(page.locator(".notice").first).to_contain_text("Saved to the vault: sources/")
        opened = await page.evaluate("window.standin.then(({ app }) => app.workspace.getActiveFile().path)")
        assert (vault.root / opened).is_file()


async def test_an_unlinked_mention_becomes_a_link_where_it_stands_and_nowhere_else(
    browser: Browser, served: tuple[Served, int], standin: Path
) -> None:
    vault, _ = served
    before = (vault.root / "周记.md").read_text("utf-8")
    async with serve_obsidian(vault.root, standin) as address:
        page = await open_obsidian(browser, address)
        await command(page, "open-backlinks")
        await open_note(page, "检索评测.md")
        await page.get_by_role("button", name="Link", exact=True).click()
        await until(lambda: (vault.root / "周记.md").read_text("utf-8") == before.replace("检索评测", "[[检索评测]]", 1))


async def test_without_a_sidecar_there_is_one_quiet_word_and_the_command_to_type_and_it_heals_by_itself(
    browser: Browser, served: tuple[Served, int], standin: Path
) -> None:
    vault, port = served
    vault.process.terminate()
    vault.process.wait(20)
    async with serve_obsidian(vault.root, standin) as address:
        page = await open_obsidian(browser, address, query="?lang=zh")
        await expect(page.locator(".standin-status")).to_have_text("后台服务未运行")
        await command(page, "open-backlinks")
        await expect(page.locator(".vs-empty code")).to_have_text("kb serve")
        await page.wait_for_timeout(2500)
        assert await page.locator(".notice").count() == 0
        with serve_vault(vault.root, port):
            await expect(page.locator(".standin-status")).to_have_text("后台服务：vault", timeout=15_000)
            await expect(page.locator(".vs-empty code")).to_have_count(0)


async def test_a_foreign_process_on_the_port_is_not_handed_the_token(browser: Browser, served: tuple[Served, int], standin: Path) -> None:
    vault, _ = served
    endpoint = vault.client.endpoint
    path = Path(os.environ["XDG_STATE_HOME"]) / "vault-sidecar" / endpoint.vault_id / "endpoint.json"
    seen: list[str] = []

    from aiohttp import web

    async def answer(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization", ""))
        return web.json_response({"ok": True, "proof": "0" * 64})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    stored = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**stored, "url": f"http://127.0.0.1:{runner.addresses[0][1]}"}), encoding="utf-8")
    try:
        async with serve_obsidian(vault.root, standin) as address:
            page = await open_obsidian(browser, address)
            await expect(page.locator(".standin-status")).to_have_text("Sidecar off")
            await page.wait_for_timeout(800)
    finally:
        path.write_text(json.dumps(stored), encoding="utf-8")
        await runner.cleanup()
    assert seen
    assert set(seen) == {""}


async def test_unloading_leaves_no_request_and_no_settings_with_a_token_behind(
    browser: Browser, served: tuple[Served, int], standin: Path
) -> None:
    vault, _ = served
    async with serve_obsidian(vault.root, standin) as address:
        page = await open_obsidian(browser, address)
        await command(page, "open-map")
        await expect(page.locator(".vs-hub").first).to_be_visible()
        await page.evaluate(
            "window.standin.then(async ({ app, plugin }) => { for (const l of app.workspace.leaves) await l.close(); plugin.unload(); })"
        )
        await page.wait_for_timeout(500)
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        await page.wait_for_timeout(1500)
        assert requests == []
        stored = await page.evaluate("JSON.stringify(sessionStorage)")
        assert vault.client.endpoint.token not in stored
