"""The table "What counts where" of the vault's specification, cell by cell, through a vault on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sidecar.config import Config, Folders
from sidecar.daemon.open_vault import OpenVault

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]

# (shown as a back-link, folded, no orphan, hub, keeps off the docket, always)
SHOWN = (True, False, True, True, True, False)
FOLDED = (True, True, False, False, False, False)
NEVER = (False, False, False, False, False, False)
ALWAYS = (True, False, True, True, True, True)
BLOCK = "%% kb:moc:begin %%\n[[n]]\n%% kb:moc:end %%\n"
CANVAS = json.dumps({"nodes": [{"type": "file", "file": "n.md"}]})
CARD = json.dumps({"nodes": [{"type": "text", "text": "see [[n]]"}]})
PAGE = json.dumps({"nodes": [{"type": "link", "url": "https://example.org/n"}]})
URL = "https://example.org/n"


def _head(text: str) -> str:
    return f"---\n{text}\n---\n"


@pytest.mark.parametrize(
    ("path", "text", "kind", "expected"),
    [
        ("a.md", "[[n]]", "wikilink", SHOWN),
        ("a.md", "![[n]]", "embed", SHOWN),
        ("a.md", "[n](n.md)", "markdown", SHOWN),
        ("a.md", _head('up: "[[n]]"'), "property", SHOWN),
        ("a.canvas", CANVAS, "canvas", SHOWN),
        ("a.canvas", CARD, "canvas", SHOWN),
        ("sources/a.md", "[[n]]", "wikilink", SHOWN),
        ("inbox/a.md", "[[n]]", "wikilink", SHOWN),
        ("wiki/a.md", _head("sources: [n]"), "sources", SHOWN),
        ("wiki/a.md", _head("sources: n"), "sources", SHOWN),
        ("wiki/a.md", _head('sources: ["[[n]]"]'), "sources", SHOWN),
        ("core/a.md", _head("sources: [n]"), "sources", SHOWN),
        ("core/a.md", _head('sources: "[[n]]"'), "sources", SHOWN),
        ("a.md", _head("sources: [n]"), None, NEVER),
        ("inbox/a.md", _head("sources: n"), None, NEVER),
        ("a.md", _head('sources: "[[n]]"'), "property", SHOWN),
        ("n.md", "[[n]] [[#h]]", "wikilink", NEVER),
        ("index.md", BLOCK, "wikilink", FOLDED),
        ("sources/brief-2026-01-01.md", "[[n]]", "citation", FOLDED),
        ("sources/b.md", _head("origin: brief") + "see [[n]]", "citation", FOLDED),
        ("sources/b.md", _head('origin: brief\ncites: ["[[n]]"]'), "citation", FOLDED),
        ("wiki/rollup-2026-w01.md", _head("kb_generated: true") + "[[n]]", "citation", FOLDED),
        ("wiki/rollup-2026-w01.md", _head("kb_generated: true\nsources: [n]"), "citation", FOLDED),
        ("_graveyard/a.md", "[[n]]", "wikilink", NEVER),
        ("_graveyard/a.md", _head("sources: [n]"), None, NEVER),
        ("_graveyard/a.canvas", CANVAS, "canvas", NEVER),
        ("_graveyard/brief-1.md", _head("origin: brief") + "[[n]]", "citation", NEVER),
        ("a.md", "#shared", None, NEVER),
        ("a.md", f"see {URL}", "same-url", NEVER),
        ("a.md", "[it](http://www.example.org/n/)", "same-url", NEVER),
        ("a.canvas", PAGE, "same-url", NEVER),
        ("wiki/a.md", _head(f"sources: [{URL}]"), "same-url", NEVER),
        ("output/a.md", f"see <{URL}>", "same-url", NEVER),
        ("wiki/a.md", _head("supersedes: n"), "supersedes", NEVER),
        ("wiki/a.md", _head('supersedes: ["[[n]]"]'), "supersedes", NEVER),
        ("a.md", _head("supersedes: [n]"), "supersedes", NEVER),
        ("output/a.md", _head('supersedes: "[[n]]"'), "supersedes", NEVER),
        ("output/a.md", "[[n]]", "wikilink", ALWAYS),
        ("output/deep/a.md", _head("kb_generated: true") + "![[n]]", "citation", ALWAYS),
        ("output/index.md", BLOCK, "wikilink", FOLDED),
    ],
)  # fmt: skip
def test_what_counts_where(
    path: str, text: str, kind: str | None, expected: tuple[bool, ...], make_vault: MakeVault, open_vault: OpenVaultAt
) -> None:
    own = f"---\nurl: {URL}\n---\n#shared\n"
    root = make_vault({"n.md": own + (text if path == "n.md" else ""), "other.md": "[[elsewhere]]"})
    vault = open_vault(root, config=Config(folders=Folders(outputs=("output",))))
    vault.open()
    for step in ("later", "from the start"):
        if step == "later":
            make_vault({path: own + text if path == "n.md" else text})
            vault.apply([path])
        else:
            vault.graph.rebuild()
        graph = vault.graph
        back = graph.backlinks("n.md")
        found = (
            bool(back),
            any(link.generated for link in back),
            "n.md" not in graph.orphans(),
            "n.md" in [hub.path for hub in graph.hubs()],
            graph.keeps_alive("n.md"),
            any(evidence.always for evidence in graph.evidence("n.md")),
        )
        assert expected == found, step
        assert graph.keeps_alive("n.md") == bool(graph.evidence("n.md"))
        edges = [edge["kind"] for edge in graph.as_json()["edges"] if (edge["source"], edge["target"]) == (path, "n.md")]
        assert ([kind] if kind else []) == sorted(set(edges)), step
        assert all(link.kind == kind for link in back)


def test_a_tag_joins_notes_only_where_tags_are_asked_for(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    vault = open_vault(make_vault({"a.md": "#Shared", "b.md": "#shared"}))
    vault.open()
    assert [("a.md", "#shared", "tag"), ("b.md", "#shared", "tag")] == [
        (edge["source"], edge["target"], edge["kind"]) for edge in vault.graph.as_json(tags=True)["edges"]
    ]
    assert ([], ["a.md", "b.md"]) == (vault.graph.as_json()["edges"], vault.graph.orphans())


def test_the_kinds_of_our_own_keep_what_obsidian_counts_the_link_as(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    files = {
        "wiki/w.md": _head('sources: ["[[n]]", m]\nsupersedes: "[[old]]"') + "[[n]]",
        "sources/brief-1.md": "![[n]] [n](n.md)",
        "n.md": "",
        "m.md": "",
        "old.md": "",
    }
    vault = open_vault(make_vault(files))
    vault.open()
    assert [
        ("sources/brief-1.md", "n.md", "citation", "embed"),
        ("sources/brief-1.md", "n.md", "citation", "markdown"),
        ("wiki/w.md", "n.md", "sources", "property"),
        ("wiki/w.md", "m.md", "sources", "sources"),
        ("wiki/w.md", "old.md", "supersedes", "property"),
        ("wiki/w.md", "n.md", "wikilink", "wikilink"),
    ] == [(edge["source"], edge["target"], edge["kind"], edge["syntax"]) for edge in vault.graph.as_json()["edges"]]


def test_a_bare_name_that_supersedes_nothing_is_no_unwritten_note(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    vault = open_vault(make_vault({"a.md": _head("supersedes: v1.0"), "b.md": _head("sources: [a book]"), "c.md": ""}))
    vault.open()
    assert ({}, []) == (vault.graph.unresolved(), vault.graph.as_json()["edges"])
    make_vault({"v1.0.md": ""})
    vault.apply(["v1.0.md"])
    assert ["supersedes"] == [edge["kind"] for edge in vault.graph.as_json()["edges"]]


def _same(vault: OpenVault) -> list[tuple[str, str, str]]:
    edges = [edge for edge in vault.graph.as_json()["edges"] if edge["kind"] == "same-url"]
    vault.graph.rebuild()
    assert edges == [edge for edge in vault.graph.as_json()["edges"] if edge["kind"] == "same-url"], "as counted from scratch"
    return [(edge["source"], edge["target"], edge["raw"]) for edge in edges]


def test_an_address_leads_to_its_note_whichever_comes_changes_or_goes(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"a.md": f"read {URL}", "b.md": f"[here]({URL}?utm_source=x)", "c.md": "`https://example.org/n`"})
    vault = open_vault(root)
    vault.open()
    assert [] == _same(vault)
    both = [("a.md", "sources/n.md", URL), ("b.md", "sources/n.md", URL)]
    make_vault({"sources/n.md": _head(f"url: {URL}")})
    vault.apply(["sources/n.md"])
    assert both == _same(vault)
    make_vault({"sources/n.md": _head("url: https://example.org/moved")})
    vault.apply(["sources/n.md"])
    assert [] == _same(vault)
    make_vault({"sources/n.md": _head(f"url: {URL}"), "b.md": "nothing more"})
    vault.apply(["sources/n.md", "b.md"])
    assert both[:1] == _same(vault)
    (root / "sources/n.md").unlink()
    vault.apply(["sources/n.md"])
    assert [] == _same(vault)


def test_only_a_canvas_only_an_embed_or_only_a_property_saves_from_being_an_orphan(
    make_vault: MakeVault, open_vault: OpenVaultAt
) -> None:  # G12
    canvas = json.dumps({"nodes": [{"type": "file", "file": "c.md"}]})
    files = {"board.canvas": canvas, "c.md": "", "e.md": "", "p.md": "", "s.md": '---\nup: "[[p]]"\n---\n![[e]]', "alone.md": "[[alone]]"}
    root = make_vault(files)
    vault = open_vault(root)
    vault.open()
    assert ["alone.md"] == vault.graph.orphans()
    assert [True, True, True, False] == [vault.graph.keeps_alive(path) for path in ("c.md", "e.md", "p.md", "alone.md")]
    (root / "board.canvas").unlink()
    make_vault({"s.md": ""})
    vault.apply(["board.canvas", "s.md"])
    assert ["alone.md", "c.md", "e.md", "p.md", "s.md"] == vault.graph.orphans()
