"""When a text holds a keyword of the preference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.feeds.keywords import find_keywords, holds


@pytest.mark.parametrize(
    ("text", "keyword", "found"),
    [
        ("A React hook", "React", True),
        ("how we react to it", "React", False),
        ("An Agent acts", "agent", True),
        ("reagents", "agent", False),
        ("building", "UI", False),
        ("The UI, at last", "UI", True),
        ("the ui", "UI", False),
        ("Why C++ stays", "C++", True),
        ("C++11", "C++", False),
        ("on .NET today", ".NET", True),
        ("用React写界面", "React", True),
        ("公共管理与数字治理", "数字治理", True),
        ("数字 治理", "数字治理", False),
        ("Café au lait", "Cafe\u0301", True),
        ("GPT4", "GPT", False),
        ("anything", "", False),
        ("anything", "  ", False),
        ("ui at the start", "ui", True),
    ],
)
def test_a_keyword_is_found_where_the_rule_says(text: str, keyword: str, found: bool) -> None:
    assert found == holds(text, keyword)


@given(st.text(min_size=1).filter(str.strip), st.text(), st.text())
def test_a_keyword_between_blanks_is_always_found(keyword: str, before: str, after: str) -> None:
    assert holds(f"{before} {keyword.strip()} {after}", keyword)


def test_found_keywords_keep_the_owners_order() -> None:
    assert ("b", "a") == find_keywords("a then b", ("b", "c", "a"))
