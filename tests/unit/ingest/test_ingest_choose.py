"""Which part of a page is kept, and that what belongs to it by structure stays with it."""

from __future__ import annotations

import re

import pytest
from lxml import html as lx

from sidecar.ingest.adapters import read_page
from sidecar.ingest.page.chaff import is_chaff
from sidecar.ingest.page.decode import decode_page
from sidecar.ingest.page.kind import kind_of
from sidecar.ingest.page.tree import parse_page

PROSE = "Some plain words that make an article, the one of this page and of no other, told at some length. " * 3
MENU = "<nav><ul>" + "".join(f"<li><a href='/{n}'>Menu {n}</a></li>" for n in range(12)) + "</ul></nav>"
URL = "https://example.com/blog/story"


def read(body: str, head: str = "", url: str = URL) -> str:
    page = f"<html><head><title>T</title>{head}</head><body>{MENU}{body}<footer>All rights reserved</footer></body></html>"
    return read_page(url, "text/html", page).markdown


def test_late_sections_behind_an_advertisement_tables_of_code_and_words_like_tags_are_kept() -> None:
    sections = "".join(f"<h2>{name}</h2><p>{PROSE}</p>" for name in ("Release", "Reception", "Legacy"))
    cells = "<table><tr><th>Call</th><th>Gives</th></tr><tr><td><code>a()</code></td><td><code>Map&lt;K&gt;</code></td></tr></table>"
    text = read(
        f"<article><h1>Game</h1><p>{PROSE}</p><p>{PROSE}</p><div class=advert><p>Buy this now</p></div>{sections}{cells}"
        f"<p>They released Monte&lt;video&gt; too. {PROSE}</p></article>"
    )
    assert ["Release", "Reception", "Legacy"] == re.findall(r"(?m)^## (.+)$", text)
    assert "| `a()` | `Map<K>` |" in text
    assert "Monte\\<video\\>" in text
    assert "Menu 1" not in text
    assert "Buy this now" not in text
    assert "All rights" not in text


def test_a_short_last_paragraph_is_kept_on_a_short_page() -> None:
    assert read(f"<article><h1>T</h1><p>{PROSE}</p><p>{PROSE}</p><p>Bye.</p></article>").endswith("Bye.\n")


def test_a_list_of_short_points_among_the_text_is_kept() -> None:
    text = read(f"<article><p>{PROSE}</p><h3>Pros</h3><ul><li>cheap</li><li>light</li></ul><p>{PROSE}</p><p>{PROSE}</p></article>")
    assert "### Pros\n\n- cheap\n- light\n" in text


def test_every_post_of_a_thread_is_kept_and_only_what_frames_it_is_not() -> None:
    posts = "".join(
        f"<div class='post comment'><div class=body><p>Answer {n}: {PROSE}</p></div><div class=signature>Sent by {n}</div></div>"
        for n in range(5)
    )
    text = read(f"<h1>Why?</h1><div class=thread>{posts}</div>", url="https://forum.example.com/threads/why.12/")
    assert [f"Answer {n}" for n in range(5)] == re.findall(r"Answer \d", text)
    assert "Sent by" not in text


def test_comments_are_left_out_of_an_article() -> None:
    comments = (
        "<div id=comments class=comments>" + "".join(f"<div class=comment><p>I say {n}. {PROSE}</p></div>" for n in range(3)) + "</div>"
    )
    text = read(f"<article><p>First. {PROSE}</p><p>{PROSE}</p><p>{PROSE}</p><p>{PROSE}</p></article>{comments}")
    assert "First." in text
    assert "I say" not in text


@pytest.mark.parametrize("tag", ["button", "nav", "dialog"])
def test_an_element_that_is_never_closed_does_not_swallow_the_page(tag: str) -> None:
    body = f"<article><h1>T</h1>{f'<p>{PROSE}</p>' * 10}</article>"
    text = read_page(URL, "text/html", f"<html><body><header><{tag}>Menu</header>{body}</body></html>").markdown
    assert 10 == text.count(" ".join(PROSE.split()))


def test_posts_wrapped_in_forms_are_read_and_forms_to_fill_in_are_not() -> None:
    post = f"<form><input type=hidden name=id><div class=md><p>{PROSE}</p></div></form>"
    text = read(f"<article><p>{PROSE}</p>{post}<p>{PROSE}</p><form>Your mail <input name=mail><input type=submit></form></article>")
    assert 3 == text.count(" ".join(PROSE.split()))
    assert "Your mail" not in text


def test_a_page_of_very_many_texts_is_read_all_the_same() -> None:
    text = read("<main><ul>" + "".join(f"<li><a href='/x/{n}'>link {n}</a></li>" for n in range(20_100)) + "</ul></main>")
    assert text.startswith("- [link 0](https://example.com/x/0)")
    assert "[link 20099](https://example.com/x/20099)" in text
    assert "Menu 1" not in text


