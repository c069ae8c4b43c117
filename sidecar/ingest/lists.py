"""Links in what people have at hand: lists, prose, Markdown, bookmarks exported by a browser (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser

_LINK = re.compile(r"https?://[^\s<>\"\u3000-\u303f\uff00-\uff5e]+", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://\S+$", re.IGNORECASE)
_COMMENT = re.compile(r"\s*#(?!#)")
_BOOKMARKS = re.compile(r"\s*(?:<!--.*?-->\s*)?<!DOCTYPE\s+NETSCAPE-Bookmark-file-1", re.IGNORECASE | re.DOTALL)
_SAVED_FROM = re.compile(r"<!--\s*(?:saved from url=\(\d+\)|Page saved with SingleFile\s+url:\s*)(https?://[^\s>]+)", re.IGNORECASE)
_NOT_IN_TAGS = re.compile(r"[\s#,\[\]{}\"':]+")
_ENDS = ".,;:!?'\"*_~…"
_PAIRS = {")": "(", "]": "["}


@dataclass(frozen=True, slots=True)
class ListedLink:
    """A link of a list. ``tags`` are made of the folders that a bookmark lies in, and of its own tags."""

    url: str
    tags: tuple[str, ...] = ()


def read_links(text: str) -> list[ListedLink]:
    """List the links of a text, each once, in order.

    A line that begins with a single ``#`` is a comment. Of prose and Markdown the web addresses are taken, without the punctuation
    around them; a line that is nothing but some other kind of address is taken as well, so that it is refused and not passed over.
    """
    found = _bookmarks(text) if is_bookmark_file(text) else _links_of_lines(text)
    first: dict[str, ListedLink] = {}
    for link in found:
        first.setdefault(link.url, link)
    return list(first.values())


def is_bookmark_file(text: str) -> bool:
    """Whether a text is a browser's export of its bookmarks (the Netscape format)."""
    return _BOOKMARKS.match(text[:4000].lstrip("\ufeff")) is not None


def saved_from(text: str) -> str:
    """Give the address that a browser or SingleFile noted in a page it saved; empty if it did not."""
    match = _SAVED_FROM.search(text[:20_000])
    return match[1] if match else ""


def _links_of_lines(text: str) -> Iterator[ListedLink]:
    for line in text.lstrip("\ufeff").splitlines():
        if _COMMENT.match(line):
            continue
        links = [_without_ends(match[0]) for match in _LINK.finditer(line)]
        if not links and _OTHER_SCHEME.match(line.strip()):
            links = [line.strip()]
        yield from map(ListedLink, links)


def _without_ends(url: str) -> str:
    """Cut off what belongs to the sentence: punctuation, and brackets that were not opened within the address."""
    cut = url.find("](")  # the text of a Markdown link may be an address itself
    url = url[:cut] if cut >= 0 else url
    depth = 0
    for n, char in enumerate(url):
        depth += (char == "(") - (char == ")")
        if depth < 0:
            url = url[:n]
            break
    while url and (url[-1] in _ENDS or (url[-1] in _PAIRS and url.count(url[-1]) > url.count(_PAIRS[url[-1]]))):
        url = url[:-1]
    return url


class _BookmarkReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[ListedLink] = []
        self._folders: list[str] = []
        self._next = ""
        """Name of the folder whose list comes next."""
        self._heading: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "h3":
            # The browser's own folders ("Bookmarks bar") say nothing about what lies in them.
            self._heading = [] if not {"personal_toolbar_folder", "unfiled_bookmarks_folder"} & values.keys() else None
            self._next = ""
        elif tag == "dl":
            self._folders.append(self._next)
            self._next = ""
        elif tag == "a" and re.match(r"https?://", values.get("href", ""), re.IGNORECASE):
            tags = [*self._folders, *values.get("tags", "").split(",")]
            names = (_NOT_IN_TAGS.sub("-", unescape(name)).strip("-/")[:100] for name in tags)
            self.links.append(ListedLink(values["href"].strip(), tuple(dict.fromkeys(name for name in names if name))))

    def handle_data(self, data: str) -> None:
        if self._heading is not None:
            self._heading.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "h3" and self._heading is not None:
            self._next, self._heading = "".join(self._heading), None
        elif tag == "dl" and self._folders:
            self._folders.pop()


def _bookmarks(text: str) -> list[ListedLink]:
    reader = _BookmarkReader()
    reader.feed(text)
    reader.close()
    return reader.links
