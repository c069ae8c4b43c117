"""Frontmatter as Obsidian reads it; links that lead back; paths that stay inside."""

from __future__ import annotations

import os.path
import unicodedata
from typing import Any

import frontmatter
import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sidecar.errors import OutsideVault
from sidecar.vault.frontmatter import ObsidianHandler, read_frontmatter
from sidecar.vault.links import NameIndex, render_link, resolve_link, shortest_link
from sidecar.vault.note import fold_name
from sidecar.vault.parse import parse_note
from sidecar.vault.paths import check_path, safe_name

# ── frontmatter ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("raw", "properties"),
    [
        ("time: 12:30", {"time": "12:30"}),
        ("on: on\nyes: no", {"on": "on", "yes": "no"}),
        ("date: 2026-11-30", {"date": "2026-11-30"}),
        ("n: 12\nf: 1.5\nz: 007", {"n": 12, "f": 1.5, "z": "007"}),
        ("a: true\nb: False\nc: null\nd:", {"a": True, "b": False, "c": None, "d": None}),
        ("a: 1\na: 2", {"a": 2}),
        ("标题: 中文\n1: x", {"标题": "中文", "1": "x"}),
        ("a: {b: [c, {d: e}]}", {"a": {"b": ["c", {"d": "e"}]}}),
        ("a: |\n  one\n  two\n", {"a": "one\ntwo\n"}),
        ("# only a comment", {}),
        ("", {}),
    ],
    ids=["clock", "words", "date", "numbers", "constants", "twice", "keys", "nested", "block", "comment", "empty"],
)
def test_values_are_read_as_obsidian_shows_them(raw: str, properties: dict[str, Any]) -> None:
    head = read_frontmatter(f"---\n{raw}\n---\nbody")
    assert (properties, "") == (head.properties, head.error)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: 1\n---\nbody", "body"),
        ("\ufeff---\r\na: 1\r\n---\r\nbody", "body"),
        ("---\na: 1\n---", ""),
        ("---  \na: 1\n---  \nbody", "body"),
        ("--- start-multi-column: X\nbody", "--- start-multi-column: X\nbody"),  # G4
        ("text\n---\nbody", "text\n---\nbody"),  # G6
        ("---\na: 1\nnever closed", "---\na: 1\nnever closed"),
        ("\n---\na: 1\n---\n", "\n---\na: 1\n---\n"),
        (" ---\na: 1\n---\n", " ---\na: 1\n---\n"),
        ("", ""),
    ],
    ids=["plain", "bom-crlf", "no-body", "blanks", "G4", "G6", "open", "late", "indented", "empty"],
)
def test_where_the_body_begins(text: str, body: str) -> None:
    assert body == text[read_frontmatter(text).body_start :]


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        ("title: a: b", "line 2: mapping values are not allowed in this context"),  # G5
        ("a: 1\n\tb: 2", "line 3: found a tab character that violates indentation"),
        ("- a\n- b", "line 2: properties must be written as `name: value`"),
    ],
    ids=["G5", "tab", "list"],
)
def test_a_broken_head_is_named_with_its_line_and_the_body_kept(raw: str, error: str) -> None:
    note = parse_note("s.md", f"---\n{raw}\n---\n# Head\n[[x]]")
    assert (error, {}, ["Head"], ["x"]) == (
        note.property_error,
        note.properties,
        [heading.text for heading in note.headings],
        [link.path for link in note.links],
    )


SCALARS = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc键", min_size=1), inner, max_size=3))


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text("abcdé键 -", min_size=1).map(str.strip).filter(bool), VALUES, max_size=4), st.text("ab\n-#", max_size=30))
def test_python_frontmatter_with_our_handler_reads_the_same(properties: dict[str, Any], body: str) -> None:
    text = f"---\n{yaml.safe_dump(properties, allow_unicode=True)}---\n{body}"
    head = read_frontmatter(text)
    assert not head.error
    # python-frontmatter strips the text before it looks, so the same text must be asked.
    stripped = read_frontmatter(text.strip())
    metadata, content = frontmatter.parse(text, handler=ObsidianHandler())
    assert (stripped.properties, text.strip()[stripped.body_start :].strip()) == (metadata, content.strip())
    assert stripped.properties == head.properties


# ── links that we write ──────────────────────────────────────────────────────────────────────────

_NAME_CHARS = [*"abAB01 .-_'()&,;!@%+=#^[]|~`$", "中", "笔", "é", "e\u0301", "😀", "Ａ"]
SEGMENTS = (
    st.lists(st.sampled_from(_NAME_CHARS), min_size=1, max_size=6)
    .map("".join)
    .filter(lambda name: name == name.strip(" .") and not name.startswith(".") and not name.endswith(" "))
)
FILES = st.lists(
    st.tuples(st.lists(SEGMENTS, max_size=2), SEGMENTS, st.sampled_from([".md", ".md", ".md.md", ".png", ".canvas"])),
    min_size=1,
    max_size=6,
)


def _path(file: tuple[list[str], str, str]) -> str:
    folders, name, suffix = file
    return "/".join([*folders, name + suffix])


@settings(max_examples=500, deadline=None)
@given(FILES, st.lists(SEGMENTS, max_size=2), st.text([*"ab []|#^`%<>\\\n!*_()", "中"], max_size=12))
@example([([], "a|b", ".md")], [], "t")
@example([([], "a#b", ".md"), ([], "a", ".md")], [], "")
@example([([], "100%", ".md")], [], "x")
@example([([], "a%41[]", ".md")], [], "x")
def test_a_written_link_leads_back_to_its_file(files: list[tuple[list[str], str, str]], folder: list[str], title: str) -> None:
    paths = list(dict.fromkeys(map(_path, files)))
    assume(len({unicodedata.normalize("NFC", path).lower() for path in paths}) == len(paths))
    source = "/".join([*folder, "s.md"])
    names = NameIndex(paths)
    for path in paths:
        written = render_link(path, title, source, names)
        links = parse_note(source, f"- {written} · 1\n").links
        assert [path] == [resolve_link(link.path, source, names) for link in links], written
        assert "\n" not in written


