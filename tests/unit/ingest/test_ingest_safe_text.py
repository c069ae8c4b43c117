"""Whatever a page says, the note shows it and does nothing: notes are written, read again, and searched for anything alive."""

from __future__ import annotations

import re
from datetime import date
from html import escape
from typing import Any

import mistune
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.config import IngestSettings
from sidecar.ingest.adapters import read_page
from sidecar.ingest.page.safe_text import code_span, escape_line_start, escape_text, safe_destination, safe_language
from sidecar.ingest.plan import Created, IngestOptions, plan_note
from sidecar.vault.generated import find_block
from sidecar.vault.links import NameIndex
from sidecar.vault.note import Note
from sidecar.vault.parse import parse_note

FILLER = "<p>" + "This page has enough plain words in it to be taken for an article by anyone. " * 4 + "</p>"

PAYLOADS = (
    "[[Secret]]",
    "![[Secret]]",
    "[[Secret|shown]]",
    "[[Secret#Part]]",
    "!\\[[Secret]]",
    "\\[[Secret]]",
    "[[a\\|b]]",
    "[x](Secret.md)",
    "![x](Secret.png)",
    "[x](<Secret file.md>)",
    "[x][1]\n\n[1]: Secret.md",
    "[^1]: note",
    "^[inline note]",
    "#tag",
    "text #tag/sub",
    "(#tag)",
    "[#tag",
    "\\#tag",
    "*#tag*",
    "。#标签",
    "#标签",
    "%% hidden %%",
    "%%\nhidden\n%%",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<iframe src=//evil.example></iframe>",
    "<!-- hidden -->",
    "<details open>",
    "&lt;b&gt;",
    "`= this.file.name`",
    "`$= dv.pages()`",
    "`=1`",
    "<% tp.system.prompt() %>",
    "<%* app.vault.delete() %>",
    "\\<% x %>",
    "key:: value",
    "**key**:: value",
    "(key:: value)",
    "[key:: value]",
    "obsidian://open?vault=x&file=y",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "app://local/etc",
    "---\norigin: mine\n---",
    "---",
    "***",
    "===",
    "# Heading",
    "- item",
    "1. item",
    "1) item",
    "+ item",
    "- [ ] task",
    "> [!danger] callout",
    "```dataviewjs\nx\n```",
    "~~~dataview\nx\n~~~",
    "%% kb:moc:begin %%",
    "%% kb:moc:end %%",
    "text ^block-id",
    "^abc",
    "a\u202eb",
    "a\u200b[\u200b[x]]",
    "==mark==",
    "~~gone~~",
    "$$x$$",
    "$x$",
    "| a | b |\n| --- | --- |\n| c | d |",
    "{{title}}",
    "``[[x]]``",
    "\\",
    "`",
    "``",
    "[",
    "]]",
    "![",
    "%",
    "#",
    "^a",
)

FRAMES = (
    "<p>{}</p>",
    "<p>before {} after</p>",
    "<p><b>{}</b> after</p>",
    "<p>before<br>{}<br>after</p>",
    "<ul><li>{}</li></ul>",
    "<h2>{}</h2>",
    "<blockquote><p>{}</p></blockquote>",
    "<table><tr><th>a</th></tr><tr><td>{}</td></tr></table>",
    "<p><code>{}</code></p>",
    "<p><a href='https://example.com/x'>{}</a></p>",
    "<pre><code>{}</code></pre>",
    "<dl><dt>{}</dt><dd>{}</dd></dl>",
    "<p><img src='https://example.com/i.png' alt='{}'></p>",
    "<p><span class='kb-tex'>\\({}\\)</span></p>",
    "<p><script type='math/tex'>{}</script></p>",
    "<figure><figcaption>{}</figcaption></figure>",
    "<details><summary>{}</summary>x</details>",
)


