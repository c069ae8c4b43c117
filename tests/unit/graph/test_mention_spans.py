"""Names are found where a reader sees them, whatever the text's Unicode form; places never shift."""

from __future__ import annotations

import itertools
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.graph import mentions
from sidecar.graph.mentions import NameMatcher, fold_text, mask
from sidecar.vault.frontmatter import body_offset
from sidecar.vault.generated import blank_block
from sidecar.vault.markdown import scan_markdown
from sidecar.vault.note import fold_name
from sidecar.vault.parse import parse_note

NFD_CAFE = unicodedata.normalize("NFD", "café")


def _found(names: list[str], text: str) -> list[str]:
    return [text[span.start : span.end] for span in NameMatcher(names).find(mask(text, 0))]


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        (["cat"], "A Cat, a category, bobcat, cat's; _cat_ cat_x", ["Cat", "cat"]),
        (["知识", "知识库"], "个人知识库与知识", ["知识库", "知识"]),
        (["cat in", "cat"], "the cat inside", ["cat"]),
        (["new york", "york city"], "New York City", ["New York"]),
        (["C++", ".net"], "C++ and C+++ and asp.net .NET", ["C++", "C++", ".net", ".NET"]),
        (["café"], f"{NFD_CAFE} CAFÉ cafe", [NFD_CAFE, "CAFÉ"]),
        (["cafe"], f"{NFD_CAFE} cafe", ["cafe"]),
        (["cafx"], "cafx\u0302 cafx", ["cafx"]),
        (["istanbul", "straße"], "İİİ İstanbul ISTANBUL Straße", ["ISTANBUL", "Straße"]),
        (["Ключ"], "ключ ключи", ["ключ"]),
        (["한국어"], "한국어를 배운다", ["한국어"]),
        (["GPT"], "用GPT写", ["GPT"]),
        (["x"], "x x", []),
    ],
)  # fmt: skip
def test_names_are_found_longest_first_as_whole_words(names: list[str], text: str, found: list[str]) -> None:
    assert found == _found(names, text)


def test_no_name_is_found_in_links_code_addresses_or_what_was_generated() -> None:
    text = "---\ntitle: cat\n---\n[[cat]] [cat](x.md) `cat` ``a ` cat`` https://x.org/cat\n\n```\ncat\n```\n\n"
    text += "%% kb:moc:begin %%\ncat\n%% kb:moc:end %%\n\ncat\n"
    spans = NameMatcher(["cat"]).find(mask(text, text.index("[[")))
    assert [text.rindex("cat")] == [span.start for span in spans]


LETTERS = st.text(st.sampled_from([*"aAeßİıſçÅn ĳ知한각·-_", "\u0301", "\u0323", "\u1161", "\u1100", "\u11a8", "😀"]), max_size=24)


@given(LETTERS)
def test_each_place_of_a_folded_text_is_that_of_its_letter(text: str) -> None:
    folded = fold_text(text)
    places = [folded.place(n) for n in range(len(folded.text) + 1)]
    assert places == sorted(places)
    assert (0, len(text)) == (places[0], places[-1])
    for start in sorted(set(places) - {len(text)}):
        after = min(place for place in places if place > start)
        assert fold_name(text[start:after]) == folded.text[places.index(start) : places.index(after)]


@given(LETTERS, LETTERS, LETTERS)
def test_what_is_found_reads_as_the_name(before: str, name: str, after: str) -> None:
    text = f"{before} {name.strip()} {after}"
    for span in NameMatcher([name]).find(text):
        assert fold_name(text[span.start : span.end]) == fold_name(name.strip())
    ends_open = after[:1] and (unicodedata.combining(after[0]) or "\u1160" <= after[0] <= "\u11ff")
    starts_whole = name.strip()[:1] and not unicodedata.combining(name.strip()[0]) and not "\u1160" <= name.strip()[0] <= "\u11ff"
    if len(fold_name(name.strip())) >= 2 and starts_whole and not ends_open and name.strip().isalpha():
        assert NameMatcher([name]).find(text)


MARKS = [*"aé知 \n\t`~[]()|!<>-*1.%$\\", "```", "    ", "\n\n", "%%\n", "> ", "- ", "~~~\n", "<!-- ", " -->", "$$\n", "\u0301", "\r\n"]
WORDS = [
    "cat",
    "知识",
    "[[cat]]",
    "[[a|cat]]",
    "[cat](x.md)",
    "![[cat]]",
    "https://x.org/cat",
    "cat.",
    "# cat",
    "1x://cat",
    "a.b+c://cat ",
    "x://",
]
PIECES = st.lists(st.sampled_from([*MARKS, *WORDS, "%% kb:moc:begin %%\n", "%% kb:moc:end %%\n"]), max_size=30)


def _slow_mask(text: str, start: int) -> str:
    """The rule in its plainest form: blank what the parser found, then inline code, then addresses."""
    structure = scan_markdown(blank_block(text), start)
    chars = list(blank_block(text))
    gone = [range(start), *(range(link.start, link.start + len(link.raw)) for link in structure.links)]
    offsets = [0, *itertools.accumulate(len(line) + 1 for line in text.split("\n"))]
    gone += [range(offsets[n - 1], offsets[n] - 1) for n in structure.code_lines]
    for place in itertools.chain.from_iterable(gone):
        chars[place] = "\0"
    for pattern in (mentions._CODE, mentions._URL):
        chars = list(pattern.sub(lambda found: "\0" * len(found[0]), "".join(chars)))
    return "".join(chars)


@given(PIECES, st.booleans())
def test_the_quick_way_finds_what_the_slow_one_finds(pieces: list[str], with_head: bool) -> None:
    text = ("---\ntitle: cat\n---\n" if with_head else "") + "".join(pieces)
    note, start, matcher = parse_note("n.md", text), body_offset(text), NameMatcher(["cat", "知识", "at 1", "é"])
    slowly = matcher.find(_slow_mask(text, start))
    assert slowly == matcher.find(mask(text, start))
    assert slowly == matcher.find(mask(text, start, note.links))
    if slowly:
        assert matcher.may_mention(text, start, note.links)


@pytest.mark.parametrize("text", ["ein CAFÉ", "CAFÉ https://x.org", f"{NFD_CAFE}https://x.org", "[[a]] CAFÉ"])
def test_the_quick_look_never_misses(text: str) -> None:
    assert NameMatcher([NFD_CAFE]).may_mention(text, 0, parse_note("n.md", text).links)


@pytest.mark.parametrize("text", ["category", "[[cat]] and [a](cat.md)", "---\ntitle: cat\n---\n![[cat|cat]]", "dog"])
def test_a_note_that_only_links_is_not_looked_at_further(text: str) -> None:
    assert not NameMatcher(["cat"]).may_mention(text, body_offset(text), parse_note("n.md", text).links)
