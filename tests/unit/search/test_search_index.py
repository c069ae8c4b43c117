"""The inverted index that was kept current answers as one built anew; terms are cut alike for texts and queries."""

from __future__ import annotations

import array
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sidecar.search import index as index_module
from sidecar.search.document import PackedDocument, pack_note, unpack_document
from sidecar.search.index import SearchIndex
from sidecar.search.query import parse_query
from sidecar.search.ranking import score_documents
from sidecar.search.snippets import find_matches
from sidecar.search.terms import MAX_TERM_CHARS, count_terms, cut_runs, cut_terms, fold, fold_with_origin
from sidecar.vault.parse import parse_note

_WORDS = ["alpha", "beta", "c++", "知识库", "库存", "gpt-4", "知"]


def _document(text: str) -> PackedDocument:
    return unpack_document(pack_note(parse_note("n.md", text), text))


def _scores(index: SearchIndex, query: str) -> dict[str, float]:
    scores = score_documents(index, parse_query(query).runs, is_typing=False)
    return {index.name(int(n)): float(scores[n]) for n in scores.nonzero()[0]}


STEPS = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.none() | st.lists(st.sampled_from(_WORDS), max_size=6).map(" ".join)), max_size=40
)


@settings(max_examples=150, deadline=None)
@given(STEPS, st.integers(0, 20), st.sampled_from([1, 3, 200]))
def test_an_index_kept_current_scores_as_a_rebuilt_one(steps: list[tuple[str, str | None]], loaded: int, merge_at: int) -> None:
    kept = SearchIndex()
    living: dict[str, str] = {}
    patch = pytest.MonkeyPatch()
    patch.setattr(index_module, "_MERGE_MIN", merge_at)  # merge often, where a real vault merges after two hundred saves
    for n, (name, text) in enumerate(steps):
        if n == loaded:
            kept.load((key, _document(living[key])) for key in sorted(living))
        if text is None:
            living.pop(name, None)
            kept.remove(name)
        else:
            living[name] = text
            kept.put(name, _document(text))
    patch.undo()
    fresh = SearchIndex()
    fresh.load((name, _document(living[name])) for name in sorted(living))
    assert len(fresh) == len(kept) == len(living)
    for query in ("alpha", "beta c++", "知识", "库", "gpt", "知识库 alpha"):
        assert _scores(fresh, query) == pytest.approx(_scores(kept, query), abs=1e-12)
        assert _scores(fresh, query).keys() == _scores(kept, query).keys()


def test_a_removed_document_is_never_found_again() -> None:
    index = SearchIndex()
    index.load([("a", _document("alpha")), ("b", _document("alpha"))])
    index.remove("a")
    index.remove("never there")
    assert ({"b"}, 1, False) == (set(_scores(index, "alpha")), len(index), "a" in index)


def test_an_empty_index_answers_nothing() -> None:
    assert {} == _scores(SearchIndex(), "alpha")


def test_rare_words_weigh_more_and_repetition_saturates() -> None:
    index = SearchIndex()
    index.load(
        [("rare", _document("alpha x y")), *((f"n{n}", _document("beta x y")) for n in range(9)), ("often", _document("beta " * 50))]
    )
    assert _scores(index, "alpha beta")["rare"] > _scores(index, "alpha beta")["n0"]
    assert 1 < _scores(index, "beta")["often"] / _scores(index, "beta")["n0"] < 3


def test_a_packed_note_is_read_back_as_it_was() -> None:
    text = "---\ntags: [t]\n---\n# Head\nbody 知识"
    document = _document(text)
    assert {"n": 3.0, "head": 3.0, "body": 1.0, "t": 2.0, "知": 1.0, "识": 1.0, "知识": 1.0} == dict(
        zip(document.terms, document.weights, strict=True)
    )
    assert array.array("f", [6.0])[0] == document.length


def test_single_characters_do_not_make_a_chinese_note_look_longer() -> None:
    assert _document("知识库设计").length == 1 + len("知识库设计") - 1


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Hello", ["hello"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("camelCaseHTTP", ["camelcasehttp", "camel", "case", "http"]),
        ("GPT-4", ["gpt-4", "gpt", "4"]),
        ("C++", ["c++", "c"]),
        ("3.11", ["3.11", "3", "11"]),
        ("Café", ["cafe"]),
        ("知识库", ["知", "识", "库", "知识", "识库"]),
        ("用LLM写", ["用", "llm", "写"]),
        ("ｶﾞｲﾄﾞ", ["ガ", "イ", "ド", "ガイ", "イド"]),
        ("don't", ["don't", "don", "t"]),
        ("...", []),
    ],
)
def test_how_a_text_is_cut(text: str, terms: list[str]) -> None:
    assert terms == cut_terms(text)


MIXED = st.text(st.characters() | st.sampled_from("aB1 _-.+#\n知識한Ц"), max_size=200)


@given(MIXED)
def test_terms_are_counted_as_they_are_cut(text: str) -> None:
    expected = Counter(term for term in cut_terms(text) if len(term) <= MAX_TERM_CHARS)
    length = sum(count for term, count in expected.items() if len(term) > 1 or term.isascii())
    assert (expected, length) == count_terms(text)


ANY = st.text(st.characters() | st.sampled_from("ｶﾞﾊﾟ e\u0301\u3099ﬁİß知識한"), max_size=30)


@settings(max_examples=400, deadline=None)
@given(ANY)
def test_runs_stand_where_they_say_and_cut_the_same_terms(text: str) -> None:
    runs = list(cut_runs(text))
    for run in runs:
        assert 0 <= run.start < run.end <= len(text)
        assert fold(run.text) in fold(text[run.start : run.end])
    assert [run.start for run in runs] == sorted(run.start for run in runs)
    folded, origin = fold_with_origin(text)
    assert origin is None or len(origin) == len(folded) + 1


@settings(max_examples=400, deadline=None)
@given(ANY, ANY)
@example("½ cup", "1")
def test_marks_are_in_order_and_within_the_text(text: str, query: str) -> None:
    marks = find_matches(text, parse_query(query[:50]).runs)
    assert all(0 <= a < b <= len(text) for a, b in marks)
    assert all(before[1] < after[0] for before, after in pairwise(marks))
