"""Which items are left out and why, how the rest is ranked, and when what is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sidecar.feeds.preference import Preference, parse_preference
from sidecar.feeds.subscription import RawItem, Subscription
from sidecar.items.item import Twin, as_record, duplicate_of, read_tier, title_key
from sidecar.items.prefilter import Likeness, match_item, reject_reason
from sidecar.items.schedule import back_off, in_windows, is_brief_due, is_due, missed_window, next_window

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
SUB = Subscription("s", "rss", "https://example.org/f")
THEME = "{group: Tools, must: [MCP], any: [agent, 智能体], never: [盘点合集], weight: 2}"
PREFERENCE = parse_preference(f"themes: [{THEME}]\nredlines: [广告代理]\n")


def record(**more: Any) -> dict[str, Any]:
    given = {"external_id": "1", "kind": "article", "title": "MCP for an agent", "url": "https://example.org/1", "published": NOW}
    return as_record(RawItem(**{**given, "body": "Text.", "body_state": "full", **more}), "s", NOW)


def reason(item: dict[str, Any], preference: Preference = PREFERENCE, subscription: Subscription = SUB, *, first: bool = False) -> str:
    match = match_item(item, subscription, preference)
    return reject_reason(item, match, subscription, preference, NOW, is_first_run=first)


@pytest.mark.parametrize(
    ("item", "wanted"),
    [
        (record(), ""),
        (record(body="找广告代理的"), "redline"),
        (record(title="MCP agent 盘点合集"), "theme-reject"),
        (record(title="MCP alone"), "no-match"),
        (record(title="Agents", body="an agent and mcp"), "no-match"),
        (record(published=NOW - timedelta(days=15)), "stale"),
        (record(published=NOW - timedelta(days=14)), ""),
        (record(kind="video", duration_s=89), "too-short"),
        (record(kind="video", duration_s=90), ""),
        (record(kind="video", duration_s=None, body="", body_state="missing"), ""),
        (record(body="", body_state="missing"), "no-body"),
        (record(body="", body_state="burned_in"), ""),
        (record(tags=("智能体",), title="MCP"), ""),
    ],
)
def test_an_item_is_left_out_for_the_first_reason_that_holds(item: dict[str, Any], wanted: str) -> None:
    assert wanted == reason(item)


def test_a_first_run_and_a_subscriptions_own_limit_let_old_items_in() -> None:
    old = record(published=NOW - timedelta(days=300))
    assert "" == reason(old, first=True)
    assert "" == reason(old, subscription=Subscription("s", "rss", max_age_days=365))


def test_a_followed_subscription_skips_the_theme_test_and_nothing_else() -> None:
    followed = Subscription("s", "rss", follows=True)
    assert "" == reason(record(title="Anything"), subscription=followed)
    assert "redline" == reason(record(title="广告代理"), subscription=followed)
    assert "" == reason(record(title="Anything"), parse_preference("require_theme_hit: false\n"))


def test_kinds_and_scores_can_be_limited() -> None:
    limited = parse_preference("require_theme_hit: false\nlimits: {skip_kinds: [note], min_score: 1}\n")
    assert "skip-kind" == reason(record(kind="note"), limited)
    assert "below-score" == reason(record(), limited)


def test_a_score_is_the_sum_of_parts_that_can_be_read() -> None:
    tuned = parse_preference("themes: [{group: A, any: [x]}]\nsources: [{id: s, url: u, weight: 0.3}]\ntuning: {source_delta: {s: -0.1}}\n")
    found = match_item(record(title="x"), tuned.subscriptions()[0], tuned, Likeness(0.5, "My note", ("graphs",)))
    assert {"theme A": 1.0, "subscription": pytest.approx(0.2), "like My note": 0.5, "interests graphs": 0.5} == found.parts
    assert 2.2 == found.score
    assert [("A", ("x",), "title")] == list(found.themes)


def test_the_same_page_or_title_within_two_weeks_is_a_duplicate() -> None:
    item = record(title="A long enough title", author="Ann")
    twin = Twin("other", "https://example.org/1", title_key("Another title altogether"), "Bob", NOW.isoformat(), "t")
    assert "duplicate:url" == (duplicate_of(item, [twin]) or ("", ""))[1]
    alike = Twin("other", "https://example.org/2", title_key("A  LONG, enough: title!"), "ann", NOW.isoformat(), "t")
    assert "duplicate:title-author" == (duplicate_of(item, [alike]) or ("", ""))[1]
    for no in (
        Twin("other", "https://example.org/1", "", "", (NOW - timedelta(days=15)).isoformat(), "t"),
        Twin("other", "https://example.org/2", title_key("A long enough title"), "somebody else", NOW.isoformat(), "t"),
    ):
        assert duplicate_of(item, [no]) is None
    assert "" == title_key("教程")


@pytest.mark.parametrize(
    ("word", "tier"),
    [("worth", "worth"), ("值得看", "worth"), ("可以看", "okay"), ("不值当", "skip"), ("great", None), (5, None), ("", None)],
)
def test_only_the_three_tiers_and_their_chinese_words_are_taken(word: object, tier: str | None) -> None:
    assert tier == read_tier(word)


# ── when ──────────────────────────────────────────────────────────────────────────────────────


def at(year: int, month: int, day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute)  # noqa: DTZ001 - the owner's local time


@pytest.mark.parametrize(
    ("hour", "minute", "windows", "inside"),
    [
        (7, 0, ("07:00-09:00",), True),
        (9, 0, ("07:00-09:00",), False),
        (23, 30, ("22:00-01:00",), True),
        (0, 59, ("22:00-01:00",), True),
        (1, 0, ("22:00-01:00",), False),
        (3, 0, (), True),
        (12, 45, ("07:00-09:00", "12:30-13:30"), True),
    ],
)
def test_a_window_may_pass_midnight_and_none_is_any_time(hour: int, minute: int, windows: tuple[str, ...], inside: bool) -> None:
    assert inside == in_windows(at(2026, 3, 5, hour, minute), windows)


def test_the_brief_is_due_once_a_local_day_after_its_hour() -> None:
    day = at(2026, 3, 5, 8)
    assert not is_brief_due(None, day - timedelta(minutes=1), 8)
    assert is_brief_due(None, day, 8)
    assert is_brief_due(day - timedelta(days=1), day, 8)
    assert not is_brief_due(day, day + timedelta(hours=5), 8)


def test_a_day_that_is_one_hour_shorter_has_one_brief_and_all_windows() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    moments = [datetime(2026, 3, 28, 20, tzinfo=UTC) + timedelta(minutes=30 * n) for n in range(96)]
    last: datetime | None = None
    written = []
    for moment in moments:
        local = moment.astimezone(berlin)
        if is_brief_due(last, local, 2):
            last = local
            written.append(local.date().isoformat())
    assert ["2026-03-28", "2026-03-29", "2026-03-30"] == written
    assert in_windows(datetime(2026, 3, 29, 3, tzinfo=berlin), ("02:00-04:00",))


def test_what_a_window_left_due_while_the_machine_slept_is_caught_up() -> None:
    windows = ("07:00-09:00",)
    assert missed_window(at(2026, 3, 4, 8), at(2026, 3, 5, 15), windows)
    assert not missed_window(at(2026, 3, 5, 8, 59), at(2026, 3, 5, 15), windows)
    assert missed_window(None, at(2026, 3, 5, 15), windows)


def test_a_failing_subscription_rests_longer_each_time_up_to_a_day() -> None:
    assert [30, 60, 120] == [back_off(n).total_seconds() / 60 for n in (1, 2, 3)]
    assert timedelta(days=1) == back_off(30)
    hour_ago = NOW - timedelta(hours=1)
    assert is_due(SUB, None, 0, None, NOW)
    assert not is_due(SUB, hour_ago, 0, hour_ago, NOW)
    assert is_due(SUB, NOW - timedelta(hours=7), 0, None, NOW)
    assert not is_due(SUB, None, 3, hour_ago, NOW)
    assert is_due(SUB, None, 2, hour_ago, NOW)
    assert not is_due(Subscription("s", "rss", enabled=False), None, 0, None, NOW)


def test_the_next_window_is_told() -> None:
    assert at(2026, 3, 6, 7) == next_window(at(2026, 3, 5, 14), Preference())
    assert at(2026, 3, 5, 8) == next_window(at(2026, 3, 5, 8), Preference())
