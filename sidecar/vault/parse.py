"""A file's text becomes a :class:`Note`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sidecar.vault.address import find_address
from sidecar.vault.frontmatter import read_frontmatter
from sidecar.vault.generated import blank_block, find_block
from sidecar.vault.inline import split_link, whole_value_link
from sidecar.vault.markdown import scan_markdown
from sidecar.vault.note import Link, Note, NotePath, basename_of

_TAG_SPLIT = re.compile(r"[,\s]+")
_PLAIN = re.compile(
    r"!\[\[[^\]]*\]\]|\[\^[^\]]+\]|\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|!?\[([^\]]*)\]\([^)]*\)|%%[^%]*%%|<[^>]*>|[*_`~=]{1,3}|\^[A-Za-z0-9-]+$"
)
_GIST_CHARS = 120
_RELATION = re.compile(r"(sources|supersedes)(?:\.\d+)*")
"""A property of ours that names notes: a text, a list, or the nested list that YAML makes of a bare ``[[x]]``."""
_TASK = re.compile(r"\[.\] +")


def parse_note(path: NotePath, text: str) -> Note:
    """Parse a Markdown note. Never raises: what cannot be read is left out and said in ``property_error``."""
    head = read_frontmatter(text)
    block = find_block(text)
    body = scan_markdown(blank_block(text) if block else text, head.body_start)
    if block:
        written = scan_markdown(text[: block.end], block.start).links
        body.links = sorted([*body.links, *(replace(link, generated=True) for link in written)], key=lambda link: link.start)
    property_links = list(_property_links(head.properties))
    tags = [*_property_tags(head.properties.get("tags")), *_property_tags(head.properties.get("tag")), *body.tags]
    title = head.properties.get("title")
    return Note(
        path=path,
        kind="note",
        title=title.strip() if isinstance(title, str) and title.strip() else basename_of(path),
        properties=head.properties,
        property_error=head.error,
        aliases=_text_list(head.properties.get("aliases")),
        tags=tuple(tags),
        headings=tuple(body.headings),
        blocks=tuple(body.blocks),
        links=(*property_links, *body.links),
        excerpt=plain_excerpt(body.excerpt),
        urls=_addresses([*_property_urls(head.properties), *body.urls]),
    )


def parse_canvas(path: NotePath, text: str) -> Note:
    """Parse a canvas: files put on it and links in its text cards are its links."""
    links: list[Link] = []
    urls: list[str] = []
    error = ""
    try:
        nodes = json.loads(text or "{}").get("nodes") or []
        for node in nodes:
            links.extend(_card_links(node))
            urls.extend(_card_urls(node))
    except (ValueError, AttributeError, TypeError, RecursionError) as problem:
        error = f"not a canvas: {problem}"
    title = path.rpartition("/")[2].removesuffix(".canvas")
    return Note(path, "canvas", title, {}, error, (), (), (), (), tuple(links), "", _addresses(urls))


def plain_excerpt(text: str) -> str:
    """Take the Markdown out of a line and cut it to a gist, at a sentence's end where there is one in reach."""
    plain = " ".join(_PLAIN.sub(lambda m: m[1] or m[2] or "", _TASK.sub("", text, count=1) if _TASK.match(text) else text).split())
    if len(plain) <= _GIST_CHARS:
        return plain
    cut = max(plain.rfind(mark, 0, _GIST_CHARS) for mark in ("。", "！", "？", ". ", "! ", "? "))
    return plain[: cut + 1].rstrip() if cut >= _GIST_CHARS // 3 else plain[: _GIST_CHARS - 1].rstrip() + "…"


def _card_links(node: dict[str, Any]) -> Iterator[Link]:
    if node.get("type") == "file" and isinstance(node.get("file"), str):
        path = _whole(node["file"])
        subpath = _whole(node["subpath"]) if isinstance(node.get("subpath"), str) else ""
        yield Link("canvas", path, "/" + path, subpath, path.rpartition("/")[2])
    elif node.get("type") == "text" and isinstance(node.get("text"), str):
        for link in scan_markdown(_whole(node["text"])).links:
            yield replace(link, kind="canvas", start=-1, line=0)


def _whole(text: str) -> str:
    """Replace halves of surrogate pairs, which JSON can spell and no file or answer can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _card_urls(node: dict[str, Any]) -> list[str]:
    if node.get("type") == "link" and isinstance(node.get("url"), str):
        return [node["url"]]
    if node.get("type") == "text" and isinstance(node.get("text"), str):
        return scan_markdown(_whole(node["text"])).urls
    return []


def _addresses(urls: list[str]) -> tuple[str, ...]:
    """Bring web addresses to their canonical form; what is none is left out."""
    return tuple(dict.fromkeys(filter(None, map(find_address, dict.fromkeys(urls))))) if urls else ()


def _property_links(properties: dict[str, Any]) -> Iterator[Link]:
    """Give the links in properties, in Obsidian's sense, and the notes that ``sources`` and ``supersedes`` name bare."""
    for key, text in _leaves(properties, ""):
        link = whole_value_link(text) if "[" in text else None
        if link:
            yield replace(link, key=key)
        elif key.startswith(("sources", "supersedes")) and (relation := _RELATION.fullmatch(key)) and _is_bare_name(text):
            path, subpath = split_link(text.strip())
            yield Link("sources" if relation[1] == "sources" else "supersedes", text, path, subpath, path, key=key)


def _property_urls(properties: dict[str, Any]) -> Iterator[str]:
    """Give the web pages among a note's ``sources``: mentions, as no file of the vault can be meant."""
    for key, text in _leaves({"sources": properties.get("sources")}, ""):
        if _RELATION.fullmatch(key) and "://" in text:
            yield from scan_markdown(text).urls


def _is_bare_name(text: str) -> bool:
    name = text.strip()
    return bool(name) and "\n" not in name and "://" not in name


def _leaves(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _leaves(inner, f"{key}.{n}")


def _text_list(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list):
        return tuple(str(item).strip() for item in value if isinstance(item, (str, int, float)) and str(item).strip())
    return ()


def _property_tags(value: Any) -> list[str]:
    if isinstance(value, str):
        parts: list[str] = _TAG_SPLIT.split(value)
    elif isinstance(value, list):
        parts = [part for item in value if isinstance(item, (str, int, float)) for part in _TAG_SPLIT.split(str(item))]
    else:
        return []
    return [part.strip().lstrip("#").strip("/") for part in parts if part.strip().lstrip("#")]
