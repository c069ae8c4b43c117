"""Edges that no link makes, and ways through the graph."""

from __future__ import annotations

from sidecar.graph.metrics import Likeness, rank_related
from sidecar.graph.relations import Marks, Relations
from sidecar.graph.walks import around, components, shortest_path

URL = "https://example.org/a"


def _same(relations: Relations, path: str) -> list[tuple[str, str]]:
    return [(edge.target, edge.link.kind) for edge in relations.same_url(path)]


def test_a_page_that_a_note_mentions_leads_to_the_note_captured_from_it_whichever_came_first() -> None:
    relations = Relations()
    relations.put("m.md", Marks(urls=(URL, URL)))
    assert _same(relations, "m.md") == []
    relations.put("cap.md", Marks(address=URL, urls=(URL,)))
    relations.put("again.md", Marks(address=URL))
    assert [("again.md", "same-url"), ("cap.md", "same-url")] == _same(relations, "m.md")
    assert [("again.md", "same-url")] == _same(relations, "cap.md"), "a note never mentions itself"
    relations.remove("again.md")
    relations.put("cap.md", Marks(address="https://example.org/b"))
    assert _same(relations, "m.md") == []


def test_a_tag_is_one_node_whatever_its_case() -> None:
    relations = Relations()
    relations.put("a.md", Marks(tags=("Deep/Work", "deep/work")))
    relations.put("b.md", Marks(tags=("DEEP/work",)))
    assert [("#deep/work", "tag", "#Deep/Work")] == [(e.target, e.link.kind, e.link.raw) for e in relations.tag_edges("a.md")]
    assert {"a.md", "b.md"} == relations.holders("deep/Work")
    relations.remove("a.md")
    assert (["deep/work"], frozenset({"b.md"})) == (list(relations.all_tags()), relations.holders("deep/work"))


LINES = {"a": {"b"}, "b": {"a", "c", "d"}, "c": {"b", "e"}, "d": {"b", "e"}, "e": {"c", "d"}, "x": {"y"}, "y": {"x"}, "z": set()}


def _next(path: str) -> set[str]:
    return LINES[path]


def test_surroundings_stop_at_depth_and_at_the_cap() -> None:
    assert {"a": 0, "b": 1, "c": 2, "d": 2} == around("a", 2, _next, 10).distances
    small = around("a", 3, _next, 3)
    assert ({"a": 0, "b": 1, "c": 2}, 2) == (small.distances, small.left_out), "d did not fit, and so e beyond c"
    assert {"a": 0} == around("a", 0, _next, 10).distances


def test_a_shortest_way_and_the_parts() -> None:
    assert ["a", "b", "c", "e"] == shortest_path("a", "e", _next)
    assert (["a"], []) == (shortest_path("a", "a", _next), shortest_path("a", "x", _next))
    assert [["a", "b", "c", "d", "e"], ["x", "y"], ["z"]] == components(LINES, _next)


def test_likeness_of_text_is_a_reason_among_others_and_no_linked_note_is_related() -> None:
    alike = [
        Likeness("z", 10.0, ("soil",)),
        Likeness("y", 300.0, ("soil", "worm")),
        Likeness("b", 300.0, ("soil",)),
        Likeness("x", 9.0, ()),
    ]
    related = rank_related("a", ["T"], _next, lambda tag: {"a", "z"} if tag == "T" else set(), alike)
    assert [("y", {"text": ["soil", "worm"]}), ("z", {"tags": ["T"], "text": ["soil"]})] == [
        (r.path, r.reasons) for r in related if r.path in ("x", "y", "z", "b")
    ]
    assert 1 > related[0].score > 0.8, "even a copy weighs less than 1 by its text"
    assert {"neighbours": ["b"]} == next(r.reasons for r in related if r.path == "c")
