"""Our line scanner reads headings and code as mistune's full parser does.

Where they differ the scanner is right by CommonMark or by Obsidian's own rules, and the test takes the construct out of
both readings before it compares:

* block comments (``%%`` alone on a line) and ``$$`` formulas are Obsidian's, mistune knows neither: it sees headings and
  indented code in compressed drawings and underlines in formulas;
* the insides of ``<style>`` and ``<script>``: mistune keeps raw HTML blocks whole, we look for links in them (block HTML is
  not settled for Obsidian) and so see headings and indented lines;
* a list or quote ended by a line without its mark: mistune lets an open fence or an ``===`` underline run on past the
  container's end, which CommonMark forbids. Real notes have none of it; generated ones part their blocks by blank lines.

Lines of code are compared without leading ``>`` and blanks: mistune gives the text of a code block, not its place.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import mistune
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.vault.frontmatter import body_offset
from sidecar.vault.markdown import scan_markdown

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"

_PARSE = mistune.create_markdown(renderer=None, plugins=["table", "footnotes"])
_TOLERATED = re.compile(
    r"^[ \t]*%%[ \t]*\n.*?\n[ \t]*%%[ \t]*$|^[ >\t]*\$\$(?:(?!\$\$).)*\$\$|<(style|script)\b.*?</\1>|^</\w+>\n-+$",
    re.DOTALL | re.MULTILINE,
)
_FENCE = re.compile(r"(?:[-*+>\s]|\d+[.)])*(?:`{3,}|~{3,})")

Reading = tuple[list[int], list[str]]


def _by_mistune(body: str) -> Reading:
    levels: list[int] = []
    code: list[str] = []

    def walk(tokens: list[dict[str, Any]]) -> None:
        for token in tokens:
            if token["type"] == "heading":
                levels.append(token["attrs"]["level"])
            if token["type"] == "block_code":
                code.extend(token["raw"].split("\n"))
            walk(token.get("children", []))

    tokens = _PARSE(body)
    assert isinstance(tokens, list)
    walk(tokens)
    return levels, _plain(code)


def _by_us(text: str, start: int) -> Reading:
    found = scan_markdown(text, start)
    lines = text.split("\n")
    return [heading.level for heading in found.headings], _plain([lines[n - 1] for n in found.code_lines])


def _plain(code: list[str]) -> list[str]:
    """Drop fences and blank lines, and what stands before a line of code within a quote."""
    stripped = (re.sub(r"^[>\s]+", "", line).rstrip() for line in code if not _FENCE.match(line))
    return [line for line in stripped if line]


def _readings(text: str) -> tuple[Reading, Reading]:
    start = body_offset(text)
    body = _TOLERATED.sub("", text[start:].replace("\r\n", "\n"))
    return _by_mistune(body), _by_us(body, 0)


def _differing(folder: Path, step: int = 1) -> tuple[int, list[str]]:
    notes = sorted(path for path in folder.rglob("*.md") if path.is_file())[::step]
    texts = ((path, path.read_bytes().decode("utf-8", "replace")) for path in notes)
    return len(notes), [path.name for path, text in texts if (both := _readings(text)) and both[0] != both[1]]


def test_notes_of_the_small_vault_are_read_alike() -> None:
    notes, differing = _differing(FIXTURES / "vaults/small")
    assert notes >= 10
    assert differing == []


@pytest.mark.parametrize("vault", ["bramses-2023", "kepano-obsidian", "knowledge-garden-oldwinter", "nolebase-zh"])
def test_notes_of_real_vaults_are_read_alike(vault: str, shared: Path) -> None:
    step = 1 if os.environ.get("KB_HYPOTHESIS") == "slow" else 7
    notes, differing = _differing(shared / "data/vaults" / vault / "vault", step)
    assert notes * step > 50
    assert differing == []


BLOCKS = [
    "# One",
    "## Two ##",
    "#no",
    "####### seven",
    "words",
    "two\nlines",
    "a  \nb",
    "under\n===",
    "under\n---",
    "***",
    "* * *",
    "    indented",
    "\tindented\n    code",
    "```\ncode\n# no\n```",
    "~~~py\ncode\n\n```\n~~~",
    "````\n```\n````",
    "   ```\n   in\n   ```",
    "- a\n- b",
    "- a\n  - b\n    - c",
    "- a\n\n      code",
    "1. a\n2. b",
    "2) a\n\n   # H",
    "10. a\n\n    b",
    "- ```\n  code\n  ```",
    "+ a\n\tb",
    "- a\n\n\t- b\n\n\t\tc",
    "- [ ] task",
    "- # H in item",
    "- a\n  ---",
    "> quote\nlazy",
    "> ```\n> code\n> ```",
    "> # H",
    "> - a\n>   - b",
    "> > deep\n> one",
    ">     code",
    "> [!note] T\n> body",
    "| a | b |\n|---|---|\n| c | d |",
    "a | b\n:--|--:\nc | d",
    ": text",
    "- text\nlazy",
    "* text\n\n  more",
    "+ text\n- other",
    "<div>\nx\n</div>",
    "  # two in",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(BLOCKS), max_size=8))
def test_generated_notes_are_read_alike(blocks: list[str]) -> None:
    by_mistune, by_us = _readings("\n\nparted\n\n".join(blocks))
    assert by_mistune == by_us
