"""Links in what people have at hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.ingest.lists import ListedLink, is_bookmark_file, read_links, saved_from

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file. -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1" PERSONAL_TOOLBAR_FOLDER="true">Bookmarks bar</H3>
    <DL><p>
        <DT><A HREF="https://example.com/a?x=1&amp;y=2" ADD_DATE="1" ICON="data:image/png;base64,AAAA">A &amp; B</A>
        <DT><H3>Garden, soil</H3>
        <DL><p>
            <DT><A HREF="https://example.com/soil" TAGS="to read,土壤">Soil</A>
            <DD>A description
            <DT><A HREF="javascript:alert(1)">Bookmarklet</A>
            <DT><A HREF="place:sort=8">Most visited</A>
            <DT><H3>Deep</H3>
            <DL><p>
                <DT><A HREF="https://example.com/deep">Deep</A>
            </DL><p>
        </DL><p>
        <DT><A HREF="https://example.com/after">After</A>
        <DT><A HREF="https://example.com/soil">Soil again</A>
    </DL><p>
</DL><p>
"""


def urls_of(text: str) -> list[str]:
    return [link.url for link in read_links(text)]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("https://a.example/1\nhttps://a.example/2\r\n", ["https://a.example/1", "https://a.example/2"]),
        ("\ufeffhttps://a.example/1", ["https://a.example/1"]),
        ("# https://a.example/no\n  # no\nhttps://a.example/1", ["https://a.example/1"]),
        ("## [Heading](https://a.example/1)", ["https://a.example/1"]),
        ("https://a.example/1#part", ["https://a.example/1#part"]),
        ("Read https://a.example/1, then (https://a.example/2).", ["https://a.example/1", "https://a.example/2"]),
        ("- [Title](https://a.example/1) and [b](<https://a.example/2>)", ["https://a.example/1", "https://a.example/2"]),
        ("[https://a.example/1](https://a.example/1)", ["https://a.example/1"]),
        ("https://en.example/wiki/A_(b)", ["https://en.example/wiki/A_(b)"]),
        ("(see https://en.example/wiki/A_(b))", ["https://en.example/wiki/A_(b)"]),
        ("[x](https://en.example/wiki/A_(b)) more", ["https://en.example/wiki/A_(b)"]),
        ("看这里：https://a.example/1，还有https://a.example/2。", ["https://a.example/1", "https://a.example/2"]),
        ("**https://a.example/1**", ["https://a.example/1"]),
        ("HTTPS://A.example/1", ["HTTPS://A.example/1"]),
        ("https://a.example/1\nhttps://a.example/1", ["https://a.example/1"]),
        ("ftp://a.example/x", ["ftp://a.example/x"]),
        ("plain words\n\nIntroduction", []),
        ("", []),
    ],
)
def test_links_are_taken_out_of_lists_prose_and_markdown(text: str, urls: list[str]) -> None:
    assert urls == urls_of(text)


def test_bookmarks_give_their_web_links_with_folders_and_tags() -> None:
    assert is_bookmark_file(BOOKMARKS)
    assert [
        ListedLink("https://example.com/a?x=1&y=2"),
        ListedLink("https://example.com/soil", ("Garden-soil", "to-read", "土壤")),
        ListedLink("https://example.com/deep", ("Garden-soil", "Deep")),
        ListedLink("https://example.com/after"),
    ] == read_links(BOOKMARKS)


def test_bookmarks_that_were_cut_off_give_what_is_there() -> None:
    whole = urls_of(BOOKMARKS)
    for end in range(100, len(BOOKMARKS), 37):
        found = urls_of(BOOKMARKS[:end])
        assert found == whole[: len(found)] or not is_bookmark_file(BOOKMARKS[:end])


def test_an_ordinary_page_is_no_bookmark_file() -> None:
    assert not is_bookmark_file("<!DOCTYPE html><p>NETSCAPE-Bookmark-file-1")


@given(st.text(st.sampled_from("ahtps:/.()[]<>#*，。 \n!x"), max_size=80))
def test_every_text_gives_links_without_blanks_and_each_once(text: str) -> None:
    found = urls_of(text)
    assert len(found) == len(set(found))
    assert not [url for url in found if any(char.isspace() for char in url)]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("<!DOCTYPE html>\n<!-- saved from url=(0022)https://example.com/a -->\n<html>", "https://example.com/a"),
        ("<html><!--\n Page saved with SingleFile \n url: https://example.com/b?x=1 \n saved date: …-->", "https://example.com/b?x=1"),
        ("<html><p>saved from url=(0022)https://example.com/a", ""),
    ],
)
def test_a_saved_page_tells_where_it_came_from(text: str, url: str) -> None:
    assert url == saved_from(text)