def test_lines_of_links_into_the_page_become_a_list() -> None:
    contents = "<table><tr><td><a href='#a'>One</a><br><a href='#b'>Two</a><br><a href='#c'>Three</a></td></tr></table>"
    text = read(f"<main>{contents}<h2 id=a>One</h2><p>{PROSE}</p><h2 id=b>Two</h2><p>{PROSE}</p></main>", url="https://docs.example.com/x")
    assert text.startswith("- One\n- Two\n- Three\n")


@pytest.mark.parametrize(
    ("html", "address"),
    [
        ("<picture><source srcset='/big.webp 2x, /small.webp 1x'><img src='data:image/gif;base64,R0'></picture>", "/big.webp"),
        ("<picture><source data-srcset='/a,b.jpg 640w, /c.jpg 320w'><img src='/placeholder.png'></picture>", "/a,b.jpg"),
        ("<img src='/img/spacer.gif' data-lazy-srcset='/s.jpg 1x,\n/l.jpg 3x'>", "/l.jpg"),
        ("<img src='/real.jpg' data-src='/other.jpg'>", "/real.jpg"),
        ("<img srcset='/only.jpg'>", "/only.jpg"),
    ],
)
def test_a_lazy_picture_gets_the_address_a_browser_would_load(html: str, address: str) -> None:
    text = read(f"<article><p>{PROSE}</p><p>{html}</p><p>{PROSE}</p></article>")
    assert [f"https://example.com{address}"] == re.findall(r"!\[\]\((.*?)\)", text)


@pytest.mark.parametrize(
    ("html", "chaff"),
    [
        ("<div class='widget-area sidebar'>", True),
        ("<aside>", True),
        ("<aside class='admonition note'>", False),
        ("<div class='elementor-widget elementor-widget-text'>", False),
        ("<h2 id=menu>", False),
        ("<div id='menu-innovation-strategies-that-work-well'>", False),
        ("<div role=navigation>", True),
        ("<div class=sharedaddy-text>", False),
        ("<ul class='social-links'>", True),
    ],
)
def test_a_box_is_judged_by_what_it_calls_itself(html: str, chaff: bool) -> None:
    assert chaff == is_chaff(lx.fromstring(html))


@pytest.mark.parametrize(
    ("url", "head", "kind"),
    [
        ("https://example.com/2026/03/story", "", "article"),
        ("https://example.com/about", "<meta property=og:type content=article>", "article"),
        ("https://example.com/", "<meta property=og:type content=article>", "other"),
        ("https://docs.example.com/a", "<meta property=og:type content=article>", "other"),
        ("https://example.com/t/why-not/123", "", "forum"),
        ("https://example.com/t/shoes", "", "other"),
        ("https://example.com/x", "<meta name=generator content='Discourse 3.2'>", "forum"),
        ("https://example.com/x", '<script type=application/ld+json>{"@type": "QAPage"}</script>', "forum"),
        ("https://example.com/x", '<script type=application/ld+json>{"@type": "NewsArticle"}</script>', "article"),
        ("https://example.com/comments/2026-03/05/c_1.htm", "", "article"),
    ],
)
def test_the_kind_of_a_page_shows_in_address_maker_and_data(url: str, head: str, kind: str) -> None:
    tree = parse_page(f"<html><head>{head}</head><body>x</body></html>")
    assert tree is not None
    assert kind == kind_of(tree, url)


@pytest.mark.parametrize("body", [b"+ADw-script+AD4-alert(1)+ADw-/script+AD4-", b"+/v8-+ADw-b+AD4-", b"~{VPND~}"])
@pytest.mark.parametrize("charset", ["utf-7", "UTF7", "csUnicode11UTF7", "hz-gb-2312", "hz", ""])
def test_ascii_is_never_decoded_into_something_else(body: bytes, charset: str) -> None:
    meta = f"<meta charset='{charset}'>".encode()
    assert body.decode("ascii") == decode_page(body, charset)
    assert (meta + body).decode("ascii") == decode_page(meta + body)
    assert "<b>" not in decode_page(body + b"\xff\xfe\x80", charset)


def test_the_owner_of_a_personal_site_is_its_author() -> None:
    logo = "<header><a href='https://ada.example'><img src=/i alt='Ada Lovelace'></a></header>"
    page = f"<html><head><link rel=me href='https://social.example/@ada'></head><body>{logo}"
    body = f"<article><p>{PROSE}</p></article>"
    assert "Ada Lovelace" == read_page(URL, "text/html", page + body).author
    assert "" == read_page(URL, "text/html", page.replace("rel=me", "rel=x") + body).author


@pytest.mark.parametrize(
    ("html", "published"),
    [
        ("<time>March 5, 2026</time>", "2026-03-05"),
        ("<span class=post-date>5th Mar 2026</span>", "2026-03-05"),
        ("<p>March 5, 2026</p>", ""),
    ],
)
def test_a_spelt_day_counts_where_an_element_is_named_for_it(html: str, published: str) -> None:
    page = f"<html><body>{html}<article><p>{PROSE}</p></article></body></html>"
    assert published == read_page(URL, "text/html", page).published
