"""Filters, misspelt words, notes like a note, and what search says of itself: on real files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.config import Config, SearchSettings
from sidecar.daemon.container import open_cache, wire_vault
from sidecar.daemon.open_vault import OpenVault
from sidecar.errors import QuerySyntaxError, QueryValueInvalid
from sidecar.search.document import FORMAT
from sidecar.search.snippets import utf16_spans
from sidecar.store import NoteCache
from sidecar.vault.files import VaultFiles

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]

IS_SLOW = os.environ.get("KB_HYPOTHESIS") == "slow"

FILED = {
    "core/judgement.md": "---\nupdated: 2026-03-01\n---\nalpha [[page]]",
    "wiki/page.md": "---\ncreated: 2025-12-31\ntags: [two words]\n---\nalpha",
    "sources/web.md": "---\norigin: web\npublished: 2026-01-01\n---\nalpha [[page]]",
    "inbox/new.md": "alpha",
    "my notes/loose.md": "alpha #读书/笔记",
    "_graveyard/dead.md": "alpha omega",
}


def _opened(root: Path) -> OpenVault:
    now = datetime(2026, 3, 11, 12, tzinfo=UTC)
    vault = wire_vault(VaultFiles(root), open_cache(None), Config, lambda: now)
    vault.open()
    return vault


def _paths(vault: OpenVault, query: str) -> list[str]:
    return [hit.path for hit in vault.search.search(query).hits]


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("alpha layer:L0", ["core/judgement.md"]),
        ("alpha layer:core", ["core/judgement.md"]),
        ("alpha layer:L1", ["sources/web.md", "wiki/page.md"]),
        ("alpha LAYER:l1 layer:inbox", ["inbox/new.md", "sources/web.md", "wiki/page.md"]),
        ("alpha -layer:L1 -layer:core", ["inbox/new.md", "my notes/loose.md"]),
        ("alpha in:graveyard", ["_graveyard/dead.md"]),
        ("in:graveyard", ["_graveyard/dead.md"]),
        ("alpha origin:web", ["sources/web.md"]),
        ("alpha -origin:web layer:L1", ["wiki/page.md"]),
        ("has:orphan alpha", ["inbox/new.md", "my notes/loose.md"]),
        ("after:2026-01-01", ["core/judgement.md", "sources/web.md"]),
        ("after:2026-02", ["core/judgement.md"]),
        ("before:2026-01-01", ["wiki/page.md"]),
        ("before:2026/1/2 after:2026", ["sources/web.md"]),
        ('path:"my notes/"', ["my notes/loose.md"]),
        ('-path:"my notes/" -layer:L1', ["core/judgement.md", "inbox/new.md"]),
        ("tag：读书", ["my notes/loose.md"]),
        ("alpha －tag：#读书 layer：inbox", ["inbox/new.md"]),
        ("“alpha” path:inbox/", ["inbox/new.md"]),
    ],
)
def test_filters_let_through_what_they_say(query: str, paths: list[str], make_vault: MakeVault) -> None:
    assert paths == sorted(_paths(_opened(make_vault(FILED)), query))


@pytest.mark.parametrize("query", ["layer:attic", "in:cellar", "origin:moon", "has:fun", "after:yesterday", "before:2026-13-01"])
def test_a_value_that_no_filter_knows_is_said_with_its_place_and_the_way_out(query: str, make_vault: MakeVault) -> None:
    vault = _opened(make_vault({}))
    with pytest.raises(QueryValueInvalid) as raised:
        vault.search.search(f"word {query} word")
    assert (5, query.partition(":")[0]) == (raised.value.params["position"], raised.value.params["field"])
    assert "quotes" in raised.value.fix


def test_a_filter_that_is_still_being_typed_is_no_error(make_vault: MakeVault) -> None:
    vault = _opened(make_vault(FILED))
    assert 5 == vault.search.search("alpha after:20", is_typing=True).total
    with pytest.raises(QueryValueInvalid):
        vault.search.search("alpha after:20 ", is_typing=True)


@pytest.mark.parametrize(
    ("query", "reason"),
    [("alpha tag:nobody", "filtered-out"), ("omega", "only-buried"), ("alpha -alpha", "no-match"), ('"alpha beta"', "no-match")],
)
def test_nothing_found_says_which_nothing(query: str, reason: str, make_vault: MakeVault) -> None:
    result = _opened(make_vault(FILED)).search.search(query)
    assert (0, reason.replace("no-match", "filtered-out") if "-alpha" in query else reason) == (result.total, result.reason)


def test_a_hit_says_where_its_words_stand_and_how_old_it_is(make_vault: MakeVault) -> None:
    files = {
        "Rust.md": "---\naliases: [铁锈]\ntags: [lang]\nkb_use_when: choosing rust\nupdated: 2026-03-01\n---\n# Why rust\n\nrust it is"
    }
    vault = _opened(make_vault(files))
    (hit,) = vault.search.search("rust").hits
    assert (("title", "headings", "kb_use_when", "body"), 10) == (hit.fields, hit.age_days)
    (hit,) = vault.search.search("铁锈 lang").hits
    assert ("aliases", "tags") == hit.fields


def test_passages_are_plain_and_their_marks_exact_in_both_countings(make_vault: MakeVault) -> None:
    vault = _opened(make_vault({"a.md": "# 😀 Plan\n\nthe **garden** and [[Soil]] for 花园"}))
    (hit,) = vault.search.search("garden soil 花园").hits
    (snippet,) = hit.snippets
    assert "😀 Plan the garden and Soil for 花园" == snippet.text
    assert ["garden", "Soil", "花园"] == [snippet.text[a:b] for a, b in snippet.highlights]
    units = snippet.text.encode("utf-16-le")
    assert ["garden", "Soil", "花园"] == [
        units[2 * a : 2 * b].decode("utf-16-le") for a, b in utf16_spans(snippet.text, snippet.highlights)
    ]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("knowlege", "knowledge"), ("kubernetse", "kubernetes"), ("ukbernetes", "kubernetes"), ("plnae", "plane"), ("gardn", "garden")],
)
def test_a_misspelt_word_is_forgiven_when_nothing_else_matches(typed: str, meant: str, make_vault: MakeVault) -> None:
    vault = _opened(make_vault({"a.md": f"about {meant}", "b.md": "other things"}))
    result = vault.search.search(typed)
    assert (["a.md"], {typed: meant}) == ([hit.path for hit in result.hits], result.corrections)
    assert [meant] == [result.hits[0].snippets[0].text[a:b] for a, b in result.hits[0].snippets[0].highlights]


def test_a_word_that_is_found_is_never_corrected_nor_a_short_one(make_vault: MakeVault) -> None:
    vault = _opened(make_vault({"a.md": "garden and gate", "b.md": "gardan"}))
    assert [(["b.md"], {}), ([], {})] == [(_paths(vault, q), vault.search.search(q).corrections) for q in ("gardan", "gaet")]


def test_words_of_one_stem_are_found_and_marked_the_typed_one_first(make_vault: MakeVault) -> None:
    vault = _opened(make_vault({"a.md": "He studies runners.", "b.md": "A study for a runner.", "c.md": "studio"}))
    assert [["b.md", "a.md"], ["a.md", "b.md"]] == [_paths(vault, "study runner"), _paths(vault, "studies runners")]
    first, second = (hit.snippets[0] for hit in vault.search.search("study runner").hits)
    assert [["study", "runner"], ["studies", "runners"]] == [[s.text[a:b] for a, b in s.highlights] for s in (first, second)]


def test_s2_traditional_and_simplified_are_one_and_marked(make_vault: MakeVault) -> None:
    vault = _opened(make_vault({"a.md": "這是繁體中文測試", "繁體標題.md": "", "c.md": "简体资料库"}))
    assert ["a.md", "繁體標題.md"] == sorted(_paths(vault, "繁体"))
    assert ["c.md"] == _paths(vault, "資料庫")
    (hit,) = vault.search.search("測试").hits
    assert ["測試"] == [hit.snippets[0].text[a:b] for a, b in hit.snippets[0].highlights]
    assert ["a.md"] == _paths(vault, '"繁体中文"')


def test_s3_with_words_cut_every_pair_of_a_note_is_still_found_and_only_the_order_may_change(make_vault: MakeVault) -> None:
    text = "研究生命起源的科学家提出结构化知识理论"
    root = make_vault({"a.md": text, "b.md": "科学家的知识", "c.md": "结构和理论"})
    cutter = Config(search=SearchSettings(jieba=True))
    plain = wire_vault(VaultFiles(root), open_cache(None), Config)
    cutting = wire_vault(VaultFiles(root), open_cache(None), lambda: cutter)
    plain.open()
    cutting.open()
    for length in (2, 3, 9):
        for n in range(len(text) - length + 1):
            query = text[n : n + length]
            assert set(_paths(plain, query)) == set(_paths(cutting, query)) >= {"a.md"}
    scores = [next(hit.score for hit in vault.search.search("科学家提出的").hits if hit.path == "a.md") for vault in (plain, cutting)]
    assert scores[0] < scores[1]


def test_excluded_files_come_last(make_vault: MakeVault) -> None:
    vault = _opened(
        make_vault(
            {".obsidian/app.json": json.dumps({"userIgnoreFilters": ["old/"]}), "old/alpha.md": "alpha alpha", "z.md": "some alpha here"}
        )
    )
    assert ["z.md", "old/alpha.md"] == _paths(vault, "alpha")


def test_a_phrase_and_an_exclusion_look_into_longer_words(make_vault: MakeVault) -> None:
    vault = _opened(make_vault({"a.md": "see foo-bar-baz", "b.md": "see foo bar"}))
    assert [["a.md"], ["b.md"]] == [_paths(vault, '"foo-bar"'), _paths(vault, "see -foo-bar")]


# ── what search says of itself ───────────────────────────────────────────────────────────────────


def _drawing(size: int) -> str:
    data = "".join(f"N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATLZMzYBXUtiRoIACyhQ{n}" for n in range(size // 85))
    return f"---\nexcalidraw-plugin: parsed\n---\n# Text Elements\n围墙 plan ^a1\n\n%%\n## Drawing\n```compressed-json\n{data}\n```\n%%"


def test_s7_a_huge_drawing_is_searched_by_its_texts_and_named(make_vault: MakeVault) -> None:
    vault = _opened(make_vault({"Sketch.excalidraw.md": _drawing(12_000_000 if IS_SLOW else 2_500_000), "a.md": "plan"}))
    assert ["Sketch.excalidraw.md", "a.md"] == sorted(_paths(vault, "plan"))
    assert len(vault.search.loaded().terms_with_prefix("", 1000)) < 40
    state = vault.search.state()
    assert (2, 2, [("Sketch.excalidraw.md", "partly", "the drawing's data is left out")]) == (
        state.indexed,
        state.total,
        [(one.path, one.state, one.reason) for one in state.others],
    )


def test_a_very_long_note_is_capped_and_named(make_vault: MakeVault) -> None:
    vault = _opened(make_vault({"long.md": "begin " + "word " * 450_000 + "finish"}))
    assert [["long.md"], []] == [_paths(vault, "begin"), _paths(vault, "finish")]
    (one,) = vault.search.state().others
    assert ("partly", "only the first 2,000,000 of 2,250,012 characters are indexed") == (one.state, one.reason)


def test_s8_an_index_cut_by_other_rules_is_rebuilt_once_and_that_is_said(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "alpha"})
    said: list[tuple[str, int]] = []
    for rules in ("old rules", FORMAT, FORMAT):
        cache = NoteCache(root / ".kb/cache/index.sqlite", rules)
        vault = wire_vault(VaultFiles(root), cache, Config)
        parsed = vault.open().parsed
        said.append((vault.search.state().rebuilt_because, parsed))
        vault.close()
    assert [("", 1), ("it was written by another version", 1), ("", 0)] == said


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_s9_a_file_that_cannot_be_read_is_failed_with_the_reason(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "alpha", "shut.md": "beta"})
    (root / "shut.md").chmod(0)
    state = _opened(root).search.state()
    assert (1, 2, "failed") == (state.indexed, state.total, state.others[0].state)


def test_s9_each_file_has_a_state_a_reason_and_a_time(make_vault: MakeVault) -> None:
    vault = _opened(make_vault({"a.md": "alpha", "b.canvas": "{}", "picture.png": b"x", "huge.md": b"x" * 20_000_001}))
    states = {path: vault.search.state_of(path) for path in ("a.md", "b.canvas", "picture.png", "nobody.md", "huge.md")}
    assert {"a.md": "indexed", "b.canvas": "partly", "picture.png": "skipped", "nobody.md": "skipped", "huge.md": "failed"} == {
        path: one.state for path, one in states.items()
    }
    assert [path for path, one in states.items() if one.reason] == ["b.canvas", "picture.png", "nobody.md", "huge.md"]
    assert datetime(2026, 3, 11, 12, tzinfo=UTC) == states["a.md"].taken_in_at
    assert states["picture.png"].taken_in_at is None
    assert (2, 3) == (vault.search.state().indexed, vault.search.state().total)


# ── notes like a note ────────────────────────────────────────────────────────────────────────────

ALIKE = {
    "soil.md": "compost and nettles feed the soil 土壤改良",
    "compost.md": "compost feeds the garden, nettles too 土壤改良",
    "ship.md": "the sails of a ship",
    "_graveyard/old.md": "compost nettles soil",
}


def test_similar_notes_come_with_what_they_share(make_vault: MakeVault) -> None:
    vault = _opened(make_vault(ALIKE))
    (found,) = vault.search.similar(path="soil.md")
    assert "compost.md" == found.path
    assert {"compost", "nettles", "土壤改良"} <= set(found.terms)
    assert ["ship.md"] == [one.path for one in vault.search.similar(text="a ship with sails")]
    assert [] == vault.search.similar(text="")


def test_similar_notes_follow_a_change(make_vault: MakeVault) -> None:
    root = make_vault(ALIKE)
    vault = _opened(root)
    assert ["compost.md"] == [one.path for one in vault.search.similar(path="soil.md")]
    (root / "ship.md").write_text("compost and nettles on board", encoding="utf-8")
    vault.apply(["ship.md"])
    assert {"compost.md", "ship.md"} == {one.path for one in vault.search.similar(path="soil.md")}


PARTS = [
    *("alpha", "知识", '"', "“", "”", "-", "－", "tag:", "path：", "layer:", "L1", "in:graveyard", "has:orphan", "after:", "2026-01-01"),
    *(
        "before:9999",
        "origin:web",
        " ",
        "#",
        "(",
        "*",
        "\\",
        "\0",
        "\ud800",
        "ｶﾞ",
        "C++",
        "rm -rf",
        "%",
        "'",
        ":",
        "𠮷",
        "e\u0301",
        "x" * 70,
    ),
]


def test_odd_queries_are_answered_or_refused_with_a_reason(make_vault: MakeVault) -> None:
    vault = _opened(make_vault(FILED))

    @settings(max_examples=2000 if IS_SLOW else 250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(st.sampled_from(PARTS) | st.characters(), max_size=12).map("".join), st.booleans())
    def ask(query: str, is_typing: bool) -> None:
        try:
            result = vault.search.search(query, is_typing=is_typing)
        except QuerySyntaxError as refused:
            said = refused
        else:
            assert result.hits or result.reason
            return
        assert said.message
        assert said.fix

    ask()
