"""GitHub: READMEs, single files and gists, from raw content or from a page at hand."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import pytest

from sidecar.ingest.adapters import PAGE, Need, Page, Wishes, claiming_adapter, find_adapter, read_page
from sidecar.ingest.document import Document
from sidecar.ingest.page.decode import decode_page
from tests.unit.ingest.hostile import PAYLOADS, assert_harmless

REPO = "https://github.com/ann/fox"
RAW = "https://raw.githubusercontent.com/ann/fox/HEAD/README.md"
GIST = "https://gist.github.com/ann/0123456789abcdef0123456789abcdef"


def read(url: str, **pages: Page) -> Document | Need:
    return find_adapter("github").read(url, pages, Wishes())


def document_of(url: str, **pages: Page) -> Document:
    found = read(url, **pages)
    assert isinstance(found, Document)
    return found


@pytest.mark.parametrize(
    ("url", "mine"),
    [
        (REPO, True),
        ("https://www.github.com/ann/fox/", True),
        (f"{REPO}/blob/main/src/a.py", True),
        (GIST, True),
        (f"{REPO}/issues/3", False),
        (f"{REPO}/pull/3", False),
        (f"{REPO}/discussions/3", False),
        ("https://github.com/topics/fox", False),
        ("https://github.com/ann", False),
        ("https://github.com.evil.test/ann/fox", False),
        ("https://gist.github.com/ann", False),
    ],
)
def test_only_repositories_files_and_gists_are_claimed(url: str, mine: bool) -> None:
    adapter = claiming_adapter(url)
    assert mine == (adapter is not None and adapter.name == "github")


def test_a_readme_is_read_from_raw_content_with_whole_addresses() -> None:
    adapter = claiming_adapter(REPO)
    assert adapter is not None
    assert Need("raw", RAW) == adapter.first(REPO)
    text = "# Fox\n\n[a](docs/a.md#b) [b](/LICENSE) ![c](img/c.png) ![d](/d.png) [issues](../../issues)\n\n```sh\nrun\n```\n"
    document = document_of(REPO, raw=Page(RAW, "text/plain", text))
    assert ("ann/fox", REPO, "GitHub", "ann", "full") == (
        document.title, document.url, document.site, document.account, document.body_state,
    )  # fmt: skip
    assert (
        "# Fox\n\n"
        "[a](https://github.com/ann/fox/blob/HEAD/docs/a.md#b) [b](https://github.com/ann/fox/blob/HEAD/LICENSE) "
        "![c](https://raw.githubusercontent.com/ann/fox/HEAD/img/c.png) ![d](https://raw.githubusercontent.com/ann/fox/HEAD/d.png) "
        "[issues](https://github.com/ann/fox/issues)\n\n```sh\nrun\n```\n"
    ) == document.markdown


ARTICLE = "<article class='markdown-body'><h1>Fox</h1><p>Words <img src=https://camo.test/1 data-canonical-src=https://x.test/b.svg></p></article>"


@pytest.mark.parametrize(
    "raw", [Page(RAW, status=404, problem="404"), Page(RAW, "text/plain", "docs/README.md\n"), Page(RAW, "text/plain", "")]
)
def test_a_readme_of_another_name_is_read_from_the_page(raw: Page) -> None:
    need = read(REPO, raw=raw)
    assert isinstance(need, Need)
    assert (PAGE, REPO, True) == (need.name, need.url, need.must)
    data = json.dumps({"props": {"overview": {"overviewFiles": [{"preferredFileType": "readme", "richText": ARTICLE}]}}})
    for html in (f"<html><body><nav>x</nav>{ARTICLE}</body></html>", f"<p>x</p><script type=application/json>{data}</script>"):
        document = document_of(REPO, raw=raw, page=Page(REPO, "text/html", html))
        assert ("ann/fox", "# Fox\n\nWords ![](https://x.test/b.svg)\n") == (document.title, document.markdown)


def test_a_repository_without_a_readme_is_read_as_any_page() -> None:
    page = Page(REPO, "text/html", "<html><head><title>x</title></head><body><p>" + "Files of the project. " * 20 + "</p></body></html>")
    assert "ann/fox" == document_of(REPO, raw=Page(RAW, problem="404"), page=page).title


def test_the_saved_page_gives_its_readme(shared: Path) -> None:
    text = decode_page((shared / "data/web/page/github-readme.html").read_bytes())
    document = read_page("https://github.com/golemfactory/yapapi", "text/html", text)
    assert ("golemfactory/yapapi", "en", 7) == (document.title, document.lang, document.markdown.count("\n```\n\n"))
    assert "https://badge.fury.io/py/yapapi.svg" in document.images, "not the address of GitHub's own cache"


@pytest.mark.parametrize(
    ("path", "text", "shown"),
    [
        ("src/a.py", "x = 1\n", "```python\nx = 1\n```\n"),
        ("a.rst", "Title\n=====\n[[x]]", "Title\n\\=\\=\\=\\=\\=\n\\[\\[x\\]\\]\n"),
        ("Makefile", "all:\n\techo", "```makefile\nall:\n\techo\n```\n"),
        ("x.dataviewjs", "dv.pages()\n```\n", "````text\ndv.pages()\n```\n````\n"),
        ("docs/g.md", "# G\n\n[a](b.md) [c](/d.md)", "[a](https://github.com/ann/fox/blob/main/docs/b.md) [c](https://github.com/ann/fox/blob/main/d.md)\n"),
    ],
)  # fmt: skip
def test_a_file_is_shown_by_its_kind(path: str, text: str, shown: str) -> None:
    url = f"{REPO}/blob/main/{path}"
    adapter = claiming_adapter(url)
    assert adapter is not None
    assert Need("raw", f"https://raw.githubusercontent.com/ann/fox/main/{path}", must=True) == adapter.first(url)
    document = document_of(url, raw=Page("x", "text/plain", text))
    assert (shown, url) == (document.markdown, document.url)
    assert_harmless(document)


def test_a_gist_is_read_file_by_file() -> None:
    path = f"/ann/0123456789abcdef0123456789abcdef/raw/{'a' * 40}"
    html = f"<div itemprop=about>On foxes</div><a href='{path}/a.md'>Raw</a><a href='{path}/b.py'>Raw</a><a href='/evil/raw/x'>Raw</a>"
    pages = {"gist": Page(GIST, "text/html", html)}
    need = read(GIST, **pages)
    assert need == Need("file 1", f"https://gist.githubusercontent.com{path}/a.md")
    pages["file 1"] = Page("x", "text/plain", "**Words**")
    pages["file 2"] = Page("x", problem="It was too large.")
    document = document_of(GIST, **pages)
    assert ("On foxes", "ann", "## a.md\n\n**Words**\n") == (document.title, document.author, document.markdown)
    assert ("b.py could not be fetched. It was too large.",) == document.warnings


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_a_repository_says_acts_in_the_vault(payload: str) -> None:
    assert_harmless(document_of(REPO, raw=Page(RAW, "text/plain", f"Words {payload}\n\n{payload}")))
    assert_harmless(document_of(REPO, page=Page(REPO, "text/html", ARTICLE.replace("Words", escape(payload)))))
    for name in ("a.py", "a.rst", "a.md"):
        assert_harmless(document_of(f"{REPO}/blob/main/{name}", raw=Page("x", "text/plain", f"x\n{payload}\n")))
    gist = Page(GIST, "text/html", f"<div itemprop=about>{escape(payload)}</div><a href='{GIST[23:]}/raw/{'a' * 40}/a.py'>Raw</a>")
    assert_harmless(document_of(GIST, gist=gist, **{"file 1": Page("x", "text/plain", payload)}))


@pytest.mark.parametrize("name", ["%5B%5BSecret%5D%5D.md", "%23tag", "%25%25x%25%25", "a%0A%23%20b.py", "%3Cb%3E.rst"])
def test_no_name_of_a_gist_s_file_acts_in_the_vault(name: str) -> None:
    path = f"{GIST[23:]}/raw/{'a' * 40}"
    gist = Page(GIST, "text/html", f"<a href='{path}/{name}'>Raw</a><a href='{path}/b.md'>Raw</a>")
    file = Page("x", "text/plain", "words")
    document = document_of(GIST, gist=gist, **{"file 1": file, "file 2": file})
    assert 2 == document.markdown.count("words")
    assert_harmless(document)
