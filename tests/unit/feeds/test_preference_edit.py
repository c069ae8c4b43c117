"""Edits of the owner's preference change their own lines and nothing else."""

from __future__ import annotations

import difflib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sidecar.errors import PreferenceError
from sidecar.feeds.edit import remove_value, set_value
from sidecar.feeds.preference import parse_preference

FILE = """\
# what I read
version: 1

themes:   # three, no more
  - group: "Tools"        # quoted
    any: [MCP, '智能体']

sources:
  # the good ones
  - id: one
    url: https://example.org/one.xml   # daily
    enabled: true

  - id: two
    url: 'https://example.org/two.xml'
    weight: 0.80
  - {id: three, url: https://example.org/3}

tuning:
  source_delta: {}   # buttons write here
charter: |
  Be kind.
    Indent stays.
# the end
"""


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True))
    return [line.rstrip("\r\n") for line in lines if line[0] in "+-"]


@pytest.mark.parametrize(
    ("path", "value", "wanted"),
    [
        (("sources", 0, "enabled"), False, ["-     enabled: true", "+     enabled: false"]),
        (("sources", 1, "weight"), 0.5, ["-     weight: 0.80", "+     weight: 0.5"]),
        (("sources", 1, "enabled"), False, ["+     enabled: false"]),
        (
            ("sources", 2, "interval_min"),
            60,
            ["-   - {id: three, url: https://example.org/3}", "+   - {id: three, url: https://example.org/3, interval_min: 60}"],
        ),
        (("sources", 3), {"id": "four", "url": "https://x.org"}, ["+   - id: four", "+     url: https://x.org"]),
        (
            ("tuning", "source_delta", "one"),
            0.1,
            ["-   source_delta: {}   # buttons write here", "+   source_delta: {one: 0.1}   # buttons write here"],
        ),
        (("schedule", "brief_hour"), 6, ["+ schedule:", "+   brief_hour: 6"]),
        (("redlines",), ["x"], ["+ redlines:", "+ - x"]),
        (
            ("sources", 0, "url"),
            "https://example.org/new",
            ["-     url: https://example.org/one.xml   # daily", '+     url: "https://example.org/new"   # daily'],
        ),
    ],
)
def test_a_change_touches_its_own_lines_only(path: tuple[str | int, ...], value: object, wanted: list[str]) -> None:
    assert wanted == changed_lines(FILE, set_value(FILE, path, value))


def test_a_subscription_is_removed_with_its_lines() -> None:
    found = remove_value(FILE, ("sources", 1))
    assert ["-   - id: two", "-     url: 'https://example.org/two.xml'", "-     weight: 0.80"] == changed_lines(FILE, found)
    assert ["one", "three"] == [s.id for s in parse_preference(found).subscriptions()]


def test_windows_line_ends_and_a_missing_last_one_stay() -> None:
    crlf = FILE.replace("\n", "\r\n").rstrip("\r\n")
    found = set_value(crlf, ("schedule", "brief_hour"), 6)
    assert ["+ schedule:", "+   brief_hour: 6"] == changed_lines(crlf, found)
    assert not found.endswith("\n")
    assert "\n" not in found.replace("\r\n", "")


def test_an_empty_file_and_an_empty_key_take_a_first_subscription() -> None:
    for text in ("", "# mine\n", "sources:\nredlines: [x]\n", "sources: []\n"):
        found = set_value(text, ("sources", 0), {"id": "a", "url": "https://a.org"})
        assert ["a"] == [s.id for s in parse_preference(found).subscriptions()]
        assert all(line in found for line in text.splitlines() if line.startswith("#") or "redlines" in line)


def test_the_last_subscription_can_be_removed() -> None:
    text = "# mine\nsources:\n  - id: a\n    url: https://a.org\n"
    found = remove_value(text, ("sources", 0))
    assert () == parse_preference(found).subscriptions()
    assert "# mine" in found


def test_a_change_that_would_break_a_rule_is_refused() -> None:
    with pytest.raises(PreferenceError):
        set_value(FILE, ("tuning", "source_delta", "one"), 0.9)
    with pytest.raises(PreferenceError):
        set_value("schedule: [\n", ("schedule", "brief_hour"), 6)


NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=8)


@given(st.lists(NAMES, min_size=1, max_size=5, unique=True), st.data(), st.booleans(), st.sampled_from(["", "  ", "    "]))
def test_any_watchlist_takes_any_change(ids: list[str], data: st.DataObject, flow: bool, indent: str) -> None:
    entries = [{"id": name, "url": f"https://example.org/{n}"} for n, name in enumerate(ids)]
    dumped = yaml.safe_dump(entries, allow_unicode=True, default_flow_style=flow, sort_keys=False, width=10_000)
    text = "# head\nsources:\n" + "".join(f"{indent or (flow and chr(32)) or ''}{line}  # kept\n" for line in dumped.splitlines() if line)
    place = data.draw(st.integers(0, len(ids) - 1))
    text = set_value(text, ("sources", place, "enabled"), False)
    text = set_value(text, ("sources", len(ids)), {"id": "the-new-one", "url": "https://new.org"})
    text = remove_value(text, ("sources", place))
    left = [*ids[:place], *ids[place + 1 :], "the-new-one"]
    assert left == [s.id for s in parse_preference(text).subscriptions()]
    assert text.startswith("# head\n")
