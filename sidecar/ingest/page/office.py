"""What word processors put on the clipboard, brought to the HTML that it means."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from lxml import html
from lxml.html import HtmlElement

_HEADER = re.compile(r"\s*Version:\d[\d.]*\s*(?:(?:Start|End)(?:HTML|Fragment|Selection):-?\d+\s*)+(?:SourceURL:(\S+)\s*)?", re.IGNORECASE)
_FRAGMENT = re.compile(r"<!--\s*StartFragment\s*-->(.*?)(?:<!--\s*EndFragment\s*-->|\Z)", re.DOTALL | re.IGNORECASE)
_CONDITIONAL = re.compile(r"<!\[[^\]>]{0,200}\]>")
_LIST_LEVEL = re.compile(r"mso-list:\s*l\d+\s+level(\d)", re.IGNORECASE)
_ORDERED = re.compile(r"\s*(?:\d{1,3}|[a-z]{1,3})[.)]", re.IGNORECASE)


def unpack_clipboard(text: str) -> tuple[str, str]:
    """Take off what Windows puts before HTML on the clipboard; give the HTML and the address it was copied from, or empty."""
    found = _HEADER.match(text)
    source = (found[1] or "") if found else ""
    text = text[found.end() :] if found else text
    fragment = _FRAGMENT.search(text)
    inner = fragment[1] if fragment else text
    return _CONDITIONAL.sub("", inner if inner.strip() else text), source


def mend_office(tree: HtmlElement) -> None:
    """Turn what Word and Google Docs say by styles into elements."""
    for element in list(tree.iter("xml", "o:p", "w:sdt", "b", "span", "a")):
        style = (element.get("style") or "").replace(" ", "").lower()
        if element.tag == "xml":
            element.drop_tree()
        elif element.tag == "b" and "font-weight:normal" in style:  # wraps whatever is copied from Google Docs
            element.tag = "div"
        elif element.tag == "span" and "mso-list:ignore" in style:
            element.set("class", "kb-mark")
        elif element.tag == "span" and re.search(r"font-weight:(?:bold|[6-9]00)", style):
            element.tag = "strong"
        elif element.tag == "span" and "font-style:italic" in style:
            element.tag = "em"
        elif element.tag == "a":
            element.set("href", _unwrapped(element.get("href") or ""))
    _mend_lists(tree)


def _mend_lists(tree: HtmlElement) -> None:
    """Make lists of the paragraphs that Word marks as items."""
    stack: list[tuple[int, HtmlElement]] = []
    last: HtmlElement | None = None
    for paragraph in list(tree.iter("p")):
        level = _LIST_LEVEL.search(paragraph.get("style") or "")
        parent = paragraph.getparent()
        if level is None or parent is None:
            stack.clear()
            continue
        before = paragraph.getprevious()
        if before is not last:
            stack.clear()
        depth = int(level[1])
        while stack and stack[-1][0] > depth and len(stack) > 1:
            stack.pop()
        if not stack or stack[-1][0] < depth:
            listing = html.Element("ol" if _is_ordered(paragraph) else "ul")
            if stack and len(stack[-1][1]):
                stack[-1][1][-1].append(listing)
            else:
                parent.insert(parent.index(paragraph), listing)
                last = listing
            stack.append((depth, listing))
        for mark in [span for span in paragraph.iter("span") if span.get("class") == "kb-mark"]:
            mark.drop_tree()
        paragraph.tag, paragraph.tail = "li", None
        stack[-1][1].append(paragraph)


def _is_ordered(paragraph: HtmlElement) -> bool:
    mark = next((span for span in paragraph.iter("span") if span.get("class") == "kb-mark"), None)
    return mark is not None and bool(_ORDERED.match("".join(mark.itertext()))) and "".join(mark.itertext()).strip() != "o"


def _unwrapped(href: str) -> str:
    """Give where a link of Google Docs leads."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return href
    if parts.hostname == "www.google.com" and parts.path == "/url":
        return next(iter(parse_qs(parts.query).get("q", [])), href)
    return href
