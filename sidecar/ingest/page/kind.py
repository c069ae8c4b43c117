"""What sort of page it is, as far as that decides what belongs to it: on a forum the comments are the content, and only an
article is surrounded by things that look like text and are not.
"""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import urlsplit

from lxml.html import HtmlElement

PageKind = Literal["article", "forum", "other"]

_FORUM_ADDRESS = re.compile(
    r"^(?:[\w-]+\.)*(?:forums?|boards?|community|discuss|discourse|bbs)[.]|/(?:forums?|boards?|community|discussions?|bbs)/"
    r"|/(?:threads?|topic|questions?|r/\w+/comments)/[\w%-]|/t/[\w%-]+/\d|(?:show|view)(?:thread|topic)|[?&](?:topic|thread|tid)=",
    re.IGNORECASE,
)
_FORUM_MAKER = re.compile(r"discourse|phpbb|vbulletin|xenforo|flarum|nodebb|invision|mybb|vanilla forums|\bsmf\b|discuz", re.IGNORECASE)
_FORUM_DATA = re.compile(r"\"@type\"\s*:\s*\[?\s*\"(?:DiscussionForumPosting|QAPage)\"")
_MANUAL_ADDRESS = re.compile(
    r"^(?:docs?|wiki|manual|api|developers?|learn|man)[.]|/(?:docs?|documentation|wiki|manual|reference|api)(?:/|$)|wikipedia\.org|readthedocs",
    re.IGNORECASE,
)
_ARTICLE_ADDRESS = re.compile(r"^(?:blog|news)[.]|/(?:blogs?|posts?|news|articles?|story|\d{4}[/-]\d{1,2})/", re.IGNORECASE)
_ARTICLE_DATA = re.compile(r"\"@type\"\s*:\s*\[?\s*\"\w*(?:Article|BlogPosting|Report)\"")


def kind_of(tree: HtmlElement, url: str) -> PageKind:
    """Judge a page by its address, the program that made it and its structured data. The tree still holds its scripts."""
    parts = urlsplit(url)
    address = f"{parts.netloc}{parts.path}?{parts.query}"
    data = "\n".join(script.text or "" for script in tree.iter("script") if "ld+json" in (script.get("type") or ""))
    meta = {(m.get("name") or m.get("property") or "").lower(): m.get("content") or "" for m in tree.iter("meta")}
    if _FORUM_MAKER.search(meta.get("generator", "")) or _FORUM_DATA.search(data):
        return "forum"
    if _MANUAL_ADDRESS.search(address):  # manuals and encyclopedias call themselves articles
        return "other"
    if _FORUM_ADDRESS.search(address):
        return "forum"
    if not parts.path.strip("/"):
        return "other"  # a site's first page
    says_so = meta.get("og:type", "").lower() == "article" or "article:published_time" in meta or _ARTICLE_DATA.search(data)
    return "article" if says_so or _ARTICLE_ADDRESS.search(address) or len(tree.findall(".//article")) == 1 else "other"
