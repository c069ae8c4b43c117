"""``kb graph``, ``kb links``, ``kb list`` and ``kb resolve`` as a person and a script meet them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from sidecar.cli.main import main
from tests.conftest import MakeVault

FILES = {
    "Soil.md": "---\naliases: [Ground, AL]\n---\n#plants\n",
    "Garden.md": "#Plants [[Soil]] [[Soil|it]] [[Nowhere]] [[al]]",
    "Worm.md": "see [[Soil]], and a garden",
    "Bird.md": "[[Worm]]",
    "Moon.md": "alone",
    "plain/Ground floor.md": "[[Ground.md]]",
}
Ask = Callable[..., Any]


@pytest.fixture
def kb(make_vault: MakeVault, capsys: pytest.CaptureFixture[str]) -> Ask:
    root = make_vault(FILES)

    def ask(*args: str, code: int = 0) -> Any:
        assert code == main(["--vault", str(root), *args])
        printed = capsys.readouterr()
        return json.loads(printed.out) if "--json" in args and not code else printed.out + printed.err

    return ask


def test_the_whole_graph_in_figures_and_as_json(kb: Ask) -> None:
    assert kb("graph") == (
        "9 nodes: 6 note, 3 unresolved\n"
        "7 links: 7 wikilink\n"
        "3 of them lead to notes not written yet (kb list unresolved)\n"
        "For programs: kb graph --json · as a picture: kb graph --format html -o FILE\n"
    )
    graph = kb("graph", "--json")
    assert {"version", "nodes", "edges"} == graph.keys()
    assert {"path", "kind", "title", "layer"} == graph["nodes"][0].keys()
    assert {"source", "target", "kind", "syntax", "raw", "subpath", "display", "resolved"} == graph["edges"][0].keys()


def test_what_lies_around_a_note(kb: Ask) -> None:
    assert ["Garden.md", "Soil.md", "Worm.md"] == sorted(n["path"] for n in kb("graph", "--around", "Soil", "--json")["nodes"])
    found = kb("graph", "--around", "Soil", "--depth", "2", "--json")
    assert {"note", "depth", "nodes", "edges", "truncated"} == found.keys()
    assert {"Bird.md": 2, "Garden.md": 1, "Nowhere": 2, "Soil.md": 0, "Worm.md": 1, "al": 2} == {
        node["path"]: node["distance"] for node in found["nodes"]
    }
    assert kb("graph", "--around", "Soil", "--depth", "2") == (
        "  Soil.md\n1 step away (2)\n  Garden.md\n  Worm.md\n2 steps away (3)\n"
        "  Bird.md\n  Nowhere  not written yet\n  al  not written yet\n"
    )
    assert "There is no note 'Nobody'" in kb("graph", "--around", "Nobody", code=4)
    kb("graph", "--around", "Soil", "--depth", "7", code=2)


def test_a_way_from_note_to_note_and_the_groups(kb: Ask) -> None:
    assert kb("graph", "--path", "Bird", "Garden") == "Bird.md\nWorm.md\nSoil.md\nGarden.md\n"
    assert ["Bird.md", "Worm.md"] == [node["path"] for node in kb("graph", "--path", "Bird", "Worm", "--json")["path"]]
    assert kb("graph", "--path", "Bird", "Moon") == "No links lead from one to the other.\n"
    assert kb("graph", "--components") == "3 groups, 2 of one note or beyond the first 1,000\n      4  Bird.md, Garden.md …\n"
    assert [4, 1, 1] == [group["size"] for group in kb("graph", "--components", "--json")["components"]]


def test_files_for_other_programs_with_tags(kb: Ask, tmp_path: Path) -> None:
    for name in ("g.graphml", "g.dot", "g.gv", "g.html", "g.json"):
        assert f"Written to {tmp_path / name}.\n" == kb("graph", "--tags", "-o", str(tmp_path / name))
    loaded = nx.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    assert (10, 9) == (loaded.number_of_nodes(), loaded.number_of_edges())
    assert [("Garden", "#plants"), ("Soil", "#plants")] == sorted(
        (loaded.nodes[a]["title"], loaded.nodes[b]["title"]) for a, b, data in loaded.edges(data=True) if data["kind"] == "tag"
    )
    dot = (tmp_path / "g.dot").read_text("utf-8")
    assert (1, 2) == (dot.count('label="#plants"'), dot.count('class="tag"'))
    assert dot == (tmp_path / "g.gv").read_text("utf-8") == kb("graph", "--tags", "--format", "dot")
    assert (tmp_path / "g.html").read_text("utf-8").startswith("<!doctype html>")
    assert kb("graph", "--tags", "--json") == json.loads((tmp_path / "g.json").read_text("utf-8"))
    plain = nx.read_graphml(io.BytesIO(kb("graph", "--format", "graphml").encode()), force_multigraph=True)
    assert (9, 7) == (plain.number_of_nodes(), plain.number_of_edges())


def test_what_cannot_be_written_is_said(kb: Ask, tmp_path: Path) -> None:
    assert "does not tell its format" in kb("graph", "-o", str(tmp_path / "g.txt"), code=2)
    assert "cannot be written" in kb("graph", "-o", str(tmp_path / "none" / "g.dot"), code=10)
    assert "dot is no JSON" in kb("graph", "--format", "dot", "--json", code=2)
    written = kb("graph", "--format", "dot", "--json", "-o", str(tmp_path / "g.txt"))
    assert {"written": str(tmp_path / "g.txt"), "format": "dot"} == written


def test_a_name_that_a_note_goes_by_is_offered_as_a_repair(kb: Ask) -> None:  # G10
    listed = {item["link"]: (item["known_otherwise"], item["repair"]) for item in kb("list", "unresolved", "--json")["items"]}
    assert {"al": (["Soil.md"], "[[Soil|al]]"), "Ground.md": (["Soil.md"], "[[Soil|Ground.md]]"), "Nowhere": ([], "")} == listed
    assert "    1  al  matches an alias or title of Soil.md; write [[Soil|al]]\n" in kb("list", "unresolved")
    links = {link["target"]: (link["known_otherwise"], link["repair"]) for link in kb("links", "Garden", "--json")["forward"]}
    assert {"Soil.md": ([], ""), "Nowhere": ([], ""), "al": (["Soil.md"], "[[Soil|al]]")} == links
    assert "  [[al]] → not written yet\n      matches an alias or title of Soil.md; write [[Soil|al]]\n" in kb("links", "Garden")
    assert "not written yet\n" == kb("resolve", "[[AL]]"), "a link by an alias leads nowhere, as in Obsidian"


def test_links_of_a_note_page_by_page(kb: Ask) -> None:
    whole = kb("links", "Soil", "--json")
    assert (3, 3) == (whole["back_total"], len(whole["back"]))
    pages = [kb("links", "Soil", "--limit", "2", "--offset", offset, "--json") for offset in ("0", "2")]
    assert whole["back"] == pages[0]["back"] + pages[1]["back"]
    assert "  2 of 3 back-links; more with --offset 2\n" in kb("links", "Soil", "--limit", "2")
    assert "more with" not in kb("links", "Soil", "--limit", "2", "--offset", "2")
    assert "  Soil  1 shared neighbour\n" in kb("links", "Bird")


def test_no_line_of_these_commands_is_wider_than_a_terminal(kb: Ask) -> None:
    questions: list[tuple[str, ...]] = [
        ("graph",),
        ("graph", "--around", "Soil", "--depth", "3"),
        ("graph", "--components"),
        ("list", "unresolved"),
        ("links", "Garden"),
    ]
    for question in questions:
        assert [] == [line for line in kb(*question).splitlines() if len(line) > 80]


def test_dead_ends_and_orphans_are_listed(kb: Ask) -> None:
    assert ["Soil.md"] == [item["path"] for item in kb("list", "dead-ends", "--json")["items"]]
    assert ["Moon.md"] == [item["path"] for item in kb("list", "orphans", "--json")["items"]]
