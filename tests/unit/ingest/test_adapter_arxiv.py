"""Papers on arXiv: one note of a paper whatever the link, with the best text there is."""

from __future__ import annotations

from html import escape

import pytest

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters import PAGE, Need, Page, Wishes, claiming_adapter, find_adapter, read_page
from sidecar.ingest.document import Document
from sidecar.vault.address import canonical_url
from tests.unit.ingest.hostile import PAYLOADS, assert_harmless
from tests.unit.ingest.pdf_bytes import paragraph, pdf

URL = "https://arxiv.org/abs/2401.01234v2"
WORDS = "This sentence is part of the paper's text and says rather little. "


def abstract_page(title: str = "On Foxes", abstract: str = "We study foxes.") -> str:
    return (
        f'<html><head><title>[2401.01234] {escape(title)}</title><meta name="citation_title" content="{escape(title)}">'
        '<meta name="citation_author" content="Fox, Ann"><meta name="citation_author" content="王小明">'
        '<meta name="citation_date" content="2024/01/02"><meta name="citation_online_date" content="2024/02/03">'
        f'<meta name="citation_abstract" content="{escape(abstract)}"></head><body><h1>Computer Science</h1></body></html>'
    )


def html_page(text: str = WORDS * 10) -> str:
    return (
        "<html><head><base href='/html/2401.01234v2/'></head><body><nav class=ltx_page_navbar>x</nav><article class='ltx_document'>"
        "<h1 class='ltx_title ltx_title_document'>On Foxes</h1><div class=ltx_authors>Ann Fox</div><div class=ltx_abstract>"
        "<h6 class='ltx_title ltx_title_abstract'>Abstract</h6><p>We study foxes.</p></div><section><h2>1 Introduction</h2>"
        f"<p>{text} <math alttext='x_1'><mi>x</mi></math> <img src=x1.png alt=Figure></p></section></article></body></html>"
    )


def read(*pages: tuple[str, Page], url: str = URL) -> Document | Need:
    return find_adapter("arxiv").read(url, dict(pages), Wishes())


ABSTRACT = ("abstract", Page(URL, "text/html", abstract_page()))
NO_HTML = ("html", Page("https://arxiv.org/html/2401.01234v2", status=404, problem="arxiv.org answered with 404."))


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("https://arxiv.org/abs/2401.01234", "https://arxiv.org/abs/2401.01234"),
        (URL, "https://arxiv.org/abs/2401.01234"),
        ("http://www.arxiv.org/pdf/2401.01234v1.pdf", "https://arxiv.org/abs/2401.01234"),
        ("https://arxiv.org/pdf/2401.01234#page=3", "https://arxiv.org/abs/2401.01234"),
        ("https://export.arxiv.org/html/2401.01234v3/", "https://arxiv.org/abs/2401.01234"),
        ("https://arxiv.org/abs/math.GT/0309136", "https://arxiv.org/abs/math.GT/0309136"),
        ("https://arxiv.org/pdf/hep-th/9901001v3", "https://arxiv.org/abs/hep-th/9901001"),
    ],
)
def test_all_links_of_a_paper_are_one_page(url: str, canonical: str) -> None:
    assert canonical == canonical_url(url)
    adapter = claiming_adapter(url)
    assert adapter is not None
    assert "arxiv" == adapter.name


@pytest.mark.parametrize(
    "url", ["https://arxiv.org/list/cs.AI/recent", "https://arxiv.org.evil.test/abs/2401.01234", "https://arxiv.org/abs/x"]
)
def test_other_pages_are_not_claimed(url: str) -> None:
    assert claiming_adapter(url) is None


def test_the_text_is_that_of_the_html() -> None:
    need = read(ABSTRACT)
    assert need == Need("html", "https://arxiv.org/html/2401.01234v2")
    document = read(ABSTRACT, ("html", Page("https://arxiv.org/html/2401.01234v2", "text/html", html_page())))
    assert isinstance(document, Document)
    assert ("On Foxes", "Ann Fox, 王小明", "2024-01-02", URL, "full") == (
        document.title, document.author, document.published, document.url, document.body_state,
    )  # fmt: skip
    assert document.markdown.startswith("## Abstract\n\nWe study foxes.\n\n## 1 Introduction\n\nThis sentence")
    assert "$x_1$" in document.markdown
    assert ("https://arxiv.org/html/2401.01234v2/x1.png",) == document.images
    assert () == document.warnings


def test_without_html_the_text_is_that_of_the_pdf() -> None:
    need = read(ABSTRACT, NO_HTML)
    assert isinstance(need, Need)
    assert ("https://arxiv.org/pdf/2401.01234v2", True, False) == (need.url, need.as_bytes, need.must)
    data = pdf([[(72, 740, 20, "On Foxes"), *paragraph(["The text of the paper.", "It ends."], 700)]])
    document = read(ABSTRACT, NO_HTML, ("pdf", Page(need.url, "application/pdf", data=data)))
    assert isinstance(document, Document)
    assert "## Abstract\n\nWe study foxes.\n\n## Text of the paper\n\nThe text of the paper. It ends.\n" == document.markdown
    assert "full" == document.body_state
    assert "formulas" in document.warnings[0]


@pytest.mark.parametrize(
    "page", [Page("x", problem="Too large."), Page("x", data=b"no pdf"), Page("x", data=pdf([[]])), Page("x", data=b"%PDF-1.4 broken")]
)
def test_without_any_text_the_abstract_is_kept_and_the_reason_said(page: Page) -> None:
    document = read(ABSTRACT, NO_HTML, ("pdf", page))
    assert isinstance(document, Document)
    assert ("summary_only", "## Abstract\n\nWe study foxes.\n") == (document.body_state, document.markdown)
    assert document.warnings[0].startswith("Only the abstract is here")


def test_a_saved_page_is_read_with_nothing_fetched() -> None:
    assert "summary_only" == read_page(URL, "text/html", abstract_page()).body_state
    assert ("On Foxes", "full") == (lambda d: (d.title, d.body_state))(read_page(URL, "text/html", html_page()))


def test_a_page_without_a_paper_is_an_error() -> None:
    with pytest.raises(ExtractionError):
        read((PAGE, Page(URL, "text/html", "<p>Not found</p>")))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_a_paper_says_acts_in_the_vault(payload: str) -> None:
    abstract = ("abstract", Page(URL, "text/html", abstract_page(payload, payload)))
    for page in (NO_HTML[1], Page("https://arxiv.org/html/x", "text/html", html_page(WORDS * 10 + escape(payload)))):
        document = read(abstract, ("html", page), ("pdf", Page("x", problem="no")))
        assert isinstance(document, Document)
        assert_harmless(document)
