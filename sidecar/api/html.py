"""A note as HTML for the console: rendered by mistune, cleaned by nh3, links within the vault marked.

Imported only when HTML is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import unquote

import mistune
import nh3

from sidecar.vault.pictures import names_picture

_TAGS = set("a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li mark ol p pre strong table tbody td th thead tr ul input span".split())
_ATTRIBUTES = {
    "a": {"href", "class", "data-note"},
    "code": {"class"},
    "input": {"type", "checked", "disabled"},
    "span": {"class", "data-picture"},
}
_WIKILINK = r"!?\[\[(?P<wiki_inner>[^\[\]\n]+)\]\]"
_COMMENT_LINE = re.compile(r"^%%.*?%%\s*$", re.MULTILINE)


class _Renderer(mistune.HTMLRenderer):
    """Raw HTML is shown as text; no image is loaded: its words stand in for it, with its path if it lies in the vault."""

    def __init__(self, resolve: Callable[[str], str | None]) -> None:
        super().__init__(escape=True)
        self._resolve = resolve

    def image(self, text: str, url: str, title: str | None = None) -> str:
        is_address = "://" in url
        return _image(text or url.rpartition("/")[2], None if is_address else self._resolve(url) or self._resolve(unquote(url)))

    def wikilink(self, text: str, note: str | None, *, is_embed: bool = False) -> str:
        if is_embed and note is not None and names_picture(note):
            return _image("" if re.fullmatch(r"\d+(x\d+)?", text) else text, note)
        if note is None:
            return f'<span class="vs-unresolved">{escape(text)}</span>'
        return f'<a href="#" class="vs-note-link" data-note="{escape(note)}">{escape(text)}</a>'


def _image(text: str, path: str | None) -> str:
    shown = f' data-picture="{escape(path)}"' if path and names_picture(path) else ""
    return f'<span class="vs-image"{shown}>{escape(text)}</span>'


def render_html(markdown: str, resolve: Callable[[str], str | None]) -> str:
    """Render a note's body.

    Args:
        resolve: Gives the note that a link path leads to.
    """
    parser = mistune.create_markdown(renderer=_Renderer(resolve), plugins=["strikethrough", "table", "task_lists"])

    def parse_wikilink(_: Any, match: re.Match[str], state: Any) -> int:
        target, _bar, display = match["wiki_inner"].partition("|")
        attributes = {"note": resolve(target.partition("#")[0].strip()), "is_embed": match[0].startswith("!")}
        state.append_token({"type": "wikilink", "raw": display or target, "attrs": attributes})
        return match.end()

    parser.inline.register("wikilink", _WIKILINK, parse_wikilink, before="link")
    html = str(parser(_COMMENT_LINE.sub("", markdown)))
    return nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https", "mailto"}, link_rel="noopener noreferrer")
