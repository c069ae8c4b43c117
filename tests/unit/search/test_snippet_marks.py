"""A passage reads as prose: the marks of Markdown are gone, the words and their highlights stay."""

from __future__ import annotations

import pytest

from sidecar.search.query import parse_query
from sidecar.search.snippets import make_snippets


@pytest.mark.parametrize(
    ("body", "query", "shown"),
    [
        ("# A heading\n\n- [ ] **water** the `ferns`\n", "water", "A heading <water> the ferns"),
        ("See [the water plan](https://x.example/a_b) and ![map](m.png).", "water", "See the <water> plan and map."),
        ("Ask [[Water board|the board]] about water", "about", "Ask the board <about> water"),
        ("Ask [[Water board|the board]] about it", "water", "Ask <Water> board|the board about it"),
        ("| plant | water |\n|---|---|\n| fern | much |", "water", "plant <water> fern much"),
        ("> [!note] Title\n> the *water* is 2 * 3 litres", "water", "Title the <water> is 2 * 3 litres"),
        ("1. 第一步 ==浇水== 再等\n2. snake_case stays", "浇水", "第一步 <浇水> 再等 snake_case stays"),
        ("a %%private%% note on water %% 50", "water", "a private note on <water> 50"),
        ("look at https://x.example/water here", "water", "look at https://x.example/<water> here"),
        ("a [link](https://x.example/water-works) here", "water", "a link](https://x.example/<water>-works) here"),
    ],
)
def test_a_passage_is_shown_without_marks_and_marked_where_it_matches(body: str, query: str, shown: str) -> None:
    (snippet,) = make_snippets(body, parse_query(query).runs, limit=1)
    text = snippet.text
    for start, end in reversed(snippet.highlights[:1]):
        text = f"{text[:start]}<{text[start:end]}>{text[end:]}"
    assert shown == text
