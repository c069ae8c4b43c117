"""Papers on arXiv: abstract, PDF and HTML of one paper are one note.

The note's ``url`` is the abstract's address with the version of the link, if it names one; the hash leaves the version out
(:func:`sidecar.vault.address.canonical_url`), so a new version of a paper that is in the vault is no new page.
"""

from __future__ import annotations

import re
from urllib.parse import urljoin

from lxml.html import HtmlElement

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters.base import PAGE, PASTED, Adapter, Need, Page, Pages, Wishes
from sidecar.ingest.adapters.pdf import TYPES, read_pdf
from sidecar.ingest.document import BodyState, Document
from sidecar.ingest.page.fragment import write_tree
from sidecar.ingest.page.safe_text import escape_line_start, escape_text
from sidecar.ingest.page.tree import parse_page, text_of
from sidecar.vault.address import arxiv_id

_SITE = "https://arxiv.org"
_FURNITURE = (
    "ltx_title_document", "ltx_authors", "ltx_dates", "ltx_page_navbar", "ltx_page_footer", "ltx_TOC", "ltx_pagination", "ltx_role_thanks",
    "package-alerts", "ltx_ERROR", "ltx_note_outer", "ltx_rdf",
)  # fmt: skip


def claims(url: str) -> bool:
    return bool(arxiv_id(url))


def first(url: str) -> Need:
    return Need("abstract", f"{_SITE}/abs/{arxiv_id(url)}", must=True)


def read(url: str, pages: Pages, wishes: Wishes) -> Document | Need:
    """Read a paper: its text from arXiv's HTML, else from its PDF, else its abstract alone.

    Raises:
        ExtractionError: The page holds no paper.
    """
    paper = arxiv_id(url)
    at_hand = pages.get(PAGE) or pages.get(PASTED)
    if at_hand is not None:  # a saved page: nothing more is fetched
        return _saved(url, paper, at_hand)
    if "html" not in pages:
        return Need("html", f"{_SITE}/html/{paper}")
    body = _html_body(pages["html"])
    if body is None and "pdf" not in pages:
        return Need("pdf", f"{_SITE}/pdf/{paper}", accept=TYPES, as_bytes=True)
    return _document(url, paper, pages["abstract"], body or _pdf_body(pages["pdf"]))


def _saved(url: str, paper: str, page: Page) -> Document:
    if page.data:
        return read_pdf(f"{_SITE}/abs/{paper}", page.data)
    body = _html_body(page)
    return _document(url, paper, page, body or ("", (), "Only the abstract is here."))


def _document(url: str, paper: str, page: Page, body: tuple[str, tuple[str, ...], str]) -> Document:
    tree = parse_page(page.text)
    if tree is None:
        raise ExtractionError("The page is empty or no HTML.", fix="Open it in a browser and paste the text.", url=url, step="parse")
    text, images, problem = body
    meta = {name: _meta(tree, f"citation_{name}") for name in ("title", "author", "date", "online_date", "abstract")}
    abstract = next(iter(meta["abstract"]), "") or _abstract(tree)
    titles = [*meta["title"], *_texts(tree, "ltx_title_document"), *(text_of(t) for t in tree.iter("title"))]
    title = re.sub(r"^\[[^\]]*\]\s*", "", next(filter(None, titles), ""))
    if not abstract and not text:
        raise ExtractionError("The page holds no paper.", fix="Open it in a browser and paste the text.", url=url, step="parse")
    has_abstract = re.search(r"(?mi)^#+ abstract\b", text) is not None
    lead = "" if has_abstract or not abstract else f"## Abstract\n\n{escape_line_start(escape_text(abstract))}\n"
    state: BodyState = "full" if text else "summary_only"
    return Document(
        adapter="arxiv",
        url=f"{_SITE}/abs/{paper}",
        title=title or paper,
        author=", ".join(filter(None, map(_in_order, meta["author"]))),
        published=_day([*meta["date"], *meta["online_date"]]),
        site="arXiv",
        lang="en",
        body_state=state,
        markdown="\n".join(part for part in (lead, text) if part),
        images=images,
        warnings=(problem,) if problem else (),
    )


def _html_body(page: Page) -> tuple[str, tuple[str, ...], str] | None:
    """Give the text of a paper that arXiv made HTML of; ``None`` if this page is not one."""
    tree = parse_page(page.text) if page.text and not page.problem else None
    article = next((found for found in tree.iter("article") if "ltx_document" in _classes(found)), None) if tree is not None else None
    if tree is None or article is None:
        return None
    base = urljoin(page.url.rstrip("/") + "/", str(tree.xpath("string(//base/@href)")))
    for element in list(article.iter()):
        if isinstance(element.tag, str) and _classes(element) & {*_FURNITURE} and element.getparent() is not None:
            element.drop_tree()
    for heading in list(article.iter("h6")):
        if "ltx_title_abstract" in _classes(heading):
            heading.tag = "h2"
    written = write_tree(article, base)
    return (written.markdown, written.images, "") if len(written.markdown) > 500 else None


def _pdf_body(page: Page) -> tuple[str, tuple[str, ...], str]:
    if page.problem:
        return "", (), f"Only the abstract is here; the paper's text could not be fetched. {page.problem}"
    try:
        paper = read_pdf(page.url, page.data)
    except ExtractionError as error:
        return "", (), f"Only the abstract is here. {error.message}"
    if paper.body_state == "missing":
        return "", (), f"Only the abstract is here. {paper.warnings[0]}"
    note = "The text was taken from the PDF: formulas and tables are not as they were printed."
    return f"## Text of the paper\n\n{paper.markdown}", (), " ".join((note, *paper.warnings))


def _meta(tree: HtmlElement, name: str) -> list[str]:
    return [" ".join((meta.get("content") or "").split()) for meta in tree.iter("meta") if meta.get("name") == name]


def _abstract(tree: HtmlElement) -> str:
    found = next((quote for quote in tree.iter("blockquote") if "abstract" in _classes(quote)), None)
    return re.sub(r"^Abstract:\s*", "", text_of(found)) if found is not None else ""


def _texts(tree: HtmlElement, name: str) -> list[str]:
    return [text_of(element) for element in tree.iter("h1") if name in _classes(element)]


def _classes(element: HtmlElement) -> set[str]:
    return {*(element.get("class") or "").split()}


def _in_order(name: str) -> str:
    """Turn ``Last, First`` round."""
    last, comma, rest = name.partition(", ")
    return f"{rest} {last}" if comma else name


def _day(dates: list[str]) -> str:
    found = next(filter(None, (re.match(r"(\d{4})[/-](\d\d)[/-](\d\d)$", date) for date in dates)), None)
    return "-".join(found.groups()) if found else ""


ADAPTER = Adapter("arxiv", read, claims=claims, first=first)
