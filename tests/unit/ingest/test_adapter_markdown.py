"""Markdown files from the web: their structure stays, and nothing in them acts in the vault."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.ingest.adapters import read_page
from sidecar.ingest.document import Document
from tests.unit.ingest.hostile import PAYLOADS, assert_harmless

URL = "https://example.com/docs/guide.md"


def read(text: str, url: str = URL, kind: str = "text/markdown") -> Document:
    return read_page(url, kind, text)


def test_structure_is_kept() -> None:
    source = """# Guide

Some *words* and **more**, `code`, ~~gone~~.

- one
  - two
- three

3. a
4. b

| a | b |
| --- | --- |
| 1 | 2 |

> quoted

```python title="x.py"
print("[[x]]")
```

---

## Part
"""
    expected = """Some *words* and **more**, `code`, ~~gone~~.

- one
  - two
- three

3. a
4. b

| a | b |
| --- | --- |
| 1 | 2 |

> quoted

```python
print("[[x]]")
```

---

## Part
"""
    document = read(source)
    assert ("Guide", "full", expected) == (document.title, document.body_state, document.markdown)
    assert expected == read("# Guide\n\n" + document.markdown).markdown, "what was written reads as itself"


def test_relative_addresses_are_made_whole() -> None:
    document = read("![p](pic.png) [a](../a.md#part) [b](/b) [c][1] <https://x.test/>\n\n[1]: c.md 'title'\n")
    assert (
        "![p](https://example.com/docs/pic.png) [a](https://example.com/a.md#part) [b](https://example.com/b) "
        "[c](https://example.com/docs/c.md) [https://x.test/](https://x.test/)\n"
    ) == document.markdown
    assert ("https://example.com/docs/pic.png",) == document.images


@pytest.mark.parametrize(
    "head",
    [
        "---\ntitle: 'The title'\nauthor: [Ann, name: Bo]\ndate: 2024-05-06T10:00:00Z\nlang: de-AT\naliases: [x]\ntags: [evil]\n---\n",
        "---\r\ntitle: The title\r\nauthors:\r\n  - name: Ann\r\n  - Bo\r\npublished: 2024-05-06T10:00:00Z\r\nlanguage: de\r\n---\r\n",
        '+++\ntitle = "The title"\nauthor = ["Ann", "Bo"]\ndate = "2024-05-06T10:00:00Z"\nlang = "de"\n+++\n',
    ],
)
def test_the_frontmatter_of_a_file_is_read_and_dropped(head: str) -> None:
    document = read(head + "Text.\n")
    assert ("The title", "2024-05-06T10:00:00Z", "de") == (document.title, document.published, document.lang)
    assert document.author in ("Ann, Bo", "Ann")
    assert "Text.\n" == document.markdown


@pytest.mark.parametrize("head", ["---\n\nA rule, then text.\n\n---\n", "---\ntitle: [broken\n---\n", "+++\nbroken\n+++\n", "---\n---\n"])
def test_a_rule_is_no_frontmatter_and_broken_frontmatter_no_error(head: str) -> None:
    document = read(head + "Text.\n")
    assert document.markdown.endswith("Text.\n")
    assert_harmless(document)


def test_a_broken_frontmatter_cannot_put_its_own_into_the_note() -> None:
    assert_harmless(read("---\norigin: mine\n---\n---\norigin: theirs\n---\ntext"))


def test_formulas_are_kept_and_prices_are_not_formulas() -> None:
    assert "It costs $5 and $6; $a_b^2$ is one.\n" == read("It costs $5 and $6; $a_b^2$ is one.").markdown
    assert "$$\\sum_i x_i$$\n" == read("$$\n\\sum_i x_i\n$$").markdown


def test_tasks_are_shown_and_are_no_tasks_of_the_vault() -> None:
    assert "- ☐ open\n- ☑ done\n" == read("- [ ] open\n- [x] done\n").markdown


def test_footnotes_stand_at_the_end() -> None:
    assert "Text \\[1\\].\n\n---\n\n1. The note.\n" == read("Text[^1].\n\n[^1]: The note.\n").markdown


def test_html_in_a_file_is_read_as_on_a_page() -> None:
    source = "<p align=center><img src=logo.png></p>\n\n<details><summary>More</summary>\n\ninner **md**\n\n</details>\n<script>x</script>"
    assert "![](https://example.com/docs/logo.png)\n\n**More**\n\ninner **md**\n" == read(source).markdown


@pytest.mark.parametrize("language", ["dataviewjs", "dataview", "tasks", "{dataviewjs}", "templater", "ad-note"])
def test_code_that_a_plugin_would_run_is_shown_as_text(language: str) -> None:
    assert "```text\ndv.pages()\n```\n" == read(f"~~~{language} x\ndv.pages()\n~~~").markdown


@pytest.mark.parametrize(
    ("text", "title"),
    [("Text only", "guide.md"), ("![b](https://x.test/b.svg)\n# H\n", "H"),
     ("Text\n# Later", "guide.md"), ("Über\n====\n", "Über"), ("", "guide.md")],
)  # fmt: skip
def test_the_title_is_the_first_heading_or_the_file_s_name(text: str, title: str) -> None:
    assert title == read(text).title


@pytest.mark.parametrize(
    ("url", "kind", "mine"),
    [(URL, "text/plain", True), ("https://e.test/x", "text/markdown", True), ("https://e.test/x.txt", "text/plain", False),
     ("https://e.test/x.md", "text/html", False), ("https://e.test/README.MD?raw=1", "text/plain", True)],
)  # fmt: skip
def test_markdown_is_told_by_type_or_name(url: str, kind: str, mine: bool) -> None:
    assert mine == (read("Some text", url, kind).adapter == "markdown")


def test_a_link_in_a_quote_cannot_be_a_callout() -> None:
    assert "> [\\!danger](https://e.test/x)\n" == read("> [!danger](https://e.test/x)").markdown


FRAMES = (
    "{}", "before {} after", "# {}", "- {}", "> {}", "**{}**", "[{}](https://e.test/x)", "![{}](https://e.test/x.png)",
    "| a |\n| - |\n| {} |",
    "```\n{}\n```", "    {}", "`{}`", "<div>{}</div>", "Text[^9]\n\n[^9]: {}", "[x]({})", "[x](<{}>)", "<{}>", "$$ {} $$", "$x {} y$",
    "---\ntitle: '{}'\nauthor: '{}'\ndate: '{}'\n---\n\ntext", "[x][r]\n\n[r]: {}", "x\\{}",
)  # fmt: skip


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_a_file_says_acts_in_the_vault(payload: str) -> None:
    for frame in FRAMES:
        assert_harmless(read(frame.replace("{}", payload)))


@given(
    st.lists(st.sampled_from([*PAYLOADS, "\n", "\n\n", " ", "    ", "> ", "- ", "a", "目", "*", "_", "|", "(", ")", "```\n"]), max_size=8)
)
def test_no_mixture_of_hostile_pieces_acts_in_the_vault(pieces: list[str]) -> None:
    assert_harmless(read("".join(pieces)))


@given(st.text(st.sampled_from("[]#^%<>=~`$*_-+.:|\\!(){}&;ab1 目\n"), max_size=60))
def test_no_text_at_all_acts_in_the_vault(text: str) -> None:
    assert_harmless(read(text))
