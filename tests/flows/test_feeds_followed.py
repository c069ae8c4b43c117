"""Following subscriptions: feeds on loopback, a server of tools, and the owner's file; nothing leaves this machine."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from sidecar.api.operations import find_operation
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.init import init_vault
from sidecar.errors import FeedParseError, PreferenceError, SubscriptionExists
from sidecar.feeds.fetching import SubscriptionFetcher
from sidecar.feeds.subscription import Fetched, Subscription, ToolMapping
from sidecar.feeds.types import mcp_server
from sidecar.feeds.types.base import NotFetched

FEED = "<rss version='2.0'><channel><title>The feed</title><item><title>One</title><link>/1</link></item></channel></rss>"
SERVER = Path(__file__).with_name("fake_tools_server.py")
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Feeds:
    def __init__(self) -> None:
        self.answers: dict[str, str | Answer] = {}
        self.asked: list[str] = []
        self.port = 0

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        answer = self.answers.get(request.path)
        if answer is None:
            raise web.HTTPNotFound
        return web.Response(text=answer, content_type="application/xml") if isinstance(answer, str) else await answer(request)


@pytest.fixture
async def feeds(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Feeds]:
    found = Feeds()
    app = web.Application()
    app.router.add_get("/{path:.*}", found.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.port = runner.addresses[0][1]
    monkeypatch.setenv("KB_ALLOW_LOOPBACK", str(found.port))
    monkeypatch.setenv("KB_NOW", "2026-03-05T12:00:00+00:00")
    yield found
    await runner.cleanup()


@pytest.fixture
async def home(feeds: Feeds, tmp_path: Path) -> AsyncIterator[Container]:
    root = tmp_path / "vault"
    root.mkdir()
    init_vault(root, "en")
    (root / ".kb/preference.yaml").unlink(missing_ok=True)
    container = open_container(root)
    await container.services.thread.run(container.vault.open)
    yield container
    await container.close()


async def call(home: Container, method: str, path: str, **parameters: Any) -> dict[str, Any]:
    operation = find_operation(method, path)
    assert operation is not None
    answer = await operation.run(home.services, operation.request.model_validate(parameters))
    return answer.model_dump(mode="json")


def fetcher(home: Container, **options: Any) -> SubscriptionFetcher:
    return SubscriptionFetcher(home.services.watchlist.fetcher.tools, **{"retry_after_s": 0.01, **options})


async def fetched(home: Container, url: str, kind: Any = "rss", cursor: dict[str, str] | None = None, **options: Any) -> Fetched:
    return await fetcher(home, **options).fetch(Subscription("a", kind, url), cursor or {})


async def test_a_feed_is_asked_for_only_if_it_changed(home: Container, feeds: Feeds) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.headers.get("If-None-Match") == '"v1"':
            raise web.HTTPNotModified
        return web.Response(text=FEED, content_type="application/rss+xml", headers={"ETag": '"v1"'})

    feeds.answers["/feed"] = answer
    first = await fetched(home, feeds.url("/feed"))
    assert ("ok", "The feed") == (first.status, first.title)
    assert [("One", feeds.url("/1"))] == [(item.title, item.url) for item in first.items]
    again = await fetched(home, feeds.url("/feed"), cursor=dict(first.cursor))
    assert ("unchanged", ()) == (again.status, again.items)


REFUSALS = [(404, "failed", 1), (410, "failed", 1), (500, "failed", 2), (429, "rate_limited", 1), (412, "rate_limited", 1)]


@pytest.mark.parametrize(("status", "wanted", "asked"), REFUSALS)
async def test_a_refusal_is_sorted_and_only_a_passing_one_is_tried_again(
    home: Container, feeds: Feeds, status: int, wanted: str, asked: int
) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status)

    feeds.answers["/feed"] = answer
    found = await fetched(home, feeds.url("/feed"))
    assert wanted == found.status
    assert found.reason
    assert not found.cursor
    assert asked == feeds.asked.count("/feed")


async def test_a_feed_that_drips_or_is_none_stops_nobody(home: Container, feeds: Feeds) -> None:
    async def drip(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/xml"})
        await response.prepare(request)
        for _ in range(200):
            await response.write(b" ")
            await asyncio.sleep(0.05)
        return response

    feeds.answers |= {"/drip": drip, "/page": "<html><body>no feed</body></html>", "/good": FEED}
    slow = await fetched(home, feeds.url("/drip"), timeout_s=1.0)
    assert ("failed", True) == (slow.status, "1 s" in slow.reason)
    one = fetcher(home)
    found = await asyncio.gather(*(one.fetch(Subscription(name, "rss", feeds.url(f"/{name}")), {}) for name in ("page", "good", "gone")))
    assert ["failed", "ok", "failed"] == [result.status for result in found]
    assert "no feed" in found[0].reason


async def test_a_private_part_comes_from_the_secrets_and_is_never_shown(home: Container, feeds: Feeds) -> None:
    feeds.answers["/k3y"] = FEED
    tools = replace(home.services.watchlist.fetcher.tools, secret_of={"mine": "k3y"}.get)
    ready = SubscriptionFetcher(tools)
    assert "ok" == (await ready.fetch(Subscription("a", "rss", feeds.url("/${secret:mine}")), {})).status
    missing = await ready.fetch(Subscription("a", "rss", feeds.url("/${secret:other}")), {})
    assert "unavailable" == missing.status
    assert "kb secrets set other" in missing.reason


async def test_a_channel_is_found_by_its_page_once(home: Container, feeds: Feeds) -> None:
    found = await fetched(home, feeds.url("/@someone"), "youtube-channel")
    assert "failed" == found.status
    feeds.answers["/feed"] = FEED
    again = await fetched(home, feeds.url("/@someone"), "youtube-channel", {"feed": feeds.url("/feed")})
    assert ("ok", 1) == (again.status, len(again.items))


async def test_a_front_page_gives_its_links_to_articles(home: Container, feeds: Feeds) -> None:
    feeds.answers["/"] = (
        "<html><title>Site</title><nav><a href='/about-us-and-our-team'>About us and our whole team</a></nav>"
        "<a href='/2026/one?utm_source=x'>A first long headline of an article</a><a href='/x'>More</a>"
        "<a href='https://elsewhere.org/a'>An article on another site altogether</a><a href='/2026/two'>第二篇文章的标题</a></html>"
    )
    found = await fetched(home, feeds.url("/"), "site")
    assert ["A first long headline of an article", "第二篇文章的标题"] == [item.title for item in found.items]
    assert feeds.url("/2026/one") == found.items[0].url


# ── a server of tools ─────────────────────────────────────────────────────────────────────────


def tool(mode: str, **more: Any) -> Subscription:
    fields = {"external_id": "key", "title": "name", "url": "link", "published": "when", "body": "text"}
    mapping = ToolMapping((sys.executable, str(SERVER), mode), "list_notes", {"limit": 5}, "login_code", "data.notes", fields, **more)
    return Subscription("notes", "mcp", tool=mapping)


async def test_a_server_of_tools_gives_items_by_the_owners_mapping(home: Container) -> None:
    found = await fetcher(home).fetch(tool("good"), {})
    assert "ok" == found.status, found.reason
    item = found.items[0]
    assert ("n1", "One [[x]]", "https://example.org/1", "missing") == (item.external_id, item.title, item.url, item.body_state)
    assert item.published is not None
    assert 2026 == item.published.year


BAD_DAYS = [("crash", "unavailable"), ("nonsense", "failed"), ("login", "needs_login"), ("risk", "rate_limited"), ("empty", "ok")]
BAD_DAYS += [("delay", "failed")]


@pytest.mark.parametrize(("mode", "status"), BAD_DAYS)
async def test_a_server_on_a_bad_day_is_sorted(home: Container, mode: str, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_server, "_CALL_S", 4.0)
    found = await fetcher(home).fetch(tool(mode), {})
    assert status == found.status, found.reason
    assert status == "ok" or found.reason


async def test_a_server_that_floods_is_cut_off(home: Container) -> None:
    found = await fetcher(home, timeout_s=15.0).fetch(tool("flood"), {})
    assert "failed" == found.status
    assert len(found.reason) < 1000


async def test_a_missing_program_or_secret_says_what_to_do(home: Container) -> None:
    gone = await fetcher(home).fetch(Subscription("a", "mcp", tool=ToolMapping(("no-such-program",), "x")), {})
    assert ("unavailable", True) == (gone.status, "no-such-program" in gone.reason)
    preset = await fetcher(home).fetch(Subscription("b", "xiaohongshu", "someone"), {})
    assert "unavailable" == preset.status
    assert "astron-xiaohongshu-mcp==0.1.5" in preset.reason
    keyless = await fetcher(home).fetch(tool("good", env={"API_KEY": "notes-key"}), {})
    assert "kb secrets set notes-key" in keyless.reason


async def test_the_login_code_comes_as_a_picture(home: Container) -> None:
    said = await mcp_server.login(tool("good"), home.services.watchlist.fetcher.tools)
    assert isinstance(said, NotFetched)
    assert said.image.startswith("data:image/png;base64,")
    assert ("list_notes", "login_code") == await mcp_server.self_check(tool("good"), home.services.watchlist.fetcher.tools)


# ── the owner's file ──────────────────────────────────────────────────────────────────────────


async def test_without_a_file_nothing_is_set_up_and_the_first_subscription_makes_it(home: Container, feeds: Feeds) -> None:
    assert "not-set-up" == (await call(home, "GET", "/api/kb/feeds"))["state"]
    feeds.answers |= {"/blog": "<html><head><link rel=alternate type='application/rss+xml' href='/feed'></head></html>", "/feed": FEED}
    added = (await call(home, "POST", "/api/kb/feeds", url=feeds.url("/blog")))["subscription"]
    assert (feeds.url("/feed"), "rss") == (added["url"], added["type"])
    state = await call(home, "GET", "/api/kb/feeds")
    assert ("ready", [added["id"]]) == (state["state"], [one["id"] for one in state["subscriptions"]])
    assert "07:00-09:00 and 12:30-13:30, 1 subscription is fetched; brief from 8:00." in state["schedule"]
    with pytest.raises(SubscriptionExists):
        await call(home, "POST", "/api/kb/feeds", url=feeds.url("/feed"), type="rss")
    feeds.answers = {"/empty": "<html>nothing</html>"}
    with pytest.raises(FeedParseError):
        await call(home, "POST", "/api/kb/feeds", url=feeds.url("/empty"))


async def test_a_broken_file_is_said_with_its_line_and_left_alone(home: Container) -> None:
    path = home.root / ".kb/preference.yaml"
    path.write_text("sources:\n  - id: a\n    urll: x\n")
    state = await call(home, "GET", "/api/kb/preference")
    assert ("invalid", 3, 5) == (state["state"], state["problem"]["line"], state["problem"]["column"])
    with pytest.raises(PreferenceError):
        await call(home, "POST", "/api/kb/preference", set=[{"path": ["schedule", "brief_hour"], "value": 6}])
    assert "sources:\n  - id: a\n    urll: x\n" == path.read_text()
    path.write_text("# mine\nsources:\n  - {id: a, url: 'https://example.org/f?token=abcdefgh'}\n")
    state = await call(home, "GET", "/api/kb/feeds")
    assert ("ready", "https://example.org/f?token=…", True) == (
        state["state"], state["subscriptions"][0]["url"], state["subscriptions"][0]["has_private_part"],
    )  # fmt: skip
    assert "abcdefgh" not in json.dumps(await call(home, "GET", "/api/kb/preference"))
    assert "abcdefgh" not in (await call(home, "GET", "/api/kb/feeds/export"))["opml"]


async def test_the_two_buttons_move_a_weight_within_bounds_and_back(home: Container) -> None:
    path = home.root / ".kb/preference.yaml"
    path.write_text("# mine\nsources:\n  - {id: a, url: 'https://example.org/f'}  # good\n")
    watchlist = home.services.watchlist
    moves = [watchlist.tune("a", -0.1) for _ in range(7)]
    assert [-0.1, -0.2, -0.3, -0.4, -0.5, -0.5, -0.5] == moves
    assert 0 == watchlist.tune("a", 0)
    assert path.read_text().startswith("# mine\nsources:\n  - {id: a, url: 'https://example.org/f'}  # good\n")
    assert {} == (await call(home, "GET", "/api/kb/preference"))["values"]["tuning"]["source_delta"]


async def test_a_followed_feed_can_be_changed_and_left(home: Container) -> None:
    path = home.root / ".kb/preference.yaml"
    path.write_text("follow:\n  feeds:\n    - https://example.org/a\n    - https://example.org/b\n")
    await call(home, "POST", "/api/kb/feeds/set", id="https://example.org/a", set={"enabled": False})
    one = (await call(home, "GET", "/api/kb/feeds"))["subscriptions"][0]
    assert ("https://example.org/a", False, True) == (one["id"], one["enabled"], one["follows"])
    await call(home, "DELETE", "/api/kb/feeds", id="https://example.org/a")
    assert ["https://example.org/b"] == [s["id"] for s in (await call(home, "GET", "/api/kb/feeds"))["subscriptions"]]


async def test_a_list_of_a_thousand_is_taken_in_at_once(home: Container) -> None:
    text = "\n".join(f"https://example.org/{n}/feed Feed {n}" for n in range(1000))
    assert 1000 == len((await call(home, "POST", "/api/kb/feeds/import", text=text, dry_run=True))["added"])
    assert "not-set-up" == home.services.watchlist.state().state
    assert 1000 == len((await call(home, "POST", "/api/kb/feeds/import", text=text))["added"])
    again = await call(home, "POST", "/api/kb/feeds/import", text=text)
    assert (0, 1000) == (len(again["added"]), len(again["known"]))
