"""Journeys of the plugin that take time or two of everything: renames, sleep, a second vault, closed panes, the settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.obsidian_host import serve_obsidian
from tests.browser.serving import SHOTS, Served, serve_vault, until
from tests.browser.test_plugin import command, open_note, open_obsidian

pytestmark = pytest.mark.browser


async def linked(page: Page) -> str:
    return str(await page.locator(".vs-group", has_text="Linked mentions").first.locator(".tree-item-flair").first.inner_text())


async def test_a_note_renamed_while_its_pane_is_open_keeps_its_links(browser: Browser, served: tuple[Served, int], standin: Path) -> None:
    vault, _ = served
    async with serve_obsidian(vault.root, standin) as address:
        page = await open_obsidian(browser, address)
        await command(page, "open-backlinks")
        await open_note(page, "倒排索引.md")
        await expect(page.locator(".vs-pane-head h2")).to_have_text("倒排索引")
        # Obsidian renames the file and writes the links anew, then says so.
        (vault.root / "倒排索引.md").rename(vault.root / "倒排.md")
        for name in ("检索评测.md", "Local-first.md"):
            path = vault.root / name
            path.write_text(path.read_text("utf-8").replace("[[倒排索引]]", "[[倒排]]"), encoding="utf-8")
        await page.evaluate("window.standin.then(({ app }) => app.workspace.rename('倒排.md'))")
        await expect(page.locator(".vs-pane-head h2")).to_have_text("倒排", timeout=8000)
        await expect(page.locator(".vs-group", has_text="Linked mentions").locator(".tree-item-flair").first).to_have_text(
            "2", timeout=8000
        )


async def test_after_sleep_it_goes_on_by_itself_without_a_word(browser: Browser, served: tuple[Served, int], standin: Path) -> None:
    vault, _ = served
    async with serve_obsidian(vault.root, standin) as address:
        page = await open_obsidian(browser, address)
        await command(page, "open-backlinks")
        await open_note(page, "倒排索引.md")
        await expect(page.locator(".vs-group", has_text="Linked mentions").locator(".tree-item-flair").first).to_have_text("2")
        await page.context.set_offline(True)
        await page.wait_for_timeout(1200)
        (vault.root / "夜里.md").write_text("[[倒排索引]]\n", encoding="utf-8")
        await page.context.set_offline(False)
        await expect(page.locator(".vs-group", has_text="Linked mentions").locator(".tree-item-flair").first).to_have_text(
            "3", timeout=15_000
        )
        await expect(page.locator(".standin-status")).to_have_text("Sidecar: vault")
        assert await page.locator(".notice").count() == 0


async def test_two_vaults_have_two_sidecars_and_never_meet(browser: Browser, shown: Served, standin: Path, tmp_path: Path) -> None:
    """P4: a second vault once talked to the first one's server without a word."""
    other = tmp_path / "zweite"
    other.mkdir()
    (other / "Only here.md").write_text("# Only here\n", encoding="utf-8")
    with serve_vault(other, 1, state=shown.state) as second:
        assert second.client.endpoint.url != shown.client.endpoint.url
        async with serve_obsidian(shown.root, standin, state=shown.state) as one, serve_obsidian(other, standin, state=shown.state) as two:
            first_page, second_page = await open_obsidian(browser, one), await open_obsidian(browser, two)
            await expect(first_page.locator(".standin-status")).to_have_text("Sidecar: vault")
            await expect(second_page.locator(".standin-status")).to_have_text("Sidecar: zweite")
            await command(second_page, "search")
            await second_page.get_by_role("combobox").fill("only here")
            await expect(second_page.locator("[role=option]").first).to_contain_text("Only here")
            await second_page.get_by_role("combobox").fill("倒排")
            await expect(second_page.locator(".vs-prompt-status")).to_contain_text("No note contains this.")


async def test_closed_panes_cost_nothing_and_loading_is_quick(browser: Browser, shown: Served, standin: Path) -> None:
    async with serve_obsidian(shown.root, standin, state=shown.state) as address:
        page = await open_obsidian(browser, address)
        await expect(page.locator(".standin-status")).to_have_text("Sidecar: vault")
        times = [await page.evaluate("window.standin.then(({ onloadMs }) => onloadMs)")]
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        await page.wait_for_timeout(1500)
        assert requests == []
        for _ in range(2):
            await page.reload()
            times.append(await page.evaluate("window.standin.then(({ onloadMs }) => onloadMs)"))
        # The quickest of three: what the machine did beside is not the plugin's.
        assert min(times) <= 30, times


async def test_the_settings_stand_in_obsidians_own_window(browser: Browser, served: tuple[Served, int], standin: Path) -> None:
    vault, _ = served
    preference = vault.root / ".kb" / "preference.yaml"
    preference.write_text("themes:\n  - group: 检索\n    any: [检索]\n", encoding="utf-8")
    async with serve_obsidian(vault.root, standin) as address:
        page = await open_obsidian(browser, address, query="?lang=zh")
        await expect(page.locator(".standin-status")).to_have_text("后台服务：vault")
        await page.evaluate("window.standin.then(({ app }) => app.setting.openTabById('vault-sidecar'))")
        await page.get_by_role("tab", name="偏好").click()
        await page.get_by_label("检索: 任一").fill("检索, 倒排")
        await page.keyboard.press("Tab")
        await until(lambda: "倒排" in preference.read_text("utf-8"))
        SHOTS.mkdir(exist_ok=True)
        await page.screenshot(path=SHOTS / "plugin-settings.png", full_page=True)
