"""The brief in a browser, against a real sidecar that fetches real feeds on loopback: runs, verdicts, what the owner does."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from html import escape
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.obsidian_host import serve_obsidian
from tests.browser.serving import NOTES, SHOTS, Served, serve_folder, serve_vault, until
from tests.browser.test_console import AXE, Watch, _violations, open_console
from tests.browser.test_plugin import command, open_obsidian

pytestmark = pytest.mark.browser

ARTICLES = [
    (
        "一个 18 MB 的倒排索引，在中文查询上赢了我们的向量库",
        "三年前我们给内部文档搜索接上了向量库，理由和所有人一样：中文分词太难。今年春天账单来了，我们第一次认真看了查询日志。"
        "\n\n52,000 条真实查询上 nDCG@10 从 0.61 升到 0.68，p95 由 140 ms 降到 9 ms。索引放得进一封邮件的附件。",
    ),
    (
        "笔记为什么会死：从 4,000 条访问记录看遗忘曲线",
        "一个人的库、三年的打开与引用记录：一半检索过的笔记再没被打开过。第 90 天之后仍被打开的只占 11%，但其中 7 成后来被引用。",
    ),
    (
        "SQLite as an index, not as the truth",
        "Three teams that rebuilt their search index from plain files every night, and what they stopped worrying about.",
    ),
    ("长上下文模型读不完你的笔记库", "把 200 篇笔记塞进上下文，与先检索再读 8 篇相比，答案的引用准确率反而下降。"),
    (
        "A field guide to stale links",
        "How a small archive found with plain search that a quarter of its citations had moved, and a redirect table that survives.",
    ),
    ("周末散步：老城区的三条雨水沟", "沿着明沟走一圈，能看出哪几条街是后来垫高的；附一张手绘的等高线草图。"),
]
VIDEOS = [
    (
        "Local-first sync without a server: what broke in year two",
        "Five merge bugs from a real two-year deployment of local-first search, each with the operation log that caused it.",
        0,
    ),
    ("把一千篇笔记画成图之后，我删掉了图", "检索比图更有用：一年的记录。", 1),
    ("柴窑第 41 次：灰釉为什么不流动", "检索不到的经验，只能自己烧一遍。", 2),
    ("Writing a tokenizer for mixed Chinese and English text", "Bigrams are enough for search; the rest is taste.", 3),
]
PREFERENCE = """# 我的偏好
themes:
  - group: 检索
    any: [检索, search, 索引]
  - group: 本地优先
    any: [local-first, SQLite]
sources:
  - {{id: log, title: 检索日志, url: "http://127.0.0.1:{port}/log.xml"}}
  - {{id: lectures, title: Northlight Lectures, url: "http://127.0.0.1:{port}/lectures.xml", weight: 0.5}}
  - {{id: kiln, title: Kiln Notes, url: "http://127.0.0.1:{port}/gone.xml"}}
