"""Reading pages: bytes to text, metadata, small pieces of HTML to Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lx

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters import read_page
from sidecar.ingest.document import Document
from sidecar.ingest.page.decode import decode_page
from sidecar.ingest.page.metadata import language_of
from sidecar.ingest.page.to_markdown import MarkdownWriter
from sidecar.ingest.page.tree import clean_page, parse_page

BASE = "https://example.com/dir/page"


def markdown(html: str) -> str:
    tree = parse_page(f"<html><body><div id=x>{html}</div></body></html>")
    assert tree is not None
    clean_page(tree)
    return MarkdownWriter(BASE).write(tree.get_element_by_id("x"))


def read(html: str, url: str = BASE) -> Document:
    return read_page(url, "text/html", html)


# ── bytes ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "header", "text"),
    [
        ("知识".encode(), "", "知识"),
        ("知识".encode(), "iso-8859-1", "知识"),
        ("\ufeff知识".encode(), "gbk", "知识"),
        ("知识".encode("utf-16"), "", "知识"),
        ("你好世界".encode("gbk"), "gb2312", "你好世界"),
        (b"<meta charset=gb2312>" + "你好，镕基".encode("gbk"), "", "<meta charset=gb2312>你好，镕基"),
        (
            b"<meta charset=utf-8><meta charset='gb2312'>" + "你好世界".encode("gbk"),
            "",
            "<meta charset=utf-8><meta charset='gb2312'>你好世界",
        ),
        (
            b'<meta http-equiv=x content="text/html; charset=big5">' + "繁體".encode("big5"),
            "",
            '<meta http-equiv=x content="text/html; charset=big5">繁體',
        ),
        ("日本語です".encode("shift_jis"), "Shift_JIS", "日本語です"),
        ("日本語です".encode("iso-2022-jp"), "iso-2022-jp", "日本語です"),
        ("“quoted” – café".encode("cp1252"), "ISO-8859-1", "“quoted” – café"),
        ("привет".encode("koi8-r"), "koi8-r", "привет"),
        (b"", "", ""),
    ],
)
def test_a_page_is_decoded_by_what_it_is_rather_than_what_a_header_says(body: bytes, header: str, text: str) -> None:
    assert text == decode_page(body, header)


@pytest.mark.parametrize(
    "charset", ["undefined", "punycode", "idna", "hex", "rot13", "zlib", "unicode_escape", "no-such-thing", "../x", "mbcs"]
)
def test_a_charset_that_is_none_of_a_page_is_passed_over(charset: str) -> None:
    assert "caf" in decode_page("café \\x41".encode("latin-1"), charset)
    assert "caf" in decode_page(f"<meta charset={charset}>café \\x41".encode("latin-1"))


@given(st.binary(max_size=400), st.text(max_size=12))
def test_any_bytes_under_any_header_give_text(body: bytes, header: str) -> None:
    decode_page(body, header).encode("utf-8", "surrogatepass")


def test_utf_8_that_was_read_as_latin_1_upstream_is_mended_if_the_whole_page_is() -> None:
    damaged = "itertools — Functions".encode().decode("latin-1")
    assert "itertools — Functions" == decode_page(damaged.encode())


@pytest.mark.parametrize("text", ["café", "Ã© and — both", "Ä", "naïve café", "Â"])
def test_true_accents_are_left_alone(text: str) -> None:
    assert text == decode_page(text.encode())


@given(st.text(st.characters(blacklist_categories=["Cs"]), max_size=100))
def test_utf_8_text_with_anything_beyond_latin_1_is_never_touched(text: str) -> None:
    assert f"{text}知".removeprefix("\ufeff") == decode_page(f"{text}知".encode()).removeprefix("\ufeff") or text.startswith("\ufeff")


# ── pieces ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>One</h1><h3>Th<b>re</b>e</h3>", "# One\n\n### Th**re**e\n"),
        ("<p>a</p>b<p>c</p>", "a\n\nb\n\nc\n"),
        ("<p>one<br>two</p>", "one\ntwo\n"),
        ("<p>  many \n blanks&nbsp;here </p>", "many blanks here\n"),
        ("<p>第一行\n    第二行</p>", "第一行第二行\n"),
        ("<p>第一行\n    second</p>", "第一行 second\n"),
        ("<p>　　首行缩进</p>", "首行缩进\n"),
        ("<p><b>bold </b>word</p>", "**bold** word\n"),
        ("<p>a<b> bold</b>.</p>", "a **bold**.\n"),
        ("<p><i>it</i> <em> em </em>x</p>", "*it* *em* x\n"),
        ("<p><b></b>x<strong> </strong>y</p>", "x y\n"),
        ("<p><del>gone</del></p>", "~~gone~~\n"),
        ("<p><q>said</q></p>", "“said”\n"),
        ("<p><code>a  b</code> and <code>x`y</code></p>", "`a b` and ``x`y``\n"),
        ("<hr>", "---\n"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b\n"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b\n"),
        ("<dl><dt>Term</dt><dd>Meaning</dd><dd>Other</dd></dl>", "**Term**\n\nMeaning\n\nOther\n"),
        ("<dl><div><dt>T</dt><dd>a<dl><dt>U</dt><dd>b</dd></dl></dd></div></dl>", "**T**\n\na\n\n**U**\n\nb\n"),
        ("<details><summary>More</summary><p>text</p></details>", "**More**\n\ntext\n"),
        ("<p>5 &lt; 6 &amp;&amp; x</p>", "5 \\< 6 && x\n"),
        ("", ""),
        ("<p> </p><div></div>", ""),
    ],
)
def test_text_and_emphasis(html: str, text: str) -> None:
    assert text == markdown(html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ul><li>a<li>b</ul>", "- a\n- b\n"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b\n"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b\n"),
        ("<ol start='²'><li>a</ol>", "1. a\n"),
        (f"<ol start={'9' * 5000}><li>a</ol>", "1. a\n"),
        ("<ul><li>a<ul><li>b<ul><li>c</ul></ul><li>d</ul>", "- a\n  - b\n    - c\n- d\n"),
        ("<ol><li>a<ul><li>b</ul></ol>", "1. a\n   - b\n"),
        ("<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b\n"),
        ("<ul><li>a<pre>x\ny</pre></li></ul>", "- a\n\n  ```\n  x\n  y\n  ```\n"),
        ("<ul><li></li><li>a</li></ul>", "- a\n"),
        ("<ul><li>- not nested</li></ul>", "- \\- not nested\n"),
        ("<ul>loose<li>a</li><p>b</p> tail</ul>", "- loose\n- a\n- b\n- tail\n"),
    ],
)
def test_lists(html: str, text: str) -> None:
    assert text == markdown(html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |\n"),
        ("<table><tr><td>1<td>2<tr><td>3<td>4</table>", "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n"),
        ("<table><tr><th>A<tr><td>x | y</table>", "| A |\n| --- |\n| x \\| y |\n"),
        ("<table><tr><th>A<tr><td><code>a|b</code></table>", "| A |\n| --- |\n| `a\\|b` |\n"),
        ("<table><tr><th>A<tr><td><pre>a\nb</pre></table>", "| A |\n| --- |\n| `a b` |\n"),
        ("<table><tr><th colspan=2>A<tr><td>1<td>2</table>", "| A |  |\n| --- | --- |\n| 1 | 2 |\n"),
        ("<table><tr><th colspan='²'>A<tr><td>1</table>", "| A |\n| --- |\n| 1 |\n"),
        ("<table><tr><th>A<th>B<tr><td>1</table>", "| A | B |\n| --- | --- |\n| 1 |  |\n"),
        ("<table><tr><th>A<tr><td>one<br>two<ul><li>x</ul></table>", "| A |\n| --- |\n| one two x |\n"),
        ("<table><caption>Cap</caption><tr><th>A<tr><td>1</table>", "Cap\n\n| A |\n| --- |\n| 1 |\n"),
        ("<table><tr><td>layout only</table>", "layout only\n"),
    ],
)
def test_tables(html: str, text: str) -> None:
    assert text == markdown(html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<pre><code class='language-python'>x = 1\n</code></pre>", "```python\nx = 1\n```\n"),
        ("<pre class='brush: js'>x</pre>", "```js\nx\n```\n"),
        ("<div class='highlight-source-rust'><pre>x</pre></div>", "```rust\nx\n```\n"),
        ("<pre data-lang=Go>x</pre>", "```go\nx\n```\n"),
        ("<pre lang=en>x</pre>", "```\nx\n```\n"),
        ("<pre><code class='language-dataviewjs'>x</code></pre>", "```text\nx\n```\n"),
        ("<pre>a<br>b<br/>c</pre>", "```\na\nb\nc\n```\n"),
        ("<pre><code>a</code><code>b</code></pre>", "```\nab\n```\n"),
        ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```\n"),
        ("<pre>    indent\n\n\tkept [[x]] #tag</pre>", "```\n    indent\n\n\tkept [[x]] #tag\n```\n"),
        ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````\n"),
        ("<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>", "```\na\nb\n```\n"),
        ("<pre>\n\n</pre>", ""),
    ],
)
def test_code(html: str, text: str) -> None:
    assert text == markdown(html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href='/a'>x</a>", "[x](https://example.com/a)\n"),
        ("<a href='b?q=1&utm_source=z#part'>x</a>", "[x](https://example.com/dir/b?q=1#part)\n"),
        ("<a href='//other.example/'>x</a>", "[x](https://other.example/)\n"),
        ("<a href='#part'>x</a>", "x\n"),
        ("<a href='javascript:x'>x</a>", "x\n"),
        ("<a href='mailto:a@example.com'>x</a>", "[x](mailto:a@example.com)\n"),
        ("<a href='/a(b)'>x</a>", "[x](https://example.com/a%28b%29)\n"),
        ("<a href='/a b'>x</a>", "[x](https://example.com/a%20b)\n"),
        ("<a href='/a'> x </a>y", "[x](https://example.com/a) y\n"),
        ("<a href='/a'></a>y", "y\n"),
        ("<img src='/i.png' alt='An [image]'>", "![An \\[image\\]](https://example.com/i.png)\n"),
        ("<img src='data:image/gif;base64,x' data-src='/i.png' alt=a>", "![a](https://example.com/i.png)\n"),
        ("<img data-original='/i.png'>", "![](https://example.com/i.png)\n"),
        ("<img srcset='/s.png 1x, /l.png 2x'>", "![](https://example.com/l.png)\n"),
        ("<img src='/p.gif' width=1 height=1>x", "x\n"),
        (
            "<img src='data:image/gif;base64,x'><noscript><img src='https://example.com/i.png'></noscript>",
            "![](https://example.com/i.png)\n",
        ),
        ("<a href='/a'><img src='/i.png' alt=a></a>", "[![a](https://example.com/i.png)](https://example.com/a)\n"),
    ],
)
def test_links_and_images(html: str, text: str) -> None:
    assert text == markdown(html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a <script type='math/tex'>x^2</script> b</p>", "a $x^2$ b\n"),
        ("<p><math><annotation encoding='application/x-tex'>\\frac{1}{2}</annotation></math></p>", "$\\frac{1}{2}$\n"),
        ("<p><math alttext='E=mc^2'><mi>E</mi></math></p>", "$E=mc^2$\n"),
        ("<p><math><mfrac><mn>1</mn><mi>x</mi></mfrac></math></p>", "$\\frac{1}{x}$\n"),
        ("<p>so<math display=block alttext='x'><mi>x</mi></math></p>", "so\n$$x$$\n"),
    ],
)
def test_formulas(html: str, text: str) -> None:
    assert text == markdown(html)


def test_ruby_readings_are_left_out() -> None:
    assert "漢字を読む\n" == markdown("<p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>を読む</p>")


@given(
    st.recursive(
        st.text(st.sampled_from("ab 目\n"), max_size=5),
        lambda inner: st.tuples(
            st.sampled_from("p b i ul ol li a pre code blockquote h2 div span dl dt dd br details".split()), st.lists(inner, max_size=4)
        ).map(lambda part: f"<{part[0]}>{''.join(part[1])}</{part[0]}>"),
        max_leaves=12,
    )
)
def test_any_nesting_of_elements_keeps_every_word(html: str) -> None:
    root = lx.fragment_fromstring(f"<div>{html}</div>")
    wanted = sorted("".join(root.itertext()).split())
    found = MarkdownWriter(BASE).write(root)
    assert sorted("".join(wanted)) == sorted(char for char in found if char in "ab目")


# ── metadata ──────────────────────────────────────────────────────────────────────────────────

BODY = "<article><p>" + "Some plain words that make an article, the one of this page and of no other. " * 5 + "</p></article>"


@pytest.mark.parametrize(
    ("head", "title", "site"),
    [
        ("<title>Story</title>", "Story", "example.com"),
        ("<title>Long story | The Site</title><meta property=og:site_name content='The Site'>", "Long story", "The Site"),
        ("<title>The Site: Long story</title><meta property=og:site_name content='The Site'>", "Long story", "The Site"),
        ("<meta property=og:title content='From OG'><title>x</title>", "From OG", "example.com"),
        ("<title>春天的故事_探索者_光明网</title><meta property=og:title content='春天的故事'>", "春天的故事", "光明网"),
        ("<title></title>", "example.com", "example.com"),
        ("", "example.com", "example.com"),
    ],
)
def test_the_title_comes_without_the_site(head: str, title: str, site: str) -> None:
    found = read(f"<html><head>{head}</head><body>{BODY}</body></html>")
    assert (title, site) == (found.title, found.site)


def test_structured_data_comes_first_and_broken_data_is_passed_over() -> None:
    good = (
        '{"@graph": [{"@type": ["NewsArticle", null], "headline": "H", "datePublished": "2026-03-05T01:00:00Z'
        '", "author": [{"name": "A"}, "B"]}]}'
    )
    page = f"<head><script type=application/ld+json>{{broken</script><script type=application/ld+json>{good}</script></head>{BODY}"
    found = read(page)
    assert ("H", "A, B", "2026-03-05") == (found.title, found.author, found.published)


@pytest.mark.parametrize(
    "data",
    [
        '{"@type": [{}], "headline": "x"}',
        "[[[[[[1]]]]]]",
        '{"@graph": 3}',
        "null",
        '{"@type": 3}',
        "[" * 50_000,
        '{"author": 7, "@type": "Article", "headline": "x"}',
    ],
)
def test_odd_structured_data_breaks_nothing(data: str) -> None:
    assert read(f"<head><title>Story</title><script type=application/ld+json>{data}</script></head>{BODY}").title in ("Story", "x")


@pytest.mark.parametrize(
    ("html", "published"),
    [
        ("<meta property=article:published_time content='2026-03-05T10:00:00+08:00'>", "2026-03-05"),
        ("<meta name=pubdate content='2026/3/5'>", "2026-03-05"),
        ("<time datetime='2026-03-05'>x</time>", "2026-03-05"),
        ("<span class=date>2026年3月5日 10:00</span>", "2026-03-05"),
        ("<meta name=date content='2026-13-45'>", ""),
        ("<p>On 2026-03-05 it rained.</p>", ""),
    ],
)
def test_the_day_is_told_only_where_the_page_says_it(html: str, published: str) -> None:
    assert published == read(f"<html><body>{html}{BODY}</body></html>").published


@pytest.mark.parametrize(
    ("declared", "sample", "lang"),
    [
        ("en-GB", "text", "en"),
        ("zh_CN", "text", "zh"),
        ("en", "知识管理的方法与工具", "zh"),
        ("en", "これはとても長い日本語の文章ですから、読むのに時間がかかります", "ja"),
        (
            "",
            "the quick brown fox of the house is in the garden and it was on the wall for a day as that is what it does with an apple "
            "to be sure that this one is by the tree from here",
            "en",
        ),
        ("", "der schnelle Fuchs springt " * 20, ""),
        ("", "", ""),
        ("--", "x", ""),
        ("éé", "x", ""),
    ],
)
def test_the_language_is_that_of_the_text_then_as_declared(declared: str, sample: str, lang: str) -> None:
    assert lang == language_of(declared, sample)


def test_a_shell_without_text_says_so() -> None:
    found = read("<html><head><title>App</title></head><body><div id=root></div><script>go()</script></body></html>")
    assert ("App", "missing", "") == (found.title, found.body_state, found.markdown)
    assert "scripts" in found.warnings[0]


def test_a_page_may_leave_out_the_tags_of_head_and_body() -> None:
    found = read(f"<!doctype html><title>Story</title>{BODY}")
    assert ("Story", "full") == (found.title, found.body_state)
    assert "Some plain words" in found.markdown
    assert "Story" not in found.markdown


def test_a_page_that_calls_itself_not_free_is_only_a_summary() -> None:
    data = '{"@type": "NewsArticle", "headline": "Paid story", "isAccessibleForFree": false}'
    found = read(f"<head><script type=application/ld+json>{data}</script></head>{BODY}")
    assert "summary_only" == found.body_state
    assert found.warnings


@pytest.mark.parametrize("text", ["", "   ", "\0", "<?xml version='1.0'?>"])
def test_what_is_no_page_is_an_error(text: str) -> None:
    with pytest.raises(ExtractionError):
        read(text)


@given(st.text(st.sampled_from("<>/abpdiv ='\"&;!-[]\n目"), max_size=120))
def test_any_soup_is_read_or_refused_with_our_own_error(soup: str) -> None:
    try:
        read(f"<body>{soup}")
    except ExtractionError:
        return


@pytest.mark.parametrize(
    ("text", "title"),
    [("# A title\n\ntext", "A title"), ("x" * 200, "notes.txt"), ("\n\nfirst\nsecond", "first"), ("", "notes.txt")],
)
def test_plain_text_takes_its_title_from_the_first_line_or_the_address(text: str, title: str) -> None:
    assert title == read_page("https://example.com/notes.txt", "text/plain", text).title
    bare = read_page("https://example.com/", "text/plain", "x" * 200)
    assert "example.com" == bare.title


@pytest.mark.parametrize("odd", ["&#11;", "&#0;", "&#xD800;", "&#xdfff", "&#x110000;", "&#99999999999999999;", "\x0b", "\x01", "\uffff"])
def test_a_character_that_is_none_costs_only_itself(odd: str) -> None:
    text = "Words that anyone can read. " * 20
    document = read(f"<html><head><title>A{odd}title</title></head><body><article><p>{odd} {text}</p></article></body></html>")
    assert ("A title", text.rstrip() + "\n") == (document.title, document.markdown)