@settings(max_examples=300, deadline=None)
@given(FILES, st.lists(SEGMENTS, max_size=2))
def test_the_shortest_link_leads_back_and_a_shorter_one_would_be_ambiguous(
    files: list[tuple[list[str], str, str]], folder: list[str]
) -> None:
    paths = list(dict.fromkeys(map(_path, files)))
    assume(len({unicodedata.normalize("NFC", path).lower() for path in paths}) == len(paths))
    source = "/".join([*folder, "s.md"])
    names = NameIndex(paths)
    for path in paths:
        link = shortest_link(path, source, names)
        assert path == resolve_link(link, source, names)
        shorter = link.partition("/")[2]
        if shorter and path != link:
            assert len(names.candidates(fold_name(shorter))) > 1 or path != resolve_link(shorter, source, names)


@pytest.mark.parametrize(
    ("path", "title", "written"),
    [
        ("a/note.md", "note", "[[note]]"),
        ("a/note.md", "My title", "[[note|My title]]"),
        ("a/twin.md", "x", "[[a/twin|x]]"),
        ("p.png", "p", "[[p.png|p]]"),
        ("a/note.md", "a ]] b [[c]]", "[[note|a ] ] b [ [c] ]]"),
        ("a[1].md", "One [x]", "[One \\[x\\]](a%5B1%5D.md)"),
    ],
    ids=["name", "title", "path", "attachment", "brackets", "unlinkable"],
)
def test_how_a_link_is_written(path: str, title: str, written: str) -> None:
    names = NameIndex(["a/note.md", "a/twin.md", "b/twin.md", "p.png", "a[1].md"])
    assert written == render_link(path, title, "index.md", names)


# ── paths from outside ───────────────────────────────────────────────────────────────────────────

_HOSTILE = [
    "..",
    ".",
    ".. ",
    "...",
    "..\\",
    "C:",
    "a:b",
    "CON",
    "\0",
    "x" * 300,
    "e\u0301",
    "é",
    ".OBSIDIAN",
    ".obſidian",
    "．．",
    "a",
    "b.md",
    "",
    " ",
    "~",
    "/",
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(_HOSTILE), min_size=1, max_size=5), st.sampled_from(["/", "\\", "//"]))
def test_a_checked_path_never_leaves_the_vault_or_enters_a_hidden_folder(segments: list[str], between: str) -> None:
    asked = between.join(segments)
    try:
        path = check_path(asked)
    except OutsideVault:
        return
    inside = os.path.normpath(f"/vault/{path}")
    assert inside == f"/vault/{path}"
    assert not any(part.startswith(".") or part.endswith((".", " ")) for part in path.split("/"))
    assert not {".", "..", ".obsidian"} & {part.lower() for part in unicodedata.normalize("NFKC", path).split("/")}
    assert not set(path) & set("\0:\\")


@pytest.mark.parametrize(
    "path",
    ["a.md", "a/b c/中文.md", "a/v1.2 plan.md", "😀/x.canvas", "a" * 255, "…and so on/等等….md", "等等…/x.md", "／命令.md", "问：答.md"],
)
def test_ordinary_paths_are_kept(path: str) -> None:
    assert path == check_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../x.md",
        "a/../../x.md",
        ".kb/config.toml",
        "a/.git/x",
        "C:/x",
        "a\\..\\b",
        "x.md:stream",
        "a//b",
        "．．/x.md",
        "．obsidian/x.md",
        "．．／x.md",
    ],
)
def test_paths_of_no_vault_are_refused(path: str) -> None:
    with pytest.raises(OutsideVault):
        check_path(path)


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=80) | st.lists(st.sampled_from([*_HOSTILE, "nul", "com1.x", "中文标题", "？", "a/b"])).map("".join))
def test_a_safe_name_can_be_a_file_everywhere_and_be_linked(title: str) -> None:
    name = safe_name(title)
    assert safe_name(name) == name
    assert len(name.encode()) <= 120
    assert not set(name) & set('\\/:*?"<>|#^[]\0\n')
    assert unicodedata.normalize("NFC", name) == name
    if name:
        assert name == check_path(name)
        path = f"{name}.md"
        assert f"[[{name}]]" == render_link(path, name, "s.md", NameIndex([path]))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("What/why: a «plan»?", "What why a «plan»"),
        ("CON", "CON_"),
        ("nul.txt.md", "nul_.txt.md"),
        ("．NET 入门", "NET 入门"),
        ("…等等…", "…等等…"),
        ("  ..dots.. ", "dots"),
        ("中" * 60, "中" * 40),
        ("[[x]] #1 | y", "x 1 y"),
        ("\u202eevil\u200b", "evil"),
        ("???", ""),
    ],
    ids=["signs", "device", "device-with-ending", "full-width-dot", "ellipsis", "dots", "bytes", "link-signs", "invisible", "nothing"],
)
def test_safe_names(title: str, name: str) -> None:
    assert name == safe_name(title)


def test_a_name_made_of_comment_marks_can_be_linked() -> None:
    assert safe_name("%%") == ""
    assert safe_name("50%% off") == "50 off"
    assert safe_name("100%") == "100%"
