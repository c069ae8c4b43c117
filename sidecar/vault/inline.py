"""From one run of text to its links and tags.

A run is the text of one paragraph, heading or table cell. Escapes, inline code, HTML comments and math are stepped over;
an inline ``%%`` comment is not, since Obsidian counts what stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import unquote

from sidecar.vault.note import Link, LinkKind

_TOKEN = re.compile(r"\\[^\n]|`+|<!--|!?\[\[|!?\[|\$\$?|(?<![^\s])#")
_TOKEN_OR_URL = re.compile(_TOKEN.pattern + r"|[Hh][Tt][Tt][Pp][Ss]?://")
_URL = re.compile(r"[^\s<>\"`\[\]{}|\\^\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u2018-\u201d]+")
_TICKS = re.compile("`+")
_TAG = re.compile(r"#([^\s#!\"$%&'()*+,.:;<=>?@\[\]\\^`{|}~\u2000-\u200a\u2010-\u206f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]+)")
_WEB = re.compile(r"\s*https?://", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_BRACKET = re.compile(r"\\.|[\[\]]", re.DOTALL)
_TITLE = re.compile(r"\s*(?:\s(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))\s*)?\)")
_MAX_TEXT = 2_000
"""Longest text of a Markdown link, in characters: nested brackets would otherwise repeat the note many times over."""
_PLAIN = r"\\.|[^\s()\\]"
_BARE_DESTINATION = re.compile(rf"(?:{_PLAIN}|\((?:{_PLAIN}|\((?:{_PLAIN}){{0,400}}\)){{0,400}}\)){{0,4000}}")
"""Parentheses may nest twice; the bounds keep hostile text from costing quadratic time."""


@dataclass(slots=True)
class Inline:
    """Links, tags and web addresses (as written) of a run, each in order."""

    links: list[Link] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)


def read_inline(text: str, place: Callable[[int], tuple[int, int]] = lambda at: (at, 0)) -> Inline:
    """Find links, tags and web addresses in one run of text. ``place`` tells offset and line in the note of a position in the run."""
    reader = _Reader(text, place)
    reader.run()
    return reader.found


def is_tag(name: str) -> bool:
    """Whether ``#name`` would be a tag in running text; properties may hold names that are none."""
    found = _TAG.fullmatch("#" + name)
    return found is not None and not name.isdigit()


def split_link(target: str) -> tuple[str, str]:
    """Split a link's target into path and subpath, at the first ``#``."""
    path, mark, subpath = target.partition("#")
    return path.strip(), mark + subpath if mark else ""


def default_display(path: str, subpath: str) -> str:
    """Give the text Obsidian shows for a link without one of its own: ``a#b`` reads ``a > b``."""
    return " > ".join(part.strip() for part in [path, *subpath.split("#")] if part.strip())


def parse_wikilink(raw: str) -> tuple[str, str, str] | None:
    """Take ``[[…]]`` or ``![[…]]`` apart into path, subpath and display; ``None`` if it is no link.

    A bar in first place belongs to the name; ``\\|`` (needed in tables) is a bar.
    """
    inner = raw[raw.index("[[") + 2 : -2]
    bar = inner.find("|")
    if bar > 0 and not inner[:bar].rstrip("\\"):
        bar = -1
    if bar > 0:
        target, display = inner[:bar].removesuffix("\\"), inner[bar + 1 :].strip()
    else:
        target, display = inner, ""
    target = target.strip()
    if not target:
        return None
    path, subpath = split_link(target)
    return path, subpath, display or default_display(path, subpath)


def parse_destination(destination: str) -> tuple[str, str] | None:
    """Take the destination of a Markdown link apart; ``None`` for URLs, which are no links within the vault."""
    destination = destination.strip()
    if not destination or _SCHEME.match(destination):
        return None
    path, subpath = split_link(_ESCAPED.sub(r"\1", destination))
    return unquote(path), unquote(subpath)


