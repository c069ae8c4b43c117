"""No text, however built, stops the sidecar or costs more than time in proportion to its length."""

from __future__ import annotations

import faulthandler
import json
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sidecar.graph.mentions import NameMatcher, mask
from sidecar.search.document import pack_note
from sidecar.vault.codec import decode_note, encode_note
from sidecar.vault.frontmatter import body_offset, read_frontmatter
from sidecar.vault.note import Note
from sidecar.vault.parse import parse_canvas, parse_note

_LENGTH = 100_000
_HANG_S = 10


@pytest.fixture
def hang_guard() -> Iterator[None]:
    """End the run with a traceback if a text costs quadratic time; says nothing about speed."""
    faulthandler.dump_traceback_later(_HANG_S, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


UNITS = [
    "[",
    "]",
    "[[",
    "]]",
    "![[",
    "[[a",
    "[[a]]",
    "[](",
    "[a](",
    "[a](b",
    "[a](<",
    "[a](((",
    "[a](()",
    "(",
    ")",
    "`",
    "` ",
    "``a",
    "``` ",
    "~~~",
    "$",
    "$a ",
    "$$",
    "%%",
    "<!--",
    "-->",
    "<!-- a\n",
    "<",
    ">",
    "> ",
    "- ",
    "1. ",
    "  - a",
    "\t",
    "\t- ",
    "#",
    "# ",
    "# a",
    "#a",
    "#a/",
    "\\",
    "\\[",
    "*",
    "**",
    "_",
    "=",
    "===",
    "---",
    "a\n===",
    "^a ",
    "a ^a",
    "^",
    ":",
    "::",
    "a:: b",
    "\r",
    "\n",
    "\x00",
    "\u2028",
    "\xe9",
    "\u4e2d",
    "\U0001f600",
    "\ud800",
    "{",
    "[{",
    "&a *a ",
    "!",
    "a[^1]",
    "[^1]: a",
    "[a]: b",
    "(((a)))",
    '"',
    "'",
    "a.b_",
    "@",
    "http://a ",
    "[[a\\",
    "--- a",
    "kb:moc:",
    "%% kb:moc:begin %%",
    "%% kb:moc:end %%\n",
    "|",
    "| a | b |\n",
    "|---|---|\n",
    "| a |\n|---|\n",
    "[[a|b]] ",
    "| `a|b` |\n",
    "- [[a|",
    "\\|",
]


def _hostile(unit: str) -> list[str]:
    many = _LENGTH // len(unit)
    own_paragraphs = f"x\n\n{unit}\n" * (40_000 // (len(unit) + 4))
    return [unit * many, own_paragraphs, f"---\na: {unit * 1_000}\n---\n{unit}"]


@pytest.mark.usefixtures("hang_guard")
@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_repeated_pieces_are_parsed_to_a_note(unit: str) -> None:
    for text in _hostile(unit):
        note = parse_note("s.md", text)
        assert all(text[link.start : link.start + len(link.raw)] == link.raw for link in note.links if link.start >= 0)
        assert decode_note(encode_note(note)) == note


@pytest.mark.usefixtures("hang_guard")
@pytest.mark.parametrize("opening", ["[", "[[", "(", "> ", "- ", "![", "[a](", "  " * 2 + "- "], ids=ascii)
def test_deep_nesting_is_parsed_to_a_note(opening: str) -> None:
    deep = opening * 20_000
    assert parse_note("s.md", f"{deep}\n\n[[x]]").links[-1].path == "x"


@pytest.mark.usefixtures("hang_guard")
def test_staircase_of_list_items_keeps_its_links() -> None:
    stairs = "\n".join("  " * depth + "- [[x]]" for depth in range(300))
    assert len(parse_note("s.md", stairs).links) == 300


@pytest.mark.usefixtures("hang_guard")
@pytest.mark.parametrize(
    "raw",
    [
        "a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]",
        "a: " + "[" * 5_000,
        "a: " + "{a: " * 5_000,
        "a: &x [*x]",
        "x: " + "y" * 70_000,
        "? [a, b]\n: c\n!!python/object/apply:os.system [id]: x",
        "a: !!python/object/apply:os.system ['id']",
        "a: \x00",
    ],
    ids=["alias-bomb", "deep-list", "deep-map", "self-reference", "too-long", "tag-as-key", "python-tag", "nul"],
)
def test_hostile_frontmatter_is_named_and_the_body_kept(raw: str) -> None:
    note = parse_note("s.md", f"---\n{raw}\n---\n[[x]]")
    assert note.property_error
    assert (note.properties, [link.path for link in note.links]) == ({}, ["x"])


@pytest.mark.usefixtures("hang_guard")
@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '"a"', '{"nodes": 1}', '{"nodes": [1, null, []]}', '{"nodes": [{"type": "file", "file": 3}]}', "[" * 100_000],
    ids=lambda text: text[:20],
)
def test_a_broken_canvas_has_no_links(text: str) -> None:
    assert parse_canvas("c.canvas", text).links == ()


_CHARS = [*"[]()|#^!`$%<>-*_=~ \t\r\n\\&:.'\"{}ab1", "中", "\u00e9", "\u0301", "😀", "\ud83d", "\u2028", "\0", "\ufeff"]
TEXTS = st.text(st.sampled_from(_CHARS), max_size=80)


def _is_whole(note: Note, text: str) -> None:
    lines = text.count("\n") + 1
    for link in note.links:
        if link.start >= 0:
            assert text[link.start : link.start + len(link.raw)] == link.raw
            assert text.count("\n", 0, link.start) + 1 == link.line
    assert all(1 <= heading.line <= lines and "\n" not in heading.text for heading in note.headings)
    assert "\n" not in note.excerpt


@settings(max_examples=600, deadline=None)
@given(TEXTS)
@example("---\na: .\n---")
@example("[[a]]" + "\r" + "[[b]]")
def test_any_text_is_a_note_whose_links_stand_where_it_says(text: str) -> None:
    note = parse_note("s.md", text)
    _is_whole(note, text)
    assert decode_note(encode_note(note)) == note
    pack_note(note, text)
    NameMatcher(["ab", "中文"]).find(mask(text, body_offset(text)))


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_any_frontmatter_is_read_or_its_fault_named(raw: str) -> None:
    head = read_frontmatter(f"---\n{raw}\n---\nbody")
    assert head.raw is not None
    assert not (head.properties and head.error)


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=10
    )
)
def test_any_json_is_a_canvas(value: object) -> None:
    parse_canvas("c.canvas", json.dumps(value))
    parse_canvas("c.canvas", json.dumps({"nodes": [{"type": "text", "text": value}, {"type": "file", "file": value, "subpath": value}]}))


@pytest.mark.parametrize("text", ["[[" * 300_000 + "]]" * 300_000, "[[" * 60_000 + "a" * 900_000 + "\n]]"], ids=["closed", "far"])
def test_rows_of_brackets_cost_no_more_than_their_length(text: str, hang_guard: None) -> None:
    assert () == parse_note("n.md", text).links


def test_a_card_with_half_a_surrogate_pair_can_be_told() -> None:
    text = '{"nodes": [{"type": "file", "file": "\\ud800.md", "subpath": "#\\ud800"}, {"type": "text", "text": "[[\\udc00]]"}]}'
    links = parse_canvas("board.canvas", text).links
    assert [("/?.md", "#?"), ("?", "")] == [(link.path, link.subpath) for link in links]
    assert all((link.raw + link.display).isascii() for link in links)
