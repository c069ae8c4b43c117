"""The settings in the console: subscriptions and preference, judged by the sidecar, kept in the owner's file."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.serving import SHOTS, Served, until
from tests.browser.test_console import AXE, Watch, _violations, open_console

pytestmark = pytest.mark.browser

PREFERENCE = """# mine
themes:
  - group: 检索  # the one
    any: [检索, BM25]
    never: [SEO]
sources:
  - id: log
    url: http://127.0.0.1:1/feed.xml
    title: 检索日志
redlines: [giveaway]
charter: 优先有测量的内容。
"""


async def open_settings(browser: Browser, vault: Served, **how: object) -> Page:
    page = await open_console(browser, vault, **how)  # type: ignore[arg-type]
    await page.evaluate("location.hash = '#/settings'")
    await expect(page.locator(".vs-settings .setting-item").first).to_be_visible()
    return page


def preference(vault: Served) -> Path:
    return vault.root / ".kb" / "preference.yaml"


async def test_a_subscription_is_switched_edited_and_removed_and_comments_stay(
    browser: Browser, served: tuple[Served, int], watch_page: Watch
) -> None:
    vault, _ = served
    preference(vault).write_text(PREFERENCE, encoding="utf-8")
    page = await open_settings(browser, vault)
    complaints = watch_page(page)
    await page.get_by_role("switch", name="检索日志").click()
    await expect(page.locator(".vs-source.is-off")).to_have_count(1)
    assert "enabled: false" in preference(vault).read_text("utf-8")
    await page.get_by_role("button", name="Test, edit or remove: 检索日志").click()
    await page.get_by_role("menuitem", name="Edit").click()
    await page.get_by_label("Weight", exact=True).fill("0.5")
    await page.get_by_label("Minutes between two fetches").fill("720")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.locator(".vs-set")).to_have_text("every 12 hweight 0.5")
    assert "# the one" in preference(vault).read_text("utf-8")
    await page.get_by_role("button", name="Test, edit or remove: 检索日志").click()
    await page.get_by_role("menuitem", name="Remove").click()
    await page.get_by_role("button", name="Remove", exact=True).click()
    await expect(page.locator(".vs-source")).to_have_count(0)
    assert complaints == []


async def test_the_switch_for_hints_says_its_cost_and_is_kept_in_the_owners_file(browser: Browser, served: tuple[Served, int]) -> None:
    vault, _ = served
    config = vault.root / ".kb" / "config.toml"
    before = config.read_text("utf-8") if config.exists() else ""
    config.write_text(before + "\n# mine\n", encoding="utf-8")
    page = await open_settings(browser, vault)
    await page.get_by_role("tab", name="Credentials").click()
    await expect(page.locator(".setting-item", has_text="Hints for an agent")).to_contain_text("It costs")
    await page.get_by_role("switch", name="Hints for an agent").click()
    await until(lambda: "inject = false" in config.read_text("utf-8"))
    assert "# mine" in config.read_text("utf-8")
    await expect(page.get_by_role("switch", name="Hints for an agent")).to_have_attribute("aria-checked", "false", timeout=5000)


async def test_what_the_sidecar_says_against_a_value_stands_beside_its_field(browser: Browser, served: tuple[Served, int]) -> None:
    vault, _ = served
    preference(vault).write_text(PREFERENCE, encoding="utf-8")
    page = await open_settings(browser, vault)
    await page.get_by_role("tab", name="Preference").click()
    await page.get_by_label("Times", exact=True).fill("27:00-29:00")
    await page.keyboard.press("Tab")
    await expect(page.locator(".vs-problem")).to_contain_text("27:00")
    assert preference(vault).read_text("utf-8") == PREFERENCE
    await page.get_by_label("检索: Any of").fill("检索，倒排, BM25")
    await page.keyboard.press("Tab")
    await until(lambda: "倒排" in preference(vault).read_text("utf-8"))
    preference(vault).write_text("themes:\n  - group: x\n    weigth: 2\n", encoding="utf-8")
    await page.get_by_role("tab", name="Sources").click()
    await expect(page.locator(".vs-callout")).to_contain_text("preference.yaml, line 3")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
async def test_every_tab_of_the_settings_is_usable_by_readers_and_is_photographed(
    browser: Browser, shown: Served, theme: str, locale: str
) -> None:
    if not AXE.exists():
        pytest.skip("the plugin's Node packages are not installed")
    SHOTS.mkdir(exist_ok=True)
    preference(shown).write_text(PREFERENCE, encoding="utf-8")
    page = await open_settings(browser, shown, theme=theme, locale=locale, width=900)
    violations: list[str] = []
    for n, name in enumerate(["sources", "preference", "environment", "library"]):
        await page.locator(".vs-tabs [role=tab]").nth(n).click()
        await expect(page.locator(".vs-tabs [role=tab]").nth(n)).to_have_attribute("aria-selected", "true")
        await page.wait_for_timeout(150)
        await page.screenshot(path=SHOTS / f"settings-{name}-{theme}-{locale[:2]}.png")
        violations += await _violations(page)
    await page.set_viewport_size({"width": 360, "height": 800})
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations == []
