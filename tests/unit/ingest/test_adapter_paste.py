"""What is pasted: HTML from pages and word processors, Markdown, plain text."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import pytest

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters import PASTED, Page, Wishes, find_adapter
from sidecar.ingest.document import Document
from sidecar.ingest.identity import document_hash
from sidecar.vault.address import url_hash
from tests.unit.ingest.hostile import PAYLOADS, assert_harmless, note_text


def paste(text: str, kind: str = "text/plain", url: str = "") -> Document:
    found = find_adapter("paste").read("", {PASTED: Page(url, kind, text)}, Wishes())
    assert isinstance(found, Document)
    return found


def test_plain_text_keeps_its_lines() -> None:
    document = paste("A first line\r\nand # a second\r\n\r\n\r\n1. no list\n")
    assert ("A first line", "", "", "full") == (document.title, document.url, document.site, document.body_state)
    assert "A first line\nand # a second\n\n1\\. no list\n" == document.markdown


def test_a_note_of_a_paste_without_an_address_names_none() -> None:
    text = note_text(paste("Some words."))
    assert "\nurl:" not in text
    assert "\nsite:" not in text


def test_the_same_paste_is_a_duplicate_and_another_one_is_not() -> None:
    one = paste("Some  words.\n\nMore.")
    assert document_hash(one) == document_hash(paste("Some words.\nMore.  \n")) != document_hash(paste("Other words."))
    assert url_hash("https://e.test/x") == document_hash(replace(one, url="https://www.e.test/x?utm_source=y"))


def test_markdown_is_known_by_its_signs() -> None:
    document = paste("# Title\n\nSome **bold** text.\n\n```python\nx = 1\n```\n")
    assert ("Title", "Some **bold** text.\n\n```python\nx = 1\n```\n") == (document.title, document.markdown)
    assert "\\# a comment of a script\necho 1\n" == paste("# a comment of a script\necho 1").markdown


def test_html_with_the_header_of_the_windows_clipboard() -> None:
    html = (
        "Version:0.9\r\nStartHTML:0000000105\r\nEndHTML:0000000400\r\nStartFragment:0000000141\r\nEndFragment:0000000360\r\n"
        "SourceURL:https://Example.com/a?utm_source=x\r\n<html>\r\n<body>\r\n<!--StartFragment-->"
        "<h2>Head</h2><p>Words <a href='/b'>b</a>.</p>"
        "<!--EndFragment-->\r\n</body>\r\n</html>"
    )
    for kind in ("text/html", "text/plain"):
        document = paste(html, kind)
        assert ("Head", "https://example.com/a", "example.com") == (document.title, document.url, document.site)
        assert "Words [b](https://example.com/b).\n" == document.markdown
    assert "https://e.test/" == paste(html, "text/html", "https://e.test/").url


def test_markup_of_word() -> None:
    def item(text: str, mark: str = "·", level: int = 1) -> str:
        return (
            f"<p class=MsoListParagraph style='mso-list:l0 level{level} lfo1'><![if !supportLists]><span style='font-family:Symbol'>"
            f"<span style='mso-list:Ignore'>{mark}<span>&nbsp;&nbsp; </span></span></span><![endif]>{text}<o:p></o:p></p>\n"
        )

    html = (
        "<html xmlns:o='urn:x'><head><style>p {}</style><!--[if gte mso 9]><xml>junk</xml><![endif]--></head><body>"
        "<p class=MsoNormal><b>Bold</b> and <span style='font-style:italic'>slanted</span>.<o:p></o:p></p>"
        f"{item('one')}{item('inner', 'o', 2)}{item('two')}"
        f"<p class=MsoNormal>Between</p>{item('first', '1.')}{item('second', '2.')}</body></html>"
    )
    expected = "**Bold** and *slanted*.\n\n- one\n  - inner\n- two\n\nBetween\n\n1. first\n2. second\n"
    assert expected == paste(html, "text/html").markdown


def test_markup_of_google_docs() -> None:
    html = (
        "<meta charset='utf-8'><b style='font-weight:normal;' id='docs-internal-guid-1'><p><span style='font-weight:400'>Plain </span>"
        "<span style='font-weight:700'>bold</span></p><p><a href='https://www.google.com/url?q=https://e.test/x&amp;sa=D'>link</a></p></b>"
    )
    assert "Plain **bold**\n\n[link](https://e.test/x)\n" == paste(html, "text/html").markdown


def test_a_few_words_from_google_docs_are_not_all_bold() -> None:
    html = "<b style='font-weight:normal' id='docs-internal-guid-1'><span>Plain words</span></b>"
    assert "Plain words\n" == paste(html, "text/html").markdown


@pytest.mark.parametrize("text", ["", "  \n", "\u200b"])
def test_nothing_pasted_is_an_error(text: str) -> None:
    for kind in ("text/plain", "text/html", "text/markdown"):
        with pytest.raises(ExtractionError) as caught:
            paste(text, kind)
        assert caught.value.fix


def test_a_source_that_is_no_address_is_left_out() -> None:
    assert "" == paste("<p>x</p>", "text/html", "javascript:alert(1)").url
    assert "" == paste("Version:1.0\nStartHTML:1\nSourceURL:file:///etc/passwd\n<p>x</p>", "text/html").url


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_is_pasted_acts_in_the_vault(payload: str) -> None:
    for kind, text in (("text/plain", payload), ("text/markdown", f"{payload}\n\nx"), ("text/html", f"<h1>{escape(payload)}</h1><p>x")):
        assert_harmless(paste(f"{text} words", kind))