def whole_value_link(value: str) -> Link | None:
    """Read a property's text that is a link from end to end, wiki or Markdown style; else ``None``."""
    text = value.strip()
    if text.startswith(("[[", "![[")) and text.endswith("]]") and text.count("[[") == 1 and text.count("]]") == 1:
        parts = parse_wikilink(text)
        return Link("property", text, *parts) if parts and "\n" not in text else None
    if text.startswith("["):
        close = _bracket_pairs(text).get(0, 0)
        destination = _destination(text, close + 1) if close else None
        if destination and destination[1] == len(text):
            parsed = parse_destination(destination[0])
            return Link("property", text, *parsed, text[1:close]) if parsed else None
    return None


class _Reader:
    def __init__(self, text: str, place: Callable[[int], tuple[int, int]]) -> None:
        self.text = text
        self.place = place
        self.found = Inline()
        self.url_end = 0
        self.pairs: dict[int, int] | None = None
        self.unmatched_ticks: set[int] = set()
        self.taken: list[tuple[int, int]] = []
        """Destinations of links already read, as spans to step over; brackets nest, so the next one is on top."""
        self.last_close = text.rfind("]]")
        self.close = self.innermost = -1
        """The next ``]]`` and the ``[[`` last before it, so that a row of opening ones does not look for them again and again."""
        self.no_link = -1
        """Equals ``innermost`` if that is known to be no link."""

    def run(self) -> None:
        at = 0
        pattern = _TOKEN_OR_URL if "://" in self.text else _TOKEN
        while token := pattern.search(self.text, at):
            start = token.start()
            while self.taken and self.taken[-1][1] <= start:
                self.taken.pop()
            inside = self.taken and self.taken[-1][0] <= start
            at = self.taken[-1][1] if inside else self._token(start, token[0])

    def _token(self, start: int, mark: str) -> int:
        """Read what begins with ``mark``; give the position to go on from."""
        after = start + len(mark)
        if mark[0] == "\\":  # what follows an escape stands as at the begin of a word
            return self._tag(after) if self.text[after : after + 1] == "#" else after
        if mark[0] == "`":
            return self._after_code(after, len(mark))
        if mark == "<!--":
            close = self.text.find("-->", after)
            return close + 3 if close >= 0 else after
        if mark[0] == "$":
            return self._after_math(after, len(mark))
        if mark == "#":
            return self._tag(start)
        if mark[-1] == "/":
            self._url(start)
            return after
        if mark.endswith("[["):
            end = self._wikilink(start, after)
            if end:
                return end
            after -= 1  # the second of the brackets may still open a Markdown link
            self._markdown_link(after, after)
            return after + 1
        self._markdown_link(start, after - 1)
        return after

    def _tag(self, start: int) -> int:
        tag = _TAG.match(self.text, start)
        if not tag:
            return start + 1
        if not tag[1].isdigit():
            self.found.tags.append(tag[1])
        return tag.end()

    def _after_code(self, at: int, ticks: int) -> int:
        if ticks in self.unmatched_ticks:
            return at
        for close in _TICKS.finditer(self.text, at):
            if len(close[0]) == ticks:
                return close.end()
        self.unmatched_ticks.add(ticks)
        return at

    def _after_math(self, after: int, dollars: int) -> int:
        """Step over ``$…$`` on one line or ``$$…$$``; a dollar that opens no formula is text."""
        text = self.text
        if dollars == 2:
            close = text.find("$$", after)
            return close + 2 if close >= 0 else after
        if after >= len(text) or text[after].isspace():
            return after
        end = text.find("\n", after)
        end = len(text) if end < 0 else end
        close = text.find("$", after, end)
        while close >= 0:
            follows = text[close + 1 : close + 2]
            if not text[close - 1].isspace() and text[close - 1] != "\\" and not follows.isdigit() and follows != "$":
                return close + 1
            close = text.find("$", close + 1, end)
        return after

    def _url(self, start: int) -> None:
        """Note a web address in running text. What follows is read on as text: a tag or link may begin within."""
        if start < self.url_end or (start and self.text[start - 1].isascii() and self.text[start - 1].isalnum()):
            return
        url = _URL.match(self.text, start)
        if url:
            self.url_end = url.end()
            self.found.urls.append(_without_tail(url[0]))

    def _wikilink(self, start: int, inner: int) -> int:
        """Read the wikilink at ``start``, or the innermost of those nested in it; give its end, or 0 if there is none."""
        text = self.text
        if inner > self.last_close:
            return 0
        if self.close < inner:
            self.close, self.no_link = text.find("]]", inner), -1
            self.innermost = text.rfind("[[", inner, self.close)
        close = self.close
        nested = self.innermost if self.innermost >= inner else -1
        if nested >= 0:  # of `[[a [[b]] c]]` only the inner one is a link
            start = nested - 1 if nested > inner and text[nested - 1] == "!" else nested
        if nested >= 0 and nested == self.no_link:
            return 0
        raw = text[start : close + 2]
        parts = parse_wikilink(raw) if "\n" not in raw else None
        if parts is None:
            self.no_link = nested
            return 0
        self.found.links.append(Link("embed" if raw[0] == "!" else "wikilink", raw, *parts, *self.place(start)))
        return close + 2

    def _markdown_link(self, start: int, bracket: int) -> None:
        """Read ``[text](destination)`` whose bracket is at ``bracket``; ``start`` is that of the ``!`` of an embed."""
        if self.pairs is None:
            self.pairs = _bracket_pairs(self.text)
        close = self.pairs.get(bracket)
        destination = _destination(self.text, close + 1) if close else None
        if close is None or destination is None or close - bracket > _MAX_TEXT:
            return
        self.taken.append((close, destination[1]))
        parsed = parse_destination(destination[0])
        if parsed is None and _WEB.match(destination[0]):
            self.found.urls.append(_ESCAPED.sub(r"\1", destination[0]).strip())
        if parsed:
            path, subpath = parsed
            display = self.text[bracket + 1 : close] or default_display(path, subpath)
            kind: LinkKind = "embed" if self.text[start] == "!" else "markdown"
            self.found.links.append(Link(kind, self.text[start : destination[1]], path, subpath, display, *self.place(start)))


