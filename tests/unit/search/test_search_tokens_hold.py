"""Whatever is in a note is found by it, however either of the two is written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sidecar.search.document import pack_note, unpack_document
from sidecar.search.index import SearchIndex
from sidecar.search.query import parse_query
from sidecar.search.ranking import score_documents
from sidecar.search.scripts import simplified_characters
from sidecar.vault.parse import parse_note

CJK = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=2, max_size=12)
KANA = st.text(st.characters(min_codepoint=0x30A2, max_codepoint=0x30ED), min_size=2, max_size=8)
HANGUL = st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=2, max_size=8)
WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=9)
_PAIRS = "資资 庫库 機机 學学 計计 設设 繁繁 體体 網网 頁页 關关 鍵键 記记 憶忆 圖图 書书 館馆"


def finds(query: str, text: str) -> bool:
    index = SearchIndex()
    for name, content in (("right", text), ("other", "zzz qqq")):
        index.put(name, unpack_document(pack_note(parse_note("n.md", content), content)))
    scores = score_documents(index, parse_query(query).runs, is_typing=False)
    return "right" in {index.name(int(n)) for n in scores.nonzero()[0]}


@settings(max_examples=150)
@given(st.data(), CJK | KANA | HANGUL, st.sampled_from(["", "。", "ok", " ", "，A"]), st.sampled_from(["", "！", "x9", "\n"]))
def test_any_piece_of_two_characters_or_more_finds_its_note(data: st.DataObject, text: str, before: str, after: str) -> None:
    begin = data.draw(st.integers(0, len(text) - 2))
    end = data.draw(st.integers(begin + 2, len(text)))
    assert finds(text[begin:end], before + text + after)


@settings(max_examples=100)
@given(st.lists(st.sampled_from(_PAIRS.split()), min_size=2, max_size=6))
def test_traditional_and_simplified_find_each_other(pairs: list[str]) -> None:
    traditional, simple = "".join(p[0] for p in pairs), "".join(p[1] for p in pairs)
    assert finds(simple, f"前{traditional}後")
    assert finds(traditional, f"前{simple}后")


def test_each_traditional_character_becomes_one_simplified_one() -> None:
    table = simplified_characters()
    assert len(table) > 2000
    assert {1} == {len(char) for char in (*table, *table.values())}


@settings(max_examples=100)
@given(WORD, CJK, WORD)
def test_latin_words_glued_to_chinese_are_found_by_either(first: str, middle: str, last: str) -> None:
    text = first + middle + last
    assert all(finds(query, text) for query in (first, middle, last, f"{first} {middle}"))


@settings(max_examples=100)
@given(WORD)
def test_full_width_and_half_width_are_the_same(word: str) -> None:
    wide = "".join(chr(ord(char) + 0xFEE0) for char in word)
    assert finds(wide, f"before {word} after")
    assert finds(word, f"before {wide} after")


@settings(max_examples=100)
@given(st.lists(WORD, min_size=2, max_size=4), st.sampled_from(["snake", "kebab", "camel", "pascal", "dotted"]))
def test_an_identifier_is_found_whole_and_by_its_parts(parts: list[str], style: str) -> None:
    joined = {
        "snake": "_".join(parts),
        "kebab": "-".join(parts),
        "dotted": ".".join(parts),
        "camel": parts[0] + "".join(part.capitalize() for part in parts[1:]),
        "pascal": "".join(part.capitalize() for part in parts),
    }[style]
    assume(not joined.lower().startswith(("or", "and", "not")))
    assert finds(joined, f"see {joined} here")
    assert [] == [part for part in parts if not finds(part, f"see {joined} here")]


@settings(max_examples=100)
@given(st.sampled_from("éèüñçåøōšž"), WORD)
def test_accents_make_no_difference(accented: str, rest: str) -> None:
    word = rest + accented + rest
    plain = unicodedata.normalize("NFD", word)
    assert finds(plain, f"a {word} b")
    assert finds(word, f"a {plain} b")


@pytest.mark.parametrize("word", ["C++", "C#", "rm -rf", "tier1-test", "session-recall", "CLAUDE.md", "src/main.py", "GPT-4", "3.11", "a"])
def test_what_people_type_is_found_where_it_stands(word: str) -> None:
    assert finds(word, f"They say {word} and mean it.")