schedule: {{brief_hour: 0, off_peak_only: false}}
limits: {{min_duration_sec: 0}}
auto_ingest_top: 0
"""


def picture(hue: int) -> bytes:
    """Make a PNG."""
    base = [(120, 170, 230), (120, 200, 150), (230, 200, 120), (170, 140, 230)][hue]

    def dot(x: int, y: int) -> bytes:
        rings = [(90, 110, 46), (160, 74, 30), (228, 96, 38)]
        inside = any((x - cx) ** 2 + (y - cy) ** 2 < r * r for cx, cy, r in rings)
        return bytes(min(255, int(c * (0.8 + 0.4 * (x + y) / 500)) + (28 if inside else 0)) for c in base)

    rows = b"".join(b"\0" + b"".join(dot(x, y) for x in range(320)) for y in range(180))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 320, 180, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def feed(title: str, entries: list[str]) -> str:
    return (
        f'<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>{title}</title>{"".join(entries)}</channel></rss>'
    )


def entry(n: int, title: str, link: str, body: str, more: str = "") -> str:
    day = format_datetime(datetime.now(UTC) - timedelta(minutes=20 * n + 5))
    head = f"<guid>{link}</guid><title>{title}</title><link>{link}</link><pubDate>{day}</pubDate>"
    return f"<item>{head}<description>{escape(body)}</description>{more}</item>"


def write_feeds(folder: Path, port: int) -> None:
    base = f"http://127.0.0.1:{port}"
    for hue in range(4):
        (folder / f"{hue}.png").write_bytes(picture(hue))
    articles = [entry(n, title, f"{base}/a{n}.html", body) for n, (title, body) in enumerate(ARTICLES)]
    videos = [
        entry(n, title, f"https://www.bilibili.com/video/BV1xx411c7m{n}/", body, f'<media:thumbnail url="{base}/{hue}.png"/>')
        for n, (title, body, hue) in enumerate(VIDEOS)
    ]
    (folder / "log.xml").write_text(feed("检索日志", articles), encoding="utf-8")
    (folder / "lectures.xml").write_text(feed("Northlight Lectures", videos), encoding="utf-8")
    for n, (title, body) in enumerate(ARTICLES):
        text = "".join(f"<p>{part}</p>" for part in (body * 3).split("\n\n"))
        (folder / f"a{n}.html").write_text(f"<html lang=zh><title>{title}</title><article><h1>{title}</h1>{text}</article></html>", "utf-8")


def make_vault(root: Path, port: int) -> Path:
    for name, text in NOTES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / ".kb").mkdir()
    (root / ".kb" / "preference.yaml").write_text(PREFERENCE.format(port=port), encoding="utf-8")
    return root


def judge(vault: Served) -> None:
    """Save verdicts, as an agent does."""
    items = vault.client.call("GET", "/api/kb/items", limit=100)["items"]
    by_title = {item["title"]: item["id"] for item in items}

    def verdict(title: str, tier: str, why: str, line: str) -> dict[str, Any]:
        return {"id": by_title[title], "tier": tier, "why": why, "category": "", "one_line": line}

    wanted = [
        (
            ARTICLES[0][0],
            "worth",
            "有测量，不是空谈：52,000 条真实查询上 nDCG@10 从 0.61 升到 0.68，p95 由 140 ms 降到 9 ms。",
            "用二元分词换掉向量库应付中文短查询，查询日志与脚本都公开。",
        ),
        (ARTICLES[1][0], "worth", "数字可直接引用：第 90 天之后仍被打开的笔记只占 11%。", "一个人三年的打开与引用记录。"),
        (VIDEOS[0][0], "worth", "Answers your open question with the log of each bug.", "Five merge bugs from a real two-year deployment."),
        (
            ARTICLES[2][0],
            "okay",
            "Three teams say the same; one would do.",
            "Three teams that rebuilt their database from files every night.",
        ),
        (ARTICLES[3][0], "okay", "一个实验，表格清楚。", "先检索再读，胜过整库塞进上下文。"),
        (VIDEOS[1][0], "okay", "与已有笔记重叠。", "画图一年之后的结论。"),
        (VIDEOS[3][0], "skip", "Restates what three older videos said.", "A tokenizer, once more."),
    ]
    answer = vault.client.call("POST", "/api/kb/verdicts", verdicts=[verdict(*one) for one in wanted if one[0] in by_title])
    assert answer["refused"] == []


@pytest.fixture(scope="module")
def briefed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Give a vault whose feeds were fetched and judged; the tests of this module share it."""
    folder = tmp_path_factory.mktemp("feeds")
    with serve_folder(folder) as port:
        write_feeds(folder, port)
        root = make_vault(tmp_path_factory.mktemp("brief") / "vault", port)
        with serve_vault(root, port, state=tmp_path_factory.mktemp("state")) as vault:
            vault.client.call("POST", "/api/kb/runs", wait=True)
            judge(vault)
            vault.client.call("POST", "/api/kb/brief")
            yield vault


async def open_brief(browser: Browser, vault: Served, **how: Any) -> Page:
    page = await open_console(browser, vault, **how)
    await page.evaluate("location.hash = '#/brief'")
    await expect(page.locator(".vs-bar .vs-nav")).to_be_visible()
    return page


async def tab(page: Page, n: int) -> None:
    await page.locator(".vs-bar [role=tab]").nth(n).click()
    await expect(page.locator(".vs-bar [role=tab]").nth(n)).to_have_attribute("aria-selected", "true")


