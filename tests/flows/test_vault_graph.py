"""What the panes show about links: backlinks, mentions, orphans, tags, related notes, the graph file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from sidecar.config import Folders
from sidecar.daemon.open_vault import OpenVault

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]
SMALL = Path(__file__).resolve().parents[2] / "fixtures/vaults/small"


def _opened(open_vault: OpenVaultAt, root: Path) -> OpenVault:
    vault = open_vault(root)
    vault.open()
    return vault


def test_links_of_the_small_vault(open_vault: OpenVaultAt) -> None:
    vault = _opened(open_vault, SMALL)
    assert {
        "Progressive Summarization": ["reading-log.md"],
        "Spaced repetition": ["reading-log.md"],
        "心情/平静": ["日记/2026-09-18.md"],
    } == vault.graph.unresolved()
    assert ["latin1.md", "sources/2026-09-02-knowledge-base-design.md"] == vault.graph.orphans()
    assert {"broken yaml.md": "line 2: did not find expected key"} == {
        path: note.property_error for path, note in vault.index.notes.items() if note.property_error
    }


def test_a_backlink_shows_its_line_with_the_link_marked(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    long = "word " * 60
    files = {"n.md": "", "a.md": f"# Top\n\n## 章节\n\n- 😀 see [[n|it]] there\n\n{long}[[n]] {long}\n", "p.md": '---\nup: "[[n]]"\n---\n'}
    vault = _opened(open_vault, make_vault(files))
    first, second, third = vault.graph.backlinks("n.md")
    assert ("a.md", "wikilink", "- 😀 see [[n|it]] there", 5, "章节") == (
        first.source,
        first.kind,
        first.context.text,
        first.context.line,
        first.context.heading,
    )
    for link in (first, second, third):
        assert [link.raw] == [link.context.text[a:b] for a, b in link.context.highlights]
    assert (True, True, True) == (second.context.text.startswith("…"), second.context.text.endswith("…"), len(second.context.text) < 260)
    assert ("property", "up: [[n]]") == (third.kind, third.context.text)


def test_links_of_the_note_itself_and_of_the_buried_are_no_backlinks(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    files = {"n.md": "[[n]] [[#h]]", "_graveyard/g.md": "[[n]]", "a.md": "[[n]]"}
    vault = _opened(open_vault, make_vault(files))
    assert ["a.md"] == [link.source for link in vault.graph.backlinks("n.md")]
    assert [("n.md", 1)] == [(hub.path, hub.in_links) for hub in vault.graph.hubs()]


def test_notes_linked_from_a_canvas_an_embed_or_a_property_are_no_orphans(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:  # G12
    canvas = json.dumps({"nodes": [{"type": "file", "file": "c.md"}]})
    files = {"board.canvas": canvas, "c.md": "", "e.md": "", "p.md": "", "s.md": '---\nup: "[[p]]"\n---\n![[e]]', "alone.md": "[[alone]]"}
    assert ["alone.md"] == _opened(open_vault, make_vault(files)).graph.orphans()


def test_sources_of_a_page_are_edges_of_their_own_kind(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    vault = _opened(open_vault, make_vault({"wiki/w.md": "---\nsources: [cap, gone]\n---\n", "sources/cap.md": ""}))
    assert [("sources", "sources/cap.md", True), ("sources", "gone", False)] == [
        (edge.link.kind, edge.target, edge.resolved) for edge in vault.graph.forward("wiki/w.md")
    ]


def test_unlinked_mentions_are_found_in_both_scripts_outside_links_and_code(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    files = {
        "渐进总结.md": "---\naliases: [Progressive Summary]\n---\n",
        "a.md": "用渐进总结的办法，[[渐进总结]] 与 `渐进总结` 不算。\n\n    渐进总结\n\nA progressive summary, not ProgressiveSummary or https://x.org/渐进总结.",
        "b.md": "nothing",
    }
    found = _opened(open_vault, make_vault(files)).graph.mentions("渐进总结.md")
    assert [("a.md", "渐进总结", 1), ("a.md", "progressive summary", 5)] == [
        (m.source, files["a.md"][m.start : m.end], m.context.line) for m in found
    ]


def test_tags_are_counted_by_note_in_their_usual_spelling(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    files = {"a.md": "#Tag #tag #Tag", "b.md": "#Tag", "c.md": "#tag #other", "d.md": "#Tag", "_graveyard/x.md": "#dead"}
    assert [("Tag", 4), ("other", 1)] == _opened(open_vault, make_vault(files)).graph.tags()


def test_related_notes_say_why(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    files = {
        "a.md": "[[hub]] #rare earthworms",
        "b.md": "[[hub]] #rare beetles",
        "c.md": "[[hub]] snails",
        "hub.md": "",
        "d.md": "[[a]] #rare earthworms",
        "_graveyard/e.md": "earthworms",
    }
    related = _opened(open_vault, make_vault(files)).graph.related("a.md")
    shared = [(r.path, {reason: names for reason, names in r.reasons.items() if reason != "text"}) for r in related]
    assert [("b.md", {"neighbours": ["hub.md"], "tags": ["rare"]}), ("c.md", {"neighbours": ["hub.md"]})] == shared
    assert ["rare", "hub"] == related[0].reasons["text"]


def test_a_note_without_links_or_tags_is_related_by_its_words(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"a.md": "堆肥里的蚯蚓 and compost", "b.md": "蚯蚓喜欢堆肥", "c.md": "compost heap", "d.md": "nothing of it"})
    vault = _opened(open_vault, root)
    related = vault.graph.related("a.md")
    assert [("b.md", {"text"}), ("c.md", {"text"})] == [(r.path, set(r.reasons)) for r in related]
    assert ({"堆肥", "蚯蚓"}, ["compost"]) == (set(related[0].reasons["text"]), related[1].reasons["text"])
    (root / "a.md").unlink()
    assert [] == vault.graph.related("a.md"), "gone from the disk, and nobody told yet"


def test_the_graph_file_holds_every_node_and_edge_once(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"a.md": "[[b#h|see]] [[gone]] ![[p.png]]", "b.md": "#t", "p.png": b""})
    vault = _opened(open_vault, root)
    assert [True, False] == [vault.graph.write_file(), vault.graph.write_file()]
    plain = {"source": "a.md", "subpath": "", "resolved": True}
    assert {
        "version": 1,
        "nodes": [
            {"path": "a.md", "kind": "note", "title": "a", "layer": ""},
            {"path": "b.md", "kind": "note", "title": "b", "layer": ""},
            {"path": "p.png", "kind": "attachment", "title": "p.png", "layer": ""},
            {"path": "gone", "kind": "unresolved", "title": "gone", "layer": ""},
        ],
        "edges": [
            {**plain, "target": "b.md", "kind": "wikilink", "syntax": "wikilink", "raw": "[[b#h|see]]", "subpath": "#h", "display": "see"},
            {**plain, "target": "gone", "kind": "wikilink", "syntax": "wikilink", "raw": "[[gone]]", "display": "gone", "resolved": False},
            {**plain, "target": "p.png", "kind": "embed", "syntax": "embed", "raw": "![[p.png]]", "display": "p.png"},
        ],
        "hubs": [{"path": "b.md", "in_links": 1, "score": 0.5}],
        "orphans": [],
        "tags": [{"tag": "t", "count": 1}],
    } == json.loads((root / ".kb/index.json").read_text("utf-8"))


def test_a_buried_note_is_no_mention(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault(
        {
            "检索评测.md": "",
            "_graveyard/旧.md": "说到检索评测。",
            "活.md": "说到检索评测。",
            "auto.md": "---\nkb_generated: true\n---\n检索评测",
        }
    )
    assert ["活.md"] == [mention.source for mention in _opened(open_vault, root).graph.mentions("检索评测.md")]


def test_folders_named_anew_in_the_settings_count_at_once(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"old/a.md": "[[n]]", "n.md": ""})
    vault = open_vault(root)
    vault.open()
    settings = [Folders()]
    vault.graph._folders = lambda: settings[0]
    assert ([], ["n.md"]) == (vault.graph.orphans(), [hub.path for hub in vault.graph.hubs()])
    settings[0] = Folders(graveyard="old")
    assert (["n.md"], []) == (vault.graph.orphans(), vault.graph.hubs())
    make_vault({"pages/w.md": "---\nsources: [n]\n---\n"})
    vault.apply(["pages/w.md"])
    assert [] == vault.graph.backlinks("n.md"), "a bare name in an ordinary note is text"
    settings[0] = Folders(graveyard="old", wiki="pages")
    assert ["pages/w.md"] == [link.source for link in vault.graph.backlinks("n.md")]


def test_dead_ends_are_linked_to_and_lead_nowhere(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    files = {"a.md": "[[end]] [[self]] [[wish]]", "end.md": "no link", "self.md": "[[self]]", "wish.md": "[[unwritten]]", "alone.md": ""}
    vault = _opened(open_vault, make_vault(files))
    assert (["end.md", "self.md"], ["alone.md"]) == (vault.graph.dead_ends(), vault.graph.orphans())


def test_excluded_files_mention_last(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    files = {"topic.md": "", "a/x.md": "the topic", "b.md": "the topic", ".obsidian/app.json": '{"userIgnoreFilters": ["a/"]}'}
    assert ["b.md", "a/x.md"] == [m.source for m in _opened(open_vault, make_vault(files)).graph.mentions("topic.md")]


def test_all_names_in_one_text_with_their_notes(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    files = {
        "检索.md": "---\naliases: [retrieval, IR]\n---\n",
        "a/IR.md": "",
        "_graveyard/old name.md": "",
        "b.md": "---\ntitle: Spaced Repetition\n---\n",
    }
    vault = _opened(open_vault, make_vault(files))
    text = "关于检索和 IR、[[检索]]，old name, spaced repetition."

    def names() -> list[tuple[str, list[str]]]:
        return [(text[span.start : span.end], paths) for span, paths in vault.graph.names_in(text, "b.md")]

    both = ["a/IR.md", "检索.md"]
    assert [("检索", ["检索.md"]), ("IR", both)] == names()
    make_vault({"new.md": "---\naliases: [关于检索]\n---\n"})
    vault.apply(["new.md"])
    assert [("关于检索", ["new.md"]), ("IR", both)] == names()
    (vault.index._files.root / "new.md").unlink()
    vault.apply(["new.md"])
    assert [("检索", ["检索.md"]), ("IR", both)] == names()


def test_an_unwritten_note_that_another_goes_by_is_told(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:  # G10
    vault = _opened(open_vault, make_vault({"long name.md": "---\naliases: [LN]\n---\n", "a.md": "[[ln]] [[gone]]"}))
    assert (["long name.md"], []) == (vault.graph.known_otherwise("ln"), vault.graph.known_otherwise("gone"))
