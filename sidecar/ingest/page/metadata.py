"""Who wrote a page, when, under what title: what the page itself says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from sidecar.ingest.page.tree import text_of

_ARTICLES = re.compile(r"Article|Posting|Report|Recipe|WebPage|TechArticle|VideoObject", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})[-/年.](\d{1,2})[-/月.](\d{1,2})")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = r"(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_SPELT = re.compile(rf"\b(?:{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}}))\b", re.IGNORECASE)
_SPELT_DAY_FIRST = re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH},?\s+(?P<year>\d{{4}})\b", re.IGNORECASE)
_PERSON = re.compile(r"[A-Z][\w.'’-]{1,20}(?: [A-Z][\w.'’-]{0,20}){1,3}")
_SITE_PART = re.compile(r"^(?=\s*[|｜_–—»·-]).*(?:[|｜_–—»·]|\s-\s|-(?=[\u4e00-\u9fff]))\s*([^|｜_–—»·]{2,40})$")
_ENGLISH = frozenset("the of and to in is that for it with as are on be this was by an or from".split())
_SUFFIX = re.compile(r"^(.{4,}?)\s*(?:[|｜_–—»·]|\s-\s|-(?=[\u4e00-\u9fff]))\s*([^|｜_–—»·]{2,40})$")


@dataclass(frozen=True, slots=True)
class Metadata:
    title: str
    author: str
    published: str
    site: str
    lang: str
    """As declared, in any form."""
    is_cut: bool
    """Whether the page says that it shows only a part to readers without an account."""
    article_body: str
    """The text in the page's structured data, or empty."""


def read_metadata(tree: HtmlElement, url: str = "") -> Metadata:
    """Read structured data first, then ``meta`` elements, then the page's own headings."""
    linked = _linked_data(tree)
    meta = _meta(tree)
    heading = next((text_of(h1) for h1 in tree.iter("h1") if text_of(h1)), "")
    page_title = next((text_of(t) for t in tree.iter("title") if text_of(t)), "")
    site = meta("og:site_name") or _name(linked.get("publisher")) or meta("application-name")
    title = _text(linked.get("headline")) or meta("og:title") or meta("twitter:title") or page_title or heading
    title = _without_site(" ".join(title.split()), site, heading)
    title = _as_addressed(title, url)
    return Metadata(
        title=title,
        author=_name(linked.get("author")) or _author(meta) or _byline(tree) or _owner(tree, meta),
        published=_day(
            _text(linked.get("datePublished"))
            or meta("article:published_time")
            or meta("date")
            or meta("publishdate")
            or meta("pubdate")
            or meta("dc.date")
            or _time(tree)
            or _spelt_date(tree)
        ),
        site=site or _title_site(page_title, title),
        lang=tree.get("lang") or meta("og:locale") or meta("content-language"),
        is_cut=str(linked.get("isAccessibleForFree", "")).lower() == "false",
        article_body=_text(linked.get("articleBody")),
    )


def _linked_data(tree: HtmlElement) -> dict[str, Any]:
    """Give the first article among the page's JSON-LD."""
    for script in tree.iter("script"):
        if "ld+json" in (script.get("type") or ""):
            try:
                data = json.loads(script.text or "", strict=False)
            except (ValueError, RecursionError):
                continue
            for item in _flatten(data, 0):
                kind = item.get("@type")
                if _ARTICLES.search(" ".join(map(str, kind)) if isinstance(kind, list) else str(kind)) and item.get("headline"):
                    return item
    return {}


