"""What relates notes besides Obsidian's links: sources, supersedes, citations, pages mentioned, aliases."""

from __future__ import annotations

import json

import pytest

from sidecar.config import Folders
from sidecar.vault.aliases import AliasIndex
from sidecar.vault.layers import edge_role, is_edge
from sidecar.vault.parse import parse_canvas, parse_note

FOLDERS = Folders()


@pytest.mark.parametrize(
    ("head", "links"),
    [
        ("sources: [a, b.md]", [("sources", "sources", "a"), ("sources", "sources", "b.md")]),
        ("sources: a", [("sources", "sources", "a")]),
        ("sources:\n  - a#h\n  - '[[b|c]]'", [("sources", "sources", "a"), ("property", "sources", "b")]),
        ("sources: [[a]]", [("sources", "sources", "a")]),
        ("sources: 'https://example.org/x'", []),
        ("sources: ['[t](https://example.org/x)']", []),
        ("sources: [{title: T, by: me}]", []),
        ("supersedes: old", [("supersedes", "supersedes", "old")]),
        ("supersedes: '[[old]]'", [("property", "supersedes", "old")]),
        ("sourcesmap: a\nsupersedes_by: b", []),
        ("related: '[[a]]'", [("property", "property", "a")]),
    ],
)
def test_names_in_properties_relate_and_obsidians_links_stay_one(head: str, links: list[tuple[str, str, str]]) -> None:
    assert links == [(link.kind, link.role, link.path) for link in parse_note("wiki/s.md", f"---\n{head}\n---\n").links]


def test_bare_sources_are_edges_of_wiki_and_core_pages_only() -> None:
    text = "---\nsources: [a, '[[b]]']\n---\n"
    kept = {}
    for path in ("wiki/s.md", "core/s.md", "inbox/s.md", "s.md"):
        note = parse_note(path, text)
        kept[path] = [link.path for link in note.links if is_edge(link, note, FOLDERS)]
    assert kept == {"wiki/s.md": ["a", "b"], "core/s.md": ["a", "b"], "inbox/s.md": ["b"], "s.md": ["b"]}


@pytest.mark.parametrize(
    ("path", "head", "role"),
    [
        ("sources/brief-2026-01-02.md", "origin: brief", "citation"),
        ("x/day.md", "origin: brief", "citation"),
        ("wiki/weekly.md", "kb_generated: true", "citation"),
        ("wiki/page.md", "origin: owner", "wikilink"),
    ],
)
def test_links_of_a_brief_are_citations_and_still_wikilinks(path: str, head: str, role: str) -> None:
    note = parse_note(path, f"---\n{head}\n---\n[[x]]")
    assert [("wikilink", role)] == [(link.kind, edge_role(link, note, FOLDERS)) for link in note.links]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("see https://www.example.org/a/?utm_source=x, and", ["https://example.org/a"]),
        ("<http://example.org/a> and [t](HTTPS://Example.org/b 'T')", ["https://example.org/a", "https://example.org/b"]),
        ("(https://example.org/a_(b)) (https://example.org/c)", ["https://example.org/a_(b)", "https://example.org/c"]),
        ("见https://example.org/知识。后", ["https://example.org/%E7%9F%A5%E8%AF%86"]),
        ("**https://example.org/a** ~~https://example.org/b~~", ["https://example.org/a", "https://example.org/b"]),
        ("https://example.org/a https://m.example.org/a/#x", ["https://example.org/a"]),
        ("`https://no.org`\n\n```\nhttps://no.org\n```\n\n    https://no.org", []),
        ("<!-- https://no.org --> [[https://no.org]] mailto:a@no.org ftp://no.org https:// xhttps://no.org", []),
        ("| a |\n|---|\n| https://example.org/a |", ["https://example.org/a"]),
        ("# [t](https://example.org/a)\n- https://example.org/b", ["https://example.org/a", "https://example.org/b"]),
        ("[r]: https://example.org/a 'T'", ["https://example.org/a"]),
        ('<a href="https://example.org/a">t</a>', ["https://example.org/a"]),
        ("https://user:secret@example.org/ https://[bad", []),
        (
            "---\nsources: ['https://example.org/a', '[t](https://example.org/b)']\n---\n",
            ["https://example.org/a", "https://example.org/b"],
        ),
    ],
)
def test_web_pages_mentioned_in_the_text(text: str, urls: list[str]) -> None:
    assert urls == list(parse_note("s.md", text).urls)


def test_an_address_in_the_text_hides_no_link() -> None:
    note = parse_note("s.md", "https://example.org/[[x]] [https://example.org](y.md) https://e.org/#no #yes")
    assert (["x", "y.md"], ("yes",)) == ([link.path for link in note.links], note.tags)


def test_pages_on_a_canvas_are_mentioned() -> None:
    nodes = [{"type": "link", "url": "https://www.example.org/a"}, {"type": "text", "text": "https://example.org/b"}, {"type": "link"}]
    assert ("https://example.org/a", "https://example.org/b") == parse_canvas("c.canvas", json.dumps({"nodes": nodes})).urls


@pytest.mark.parametrize(
    ("url", "address"),
    [("https://www.example.org/a/?utm_source=x#h", "https://example.org/a"), ("[[x]]", ""), ("http://", ""), ("3", ""), ("", "")],
)
def test_own_address_of_a_captured_note(url: str, address: str) -> None:
    assert address == parse_note("s.md", f"---\nurl: '{url}'\n---\n").address


def test_an_unwritten_name_is_matched_with_aliases() -> None:
    """G10 of the complaints: unresolved as in Obsidian, and yet told whose alias it is."""
    notes = [parse_note(f"{n}.md", f"---\naliases: {aliases}\n---\n") for n, aliases in (("b", "[AL, Caf\u00e9]"), ("a", "al"))]
    index = AliasIndex(notes)
    assert (["a.md", "b.md"], ["b.md"], ["b.md"], []) == tuple(map(index.matches, ("AL", "cafe\u0301", "Caf\u00e9.md", "b")))
    index.put(parse_note("b.md", "---\naliases: other\n---\n"))
    index.discard("a.md")
    assert ([], ["b.md"]) == (index.matches("AL"), index.matches("Other"))
