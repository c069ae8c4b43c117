"""Editing one property changes its lines and nothing else, whatever people have in their notes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import frontmatter
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sidecar.errors import FrontmatterError
from sidecar.vault.frontmatter import read_frontmatter
from sidecar.vault.property_edit import add_item, edit_properties, remove_item, remove_property, rename_property, set_property

IS_SLOW = os.environ.get("KB_HYPOTHESIS") == "slow"


def _note(raw: str) -> str:
    return f"---\n{raw}---\nbody\n---\nx"


# ── styles are kept ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("raw", "key", "value", "after"),
    [
        ("# c\nb: 2\na:   1   # why\n\nz: 'q'\n", "a", 5, "# c\nb: 2\na:   5   # why\n\nz: 'q'\n"),
        ("a: 1\n", "new", "text", "a: 1\nnew: text\n"),
        ("a: 'it''s'\n", "a", "don't", "a: 'don''t'\n"),
        ('a: "x"\n', "a", "y", 'a: "y"\n'),
        ("a:\nb: 1\n", "a", "x", "a: x\nb: 1\n"),
        ("a: x\nb: 1\n", "a", None, "a:\nb: 1\n"),
        ("a: # c\nb: 1\n", "a", "x", "a: x # c\nb: 1\n"),
        ("a: |\n  one\n\n  two\n# next\nb: 1\n", "a", "x", "a: x\n# next\nb: 1\n"),
        ("a: >-\n  one\n\nb: 1\n", "a", "x", "a: x\n\nb: 1\n"),
        ("a: one\n  two\nb: 1\n", "a", "x", "a: x\nb: 1\n"),
        ("a:\n  b:\n    c: 1\nd: 1\n", "a", "x", "a: x\nd: 1\n"),
        ("tags: [a, 'b']\nc: 1\n", "tags", ["a", "b", "c"], "tags: [a, 'b', c]\nc: 1\n"),
        ("tags: [ a,b ]\n", "tags", ["b"], "tags: [ b ]\n"),
        ("tags:\n- a # first\n- b\nc: 1\n", "tags", ["a", "c"], "tags:\n- a # first\n- c\nc: 1\n"),
        ('tags:\n    - "a"\n', "tags", ["a", "b"], 'tags:\n    - "a"\n    - "b"\n'),
        ("tags:\n  - a\n", "tags", [], "tags: []\n"),
        ("tags: [\n  a,\n  b ]\nc: 1\n", "tags", ["x"], "tags: [x]\nc: 1\n"),
        ("tags: a, b\n", "tags", ["a", "b"], "tags:\n  - a\n  - b\n"),
        ("a: 1\na: 2\n", "a", 3, "a: 1\na: 3\n"),
        ("  a: 1\n  b: 2\n", "b", 3, "  a: 1\n  b: 3\n"),
        ("a: &x 1\nb: *x\n", "b", 3, "a: &x 1\nb: 3\n"),
        ("a:\t1\n", "a", 2, "a:\t2\n"),
        ("'a b': 1\n", "a b", 2, "'a b': 2\n"),
        ("标题: 旧\n", "标题", "新", "标题: 新\n"),
        ("", "a", 1, "a: 1\n"),
        ("# only\n", "a", 1, "# only\na: 1\n"),
    ],
)
def test_only_the_propertys_own_lines_change(raw: str, key: str, value: Any, after: str) -> None:
    assert _note(after) == set_property(_note(raw), key, value)


@pytest.mark.parametrize(
    ("raw", "key", "after"),
    [
        ("a: 1\n# about b\nb: 2\n", "a", "# about b\nb: 2\n"),
        ("a: |\n  one\n  # text\n\nb: 2\n", "a", "\nb: 2\n"),
        ("a:\n- x\n- y\nb: 2\n", "a", "b: 2\n"),
        ("a: 1\nb: 2\na: 3\n", "a", "b: 2\n"),
        ("a: [x,\n y]\nb: 2\n", "a", "b: 2\n"),
        ("a: 1\n", "a", ""),
        ("a: 1\n", "b", "a: 1\n"),
    ],
)
def test_removing_takes_only_the_propertys_own_lines(raw: str, key: str, after: str) -> None:
    assert _note(after) == remove_property(_note(raw), key)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("body", "---\nk: v\n---\nbody"),
        ("", "---\nk: v\n---\n"),
        ("\ufeffbody\r\n", "\ufeff---\r\nk: v\r\n---\r\nbody\r\n"),
        ("\ufeff---  \r\na: 1\r\n---\t\r\nbody", "\ufeff---  \r\na: 1\r\nk: v\r\n---\t\r\nbody"),
        ("---\n---\n", "---\nk: v\n---\n"),
        ("---\na: 1\n---", "---\na: 1\nk: v\n---"),
        ("--- start-multi-column: X\nbody", "---\nk: v\n---\n--- start-multi-column: X\nbody"),  # G4
        ("---\nnever closed", "---\nk: v\n---\n---\nnever closed"),
    ],
    ids=["none", "empty", "bom-crlf", "fences", "closed-at-once", "no-body", "G4", "open"],
)
def test_where_a_new_property_goes(text: str, after: str) -> None:
    assert after == set_property(text, "k", "v")


@pytest.mark.parametrize(
    ("raw", "added", "removed"),
    [
        ("tags: [a, b]\n", "tags: [a, b, c]\n", "tags: [b]\n"),
        ("tags:\n- a\n- b\n", "tags:\n- a\n- b\n- c\n", "tags:\n- b\n"),
        ("tags: a, b\n", "tags: a, b, c\n", "tags: b\n"),
        ("tags: a b\n", "tags: a b c\n", "tags: b\n"),
        ("tags: a\n", "tags:\n  - a\n  - c\n", "tags: []\n"),
        ("tags:\n", "tags:\n  - c\n", "tags:\n"),
        ("x: 1\n", "x: 1\ntags:\n  - c\n", "x: 1\n"),
    ],
    ids=["flow", "block", "commas", "blanks", "single", "empty", "none"],
)
def test_a_list_keeps_its_style(raw: str, added: str, removed: str) -> None:
    assert (_note(added), _note(removed)) == (add_item(_note(raw), "tags", "c"), remove_item(_note(raw), "tags", "a"))
    assert _note(added) == add_item(_note(added), "tags", "c")


def test_a_property_is_renamed_where_it_stands() -> None:
    assert _note("x: 1\nnew: |\n  t\ny: 2\n") == rename_property(_note("x: 1\nold: |\n  t\ny: 2\n"), "old", "new")
    with pytest.raises(FrontmatterError):
        rename_property(_note("a: 1\nb: 1\n"), "a", "b")


# ── broken frontmatter ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("raw", "after"),
    [
        ("family: [[A]] [[B]]\nk: 1\n", "family: [[A]] [[B]]\nk: v\n"),  # G5
        ("title: a: b\nother: 1\n", "title: a: b\nother: 1\nk: v\n"),
        ("k: a: b\nother: 1\n", "k: v\nother: 1\n"),
        ("k: 1\nopen: 'never\n", "k: v\nopen: 'never\n"),
    ],
    ids=["beside", "new", "itself", "before-an-open-quote"],
)
def test_a_property_beside_broken_ones_is_edited(raw: str, after: str) -> None:
    assert _note(after) == set_property(_note(raw), "k", "v")


@pytest.mark.parametrize(
    "raw",
    [
        "open: 'never\nk: 1\n",
        "open: [a, b\nk: 1\n",
        "{k: 1, b: 2}\n",
        "- a\n- b\n",
        "a: &x 1\nk: &y 2\nb: *y\n",
        "? k\n: 1\n",
        "k: 1\nbig: " + "x" * 70_000 + "\n",
        "\n".join(f"a{n}: *x" for n in range(50)) + "\nk: 1\n",
    ],
    ids=["open-quote", "open-bracket", "braces", "list", "anchor-in-use", "question", "64-KB", "bomb"],
)
def test_what_cannot_be_edited_safely_is_refused(raw: str) -> None:
    with pytest.raises(FrontmatterError):
        set_property(_note(raw), "k", "v")


# ── values ───────────────────────────────────────────────────────────────────────────────────────

HARD = [
    "a: b", "#x", "x #y", "@me", "'", '"', 'say "hi"', "a\nb", "[[x]]", "[[x|y]] z", "2026-11-30", "2026-11-30T10:00", "12", "1.5",
    "1e3", "0x1f", "0o7", "1_000", "12:30", "true", "No", "on", "null", "~", "", " ", " lead", "trail ", "- x", "? x", "!x", "&x", "*x",
    "%x", "|", ">", "`x`", "{a}", "x:", "a\tb", "\\n", "\u2028", "\ufeff", "\x85", "\x7f", "👩‍👩‍👧",
    "中文：标题", "=", "<<", "---", "...", "1.", ".5",
    "é", "y",
]  # fmt: skip


@pytest.mark.parametrize("value", HARD)  # I5
@pytest.mark.parametrize(
    "raw", ["", "k: old\n", "k: 'old'\n", 'k: "old"\n', "k: |\n  old\n"], ids=["new", "plain", "single", "double", "block"]
)
def test_any_text_comes_back_as_the_same_text(value: str, raw: str) -> None:
    text = set_property(_note("a: 1\n" + raw + "z: 2\n"), "k", value)
    written = read_frontmatter(text).raw or ""
    assert {"a": 1, "k": value, "z": 2} == read_frontmatter(text).properties
    others = yaml.safe_load(written)["k"]  # what other programs read; a date is one for them, too
    assert value == others or (value.startswith("2026-") and str(others).replace(" ", "T").startswith(value))
    in_list = add_item(_note("k: [a]\n"), "k", value)
    assert ["a", value] == read_frontmatter(in_list).properties["k"]


def test_dates_stand_bare_and_links_in_quotes_as_obsidian_wants_them() -> None:
    assert _note('d: 2026-11-30\nl: "[[x]]"\n') == edit_properties(_note(""), {"d": "2026-11-30", "l": "[[x]]"})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**30, object(), "\ud800", {1, 2}])
def test_a_value_that_yaml_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(FrontmatterError):
        set_property(_note("a: 1\n"), "k", value)


@pytest.mark.parametrize("key", ["", " ", "a\nb", "x" * 300])
def test_a_name_that_is_none_is_refused(key: str) -> None:
    with pytest.raises(FrontmatterError):
        set_property(_note("a: 1\n"), key, 1)


# ── anything ─────────────────────────────────────────────────────────────────────────────────────

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALARS = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats(-1e6, 1e6) | TEXT | st.sampled_from(HARD)
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.sampled_from(["x", "键"]), SCALARS, max_size=2)
KEYS = st.sampled_from(["tags", "a", "b b", "键", "on", "1", "x:y", "#h", "A"])
HEADS = st.dictionaries(KEYS, VALUES, max_size=4)
STYLES = st.sampled_from([{}, {"default_flow_style": None}, {"default_style": '"'}, {"default_style": "'"}, {"indent": 4, "width": 20}])


@settings(max_examples=300 if not IS_SLOW else 10_000, deadline=None)
@given(HEADS, STYLES, st.text("ab\n-# \r", max_size=30), st.sampled_from(["", "\ufeff"]), KEYS, VALUES)
@example({}, {}, "---\n---\n", "", "a", 1)
@example({}, {}, "", "", "tags", {"x": "\x7f"})
def test_everything_else_stays_byte_for_byte(
    head: dict[str, Any], style: dict[str, Any], body: str, bom: str, key: str, value: Any
) -> None:
    raw = yaml.safe_dump(head, allow_unicode=True, sort_keys=False, **style) if head else ""
    text = f"{bom}---\n{raw}---\n{body}"
    before = read_frontmatter(text)
    if before.error:
        return
    try:
        after = set_property(text, key, value)
    except FrontmatterError:
        # Nothing else may be refused here: properties in braces, numbers that no plain decimal gives back.
        assert raw.startswith("{") or "e-" in repr(value)
        return
    found = read_frontmatter(after)
    assert (body, {k: v for k, v in before.properties.items() if k != key}) == (
        after[found.body_start :],
        {k: v for k, v in found.properties.items() if k != key},
    )
    _assert_only_own_lines(text, after, key)
    assert after == set_property(after, key, value)
    if key not in before.properties:
        assert text == remove_property(after, key)


def _assert_only_own_lines(before: str, after: str, key: str) -> None:
    """What lies between the common lines above and below is, before and after, this property or nothing."""
    old, new = before.split("\n"), after.split("\n")
    top = 0
    while top < min(len(old), len(new)) and old[top] == new[top]:
        top += 1
    low = 0
    while low < min(len(old), len(new)) - top and old[-1 - low] == new[-1 - low]:
        low += 1
    for lines in (old[top : len(old) - low], new[top : len(new) - low]):
        names = [line.partition(":")[0].strip("\"'") for line in lines if line[:1] not in ("", " ", "\t", "-", "#", "]", "}")]
        assert len(names) <= 1, (key, lines)


# ── what real people have ────────────────────────────────────────────────────────────────────────


def _corpus(shared: Path) -> Iterator[tuple[str, str]]:
    found = sorted((shared / "data" / "vaults").rglob("*.md"))
    for path in found if IS_SLOW else found[::70]:
        yield path.name, path.read_bytes().decode("utf-8", "surrogateescape")


def test_set_change_and_remove_over_the_notes_of_real_vaults(shared: Path) -> None:
    edits = 0
    for name, text in _corpus(shared):
        before = read_frontmatter(text)
        assert not before.error, name
        new = set_property(text, "kb-new", 'a: "new" #value')
        assert text == remove_property(new, "kb-new") if before.raw is not None else text[before.body_start :] in new
        peers_read = _peer(text)
        for key, value in before.properties.items():
            changed = [set_property(text, key, 'x: "y"'), set_property(text, key, ["a", "b"]), remove_property(text, key)]
            if isinstance(value, list):
                more = add_item(text, key, "kb-item")
                assert text == remove_item(more, key, "kb-item"), (name, key)
                changed.append(more)
            for after in changed:
                edits += 1
                _assert_only_own_lines(text, after, key)
                if peers_read is not None:
                    assert _without(peers_read, key) == _without(_peer(after), key), (name, key)
    assert edits > 500


def _without(properties: dict[str, Any] | None, key: str) -> dict[str, Any] | None:
    return None if properties is None else {name: value for name, value in properties.items() if name != key}


def _peer(text: str) -> dict[str, Any] | None:
    """What python-frontmatter with its own YAML handler reads of a note; ``None`` if it cannot read it."""
    head = text[: read_frontmatter(text).body_start]  # it stumbles over half characters in a body
    try:
        return {str(key): value for key, value in frontmatter.parse(head)[0].items()}
    except (TypeError, ValueError, yaml.YAMLError):
        return None
