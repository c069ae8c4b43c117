"""GitHub: a repository's README, single files, and gists. Issues and all other pages are read as any page is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

from lxml.html import HtmlElement

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters import generic
from sidecar.ingest.adapters.base import PAGE, PASTED, Adapter, Need, Page, Pages, Wishes, the_page
from sidecar.ingest.adapters.markdown import is_markdown_name, read_markdown
from sidecar.ingest.document import Document
from sidecar.ingest.page.fragment import join_to, prose_of, write_tree
from sidecar.ingest.page.metadata import language_of
from sidecar.ingest.page.safe_text import disarm_code, escape_line_start, escape_text, safe_language, strip_invisible
from sidecar.ingest.page.tree import parse_page, text_of

_RAW = "https://raw.githubusercontent.com"
_NO_OWNERS = frozenset(
    "about account apps blog collections contact customer-stories dashboard enterprise events explore features issues login logout"
    " marketplace new notifications orgs organizations pricing pulls readme search security sessions settings signup site sponsors stars"
    " team topics trending users".split()
)
_NAME = r"[A-Za-z0-9_.-]{1,100}"
_REPOSITORY = re.compile(rf"/({_NAME})/({_NAME})/?")
_BLOB = re.compile(rf"/({_NAME})/({_NAME})/blob/([^/]+)/(.+)")
_GIST = re.compile(rf"/(?:({_NAME})/)?([0-9a-f]{{20,40}})/?")
_TEXT_ENDINGS = frozenset(("txt", "rst", "adoc", "asciidoc", "org", "log", "text", ""))
_LANGUAGES = {
    "py": "python", "js": "javascript", "mjs": "javascript", "ts": "typescript", "rb": "ruby", "rs": "rust", "sh": "bash", "yml": "yaml",
    "kt": "kotlin", "cs": "csharp", "h": "c", "hpp": "cpp", "cc": "cpp", "pl": "perl", "ps1": "powershell", "tex": "latex", "hs": "haskell",
    "md": "markdown", "htm": "html", "ipynb": "json", "jl": "julia", "ex": "elixir", "erl": "erlang", "clj": "clojure", "vue": "vue",
}  # fmt: skip
_MAX_GIST_FILES = 10


def claims(url: str) -> bool:
    parts = urlsplit(url)
    if parts.hostname == "gist.github.com":
        return _GIST.fullmatch(parts.path) is not None
    return parts.hostname in ("github.com", "www.github.com") and (_repository(url) is not None or _BLOB.fullmatch(parts.path) is not None)


def first(url: str) -> Need:
    blob = _BLOB.fullmatch(urlsplit(url).path)
    if blob:
        return Need("raw", f"{_RAW}/{blob[1]}/{blob[2]}/{blob[3]}/{blob[4]}", must=True)
    repository = _repository(url)
    return Need("raw", f"{_RAW}/{'/'.join(repository)}/HEAD/README.md") if repository else replace(the_page(url), name="gist")


def read(url: str, pages: Pages, wishes: Wishes) -> Document | Need:
    """Read a README, a file or a gist.

    Raises:
        ExtractionError: The page is empty.
    """
    repository = _repository(url)
    at_hand = pages.get(PAGE) or pages.get(PASTED)
    if repository:
        raw = pages.get("raw")
        # A README of one line may be a link to the true one, which GitHub's raw content does not follow.
        if raw is not None and not raw.problem and len(raw.text.split()) > 1:
            return _readme(repository, raw.text)
        return _repository_page(url, repository, at_hand) if at_hand is not None else the_page(url)
    if at_hand is not None:
        return replace(generic.read(url, at_hand.text), adapter="github")
    blob = _BLOB.fullmatch(urlsplit(url).path)
    return _file(url, blob, pages["raw"]) if blob else _gist(url, pages)


def _repository(url: str) -> tuple[str, str] | None:
    parts = urlsplit(url)
    found = _REPOSITORY.fullmatch(parts.path)
    is_one = found is not None and parts.hostname in ("github.com", "www.github.com") and found[1].lower() not in _NO_OWNERS
    return (found[1], found[2].removesuffix(".git")) if found and is_one else None


def _readme(repository: tuple[str, str], text: str) -> Document:
    name = "/".join(repository)
    page, raw = f"https://github.com/{name}/blob/HEAD/", f"{_RAW}/{name}/HEAD/"
    document = read_markdown(
        f"https://github.com/{name}", text, adapter="github", title=name, site="GitHub", link=join_to(page, page), image=join_to(raw, raw)
    )
    return replace(document, account=repository[0])


def _repository_page(url: str, repository: tuple[str, str], page: Page) -> Document:
    """Read the README as GitHub shows it, whatever its name and kind."""
    tree = parse_page(page.text)
    if tree is None:
        raise ExtractionError("The page is empty or no HTML.", fix="Open it in a browser and paste the text.", url=url, step="parse")
    name = "/".join(repository)
    article = next((found for found in tree.iter("article") if "markdown-body" in (found.get("class") or "")), None)
    if article is None:
        article = next((found for found in map(parse_page, _embedded(tree)) if found is not None), None)
    address = f"https://github.com/{name}"
    if article is None:
        found = generic.read(url, page.text)
        return replace(found, adapter="github", title=name, url=address, account=repository[0], site="GitHub")
    for image in article.iter("img"):  # GitHub shows pictures of others through a cache of its own
        image.set("src", image.get("data-canonical-src") or image.get("src") or "")
    written = write_tree(article, address)
    return Document(
        adapter="github",
        url=address,
        title=name,
        author="",
        published="",
        site="GitHub",
        lang=language_of(tree.get("lang") or "", prose_of(written.markdown)[:3000]),
        body_state="full" if written.markdown else "missing",
        markdown=written.markdown,
        images=written.images,
        account=repository[0],
        warnings=() if written.markdown else ("The README is empty.",),
    )


def _embedded(tree: HtmlElement) -> Iterator[str]:
    """Give the README's HTML where the page carries it as data for its scripts."""
    for script in tree.iter("script"):
        text = script.text or ""
        if "overviewFiles" in text:
            try:
                yield from _rich_texts(json.loads(text), 0)
            except (ValueError, RecursionError):
                continue