async def test_a_run_is_started_tells_how_far_it_is_and_an_agent_judges(browser: Browser, tmp_path: Path, watch_page: Watch) -> None:
    folder = tmp_path / "feeds"
    folder.mkdir()
    with serve_folder(folder) as port:
        write_feeds(folder, port)
        root = make_vault(tmp_path / "vault", port)
        with serve_vault(root, port) as vault:
            page = await open_brief(browser, vault)
            complaints = watch_page(page)
            await expect(page.locator(".vs-lede h1")).to_have_text("Nothing new today.")
            await page.get_by_role("button", name="Run now").click()
            await expect(page.locator(".vs-lede h1")).to_contain_text("for a judge.", timeout=20_000)
            await expect(page.locator(".vs-capsule")).to_contain_text("1 failed")
            await expect(page.locator(".vs-fail")).to_contain_text("Kiln Notes")
            # A judge arrives; nothing is clicked.
            judge(vault)
            await expect(page.locator(".vs-lede h1")).to_contain_text("3 worth your time.", timeout=10_000)
            await expect(page.locator(".vs-card")).to_have_count(3)
            # The library is cleared with its number typed, after a copy; notes stay.
            notes = sorted(path.name for path in root.glob("*.md"))
            await page.evaluate("location.hash = '#/settings'")
            await page.get_by_role("tab", name="Library").click()
            danger = page.locator(".vs-danger", has_text="Clear the item library")
            await danger.get_by_label("Type 10 to confirm").fill("1")
            await expect(danger.get_by_role("button", name="Back up and clear")).to_be_disabled()
            await danger.get_by_label("Type 10 to confirm").fill("10")
            await danger.get_by_role("button", name="Back up and clear").click()
            await expect(page.locator(".notice").last).to_contain_text("10 items taken out; the copy is .kb/backups/")
            assert vault.client.call("GET", "/api/kb/items", archived=True)["total"] == 0
            assert len(list((root / ".kb" / "backups").glob("*.jsonl"))) == 1
            assert sorted(path.name for path in root.glob("*.md")) == notes
            assert complaints == []


async def test_the_drawer_tells_why_saves_overrules_and_the_place_is_kept(browser: Browser, briefed: Served, watch_page: Watch) -> None:
    page = await open_brief(browser, briefed)
    complaints = watch_page(page)
    await page.locator(".vs-card", has_text="遗忘曲线").get_by_role("button", name="笔记为什么会死").click()
    drawer = page.get_by_role("dialog", name="Item")
    await expect(drawer.locator(".vs-verdict")).to_contain_text("第 90 天之后")
    await expect(drawer.locator(".vs-sum")).to_contain_text("Sum")
    await drawer.get_by_role("button", name="Overrule").click()
    await drawer.get_by_role("button", name="Okay").click()
    await expect(drawer.locator(".vs-verdict .vs-tier")).to_have_text("Okay")
    await expect(drawer.locator(".vs-verdict")).to_contain_text("By you")
    await drawer.get_by_role("button", name="Save to vault").click()
    await expect(page.locator(".notice").first).to_contain_text("Saved to the vault: sources/", timeout=15_000)
    await tab(page, 4)
    await page.get_by_role("searchbox").fill("索引")
    await expect(page.locator(".vs-table tbody tr")).to_have_count(1, timeout=5000)
    await page.wait_for_timeout(600)
    # Reloaded beside another page of the console: view, filter and drawer are as they were.
    other = await page.context.new_page()
    await other.goto(briefed.console_link())
    await expect(other.locator(".vs-hub").first).to_be_visible()
    await page.reload()
    await expect(page.locator(".vs-table tbody tr")).to_have_count(1)
    await expect(page.get_by_role("searchbox")).to_have_value("索引")
    await expect(page.get_by_role("dialog", name="Item")).to_contain_text("遗忘曲线")
    await page.keyboard.press("Escape")
    assert complaints == []


async def test_items_are_archived_in_batches_and_come_back_and_the_keys_work(browser: Browser, briefed: Served) -> None:
    page = await open_brief(browser, briefed)
    await tab(page, 4)
    rows = page.locator(".vs-table tbody tr")
    await expect(rows.first).to_be_visible()
    before = await rows.count()
    for n in range(2):
        await rows.nth(n).locator("input").check()
        await expect(page.locator(".vs-batch b")).to_have_text(f"{n + 1} selected")
    await page.get_by_role("toolbar").get_by_role("button", name="Archive").click()
    await expect(rows).to_have_count(before - 2)
    await page.get_by_role("button", name="Undo").click()
    await expect(rows).to_have_count(before)
    await page.locator("body").click(position={"x": 5, "y": 300})
    await page.locator(".vs-scroll").focus()
    await page.keyboard.press("2")
    await expect(page.locator(".vs-tile").first).to_be_visible()
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog", name="Item")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog", name="Item")).to_have_count(0)
    await page.keyboard.press("?")
    await expect(page.locator("dialog .vs-kv")).to_contain_text("not interested")
    await page.keyboard.press("Escape")
    # A line of a report leads to its item.
    await tab(page, 3)
    await page.locator(".vs-read .vs-prose li", has_text="Local-first sync").get_by_role("link", name="↗").click()
    await expect(page.get_by_role("dialog", name="Item").locator("h2")).to_contain_text("Local-first sync")