def _without_tail(url: str) -> str:
    """Drop the punctuation of the sentence round an address, and a closing parenthesis that none opens."""
    while url:
        if url[-1] in ".,;:!?'*_~" or (url[-1] == ")" and url.count(")") > url.count("(")):
            url = url[:-1]
        else:
            break
    return url


def _bracket_pairs(text: str) -> dict[int, int]:
    """Map each opening bracket to its closing one, escapes aside."""
    pairs: dict[int, int] = {}
    open_brackets: list[int] = []
    for bracket in _BRACKET.finditer(text):
        if bracket[0] == "[":
            open_brackets.append(bracket.start())
        elif bracket[0] == "]" and open_brackets:
            pairs[open_brackets.pop()] = bracket.start()
    return pairs


def _destination(text: str, at: int) -> tuple[str, int] | None:
    """Read ``(destination "title")`` at ``at``; give the destination and the end of the closing parenthesis."""
    if text[at : at + 1] != "(":
        return None
    at += 1
    while text[at : at + 1].isspace():
        at += 1
    if text[at : at + 1] == "<":
        close = text.find(">", at)
        if close < 0 or "\n" in text[at:close]:
            return None
        destination, at = text[at + 1 : close], close + 1
    else:
        bare = _BARE_DESTINATION.match(text, at)
        assert bare is not None, "the pattern matches nothing at all, too"
        destination, at = bare[0], bare.end()
    tail = _TITLE.match(text, at)
    return (destination, tail.end()) if tail else None