def note_of(html: str, title: str = "A title") -> tuple[str, Note]:
    """Give the text of the note that ingest would write for a page, and what the vault reads from it."""
    url = "https://example.com/page"
    page = f"<html><head><title>{escape(title)}</title></head><body><article>{FILLER}{html}{FILLER}</article></body></html>"
    document = read_page(url, "text/html", page)
    outcome = plan_note(document, "ab" * 32, date(2026, 3, 5), IngestOptions(), None, NameIndex(), "sources", IngestSettings())
    assert isinstance(outcome, Created)
    return outcome.text, parse_note(outcome.path, outcome.text)


_CODE_SPAN = re.compile(r"\\.|(?P<ticks>`+)(?!`)(?P<code>.*?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)


def outside_code(text: str) -> str:
    """Give a note's body without fenced blocks."""
    kept: list[str] = []
    fence = ""
    for line in text.partition("\n---\n")[2].split("\n"):
        found = re.match(r"[>\s\-]*(`{3,}|~{3,})", line)
        if not fence and found:
            fence = found[1]
        elif fence:
            fence = "" if line.strip("> -") == fence else fence
        else:
            kept.append(line)
    return "\n".join(kept)


_oracle = mistune.create_markdown(escape=False, renderer="ast", plugins=["table", "strikethrough", "footnotes", "math"])


def living(text: str) -> list[str]:
    """Give what another Markdown reader finds alive in a note's body: HTML, footnotes, queries, links to anywhere but the web."""
    found: list[str] = []

    def look(nodes: list[dict[str, Any]]) -> None:
        for node in nodes:
            address = (node.get("attrs") or {}).get("url", "https://")
            language = (node.get("attrs") or {}).get("info") or ""
            if node["type"] in ("block_html", "inline_html", "footnote_ref", "footnotes", "footnote_item"):
                found.append(f"{node['type']}: {node.get('raw')}")
            if not re.match(r"https?://|mailto:", address):
                found.append(f"{node['type']} to {address}")
            if node["type"] == "block_code" and (node.get("style") == "indent" or language in ("dataview", "dataviewjs", "tasks", "query")):
                found.append(f"code: {language}")
            if node["type"] == "codespan" and node["raw"].startswith(("=", "$=")):
                found.append(f"query: {node['raw']}")
            look(node.get("children") or [])

    nodes = _oracle(text.partition("\n---\n")[2])
    assert isinstance(nodes, list)
    look(nodes)
    return found


def assert_dead(text: str, note: Note) -> None:
    assert [] == living(text), text
    assert ("", "web") == (note.property_error, note.properties["origin"])
    assert ((), (), ()) == (note.links, note.tags, note.blocks), text
    assert "<%" not in text
    assert find_block(text) is None
    body = outside_code(text)
    for span in _CODE_SPAN.finditer(body):
        assert not (span["code"] or "").strip().startswith(("=", "$=")), text
    plain = _CODE_SPAN.sub(lambda found: "" if found["ticks"] else "x", body)  # no code, and escapes are letters
    assert "%%" not in plain, text
    assert not re.search(r"(?m)^(?!> \[!warning\])[> \t]*\[!(?!\[)", body), text
    assert not re.search(r"<[a-zA-Z/!]", plain), text
    assert "::" not in plain, text
    assert not re.search(r"\]\((?!https?://|mailto:)", plain), text
    assert not re.search("[\u200b\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_a_page_says_acts_in_the_vault(payload: str) -> None:
    assert len(PAYLOADS) >= 60
    for frame in FRAMES:
        assert_dead(*note_of(frame.replace("{}", escape(payload, quote=True))))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_a_title_says_acts_in_the_vault(payload: str) -> None:
    text, note = note_of("", title=payload)
    assert_dead(text, note)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_a_plain_text_file_says_acts_in_the_vault(payload: str) -> None:
    document = read_page("https://example.com/a.txt", "text/plain", f"Title\n\n{payload}\n")
    outcome = plan_note(document, "ab" * 32, date(2026, 3, 5), IngestOptions(), None, NameIndex(), "sources", IngestSettings())
    assert isinstance(outcome, Created)
    assert_dead(outcome.text, parse_note(outcome.path, outcome.text))


@pytest.mark.parametrize(
    "html",
    [
        "<p>%<span>% hidden %</span>%</p>",
        "<p>#<span>tag</span></p>",
        "<p>x #<b></b>tag</p>",
        "<p>end ^<span>block</span></p>",
        "<p>^<i></i>block</p>",
        "<p>[<b></b>[Secret]<i></i>]</p>",
        "<p>&lt;<span>% code %</span>&gt;</p>",
        "<p>&lt;<b>!--</b> x --&gt;</p>",
        "<p>key:<span>: value</span></p>",
        "<p>-<span>-</span>-</p>",
        "<p><span>#</span> no heading</p>",
        "<p>x<br><span>-</span> item</p>",
        "<p><b>key</b>:: value</p>",
        "<p>1<span>.</span> item</p>",
        "<p>&gt;<span> [!note]</span></p>",
        "<p>`<span>= this</span>`</p>",
        "<p>|<br>|</p>",
    ],
)
def test_what_is_spread_over_several_elements_does_not_come_alive_when_put_together(html: str) -> None:
    text, note = note_of(html)
    assert_dead(text, note)
    assert () == note.headings


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "obsidian://open",
        "file:///etc/passwd",
        "app://x",
        "vbscript:x",
        "about:blank",
        "//[::1",
        "http://[",
        "blob:x",
        "ftp://x/y",
    ],
)
def test_a_link_that_no_reader_should_follow_keeps_only_its_words(href: str) -> None:
    text, note = note_of(f"<p><a href='{escape(href)}'>words</a> and <img src='{escape(href)}' alt='picture'></p>")
    assert_dead(text, note)
    assert "words" in text
    assert "](" not in text


