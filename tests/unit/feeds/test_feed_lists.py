"""Lists of feeds from elsewhere, feeds that a page names, and addresses shown without their private parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.errors import FeedParseError
from sidecar.feeds.discover import find_feeds, guesses, known_by_address
from sidecar.feeds.opml import merge, parse_list, render_opml
from sidecar.feeds.private import is_private, redacted
from sidecar.feeds.subscription import Subscription

OPML = """<?xml version="1.0"?><opml version="2.0"><body>
<outline text="Tech"><outline type="rss" text="A &amp; B" xmlUrl="https://a.org/feed" category="x, y"/></outline>
<outline text="Tube" xmlUrl="https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstuv"/>
<outline text="bad" xmlUrl="javascript:alert(1)"/></body></opml>"""


def test_opml_keeps_titles_and_folders_as_tags() -> None:
    found = parse_list(OPML)
    assert [
        ("rss", "https://a.org/feed", "A & B", ("x", "y", "Tech")),
        ("youtube-channel", "https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstuv", "Tube", ()),
    ] == [(s.type, s.url, s.title, s.tags) for s in found.subscriptions]
    assert 1 == len(found.problems)


def test_a_list_of_addresses_may_have_titles_and_remarks() -> None:
    found = parse_list("# mine\nhttps://a.org/feed The A\n\nhttps://b.org/#part\nnot an address\n")
    assert [("https://a.org/feed", "The A"), ("https://b.org/", "")] == [(s.url, s.title) for s in found.subscriptions]
    assert 1 == len(found.problems)


def test_a_feeds_json_brings_its_settings() -> None:
    entry = '{"id": "a", "kind": "rss", "url": "https://a.org/f", "tags": ["t"], "max": 7}'
    found = parse_list(f'{{"feeds": [{entry}], "briefHour": 6, "budgetTokens": 9}}')
    assert [("a", "https://a.org/f", ("t",), 7)] == [(s.id, s.url, s.tags, s.max) for s in found.subscriptions]
    assert {"brief_hour": 6, "budget_tokens": 9} == found.settings


@pytest.mark.parametrize("text", ["", "<opml/>", "{}", "[]", "<a", "just words here"])
def test_what_holds_no_feed_is_refused(text: str) -> None:
    with pytest.raises(FeedParseError):
        parse_list(text)


def test_an_import_adds_each_address_once_under_an_id_of_its_own() -> None:
    known = [Subscription("a.org-feed", "rss", "https://www.a.org/feed/")]
    new = parse_list("https://a.org/feed\nhttps://a.org/feed2 Same\nhttps://b.org/x Same\nhttps://b.org/x\n").subscriptions
    added, doubled = merge(known, new)
    assert [("Same", "https://a.org/feed2"), ("Same-2", "https://b.org/x")] == [(s.id, s.url) for s in added]
    assert 2 == len(doubled)


PRINTED = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cn"])
NAMES = st.text(PRINTED, max_size=30).map(lambda text: " ".join(text.split()))


@given(st.lists(NAMES, max_size=5))
def test_what_is_exported_is_imported_again(titles: list[str]) -> None:
    before = [Subscription(f"s{n}", "rss", f"https://example.org/{n}", title=title) for n, title in enumerate(titles)]
    text = render_opml(before)
    if before:
        assert [(s.type, s.url, s.title or s.id) for s in before] == [(s.type, s.url, s.title) for s in parse_list(text).subscriptions]


def test_a_page_names_its_feeds() -> None:
    page = """<head><base href="https://x.org/blog/"><link rel="alternate" type="application/rss+xml" title="All" href="feed.xml">
    <link rel="alternate" type="application/atom+xml" href="/comments"><link rel="alternate" hreflang="de" href="/de"></head>
    <a href="/rss">RSS</a><a href="/feeding-cats">Cats</a>"""
    found = find_feeds(page, "https://x.org/")
    wanted = [("https://x.org/blog/feed.xml", "All"), ("https://x.org/comments", ""), ("https://x.org/rss", "RSS")]
    assert wanted == [(one.url, one.title) for one in found]
    assert "https://x.org/blog/feed" in guesses("https://x.org/blog/")


@pytest.mark.parametrize(
    ("url", "kind", "wanted"),
    [
        ("https://www.youtube.com/@someone", "youtube-channel", "https://www.youtube.com/@someone"),
        ("https://space.bilibili.com/12345/video", "bilibili", "uid:12345"),
    ],
)
def test_a_channels_address_is_known_as_one(url: str, kind: str, wanted: str) -> None:
    found = known_by_address(url)
    assert found is not None
    assert (kind, wanted) == (found.type, found.url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.org/feed.xml?page=2", "https://example.org/feed.xml?page=2"),
        ("https://example.org/feed?token=abcdef123", "https://example.org/feed?token=…"),
        ("https://me:pass@example.org/feed", "https://…@example.org/feed"),
        ("https://example.org/rss/9f8e7d6c5b4a39281706f5e4d3c2b1a0.xml", "https://example.org/rss/…"),
        ("https://example.org/feed?key=${secret:mine}", "https://example.org/feed?key=${secret:mine}"),
        (
            "https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstu1",
            "https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstu1",
        ),
    ],
)
def test_an_address_is_shown_without_its_private_parts(url: str, shown: str) -> None:
    assert shown == redacted(url)
    assert (url != shown) == is_private(url)