async def test_a_player_that_does_not_answer_gives_way_to_the_browser(browser: Browser, briefed: Served) -> None:
    page = await open_brief(browser, briefed)
    await page.route("https://player.bilibili.com/**", lambda route: None)
    await page.context.route("https://www.bilibili.com/**", lambda route: route.fulfill(body="the site"))
    await tab(page, 1)
    thumb = page.locator(".vs-tile", has_text="Local-first sync").locator(".vs-thumb")
    await expect(thumb.locator("img")).to_have_js_property("naturalWidth", 320)
    assert await page.locator("iframe").count() == 0
    await thumb.click()
    await page.get_by_role("button", name="Play").click()
    await expect(page.locator("iframe")).to_have_attribute(
        "src", "https://player.bilibili.com/player.html?bvid=BV1xx411c7m0&autoplay=0&danmaku=0&high_quality=1"
    )
    async with page.context.expect_page(timeout=6000) as opened:
        await expect(page.locator(".vs-player-msg")).to_contain_text("did not answer", timeout=5000)
    assert (await opened.value).url.startswith("https://www.bilibili.com/video/BV1xx411c7m0")


async def test_in_obsidian_the_brief_opens_in_a_tab_and_not_interested_archives(browser: Browser, briefed: Served, standin: Path) -> None:
    async with serve_obsidian(briefed.root, standin, state=briefed.state) as address:
        page = await open_obsidian(browser, address)
        await page.set_viewport_size({"width": 1100, "height": 900})
        await expect(page.locator(".standin-status")).to_have_text("Sidecar: vault")
        await command(page, "open-brief")
        await expect(page.locator(".vs-lede h1")).to_be_visible()
        await page.evaluate("window.standin.then(({ app }) => { app.commands.get('run-now').checkCallback(false); })")
        await expect(page.locator(".notice").last).to_have_text("0 new", timeout=15_000)
        await page.locator(".vs-bar [role=tab]").nth(1).click()
        tile = page.locator(".vs-tile", has_text="tokenizer")
        await tile.get_by_role("button", name="Writing a tokenizer").click()
        await page.get_by_role("dialog").get_by_role("button", name="Not interested").click()
        await expect(page.locator(".notice").last).to_have_text("Archived. A little less of Northlight Lectures.")
        await expect(tile).to_have_count(0)
        await until(lambda: "source_delta" in (briefed.root / ".kb" / "preference.yaml").read_text("utf-8"))
        SHOTS.mkdir(exist_ok=True)
        await page.screenshot(path=SHOTS / "plugin-brief.png")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
async def test_every_destination_is_usable_by_readers_and_is_photographed(
    browser: Browser, briefed: Served, theme: str, locale: str
) -> None:
    if not AXE.exists():
        pytest.skip("the plugin's Node packages are not installed")
    SHOTS.mkdir(exist_ok=True)
    name = f"{theme}-{locale[:2]}"
    page = await open_brief(browser, briefed, theme=theme, locale=locale)
    violations: list[str] = []
    ready = [".vs-card", ".vs-tile img", ".vs-read .vs-item-body", ".vs-read .vs-prose h2", ".vs-table tbody tr"]
    for n, view in enumerate(["today", "video", "article", "reports", "library"]):
        await tab(page, n)
        await expect(page.locator(ready[n]).first).to_be_visible()
        violations += await _violations(page)
        await page.screenshot(path=SHOTS / f"brief-{view}-{name}.png")
    await tab(page, 1)
    await page.locator(".vs-tile", has_text="Local-first").locator("button.vs-title").click()
    await expect(page.get_by_role("dialog").locator(".vs-verdict")).to_be_visible()
    violations += await _violations(page)
    await page.screenshot(path=SHOTS / f"brief-drawer-{name}.png")
    await page.keyboard.press("Escape")
    await page.set_viewport_size({"width": 390, "height": 800})
    for n, view in enumerate(["today", "video", "article", "reports", "library"]):
        await tab(page, n)
        await page.wait_for_timeout(100)
        await page.screenshot(path=SHOTS / f"brief-{view}-narrow-{name}.png")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390, view
    assert violations == []