def test_an_address_cannot_break_out_of_its_link() -> None:
    assert "https://a.example/%28x%29%20%5B%5By%5D%5D%7C%3Cb%3E%60%25%25" == safe_destination("https://a.example/(x) [[y]]|<b>`%%")
    assert "https://a.example/xy" == safe_destination("https://a.example/x\n\ty")
    assert "" == safe_destination("Secret.md")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("python", "python"),
        ("C++", "c++"),
        ("c#", "c#"),
        ("dataviewjs", "text"),
        ("DataView", "text"),
        ("tasks", "text"),
        ("meta-bind-x", "text"),
        ("ad-note", "text"),
        ("run-python", "text"),
        ("templater", "text"),
        ("a b", ""),
        ("x`", ""),
        ("", ""),
        ("x" * 30, ""),
        ("{python}", ""),
    ],
)
def test_a_fence_names_its_language_unless_a_plugin_would_run_it(name: str, shown: str) -> None:
    assert shown == safe_language(name)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a", "`a`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("", ""),
        ("a\n b", "`a b`"),
        ("[[x]]", "`[[x]]`"),
        ("= this", "\\= this"),
        ("$= dv", "$\\= dv"),
        ("a = b", "`a = b`"),
    ],
)
def test_inline_code_is_kept_unless_dataview_would_run_it(text: str, span: str) -> None:
    assert span == code_span(text)


@pytest.mark.parametrize(
    "text",
    [
        "C# and F#",
        "snake_case_name",
        "5 * 3".replace("*", "×"),
        "50% off",
        "a - b",
        "http://example.com/a_b",
        "x = y",
        "3^2",
        "AT&T",
        "10:30",
        "std: x",
        "issue no. 5",
        "（一）",
        "“quoted”",
        "a|b",
        "don't",
    ],
)
def test_ordinary_text_is_not_littered_with_backslashes(text: str) -> None:
    assert text == escape_line_start(escape_text(text))


