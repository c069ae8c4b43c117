"""Two rankings become one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.search.document import PackedDocument, unpack_document
from sidecar.search.document import pack_note as pack
from sidecar.search.fuse import coverage_of, dense_weight, fuse
from sidecar.search.index import SearchIndex
from sidecar.search.query import parse_query
from sidecar.vault.parse import parse_note

NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True)


def document(text: str) -> PackedDocument:
    return unpack_document(pack(parse_note("-.md", text), text))


def index_of(*texts: str) -> SearchIndex:
    index = SearchIndex()
    index.load((str(n), document(text)) for n, text in enumerate(texts))
    return index


def test_places_are_added_up_as_reciprocals() -> None:
    fused = fuse(["a", "b"], ["b", "c"], 0.5)
    assert [("b", 1 / 62 + 0.5 / 61), ("a", 1 / 61), ("c", 0.5 / 62)] == fused


@given(NAMES, NAMES)
def test_without_weight_the_words_alone_decide(lexical: list[str], dense: list[str]) -> None:
    assert lexical == [name for name, _ in fuse(lexical, dense, 0)]


@given(NAMES, NAMES, st.floats(0.1, 9))
def test_nothing_is_lost_or_doubled(lexical: list[str], dense: list[str], weight: float) -> None:
    assert sorted({*lexical, *dense}) == sorted(name for name, _ in fuse(lexical, dense, weight))


def test_vectors_count_more_the_less_of_the_query_the_words_find() -> None:
    weights = [dense_weight(1, coverage, crosses_languages=True) for coverage in (1, 0.3, 0.2, 0.1, 0)]
    assert [1, 1] == weights[:2]
    assert weights[1:] == sorted(set(weights[1:]))
    assert 8 == weights[-1]


@pytest.mark.parametrize(("base", "crosses"), [(0.0, True), (0.5, False)])
def test_a_source_that_does_not_help_or_knows_one_language_never_rises(base: float, crosses: bool) -> None:
    assert base == dense_weight(base, 0, crosses_languages=crosses)


def test_a_query_in_another_language_is_not_covered() -> None:
    index = index_of("龙井是一种绿茶,用 API 查价格", "备份要放在别处", "the tea of autumn is picked late")
    covered = parse_query("tea picked late").runs
    foreign = parse_query("how should green tea leaves be brewed with an API").runs
    assert 1 == coverage_of(index, covered, 2)
    assert 0.2 > coverage_of(index, foreign, 0)
    assert 0 == coverage_of(index, foreign, -1)


def test_single_characters_that_any_chinese_note_holds_cover_nothing() -> None:
    assert 0 == coverage_of(index_of("要把水放好", "别的"), parse_query("放水要").runs, 0)
