"""Markdown from outside becomes HTML, which is then written as any page is.

A neutraliser that edits Markdown's source would have to agree with Obsidian's parser on every corner of it. Going through
a tree needs no such agreement: what comes out was written by :class:`~sidecar.ingest.page.to_markdown.MarkdownWriter` from
plain text, and nothing of the source is copied.
"""

from __future__ import annotations

import html
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sidecar.ingest.page.fragment import Join, Written, write_fragment
from sidecar.vault.frontmatter import read_frontmatter

if TYPE_CHECKING:
    import mistune

_TOML = re.compile(r"\ufeff?\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_YAML_LIKE = re.compile(r"\ufeff?---[ \t]*\r?\n(?:[ \t]*\r?\n)*[\w\"'#-][^\n]*?:")
_FORMULA = r"\$\$(?P<block_tex>[^$]{1,4000})\$\$|(?<![\w\\$])\$(?=[^\s$])(?P<inline_tex>[^$\n]{0,400}?[^\s\\$])\$(?![\w$])"
_PLUGINS = ("table", "strikethrough", "footnotes", "url")
_BOX = re.compile(r"(<li>(?:<p>)?)\[([ xX])\](?=\s)")


@dataclass(frozen=True, slots=True)
class Head:
    """What a Markdown file says of itself, and where its text begins."""

    title: str = ""
    author: str = ""
    published: str = ""
    lang: str = ""
    body_start: int = 0


def read_head(text: str) -> Head:
    """Read the frontmatter of a file from outside: YAML, or TOML between ``+++``."""
    toml = _TOML.match(text)
    if toml:
        try:
            return _head_of(tomllib.loads(toml[1].replace("\r\n", "\n")), toml.end())
        except (ValueError, RecursionError):
            return Head(body_start=toml.end())
    if _YAML_LIKE.match(text):  # else the line of dashes is a rule
        front = read_frontmatter(text)
        return _head_of(front.properties, front.body_start)
    return Head()


def _head_of(values: dict[str, Any], body_start: int) -> Head:
    found = {str(key).lower(): value for key, value in values.items()}
    day = next((_text(found[key]) for key in ("published", "date", "pubdate", "created") if _text(found.get(key))), "")
    names = found.get("author") or found.get("authors")
    author = ", ".join(filter(None, map(_name, names[:10]))) if isinstance(names, list) else _name(names)
    return Head(
        title=_text(found.get("title")),
        author=author,
        published=day[:40] if re.match(r"\d{4}-\d\d-\d\d(?:$|[T ])", day) else "",
        lang=_text(found.get("lang") or found.get("language"))[:2].lower(),
        body_start=body_start,
    )


def _name(value: Any) -> str:
    return _text(value.get("name")) if isinstance(value, dict) else _text(value)


def _text(value: Any) -> str:
    return " ".join(str(value).split())[:500] if value is not None and not isinstance(value, (bool, list, dict)) else ""


def write_markdown(text: str, base: str, *, link: Join | None = None, image: Join | None = None) -> Written:
    """Write Markdown (no frontmatter) anew, so that it shows what it showed and acts on nothing.

    Headings, lists, tables, quotes, code, formulas, links, images and emphasis survive; HTML in it is read as on any page;
    wikilinks, tags, comments, callouts and tasks come out as the characters they are written with.
    """
    shown = _BOX.sub(lambda found: found[1] + ("☐" if found[2] == " " else "☑"), str(_renderer()(text)))
    return write_fragment(shown, base, link=link, image=image)


def _renderer() -> mistune.Markdown:
    import mistune

    class Renderer(mistune.HTMLRenderer):
        def footnote_ref(self, key: str, index: int) -> str:
            return f" [{index}]"

        def footnotes(self, text: str) -> str:
            return f"<hr><ol>{text}</ol>"

        def footnote_item(self, text: str, key: str, index: int) -> str:
            return f"<li>{text}</li>"

        def formula(self, tex: str, *, is_block: bool) -> str:
            return f'<span class="kb-tex">{html.escape(f"{chr(92)}[{tex}{chr(92)}]" if is_block else f"{chr(92)}({tex}{chr(92)})")}</span>'

        def block_code(self, code: str, info: str | None = None) -> str:
            language = (info or "").split(maxsplit=1)[0].strip("{}. ") if (info or "").strip() else ""
            named = f' class="language-{html.escape(language)}"' if language else ""
            return f"<pre><code{named}>{html.escape(code)}</code></pre>"

    def parse_formula(inline: Any, found: re.Match[str], state: Any) -> int:
        block = found["block_tex"]
        state.append_token({"type": "formula", "raw": block or found["inline_tex"], "attrs": {"is_block": block is not None}})
        return found.end()

    made = mistune.create_markdown(renderer=Renderer(escape=False), plugins=list(_PLUGINS))
    made.inline.register("formula", _FORMULA, parse_formula, before="link")
    return made
