"""Figures kept current note by note equal those counted from scratch."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from sidecar.graph.tally import Share, Tally
from sidecar.vault.layers import Layer
from sidecar.vault.note import Note

PATHS = [f"{name}.md" for name in "abcdefg"] + ["p.png"]
DAYS = [None, date(2020, 1, 1), date(2024, 6, 1), date(2024, 6, 2), date(2026, 1, 1)]


def _note(path: str, tags: tuple[str, ...]) -> Note:
    return Note(path, "canvas" if path == "g.md" else "note", path, {}, "", (), tags, (), (), (), "")


@st.composite
def shares(draw: st.DrawFn) -> tuple[str, Share | None]:
    path = draw(st.sampled_from(PATHS[:-1]))
    if draw(st.integers(0, 4)) == 0:
        return path, None
    targets = frozenset(draw(st.lists(st.sampled_from(PATHS), max_size=4))) - {path}
    note = _note(path, tuple(draw(st.lists(st.sampled_from(["t", "T", "u"]), max_size=3)))) if draw(st.booleans()) else None
    layers: list[Layer] = ["sources", "wiki", ""]
    layer = draw(st.sampled_from(layers))
    return path, Share(note, layer, draw(st.sampled_from(DAYS)), targets, bool(targets) or draw(st.booleans()))


def _figures(tally: Tally) -> dict[str, object]:
    return {
        "hubs": tally.hubs(),
        "count": tally.hub_count,
        "top": [tally.hubs(n) for n in range(4)],
        "orphans": tally.orphans(),
        "dead ends": tally.dead_ends(),
        "tags": tally.tags(),
        "captures": list(tally.captures()),
        "canvases": set(tally.canvases),
        "layers": dict(tally.layers),
        "newest": tally.newest,
        "living": dict(tally.living),
        "into": {path: tally.linking_to(path) for path in PATHS},
    }


@given(st.lists(shares(), max_size=25))
def test_any_sequence_of_changes_ends_in_the_figures_of_its_last_state(changes: list[tuple[str, Share | None]]) -> None:
    running = Tally()
    last: dict[str, Share] = {}
    for path, share in changes:
        if share is None:
            running.remove(path)
            last.pop(path, None)
        else:
            running.put(path, share)
            last[path] = share
        fresh = Tally()
        for known in sorted(last):
            fresh.put(known, last[known])
        assert _figures(fresh) == _figures(running)
        filled = Tally()
        filled.fill(last)
        assert _figures(fresh) == _figures(filled)
    hubs = running.hubs()
    assert hubs == sorted(hubs, key=lambda hub: (-hub.score, -hub.in_links, hub.path))
    assert [hubs[:n] for n in range(4)] == [running.hubs(n) for n in range(4)]


def _linked(day: date | None, count: int, name: str) -> list[tuple[str, Share]]:
    return [(f"{name}{n}.md", Share(_note(f"{name}{n}.md", ()), "", None, frozenset({name}), True)) for n in range(count)] + [
        (name, Share(_note(name, ()), "", day, frozenset(), False))
    ]


@given(st.integers(1, 6), st.integers(1, 6), st.sampled_from(DAYS), st.sampled_from(DAYS))
def test_a_hub_never_falls_by_more_links_or_a_later_day(few: int, many: int, old: date | None, new: date | None) -> None:
    few, many = sorted((few, many))
    early, late = sorted((old or date.min, new or date.min))
    tally = Tally()
    for path, share in [
        *_linked(early if early != date.min else None, few, "low"),
        *_linked(late if late != date.min else None, many, "high"),
        ("now.md", Share(_note("now.md", ()), "", date(2026, 12, 1), frozenset(), False)),
    ]:
        tally.put(path, share)
    scores = {hub.path: hub.score for hub in tally.hubs()}
    assert scores["low"] <= scores["high"]


def test_a_newer_day_elsewhere_ranks_all_hubs_anew() -> None:
    tally = Tally()
    for path, share in [*_linked(date(2020, 1, 1), 3, "old"), *_linked(date(2026, 1, 1), 2, "new")]:
        tally.put(path, share)
    assert ["new", "old"] == [hub.path for hub in tally.hubs(2)]
    tally.put("x.md", Share(_note("x.md", ()), "", date(2090, 1, 1), frozenset(), False))
    assert [("old", 1.5), ("new", 1.0)] == [(hub.path, round(hub.score, 3)) for hub in tally.hubs(2)]
    tally.remove("x.md")
    assert ["new", "old"] == [hub.path for hub in tally.hubs(2)]