def _rich_texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict):
        files = value.get("overviewFiles")
        for file in files if isinstance(files, list) else []:
            if isinstance(file, dict) and file.get("preferredFileType") == "readme" and isinstance(file.get("richText"), str):
                yield file["richText"]
    if depth < 8 and isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _rich_texts(inner, depth + 1)


def _file(url: str, blob: re.Match[str], raw: Page) -> Document:
    owner, name, ref, path = blob.groups()
    page, files = f"https://github.com/{owner}/{name}/blob/{ref}/", f"{_RAW}/{owner}/{name}/{ref}/"
    if is_markdown_name(path):
        link, image = join_to(urljoin(page, path), page), join_to(urljoin(files, path), files)
        found = read_markdown(url, raw.text, adapter="github", site="GitHub", link=link, image=image)
        return replace(found, account=owner)
    return _text_document(url, f"{owner}/{name}: {unquote(path)}", owner, _shown(path, raw.text))


def _text_document(url: str, title: str, owner: str, markdown: str) -> Document:
    return Document(
        adapter="github",
        url=url,
        title=title,
        author="",
        published="",
        site="GitHub",
        lang=language_of("", "" if markdown.startswith("```") else markdown[:3000]),
        body_state="full" if markdown.strip() else "missing",
        markdown=markdown,
        account=owner,
        warnings=() if markdown.strip() else ("The file is empty.",),
    )


def _shown(name: str, text: str) -> str:
    """Show a file that is no Markdown: text line by line, code in a fence."""
    last = name.rpartition("/")[2]
    ending = last.rpartition(".")[2].lower() if "." in last else ""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not text.strip():
        return ""
    if ending in _TEXT_ENDINGS and last not in ("Makefile", "Dockerfile"):
        return "\n".join(escape_line_start(escape_text(line.rstrip())) for line in text.split("\n")) + "\n"
    code = disarm_code(strip_invisible(text))
    ticks = "`" * max(3, max((len(run) for run in re.findall("`+", code)), default=0) + 1)
    return f"{ticks}{safe_language(_LANGUAGES.get(ending, ending or last))}\n{code}\n{ticks}\n"


def _gist(url: str, pages: Pages) -> Document | Need:
    """Read a gist: its page names the files, each of which is asked for."""
    page = pages["gist"]
    tree = parse_page(page.text)
    found = _GIST.fullmatch(urlsplit(url).path)
    links = _raw_links(tree, found[2] if found else "") if tree is not None else []
    if tree is None or not links:
        return replace(generic.read(url, page.text), adapter="github")
    for n, link in enumerate(links):
        if f"file {n + 1}" not in pages:
            return Need(f"file {n + 1}", link)
    owner = urlsplit(links[0]).path.split("/")[1]
    parts: list[str] = []
    images: list[str] = []
    missing: list[str] = []
    for n, link in enumerate(links):
        name, file = unquote(link.rpartition("/")[2]), pages[f"file {n + 1}"]
        if file.problem:
            missing.append(f"{name} could not be fetched. {file.problem}")
            continue
        written = read_markdown(link, file.text, adapter="github") if is_markdown_name(name) else None
        images += written.images if written else ()
        body = written.markdown if written else _shown(name, file.text)
        parts.append(f"## {escape_text(name)}\n\n{body}" if len(links) > 1 else body)
    about = next((text_of(e) for e in tree.iter("div", "p") if e.get("itemprop") == "about" and text_of(e)), "")
    title = about[:200] or unquote(links[0].rpartition("/")[2])
    document = _text_document(url, title, owner, "\n".join(parts))
    return replace(document, author=owner, images=tuple(images), warnings=(*document.warnings, *missing))


def _raw_links(tree: HtmlElement, gist: str) -> list[str]:
    found: list[str] = []
    for link in tree.iter("a"):
        path = urlsplit(link.get("href") or "").path
        match = re.fullmatch(rf"/({_NAME})/{re.escape(gist)}/raw/([0-9a-f]{{40}})/([^/]+)", path) if gist else None
        if match:
            found.append(f"https://gist.githubusercontent.com/{match[1]}/{gist}/raw/{match[2]}/{quote(unquote(match[3]))}")
    return list(dict.fromkeys(found))[:_MAX_GIST_FILES]


ADAPTER = Adapter("github", read, claims=claims, first=first)