def shown(markdown: str) -> str:
    """Read escapes as Markdown does."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


@given(st.text(st.sampled_from("[]#^%<>=~`$*_-+.:|\\!(){}&;ab1 目\n"), max_size=60))
def test_escaped_text_reads_as_it_was(text: str) -> None:
    assert text == shown(escape_text(text))


@given(st.lists(st.text(st.sampled_from("[]#^%<>=~`$*_-+.:|\\!(){}&;ab1 目\n"), max_size=12), min_size=1, max_size=4))
def test_no_text_in_any_number_of_elements_makes_a_link_tag_or_block(parts: list[str]) -> None:
    from lxml import html as lx

    from sidecar.ingest.page.to_markdown import MarkdownWriter

    element = lx.fragment_fromstring("<p>" + "".join(f"<span>{escape(part)}</span>" for part in parts) + "</p>")
    text = "---\norigin: web\n---\n\n" + MarkdownWriter("https://example.com/").write(element)
    note = parse_note("sources/a.md", text)
    assert ((), (), (), ()) == (note.links, note.tags, note.blocks, note.headings), text
    assert "<%" not in text
    assert "%%" not in text


@given(st.text(max_size=200))
def test_any_code_stays_within_its_fence(code: str) -> None:
    from lxml import html as lx

    from sidecar.ingest.page.to_markdown import MarkdownWriter

    pre = lx.Element("pre")
    pre.text = "".join(char for char in code if char.isprintable() or char in "\n\t")
    after = "---\norigin: web\n---\n\n" + MarkdownWriter("https://example.com/").write(pre) + "\nafter [[Own]]\n"
    assert ["Own"] == [link.path for link in parse_note("a.md", after).links]


HOSTILE = st.text(st.sampled_from("[]#^%<>=~`$*_-+.:|\\!(){}&;/ab1 目\n\u200b\u202e\ue000"), max_size=24)
POSITIONS = (
    "<h1>{}</h1>",
    "<h3>x {}</h3>",
    "<p>{}</p>",
    "<p>x<br>{}</p>",
    "<p>x <b>{}</b><i>{}</i></p>",
    "<ul><li>{}<ul><li>{}</li></ul></li></ul>",
    "<ol><li>x {}</li></ol>",
    "<table><tr><th>{}</th><th>x</th></tr><tr><td>{}</td><td>x</td></tr></table>",
    "<table><caption>{}</caption><tr><th>x</th></tr><tr><td><code>{}</code></td></tr></table>",
    "<p><a href='/x'>{}</a></p>",
    "<p><img src='/i.png' alt='{}' title='{}'></p>",
    "<p><code>{}</code> x</p>",
    "<pre class='language-{}'>{}</pre>",
    "<blockquote>{}</blockquote>",
    "<figure><img src='/i.png' alt=x><figcaption>{}</figcaption></figure>",
    "<p><a href='{}'>x</a></p>",
    "<p><math alttext='{}'><mi>x</mi></math></p>",
    "<details><summary>{}</summary>{}</details>",
    "<dl><dt>{}</dt><dd>{}</dd></dl>",
    "<p><q>{}</q><del>{}</del><sup>{}</sup></p>",
)


@given(HOSTILE, st.sampled_from(POSITIONS), st.sampled_from(POSITIONS))
def test_no_hostile_text_acts_from_any_position(text: str, first: str, second: str) -> None:
    assert_dead(*note_of("".join(frame.replace("{}", escape(text, quote=True)) for frame in (first, second))))


@given(HOSTILE, HOSTILE, HOSTILE)
def test_no_hostile_title_author_or_site_acts(title: str, author: str, site: str) -> None:
    head = "".join(
        f"<meta {key} content='{escape(value, quote=True)}'>"
        for key, value in (("property=og:title", title), ("name=author", author), ("property=og:site_name", site))
    )
    text, note = note_of(head, title=title)
    assert_dead(text, note)
    assert {"created", "origin", "url", "hash"} <= set(note.properties)
    assert "2026-03-05" == str(note.properties["created"])


@pytest.mark.parametrize(
    "text",
    ["<b>x</b>", "[x](Secret.md)", "![x](Secret.png)", "`= this`", "```dataviewjs\nx\n```", "    code", "a[^1]\n\n[^1]: b", "<!-- x -->"],
)
def test_the_other_reader_sees_what_is_alive(text: str) -> None:
    assert living(f"---\norigin: web\n---\n\n{text}\n")
