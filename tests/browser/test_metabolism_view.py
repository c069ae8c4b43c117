"""What ages, in a browser: the figures, the docket with its reasons, the inbox; promotion by a button, burial by none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.obsidian_host import serve_obsidian
from tests.browser.serving import SHOTS, Served, serve_vault, until
from tests.browser.test_console import AXE, Watch, _violations, open_console
from tests.browser.test_plugin import open_note, open_obsidian

pytestmark = pytest.mark.browser

VAULT = {
    "core/短查询不需要理解.md": "---\nkb_use_when: 调检索参数时\n---\n短查询靠切分就够。[[检索评测]]\n",
    "wiki/检索评测.md": "---\nkb_use_when: 比较两种检索时\n---\n# 检索评测\n\n只在自己的查询上测。[[倒排索引]]\n",
    "wiki/倒排索引.md": "# 倒排索引\n\n二元切分。[[检索评测]]\n",
    "sources/Ten note apps.md": "---\ncreated: 2024-01-05\n---\n# Ten note apps, compared\n\nA table.\n",
    "inbox/给釉料柜重新编号.md": "---\nkb_expires: 2020-01-01\n---\n# 给釉料柜重新编号\n",
    "inbox/A question about tombstones.md": "# A question about tombstones\n\nWhen is one removed?\n",
}


@pytest.fixture(scope="module")
def aged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("aged") / "vault"
    for name, text in VAULT.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    with serve_vault(root, 1, state=tmp_path_factory.mktemp("state")) as vault:
        yield vault


async def open_metabolism(browser: Browser, vault: Served, **how: str) -> Page:
    page = await open_console(browser, vault, **how)  # type: ignore[arg-type]
    await page.evaluate("location.hash = '#/metabolism'")
    await expect(page.locator(".vs-stat").first).to_be_visible(timeout=10_000)
    return page


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
async def test_the_metabolism_is_usable_by_readers_and_is_photographed(browser: Browser, aged: Served, theme: str, locale: str) -> None:
    if not AXE.exists():
        pytest.skip("the plugin's Node packages are not installed")
    SHOTS.mkdir(exist_ok=True)
    page = await open_metabolism(browser, aged, theme=theme, locale=locale)
    await expect(page.locator(".vs-docket")).to_have_count(1)
    assert "1" in await page.locator(".vs-need h1").inner_text()
    await page.screenshot(path=SHOTS / f"metabolism-{theme}-{locale[:2]}.png")
    violations = await _violations(page)
    # There is no button here that buries or deletes.
    labels = " ".join(await page.locator(".vs-view button").all_inner_texts()).lower()
    assert not any(word in labels for word in ("delete", "bury", "remove", "删", "埋"))
    await page.set_viewport_size({"width": 390, "height": 800})
    await page.wait_for_timeout(100)
    await page.screenshot(path=SHOTS / f"metabolism-narrow-{theme}-{locale[:2]}.png")
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations == []


async def test_a_note_is_promoted_with_when_it_is_used_again_and_a_core_note_with_a_sentence(
    browser: Browser, aged: Served, watch_page: Watch
) -> None:
    page = await open_metabolism(browser, aged)
    complaints = watch_page(page)
    await page.locator(".vs-docket").get_by_role("button", name="Promote").click()
    form = page.locator("dialog .vs-promote")
    await form.get_by_role("button", name="Promote").click()
    await expect(form.get_by_role("alert")).not_to_be_empty()
    await form.get_by_label("When would you use this again?").fill("配新釉时")
    await form.get_by_role("button", name="Promote").click()
    await expect(page.locator(".notice").last).to_contain_text("Promoted: wiki/")
    await until(lambda: (aged.root / "wiki" / "给釉料柜重新编号.md").is_file())
    assert "kb_expires" not in (aged.root / "wiki" / "给釉料柜重新编号.md").read_text("utf-8")
    assert [entry for entry in complaints if "409" not in entry and "422" not in entry and "400" not in entry] == []


async def test_a_note_open_for_a_while_counts_as_read_and_one_passed_by_does_not(browser: Browser, aged: Served, standin: str) -> None:
    async with serve_obsidian(aged.root, standin, state=aged.state) as address:  # type: ignore[arg-type]
        page = await open_obsidian(browser, address)
        await expect(page.locator(".standin-status")).to_have_text("Sidecar: vault")
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.post_data or "") if request.url.endswith("/request") else None)
        await page.clock.install()
        await open_note(page, "wiki/倒排索引.md")
        await page.clock.fast_forward(4000)
        await open_note(page, "wiki/检索评测.md")
        await page.clock.fast_forward(10_500)
        await until(lambda: any("/api/kb/signals" in one for one in sent))
        assert not any("倒排索引" in one for one in sent if "/api/kb/signals" in one)