def _flatten(data: Any, depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(data, list) and depth < 4:
        for item in data:
            yield from _flatten(item, depth + 1)
    elif isinstance(data, dict):
        yield data
        yield from _flatten(data.get("@graph") or [], depth + 1)


def _meta(tree: HtmlElement) -> Any:
    values: dict[str, str] = {}
    for element in tree.iter("meta"):
        key = element.get("property") or element.get("name") or element.get("itemprop")
        content = element.get("content")
        if key and content and content.strip():
            values.setdefault(key.lower(), content.strip())
    return lambda key: values.get(key, "")


def _author(meta: Any) -> str:
    for key in ("author", "article:author", "dc.creator", "byl", "sailthru.author", "twitter:creator"):
        value = str(meta(key))
        if value and not value.startswith(("http", "@")):
            return value.removeprefix("By ").strip()
    return ""


def _byline(tree: HtmlElement) -> str:
    found = tree.xpath("//*[@rel='author' or @itemprop='author' or contains(concat(' ', @class, ' '), ' author ')]")
    for element in found[:3] if isinstance(found, list) else []:
        text = text_of(element)
        if 2 <= len(text) <= 60:
            return re.sub(r"^(?:by|作者[:：])\s*", "", text, flags=re.IGNORECASE)
    return ""


def _owner(tree: HtmlElement, meta: Any) -> str:
    """Give the owner of a personal site: it says ``rel=me``, and the picture or words that lead to its first page are a name."""
    if not (meta("fediverse:creator") or tree.xpath("//link[@rel='me']")):
        return ""
    for link in tree.xpath("//header//a[@href]"):
        if urlsplit(link.get("href").strip()).path in ("", "/"):
            picture = next((image.get("alt") or "" for image in link.iter("img") if image.get("alt")), "")
            name = text_of(link) or " ".join(picture.split())
            if _PERSON.fullmatch(name):
                return name
    return ""


def _name(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, (_name(item) for item in value[:5])))
    if isinstance(value, dict):
        return _text(value.get("name"))
    return _text(value)


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _time(tree: HtmlElement) -> str:
    for element in tree.iter("time"):
        value = element.get("datetime") or text_of(element)
        if len(value) < 80 and _day(value):
            return value
    return ""


def _spelt_date(tree: HtmlElement) -> str:
    """Find a date that stands alone in an element named for it, as Chinese news pages have it."""
    found = tree.xpath("//*[contains(@class, 'date') or contains(@class, 'time') or contains(@id, 'time') or contains(@class, 'info')]")
    for element in found[:8] if isinstance(found, list) else []:
        text = text_of(element)
        if len(text) < 80 and _day(text):
            return text
    return ""


def _day(text: str) -> str:
    spelt = _SPELT.search(text) or _SPELT_DAY_FIRST.search(text)
    if spelt:
        text = f"{spelt['year']}-{_MONTHS.index(spelt['month'].lower()[:3]) + 1}-{spelt['day']}"
    found = _DATE.search(text)
    if not found or not (1 <= int(found[2]) <= 12 and 1 <= int(found[3]) <= 31):
        return ""
    return f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}"


def _without_site(title: str, site: str, heading: str) -> str:
    if heading and heading != title and title.startswith(heading) and len(heading) >= 4:
        return heading
    prefix = re.match(rf"{re.escape(site)}\s*[|｜:：_–—-]\s*(?=\S)", title) if site else None
    if prefix:
        return title[prefix.end() :]
    found = _SUFFIX.match(title)
    if found and ((site and found[2].strip().lower() in (site.lower(), site.lower().removesuffix("网"))) or found[1].strip() == heading):
        return found[1].strip()
    if found and not heading and re.search(r"网$|新闻$|报$", found[2].strip()):
        return found[1].strip()
    return title


def _as_addressed(title: str, url: str) -> str:
    """Give the name that a page has in its address, if its title is that name and a description behind a colon."""
    name, colon, _ = title.partition(": ")
    path = urlsplit(url).path.strip("/")
    return path if colon and path and name.rpartition(" ")[2].lower() == path.lower() else title


def _title_site(page_title: str, title: str) -> str:
    """Give the last part of a page's title that begins with the article's (``title _section _site``): the site, most likely."""
    rest = page_title.removeprefix(title) if title else page_title
    if rest == page_title:
        return ""
    found = _SITE_PART.match(rest)
    return found[1].strip() if found else ""


def language_of(declared: str, sample: str) -> str:
    """Give the two-letter language of a text: by its script, else as declared; plain English shows by its little words."""
    if len(re.findall(r"[\u3040-\u30ff]", sample)) > 10:
        return "ja"
    if len(re.findall(r"[\u4e00-\u9fff]", sample)) > 0.2 * len(sample) > 0:
        return "zh"
    code = declared[:2].lower()
    if len(code) == 2 and code.isascii() and code.isalpha():
        return code
    words = re.findall(r"[a-z]+", sample.lower())
    return "en" if len(words) >= 40 and sum(word in _ENGLISH for word in words) > 0.2 * len(words) else ""
