"""Saved pages of the web against what a person read off them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from sidecar.ingest.adapters import read_page
from sidecar.ingest.document import Document
from sidecar.ingest.page.decode import decode_page

NAMES = tuple(
    "blog-code docs-python docs-tables gbk github-readme ja-ruby js-shell jsonld-only".split()
    + "lazy-images math paywall-stub zh-news zh-news-2".split()
)
OTHERWISE = {
    ("docs-tables", "code_blocks"): (10, "two single lines of code stand in table cells, where Markdown has inline code only"),
    ("docs-tables", "tables"): (7, "the eighth lays out the page's own table of contents"),
    ("github-readme", "code_blocks"): (7, "the eighth is the newest commit's message, above the text"),
}
"""Counts that rightly differ: the person counted elements of the source, which the data's README calls an upper bound."""


def read_saved(folder: Path, name: str) -> tuple[Document, dict[str, Any]]:
    meta = json.loads((folder / f"{name}.html.meta.json").read_text(encoding="utf-8"))
    packed = folder / f"{name}.html.gz"
    body = gzip.decompress(packed.read_bytes()) if packed.is_file() else (folder / f"{name}.html").read_bytes()
    url = meta["url"] or "https://example.com/page"
    expect = meta["expect"] | {key: count for (page, key), (count, _) in OTHERWISE.items() if page == name}
    return read_page(url, "text/html", decode_page(body)), expect


def plain(markdown: str) -> str:
    """Give a note's words without the marks of Markdown, on one line."""
    text = re.sub(r"!?\[((?:\\.|[^\]\\])*)\]\([^)]*\)", r"\1", markdown)
    return " ".join(re.sub(r"[*`]|\\(?=[^\w\s])", "", text).split())


def facts(document: Document, expect: dict[str, Any]) -> dict[str, bool]:
    """Say of each expectation whether it is met."""
    text = plain(document.markdown)
    met: dict[str, bool] = {}
    for key in ("title", "author", "published", "site", "lang"):
        if key in expect:
            met[key] = getattr(document, key) == (expect[key] or "")
    if "code_blocks" in expect:
        met["code_blocks"] = len(re.findall(r"(?m)^[\s>]*`{3,}", document.markdown)) == 2 * expect["code_blocks"]
    if "tables" in expect:
        met["tables"] = len(re.findall(r"(?m)^\|(?: --- \|)+$", document.markdown)) == expect["tables"]
    if "first" in expect:
        met["first"] = all(" ".join(part.split()) in text for part in expect["first"].split(" / "))
    if "last" in expect:
        met["last"] = text.endswith(expect["last"])
    if "contains" in expect:
        met["contains"] = all(part in text for part in expect["contains"])
    if "must_not" in expect:
        met["must_not"] = not any(part in document.markdown for part in expect["must_not"])
    wanted = "missing" if expect.get("no_text") else "summary_only" if expect.get("truncated") else "full"
    met["body_state"] = document.body_state == wanted
    met["says why"] = bool(document.warnings) or document.body_state == "full"
    if expect.get("math"):
        met["math"] = "$" in document.markdown
    return met


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_page_gives_what_a_person_read_off_it(shared: Path, name: str) -> None:
    met = facts(*read_saved(shared / "data" / "web" / "page", name))
    assert {key for key, is_met in met.items() if not is_met} == set()


def test_code_within_table_cells_is_kept_as_inline_code(shared: Path) -> None:
    text = read_saved(shared / "data" / "web" / "page", "docs-tables")[0].markdown
    assert "| Default: | `rewrite_log off;` |" in text
    assert "| Default: | `uninitialized_variable_warn on;` |" in text


def test_every_saved_page_is_tested(shared: Path) -> None:
    found = {path.name.partition(".")[0] for path in (shared / "data" / "web" / "page").glob("*.meta.json")}
    assert set(NAMES) == found
