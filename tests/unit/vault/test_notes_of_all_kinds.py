"""Whatever people have in their notes is read as far as it can be."""

from __future__ import annotations

import os
import random
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

from sidecar.daemon.open_vault import OpenVault
from sidecar.vault.codec import decode_note, encode_note
from sidecar.vault.frontmatter import _PropertyLoader, load_properties
from sidecar.vault.note import Note
from sidecar.vault.parse import parse_note

SLOW = os.environ.get("KB_HYPOTHESIS") == "slow"


def _paths(note: Note) -> list[str]:
    return [link.path for link in note.links]


@pytest.mark.parametrize(
    ("text", "properties", "links", "tags"),
    [
        ("\ufeff---\na: b\n---\n[[x]]", {"a": "b"}, ["x"], ()),
        ("---\r\na: b\r\n---\r\n[[x]]\r\n#t\r\n", {"a": "b"}, ["x"], ("t",)),
        ("---\n---\n[[x]]", {}, ["x"], ()),
        ("text\n\n---\n\n[[x]]\n\n---\n#t", {}, ["x"], ("t",)),
        ("--- start-multi-column: X\n[[x]]", {}, ["x"], ()),
        ("---\na: b\n[[x]]", {}, ["x"], ()),
        ("---\na: 1\na: 2\n---\n", {"a": 2}, [], ()),
        ("---\nday: 2026-01-02\nat: 2026-01-02T03:04:05\nclock: 12:30\non: yes\n---\n",
         {"day": "2026-01-02", "at": "2026-01-02T03:04:05", "clock": "12:30", "on": "yes"}, [], ()),
        ("---\na: [[1, [2]], {b: c}]\n---\n", {"a": [[1, [2]], {"b": "c"}]}, [], ()),
        ("---\ntags: a, b\n---\n#c #d/e", {"tags": "a, b"}, [], ("a", "b", "c", "d/e")),
        ("---\ntags: [a, '#b', c/d]\n---\n", {"tags": ["a", "#b", "c/d"]}, [], ("a", "b", "c/d")),
        ("---\ntags:\n  - 2026\n  -\n---\n", {"tags": [2026, None]}, [], ("2026",)),
        ("\t[[x]]\n\ntext\n\t[[y]]", {}, ["y"], ()),
        ("😀 [[😀]] #😀", {}, ["😀"], ("😀",)),
        ("a $x[[no]]y$ `[[no]]` <!-- [[no]] --> [[x]]", {}, ["x"], ()),
        ("$$\n[[no]]\n$$\n\n%%\n[[no]]\n%%\n\n<!--\n[[no]]\n-->\n[[x]]", {}, ["x"], ()),
    ],
    ids=["bom", "crlf", "empty", "rules", "G4", "unclosed", "twice", "dates", "lists", "tags-text", "tags-list", "tags-numbers", "tabs",
         "emoji", "hidden-inline", "hidden-blocks"],
)  # fmt: skip
def test_note_is_read(text: str, properties: dict[str, object], links: list[str], tags: tuple[str, ...]) -> None:
    note = parse_note("s.md", text)
    assert (properties, links, tags, "") == (note.properties, _paths(note), note.tags, note.property_error)


@pytest.mark.parametrize("head", ["family: [[A]] [[B]]", "title: a: b", "a: [", "- a\n- b", "a: b\n\tc: d", "a: !!int"])
def test_broken_frontmatter_is_named_and_the_body_read(head: str) -> None:
    """G5 of the complaints."""
    note = parse_note("s.md", f"---\n{head}\n---\n# H\n[[x]] #t")
    assert note.property_error
    assert ({}, ["x"], ("t",), "H") == (note.properties, _paths(note), note.tags, note.headings[0].text)


def test_notes_without_body_or_head_are_notes() -> None:
    """G6 of the complaints."""
    assert parse_note("s.md", "---\ntitle: T\n---").title == "T"
    note = parse_note("s.md", "before\n\n---\n\n[[after]]")
    assert ("before", ["after"], {}) == (note.excerpt, _paths(note), note.properties)


MakeVault = Callable[[Mapping[str, str | bytes]], Path]


def test_bytes_of_every_kind_are_indexed(make_vault: MakeVault, open_vault: Callable[..., OpenVault]) -> None:
    nfd = unicodedata.normalize("NFD", "Résumé")
    files: dict[str, str | bytes] = {
        "latin.md": "caf\xe9 [[x]]".encode("latin-1"),
        "gbk.md": "知识 [[x]]".encode("gbk"),
        "nul.md": b"\x00\xff\xfe [[x]]",
        f"{nfd}.md": "[[x]]",
        "x.md": f"[[{unicodedata.normalize('NFC', nfd)}]]",
        "empty.md": b"",
    }
    vault = open_vault(make_vault(files))
    vault.open()
    assert vault.index.notes.keys() == files.keys()
    linking = {path for path in files if any(edge.target == "x.md" for edge in vault.graph.forward(path))}
    assert linking == {"latin.md", "gbk.md", "nul.md", f"{nfd}.md"}
    assert [f"{nfd}.md"] == [edge.target for edge in vault.graph.forward("x.md")]


def test_huge_notes_and_tables_keep_every_link() -> None:
    count = 100_000 if SLOW else 10_000
    rows = "| [[a\\|b]] | c |\n" * count
    assert len(parse_note("s.md", f"| a | b |\n|---|---|\n{rows}").links) == count
    lines = "- [[note]] and text of a line\n" * count
    links = parse_note("s.md", lines).links
    assert [1, count] == [links[0].line, links[-1].line]
    assert len(parse_note("s.md", "[[note]] " * count).links) == count


@pytest.mark.parametrize("head", ["- " * 20_000, "a: " + "- " * 20_000, "? " * 20_000, "a: &x b\n" + "c: *x\n" * 100])
def test_deep_yaml_costs_a_head_and_no_crash(head: str) -> None:
    note = parse_note("s.md", f"---\n{head}\n---\n[[x]]")
    assert note.property_error
    assert ["x"] == _paths(note)


PIECES = [
    *"abz019 \t\n:,-[]{}#&*!|>'\"%@`~?=.", "\n  ", "\n- ", ": ", "\n---\n", "key: ", "tags: ", "aliases: ", "sources: ", "url: ", "[[x]]",
    "[[", "]]", "2026-01-02", "true", "null", "~", "1.5", "-0", "é", "e\u0301", "中文", "😀", "\r\n", "\ufeff", "\x00", "\x85", "\u2028",
    "\ud83d", "https://example.org/a", "](", "# ", "> ", "```\n", "$$", "%%", "<!--", "-->", "&a ", "*a", "!!int ", "<<: ", "? ", "^id",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(10))
def test_no_frontmatter_and_no_note_stops_the_reader(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(1_000 if SLOW else 100):
        head, body = ("".join(dice.choices(PIECES, k=dice.randrange(60))) for _ in range(2))
        text = f"---\n{head}\n---\n{body}"
        note = parse_note("s.md", text)
        assert decode_note(encode_note(note)) == note
        assert all(text[link.start : link.start + len(link.raw)] == link.raw for link in note.links if link.start >= 0)
        try:
            read = load_properties(head)
        except ValueError:
            continue
        if not head.strip():
            continue
        # The short way of building values gives what PyYAML's own way gives.
        assert repr(read) == repr(yaml.load(head, Loader=_PropertyLoader) or {})
