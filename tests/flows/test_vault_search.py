"""What a person finds, and what is marked for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.daemon.open_vault import OpenVault
from sidecar.errors import QuerySyntaxError
from sidecar.search.terms import fold
from sidecar.vault.generated import BEGIN, END

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]
FindIn = Callable[[Mapping[str, str | bytes], str], list[str]]


@pytest.fixture
def find_in(make_vault: MakeVault, open_vault: OpenVaultAt) -> FindIn:
    """Give a call that makes a vault, asks a query and gives the paths of the hits."""

    def find(files: Mapping[str, str | bytes], query: str) -> list[str]:
        vault = open_vault(make_vault(files))
        vault.open()
        return [hit.path for hit in vault.search.search(query).hits]

    return find


# ── the probes ───────────────────────────────────────────────────────────────────────────────────

NOTES = {
    "tea.md": "龙井是一种绿茶，茶叶要嫩。",
    "cloud.md": "把云计算成本降下来，先看账单。",
    "cat.md": "家里养了一只熊猫玩偶和一只小猫。",
    "dream.md": "林黛玉与贾宝玉在大观园相遇。",
    "llm.md": "LLM应用落地需要评测。",
    "trad.md": "這是一份資料庫設計筆記。",
    "python.md": "升级到 Ｐｙｔｈｏｎ３.１１ 之后更快。",
    "kana.md": "ｺｰﾋｰのﾄﾞﾘｯﾌﾟを淹れる。",
    "tower.md": "東京スカイツリーに登った。",
    "korean.md": "한국어 조사는 예산을 줄인다. 프로젝트 회의 기록.",
    "cpp.md": "The service is written in C++ and some C.",
    "gpt.md": "We compared GPT-4 with smaller models.",
    "uni.md": "北京大学医学部的课程。",
    "shoes.md": "Shoes for runners who like trails.",
    "learn.md": "机器学习的入门笔记，数据库备份。",
    "filler.md": "nothing of note here 其他内容",
}


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("茶", "tea.md"),
        ("云", "cloud.md"),
        ("猫", "cat.md"),
        ("茶叶", "tea.md"),
        ("算成", "cloud.md"),
        ("林黛", "dream.md"),
        ("LLM 应用", "llm.md"),
        ("LLM应用", "llm.md"),
        ("llm应用", "llm.md"),
        ("python3.11", "python.md"),
        ("Ｐｙｔｈｏｎ３.11", "python.md"),
        ("コーヒー ドリップ", "kana.md"),
        ("スカイツリー", "tower.md"),
        ("ｽｶｲﾂﾘｰ", "tower.md"),
        ("한국어 조사", "korean.md"),
        ("예산", "korean.md"),
        ("프로젝트 회의", "korean.md"),
        ("C++", "cpp.md"),
        ("gpt-4", "gpt.md"),
        ("大学医学", "uni.md"),
        ("贾宝玉", "dream.md"),
        ("北大", "uni.md"),
        ("资料库设计", "trad.md"),
        ("機器學習", "learn.md"),
        ("runner shoe", "shoes.md"),
    ],
)
def test_probe_finds_its_note_first(query: str, path: str, find_in: FindIn) -> None:
    assert [path] == find_in(NOTES, query)[:1]


@pytest.mark.parametrize("query", ["知识库", "公众号", "设计", "文章讲的", "库的设计"])
def test_a_word_is_found_wherever_it_stands_in_a_sentence(query: str, find_in: FindIn) -> None:
    assert ["a.md"] == find_in({"a.md": "这篇公众号文章讲的是知识库的设计", "b.md": "无关"}, query)


# ── peers' bugs ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "query"),
    [("这里利用的是维基百科的结构化知识，加上后两者足够有效精确的知识导向", "精确"), ("- [ ] 请搜索我", "请搜索我")],
    ids=["S1-sentence", "S1-task"],
)
def test_s1_the_word_is_found_and_marked(text: str, query: str, make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    vault = open_vault(make_vault({"a.md": text}))
    vault.open()
    (hit,) = vault.search.search(query).hits
    (snippet,) = hit.snippets
    assert [query] == [snippet.text[a:b] for a, b in snippet.highlights]


def test_s2_traditional_text_and_title_only_matches_are_found(find_in: FindIn) -> None:
    files = {"a.md": "這是繁體中文測試", "繁體標題.md": ""}
    assert ["a.md", "繁體標題.md"] == sorted(find_in(files, "繁體"))


@pytest.mark.parametrize("query", ["tier1-test", "session-recall", "CLAUDE.md", "src/main.py", "foo AND bar-baz", "tier1", "main.py"])
def test_s5_names_of_programmers_are_found(query: str, find_in: FindIn) -> None:
    files = {"a.md": "tier1-test and session-recall, see CLAUDE.md and src/main.py; foo AND bar-baz", "b.md": "other words"}
    assert ["a.md"] == find_in(files, query)


@pytest.mark.parametrize("query", ["rm -rf", "C++", "`rm -rf`"])
def test_s6_signs_are_found(query: str, find_in: FindIn) -> None:
    assert ["a.md"] == find_in({"a.md": "Never type rm -rf in C++ folders.", "b.md": "words"}, query)


@pytest.mark.parametrize(("query", "reason"), [("", "empty-query"), ("  ", "empty-query"), ("!!! ???", "no-term"), ("absent", "no-match")])
def test_s6_nothing_found_has_a_reason(query: str, reason: str, make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    vault = open_vault(make_vault({"a.md": "words"}))
    vault.open()
    result = vault.search.search(query)
    assert (0, (), reason) == (result.total, result.hits, result.reason)


# ── operators ────────────────────────────────────────────────────────────────────────────────────

FILED = {
    "one.md": "---\ntags: [Work/Plan]\n---\nalpha beta gamma",
    "two.md": "beta alpha #work",
    "dir/three.md": "alpha 知识 库存 #life",
    "dir2/four.md": "alpha 知识库",
    "_graveyard/five.md": "alpha",
}


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("alpha", ["dir/three.md", "dir2/four.md", "one.md", "two.md"]),
        ('"alpha beta"', ["one.md"]),
        ('"ALPHA  beta"', ["one.md"]),
        ('"知识库"', ["dir2/four.md"]),
        ("alpha -beta", ["dir/three.md", "dir2/four.md"]),
        ('alpha -"alpha beta"', ["dir/three.md", "dir2/four.md", "two.md"]),
        ("alpha tag:#work", ["one.md", "two.md"]),
        ("tag:work/plan", ["one.md"]),
        ("tag:wor", []),
        ("path:dir/ alpha", ["dir/three.md"]),
        ("path:DIR", ["dir/three.md", "dir2/four.md"]),
        ("path:dir/ path:dir2/", ["dir/three.md", "dir2/four.md"]),
        ('path:"dir/" tag:life', ["dir/three.md"]),
        ('alpha "', ["dir/three.md", "dir2/four.md", "one.md", "two.md"]),
        ("-", []),
        ("path:_graveyard/", []),
    ],
)
def test_operators_narrow_the_answer(query: str, paths: list[str], find_in: FindIn) -> None:
    assert paths == sorted(find_in(FILED, query))


def test_the_unfinished_last_word_is_completed_while_typing(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    vault = open_vault(make_vault({"a.md": "knowledge", "b.md": "knot", "c.md": "words"}))
    vault.open()
    assert ["a.md", "b.md"] == sorted(hit.path for hit in vault.search.search("kno", is_typing=True).hits)
    assert [] == list(vault.search.search("kno").hits)
    assert [] == list(vault.search.search("kno ", is_typing=True).hits)


def test_completion_leaves_no_word_out_and_none_of_a_note_that_is_gone_in(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    many = " ".join(f"qa{a}{b}" for a in "bcdfghjk" for b in "lmnpqrst")
    root = make_vault({"gone.md": many, "u.md": "qanything"})
    vault = open_vault(root)
    vault.open()
    assert ["gone.md", "u.md"] == sorted(hit.path for hit in vault.search.search("qa", is_typing=True).hits)
    (root / "gone.md").unlink()
    vault.apply(["gone.md"])
    assert ["u.md"] == [hit.path for hit in vault.search.search("qa", is_typing=True).hits]


def test_a_query_longer_than_a_person_types_is_refused_with_the_place(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    vault = open_vault(make_vault({}))
    with pytest.raises(QuerySyntaxError) as raised:
        vault.search.search("x" * 1001)
    assert {"position": 1000} == raised.value.params


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from([*'"-:#()[]*?\\/+ ab', "中", "tag:", "path:", "\0", "ｶ", "\u3099", "\ud800", "c++"]), max_size=20).map(
        "".join
    ),
    st.booleans(),
)
def test_no_query_is_an_error(make_vault: MakeVault, open_vault: OpenVaultAt, query: str, is_typing: bool) -> None:
    vault = open_vault(make_vault({"a.md": "a b 中 c++ #a"}))
    vault.open()
    result = vault.search.search(query, is_typing=is_typing)
    assert result.hits or result.reason


# ── marks, pages, order ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("😀 before 知识库 after", "知识库", ["知识库"]),
        ("Ｐｙｔｈｏｎ is full-width", "python", ["Ｐｙｔｈｏｎ"]),
        ("ｶﾞｲﾄﾞ guide", "ガイド", ["ｶﾞｲﾄﾞ"]),
        ("cafe\u0301 and café", "CAFE", ["cafe\u0301", "café"]),
        ("ﬁne ligature", "fine", ["ﬁne"]),
        ("alphabet beta", "beta", ["beta"]),
        ("a\nb 知识\n库", "知识", ["知识"]),
        ("İstanbul trip and beta", "beta", ["beta"]),
    ],
    ids=["emoji", "full-width", "half-width-kana", "accents", "ligature", "whole-words", "line-break", "dotted-i"],
)
def test_marks_stand_on_what_was_sought(text: str, query: str, marked: list[str], make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    vault = open_vault(make_vault({"n.md": text}))
    vault.open()
    (hit,) = vault.search.search(query).hits
    assert marked == [snippet.text[a:b] for snippet in hit.snippets for a, b in snippet.highlights]


def test_marks_in_a_long_note_are_those_of_the_text(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    filler = "其他的话和 other words，" * 60
    vault = open_vault(make_vault({"n.md": f"{filler}知识库在这里{filler}又是 Vault 知识库{filler}"}))
    vault.open()
    (hit,) = vault.search.search("知识库 vault").hits
    assert [["Vault", "知识库"], ["知识库"]] == [[snippet.text[a:b] for a, b in snippet.highlights] for snippet in hit.snippets]
    assert all(snippet.text[0] == "…" == snippet.text[-1] and len(snippet.text) < 260 for snippet in hit.snippets)


def test_the_title_is_marked(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    vault = open_vault(make_vault({"读书 Notes.md": "text"}))
    vault.open()
    (hit,) = vault.search.search("notes 读书").hits
    assert ["读书", "Notes"] == [hit.title[a:b] for a, b in hit.title_highlights]


def test_pages_neither_overlap_nor_leave_anything_out(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    vault = open_vault(make_vault({f"n{n:02}.md": "same words" for n in range(25)}))
    vault.open()
    pages = [vault.search.search("words", limit=10, offset=offset) for offset in (0, 10, 20, 30)]
    assert [f"n{n:02}.md" for n in range(25)] == [hit.path for page in pages for hit in page.hits]
    assert [25] * 4 == [page.total for page in pages]


def test_a_title_match_comes_before_a_mention(find_in: FindIn) -> None:
    files = {"a.md": "graph " + "word " * 20, "graph.md": "something else", "b.md": "# graph\n\nx"}
    assert ["graph.md", "b.md", "a.md"] == find_in(files, "graph")


def test_the_generated_map_answers_no_query_but_the_owners_words_on_it_do(find_in: FindIn) -> None:
    files = {"index.md": f"mine\n{BEGIN}\n[[unicorn]] generated\n{END}\n", "unicorn.md": "text"}
    assert ["unicorn.md"] == find_in(files, "unicorn")
    assert [] == find_in(files, "generated")
    assert ["index.md"] == find_in(files, "mine")


def test_frontmatter_is_not_searched_but_its_aliases_tags_and_use_are(find_in: FindIn) -> None:
    files = {"a.md": "---\naliases: [小名]\ntags: [标签]\nkb_use_when: 选型的时候\nsecret: hiddenword\n---\nbody"}
    assert [["a.md"], ["a.md"], ["a.md"], []] == [find_in(files, query) for query in ("小名", "标签", "选型", "hiddenword")]


CJK_TEXT = st.text(st.sampled_from("知识库设计一二三的是在こんカナ한국어"), min_size=2, max_size=20)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CJK_TEXT, st.data())
def test_any_part_of_a_cjk_run_finds_its_note(make_vault: MakeVault, open_vault: OpenVaultAt, run: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(run) - 2))
    part = run[start : data.draw(st.integers(start + 2, len(run)))]
    vault = open_vault(make_vault({"a.md": f"words {run}，end", "b.md": "知库识计", "c.md": "other"}))
    vault.open()
    (hit,) = [hit for hit in vault.search.search(part).hits if hit.path == "a.md"]
    marked = [snippet.text[a:b] for snippet in hit.snippets for a, b in snippet.highlights]
    assert any(part in fold(mark) or mark in part for mark in marked)
    assert any(part in mark for mark in marked)
