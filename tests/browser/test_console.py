"""The console in a real Chromium, against a real sidecar: the product's main journey, and how each view looks."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.serving import SHOTS, Served, serve_folder, serve_vault, until

pytestmark = pytest.mark.browser

AXE = Path(__file__).resolve().parents[2] / "obsidian-plugin" / "node_modules" / "axe-core" / "axe.min.js"
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")
Watch = Callable[[Page], list[str]]


async def open_console(browser: Browser, vault: Served, *, theme: str = "light", locale: str = "en-US", width: int = 1280) -> Page:
    context = await browser.new_context(
        viewport={"width": width, "height": 860}, color_scheme="dark" if theme == "dark" else "light", locale=locale
    )
    context.set_default_timeout(10_000)
    page = await context.new_page()
    await page.goto(vault.console_link())
    return page


def hub(page: Page, path: str) -> Locator:
    """Give the row of a hub on the map."""
    return page.locator(f".vs-hub[data-row='{path}']")


async def test_a_link_becomes_a_note_and_map_and_backlinks_follow_by_themselves(
    browser: Browser, served: tuple[Served, int], watch_page: Watch
) -> None:
    vault, port = served
    page = await open_console(browser, vault)
    complaints = watch_page(page)
    await hub(page, "倒排索引.md").click()
    await expect(page.locator("article h1")).to_have_text("倒排索引")
    linked = page.locator("[data-part=links] .vs-group").first
    await expect(linked.locator(".tree-item-flair").first).to_have_text("2")

    await page.get_by_role("button", name="Ingest link").click()
    await page.get_by_label("Link", exact=True).fill(f"http://127.0.0.1:{port}/design.html?utm_source=test")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Saved to the vault")).to_be_visible()
    await page.get_by_role("button", name="Open note").click()
    await expect(page.locator("article h1")).to_have_text("知识库的设计")
    notes = list((vault.root / "sources").glob("*.md"))
    assert len(notes) == 1
    assert "origin: web" in notes[0].read_text(encoding="utf-8")
    await expect(page.locator("[data-part=map]")).to_contain_text("知识库的设计")

    # Someone edits a note in Obsidian: nothing is clicked, the pane and the map on disk follow.
    await hub(page, "倒排索引.md").click()
    (vault.root / "新笔记.md").write_text(f"见 [[倒排索引]] 和 [[{notes[0].stem}]]。\n", encoding="utf-8")
    await expect(linked.locator(".tree-item-flair").first).to_have_text("3", timeout=3000)
    await expect(linked).to_contain_text("新笔记")
    await expect(hub(page, "倒排索引.md")).to_contain_text("3")
    await until(lambda: "[[倒排索引]] · 3" in (vault.root / "index.md").read_text(encoding="utf-8"))
    assert f"[[{notes[0].stem}|知识库的设计]]" in (vault.root / "index.md").read_text(encoding="utf-8")
    assert complaints == []


async def test_pasting_the_same_link_again_opens_the_note_that_is_there(browser: Browser, served: tuple[Served, int]) -> None:
    vault, port = served
    vault.client.call("POST", "/api/kb/ingest", url=f"http://127.0.0.1:{port}/design.html", wait=True)
    page = await open_console(browser, vault)
    await page.get_by_role("button", name="Ingest link").click()
    await page.get_by_label("Link", exact=True).fill(f"http://127.0.0.1:{port}/design.html#part")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Already in the vault")).to_be_visible()
    assert len(list((vault.root / "sources").glob("*.md"))) == 1


async def test_a_dead_link_says_what_happened_and_what_to_do(browser: Browser, served: tuple[Served, int]) -> None:
    vault, port = served
    page = await open_console(browser, vault)
    await page.get_by_role("button", name="Ingest link").click()
    await page.get_by_label("Link", exact=True).fill(f"http://127.0.0.1:{port}/gone.html")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("404")
    await expect(page.get_by_role("alert")).to_contain_text("The page is gone; check the address.")


async def test_search_finds_a_chinese_word_in_the_middle_of_a_sentence_by_keyboard_alone(browser: Browser, shown: Served) -> None:
    page = await open_console(browser, shown)
    await expect(page.locator(".vs-hub").first).to_be_visible()
    await page.keyboard.press("/")
    await page.keyboard.type("切分")
    await expect(page.locator("[role=option] .vs-s mark")).to_have_text(["切分"])
    await page.keyboard.press("Enter")
    await expect(page.locator("article h1")).to_have_text("倒排索引")


async def test_when_the_sidecar_ends_content_stays_and_a_bar_says_so(browser: Browser, served: tuple[Served, int]) -> None:
    vault, _ = served
    page = await open_console(browser, vault)
    await expect(page.locator(".vs-hub").first).to_be_visible()
    vault.process.terminate()
    await expect(page.locator(".vs-statusbar")).to_have_text("Sidecar off", timeout=10_000)
    await expect(page.locator("[data-part=map] .vs-banner")).to_contain_text("The sidecar is not running.")
    await expect(page.locator(".vs-hub").first).to_be_visible()


async def test_the_one_time_link_opens_no_second_console(browser: Browser, shown: Served) -> None:
    link = shown.console_link()
    page = await (await browser.new_context()).new_page()
    await page.goto(link)
    await expect(page.locator(".vs-hub").first).to_be_visible()
    assert "code=" not in page.url
    other = await (await browser.new_context()).new_page()
    await other.goto(link)
    await expect(other.locator("[data-part=map]")).to_contain_text("kb open")
    await expect(other.locator(".vs-hub")).to_have_count(0)


async def test_markup_in_notes_is_shown_and_does_not_run(browser: Browser, served: tuple[Served, int], watch_page: Watch) -> None:
    vault, _ = served
    evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
    (vault.root / "evil.md").write_text(
        f"---\ntitle: '{evil.replace(chr(39), '')}'\n---\n{evil}\n\n[[倒排索引|{evil}]] [x](javascript:window.hit=1)\n", encoding="utf-8"
    )
    page = await open_console(browser, vault)
    complaints = watch_page(page)
    await hub(page, "倒排索引.md").click()
    await expect(page.locator("[data-part=links]")).to_contain_text("onerror")
    await page.locator("[data-part=links] .vs-mention-text", has_text="onerror").first.click()
    await expect(page.locator("article")).to_contain_text("window.hit=1")
    assert await page.evaluate("window.hit") is None
    assert await page.locator("article img, article script, article a[href^='javascript']").count() == 0
    assert complaints == []


async def test_a_note_has_an_address_that_back_and_reload_keep_and_shows_its_pictures(
    browser: Browser, served: tuple[Served, int], watch_page: Watch
) -> None:
    vault, _ = served
    (vault.root / "图.png").write_bytes(PNG)
    (vault.root / "画册.md").write_text("![[图.png]]\n\n[[倒排索引]]\n", encoding="utf-8")
    page = await open_console(browser, vault)
    complaints = watch_page(page)
    await hub(page, "倒排索引.md").click()
    await page.locator("[data-part=links]").get_by_text("画册").first.wait_for()
    await page.locator("[data-part=links] .vs-mention-text", has_text="倒排索引").last.click()
    await expect(page.locator("article h1")).to_have_text("画册")
    await expect(page.locator("article img")).to_have_js_property("naturalWidth", 1)
    await page.go_back()
    await expect(page.locator("article h1")).to_have_text("倒排索引")
    assert page.url.endswith("#/note/%E5%80%92%E6%8E%92%E7%B4%A2%E5%BC%95.md")
    # Another page of this console has the key in its memory: the reloaded one goes on with it, at the same note.
    other = await page.context.new_page()
    await other.goto(vault.console_link())
    await expect(hub(other, "倒排索引.md")).to_be_visible()
    await page.reload()
    await expect(page.locator("article h1")).to_have_text("倒排索引")
    assert complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
async def test_every_view_is_usable_by_readers_and_is_photographed(browser: Browser, shown: Served, theme: str, locale: str) -> None:
    if not AXE.exists():
        pytest.skip("the plugin's Node packages are not installed")
    SHOTS.mkdir(exist_ok=True)
    name = f"{theme}-{locale[:2]}"
    page = await open_console(browser, shown, theme=theme, locale=locale)
    await hub(page, "倒排索引.md").click()
    await expect(page.locator("[data-part=links] mark").first).to_be_visible()
    violations = await _violations(page)
    await page.screenshot(path=SHOTS / f"console-{name}.png")
    await page.keyboard.press("/")
    await page.keyboard.type("检索")
    await expect(page.locator("[role=option]").first).to_be_visible()
    violations += await _violations(page)
    await page.screenshot(path=SHOTS / f"search-{name}.png")
    await page.keyboard.press("Escape")
    await page.locator(".vs-console-bar .mod-cta").click()
    violations += await _violations(page)
    await page.screenshot(path=SHOTS / f"ingest-{name}.png")
    await page.keyboard.press("Escape")
    await page.set_viewport_size({"width": 390, "height": 800})
    await page.screenshot(path=SHOTS / f"narrow-{name}.png")
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations == []


async def _violations(page: Page) -> list[str]:
    """Run axe in the page (its content policy forbids added scripts, so as an evaluated text)."""
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    found = await page.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']}).then(r => r.violations)")
    return [f"{v['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:300]}" for v in found for node in v["nodes"]]


async def test_a_large_chinese_vault_is_walked_through(browser: Browser, shared: Path, tmp_path: Path, watch_page: Watch) -> None:
    SHOTS.mkdir(exist_ok=True)
    root = tmp_path / "花园"
    shutil.copytree(shared / "data/vaults/knowledge-garden-oldwinter/vault", root)
    for path in root.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    root.chmod(0o755)
    with serve_folder(shared / "data/web/page") as port, serve_vault(root, port) as vault:
        page = await open_console(browser, vault)
        complaints = watch_page(page)
        await page.locator(".vs-hub").nth(1).click()
        await expect(page.locator("[data-part=links] mark").first).to_be_visible(timeout=15_000)
        await page.get_by_role("button", name="Ingest link").click()
        await page.get_by_label("Link", exact=True).fill(f"http://127.0.0.1:{port}/zh-news.html")
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Open note").click(timeout=20_000)
        await expect(page.locator("article h1")).to_have_text("武汉的声音：有英勇的你，才有英雄的城！")
        await page.screenshot(path=SHOTS / "garden-captured.png")
        await page.locator(".vs-hub").nth(1).click()
        await expect(page.locator("[data-part=links] mark").first).to_be_visible()
        await page.screenshot(path=SHOTS / "garden.png")
        assert complaints == []
        chinese = await open_console(browser, vault, theme="dark", locale="zh-CN")
        await expect(chinese.locator(".vs-hub").first).to_be_visible()
        await chinese.keyboard.press("/")
        await chinese.keyboard.type("知识库 笔记")
        await expect(chinese.locator("[role=option] mark").first).to_be_visible()
        await chinese.screenshot(path=SHOTS / "garden-search.png")
