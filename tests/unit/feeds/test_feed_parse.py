"""Reading feeds as they are in the world: the saved ones with their right answers, and hostile ones."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sidecar.errors import FeedParseError
from sidecar.feeds.parse import ParsedFeed, parse_feed
from tests.conftest import FIXTURES, SHARED

NOW = datetime(2026, 12, 1, tzinfo=UTC)
FORMATS = {"atom 1.0": "atom10", "rss 2.0": "rss20", "rss 1.0": "rss10", "rss 0.90 (rdf)": "rss090", "json feed": "json"}


def saved(folder: Path) -> list[Path]:
    return sorted(path.with_name(path.name.removesuffix(".meta.json")) for path in folder.glob("*.meta.json"))


def expected(path: Path) -> dict[str, Any]:
    meta = json.loads(path.with_name(path.name + ".meta.json").read_text("utf-8"))
    return {**meta["expect"], "url": meta["url"] or "https://example.org/feed"}


def check_saved(path: Path) -> None:
    want = expected(path)
    if want.get("entries") == 0:
        with pytest.raises(FeedParseError):
            parse_feed(path.read_bytes(), want["url"], NOW)
        return
    found = parse_feed(path.read_bytes(), want["url"], NOW)
    items = found.items
    assert FORMATS.get(want["format"]) == found.kind
    assert want.get("entries", len(items)) == len(items)
    assert want.get("title", found.title) == found.title
    if want.get("well_formed") is False:
        assert found.problems
    assert want.get("with_date", sum(i.published is not None for i in items)) == sum(i.published is not None for i in items)
    assert want.get("distinct_articles", len({i.external_id for i in items})) == len({i.external_id for i in items})
    assert all(i.external_id and (i.url == "" or i.url.startswith("http")) for i in items)
    assert not any("\ufffd" in i.title + i.body for i in items)
    if want.get("full_text"):
        assert max(len(i.body) for i in items) > 1000


@pytest.mark.parametrize("path", saved(FIXTURES / "feeds"), ids=lambda path: path.name)
def test_a_kept_feed_is_read_as_its_answers_say(path: Path) -> None:
    check_saved(path)


@pytest.mark.parametrize("path", saved(SHARED / "data" / "web" / "feed"), ids=lambda path: path.name)
def test_a_saved_feed_is_read_as_its_answers_say(path: Path, shared: Path) -> None:
    check_saved(path)


def feed(*items: str, head: str = "") -> bytes:
    return f"<?xml version='1.0'?><rss version='2.0'><channel><title>T</title>{head}{''.join(items)}</channel></rss>".encode()


def parsed(body: bytes, charset: str = "") -> ParsedFeed:
    return parse_feed(body, "https://example.org/feed.xml", NOW, charset=charset)


def test_ten_entries_that_share_one_guid_are_ten() -> None:
    items = [f"<item><guid>same</guid><title>N {n}</title><link>https://example.org/{n}</link></item>" for n in range(10)]
    assert 10 == len({item.external_id for item in parsed(feed(*items)).items})


def test_a_guid_that_stands_there_twice_with_one_link_is_one_item() -> None:
    item = "<item><guid>a</guid><title>One</title><link>https://example.org/1</link></item>"
    assert 1 == len({found.external_id for found in parsed(feed(item, item)).items})


def test_days_that_cannot_be_are_left_out() -> None:
    days = ("Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT", "soon")
    items = [f"<item><title>{day}</title><pubDate>{day}</pubDate></item>" for day in days]
    assert [None, None, None] == [item.published for item in parsed(feed(*items)).items]


def test_a_bridge_that_dates_all_entries_at_its_own_fetch_gives_no_dates() -> None:
    items = [f"<item><title>{n}</title><pubDate>2026-11-01T10:00:00Z</pubDate></item>" for n in range(4)]
    assert {None} == {item.published for item in parsed(feed(*items)).items}


@pytest.mark.parametrize(("declared", "header"), [("gb2312", ""), ("", "gbk"), ("gb2312", "iso-8859-1"), ("utf-8", "gbk")])
def test_chinese_is_readable_wherever_its_encoding_is_named(declared: str, header: str) -> None:
    declaration = f"<?xml version='1.0' encoding='{declared}'?>" if declared else "<?xml version='1.0'?>"
    item = "<item><title>中华人民共和国公共管理研究</title><description>数字治理与政策过程的文章。</description></item>"
    text = f"{declaration}<rss version='2.0'><channel><title>公告</title>{item}</channel></rss>"
    encoding = "utf-8" if declared == "utf-8" else "gb18030"
    found = parsed(text.encode(encoding), header)
    assert ("公告", "中华人民共和国公共管理研究") == (found.title, found.items[0].title)


def test_markup_in_an_entry_becomes_text_that_cannot_act() -> None:
    body = "&lt;p&gt;[[Secret]] #tag %%hide%% &lt;script&gt;x()&lt;/script&gt; ![[x]]&lt;/p&gt;"
    item = parsed(feed(f"<item><title>&lt;b&gt;T&lt;/b&gt; &amp;amp;amp; U</title><description>{body}</description></item>")).items[0]
    assert "T & U" == item.title
    assert "x()" not in item.body
    assert "[[Secret]]" not in item.body
    assert "%%hide%%" not in item.body


def test_an_xml_bomb_is_no_feed_and_costs_nothing() -> None:
    bomb = b"<?xml version='1.0'?><!DOCTYPE l [<!ENTITY a 'aaaaaaaaaa'>" + b"".join(
        f"<!ENTITY {chr(98 + n)} '{('&' + chr(97 + n) + ';') * 10}'>".encode() for n in range(9)
    )
    try:
        found = parsed(bomb + b"]><rss version='2.0'><channel><title>&j;</title><item><title>&j;</title></item></channel></rss>")
        size = len(found.title) + sum(len(item.title) for item in found.items)
    except FeedParseError:
        size = 0
    assert size < 10_000


def test_a_page_is_no_feed() -> None:
    with pytest.raises(FeedParseError):
        parsed(b"<html><body>Nothing here</body></html>")
    with pytest.raises(FeedParseError):
        parsed(b"")
    with pytest.raises(FeedParseError):
        parsed(b'{"items": 3}')


WELL = feed("<item><title>One</title><link>/1</link><description>Some &lt;b&gt;words&lt;/b&gt;</description></item>" * 3)


@settings(max_examples=max(200, settings().max_examples * 2))
@given(st.binary(max_size=60), st.integers(0, len(WELL)), st.integers(0, 40))
@example(b"\x00\xff<!--", 5, 0)
def test_a_damaged_feed_is_read_or_refused(noise: bytes, at: int, cut: int) -> None:
    body = WELL[:at] + noise + WELL[at + cut :]
    try:
        count = len(parsed(body).items)
    except FeedParseError:
        count = 0
    assert count <= 6
