"""Reading the owner's preference: defaults, and a line for each rule that is broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.errors import PreferenceError
from sidecar.feeds.preference import Preference, parse_preference, read_window

WHOLE = """\
version: 1
# mine
themes:
  - group: Tools
    any: [MCP, 智能体]
    never: [盘点合集]
follow:
  feeds: [https://example.org/feed, https://example.org/a.xml]
  youtube: ["@someone"]
sources:
  - id: example
    url: https://example.org/a.xml
    weight: 0.8
    max_age_days: 365
  - id: notes
    type: mcp
    enabled: false
    tool: {command: [notes-server], tool: list_notes, fields: {title: name}}
schedule:
  windows: ["23:00-01:00"]
tuning:
  source_delta: {example: -0.2}
charter: |
  You choose for somebody who is away.
redlines:
"""


def test_an_empty_file_has_all_defaults() -> None:
    found = parse_preference("# nothing yet\n")
    assert Preference() == found
    schedule = found.schedule
    assert (("07:00-09:00", "12:30-13:30"), 8, True) == (schedule.windows, schedule.brief_hour, schedule.off_peak_only)
    assert (25, 60) == (schedule.max_per_run, schedule.max_per_day)
    assert (14, 90, (), 0, True, 3, 120_000, {}) == (
        found.limits.max_age_days, found.limits.min_duration_sec, found.limits.skip_kinds, found.limits.min_score,
        found.require_theme_hit, found.auto_ingest_top, found.budget_tokens, found.tuning.source_delta,
    )  # fmt: skip


def test_what_is_followed_and_listed_is_one_watchlist() -> None:
    found = parse_preference(WHOLE)
    assert [
        ("example", "rss", True, True),
        ("notes", "mcp", False, False),
        ("https://example.org/feed", "rss", True, True),
        ("youtube:@someone", "youtube-channel", True, True),
    ] == [(s.id, s.type, s.enabled, s.follows) for s in found.subscriptions()]
    assert -0.2 == found.delta_of("example")
    assert 0 == found.delta_of("notes")


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("themes: [\n", 2, 1, "no YAML"),
        ("- a\n", 1, 1, "holds no keys"),
        ("\nsorces: []\n", 2, 1, "not a known key"),
        ("schedule:\n  brief_hour: 24\n", 2, 15, "less than or equal to 23"),
        ("schedule:\n  windows: ['7-9']\n", 2, 13, "schedule.windows.1"),
        ("schedule:\n  windows: ['07:00-25:00']\n", 2, 12, "no time of day"),
        ("schedule:\n  off_peak: '07:00-07:00'\n", 2, 13, "no time of day"),
        ("themes:\n  - group: A\n", 2, 5, "needs words"),
        ("themes:\n  - any: [x]\n", 2, 5, "lacks 'group'"),
        ("themes:\n  - group: A\n    any: [x]\n    weight: .inf\n", 4, 13, "finite"),
        ("sources:\n  - id: a\n", 2, 5, "needs a `url`"),
        ("sources:\n  - id: a\n    type: rs\n    url: x\n", 3, 11, "sources.1.type"),
        ('sources:\n  - id: "a\\nb"\n    url: x\n', 2, 9, "one line"),
        ("sources:\n  - id: a\n    type: mcp\n", 2, 5, "needs `tool`"),
        ("sources:\n  - {id: a, url: x}\n  - {id: a, url: y}\n", 1, 1, "the id 'a'"),
        ("sources:\n  - {id: a, url: x, interval_min: 0}\n", 2, 35, "greater than or equal to 1"),
        ("limits:\n  skip_kinds: [film]\n", 2, 16, "limits.skip_kinds.1"),
        ("limits:\n  max_age_days: 0\n", 2, 17, "greater than or equal to 1"),
        ("tuning:\n  source_delta: {a: 0.6}\n", 2, 21, "less than or equal to 0.5"),
        ("auto_ingest_top: -1\n", 1, 18, "greater than or equal to 0"),
        ("budget_tokens: many\n", 1, 16, "integer"),
        ("redlines: [x, '']\n", 1, 15, "at least 1"),
        ("charter: a\ncharter: b\n", 2, 1, "stands twice"),
        ("version: 2\n", 1, 10, "Input should be 1"),
        ("a: &a [x]\nthemes: *a\n", 1, 4, "stands for another"),
    ],
)
def test_each_broken_rule_is_named_with_its_place(text: str, line: int, column: int, said: str) -> None:
    with pytest.raises(PreferenceError) as caught:
        parse_preference(text)
    assert said in caught.value.message
    assert (line, column) == (caught.value.params["line"], caught.value.params["column"])


@pytest.mark.parametrize(("text", "minutes"), [("07:00-09:00", (420, 540)), ("23:00–01:00", (1380, 60)), ("00:00-24:00", (0, 1440))])
def test_a_window_is_read_as_minutes_of_the_day(text: str, minutes: tuple[int, int]) -> None:
    assert minutes == read_window(text)


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda b: b.decode("latin-1")))
def test_any_text_is_a_preference_or_an_error_with_a_place(text: str) -> None:
    found: Preference | PreferenceError
    try:
        found = parse_preference(text)
    except PreferenceError as error:
        found = error
    assert isinstance(found, Preference) or min(int(found.params["line"] or 0), int(found.params["column"] or 0)) >= 1
