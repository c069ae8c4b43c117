"""A note as HTML for the console: rendered by mistune, cleaned by nh3, links within the vault marked.

Imported only when HTML is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Any

import mistune
import nh3

_TAGS = set("a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li mark ol p pre strong table tbody td th thead tr ul input span".split())
_ATTRIBUTES = {"a": {"href", "class", "data-note"}, "code": {"class"}, "input": {"type", "checked", "disabled"}, "span": {"class"}}
_WIKILINK = r"!?\[\[(?P<wiki_inner>[^\[\]\n]+)\]\]"
_COMMENT_LINE = re.compile(r"^%%.*?%%\s*$", re.MULTILINE)


class _Renderer(mistune.HTMLRenderer):
    """Raw HTML is shown as text; images are not loaded, their alternative text stands in for them."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return f'<span class="vs-image">{escape(text or url.rpartition("/")[2])}</span>'

    def wikilink(self, text: str, note: str | None) -> str:
        if note is None:
            return f'<span class="vs-unresolved">{escape(text)}</span>'
        return f'<a href="#" class="vs-note-link" data-note="{escape(note)}">{escape(text)}</a>'


def render_html(markdown: str, resolve: Callable[[str], str | None]) -> str:
    """Render a note's body.

    Args:
        resolve: Gives the note that a link path leads to.
    """
    parser = mistune.create_markdown(renderer=_Renderer(escape=True), plugins=["strikethrough", "table", "task_lists"])

    def parse_wikilink(_: Any, match: re.Match[str], state: Any) -> int:
        target, _bar, display = match["wiki_inner"].partition("|")
        state.append_token({"type": "wikilink", "raw": display or target, "attrs": {"note": resolve(target.partition("#")[0].strip())}})
        return match.end()

    parser.inline.register("wikilink", _WIKILINK, parse_wikilink, before="link")
    html = str(parser(_COMMENT_LINE.sub("", markdown)))
    return nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https", "mailto"}, link_rel="noopener noreferrer")
