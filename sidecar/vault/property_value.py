"""A new value in the place and the style of the old one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from sidecar.vault.property_lines import Entry
from sidecar.vault.property_text import Quote, render_key, render_scalar


def render_lines(key: str, value: Any, newline: str) -> str:
    """Write a property that is not there yet, as Obsidian would."""
    return render_key(key) + ":" + _fresh(value, newline)


def render_value(raw: str, entry: Entry, old: Any, new: Any) -> str:
    """Give the lines of ``entry`` with another value, keeping quotes, list style and comments where they can be kept."""
    node, lines = entry.value, raw[entry.start : entry.end]
    if isinstance(node, yaml.SequenceNode) and isinstance(old, list) and isinstance(new, (list, tuple)):
        changed = (_flow_list if node.flow_style else _block_list)(raw, entry, node, old, new)
        if changed is not None:
            return changed
    start, end = (node.start_mark.index + entry.shift, node.end_mark.index + entry.shift) if node else (0, 0)
    is_plain_line = isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">") and "\n" not in raw[entry.start : end]
    if is_plain_line and not isinstance(new, (list, tuple)):
        text = "" if new is None else render_scalar(new, _quote_of(node))
        before, after = raw[entry.start : start], raw[end : entry.end]
        if not text and not after.strip():
            before = raw[entry.start : entry.colon]
        elif text and not before.endswith((" ", "\t")):
            before += " "
        elif not text and start == end:
            before = before.rstrip(" ")
        return before + text + after
    newline = "\r\n" if lines.endswith("\r\n") else "\n"
    return raw[entry.start : entry.colon] + _fresh(new, newline)


def _fresh(value: Any, newline: str) -> str:
    if value is None:
        return newline
    if isinstance(value, (list, tuple)) and value:
        return newline + "".join(f"  - {render_scalar(item)}{newline}" for item in value)
    return f" {render_scalar(value)}{newline}"


def _quote_of(node: yaml.Node | None) -> Quote:
    style = getattr(node, "style", None)
    return style if style in ("'", '"') else ""


def _quote_of_all(nodes: Sequence[yaml.Node]) -> Quote:
    quotes = {_quote_of(node) for node in nodes}
    return quotes.pop() if len(quotes) == 1 else ""


def _block_list(raw: str, entry: Entry, node: yaml.SequenceNode, old: list[Any], new: Sequence[Any]) -> str | None:
    """Rewrite ``- item`` lines; ``None`` if they cannot be told apart."""
    column = node.start_mark.column
    starts = []
    at = raw.find("\n", entry.colon, entry.end) + 1
    while 0 < at < entry.end:
        line = raw[at : entry.end].partition("\n")[0]
        if line[:column].strip() == "" and line[column : column + 1] == "-" and line[column + 1 : column + 2] in ("", " ", "\t", "\r"):
            starts.append(at)
        at = raw.find("\n", at, entry.end) + 1
    if not new or len(starts) != len(old) or len(old) != len(node.value):
        return None
    pieces = [raw[start:end] for start, end in zip(starts, [*starts[1:], entry.end], strict=True)]
    newline = "\r\n" if pieces[-1].endswith("\r\n") else "\n"
    indent, quote = raw[starts[0] : starts[0] + column], _quote_of_all(node.value)
    written = _reused(old, pieces, new, lambda item: f"{indent}- {render_scalar(item, quote)}{newline}")
    return raw[entry.start : starts[0]] + "".join(written)


def _flow_list(raw: str, entry: Entry, node: yaml.SequenceNode, old: list[Any], new: Sequence[Any]) -> str | None:
    """Rewrite ``[a, b]``; one over several lines comes to stand on one. ``None`` if items cannot be told apart."""
    start, end = node.start_mark.index + entry.shift, node.end_mark.index + entry.shift
    spans = [(item.start_mark.index + entry.shift, item.end_mark.index + entry.shift) for item in node.value]
    bounds = [start, *(offset for span in spans for offset in span), end]
    if raw[start : start + 1] != "[" or bounds != sorted(bounds) or len(spans) != len(old) or "\n" in raw[start:end]:
        return f"{raw[entry.start : entry.colon]} [{_joined(new)}]{raw[end : entry.end]}" if raw[end - 1 : end] == "]" else None
    pieces = [raw[first:last] for first, last in spans]
    lead, tail = (raw[start + 1 : spans[0][0]], raw[spans[-1][1] : end - 1]) if spans and new else ("", "")
    comma = raw[spans[0][1] : spans[1][0]] if len(spans) > 1 else ", "
    quote = _quote_of_all(node.value)
    written = _reused(old, pieces, new, lambda item: render_scalar(item, quote, in_flow=True))
    return f"{raw[entry.start : start]}[{lead}{comma.join(written)}{tail}]{raw[end : entry.end]}"


def _joined(items: Sequence[Any]) -> str:
    return ", ".join(render_scalar(item, in_flow=True) for item in items)


def _reused(old: Sequence[Any], pieces: Sequence[str], new: Sequence[Any], render: Any) -> list[str]:
    """Take each item as it was written, if it was there, else write it."""
    left = [(type(value), value, piece) for value, piece in zip(old, pieces, strict=True)]
    written = []
    for item in new:
        at = next((n for n, (kind, value, _) in enumerate(left) if kind is type(item) and value == item), None)
        written.append(render(item) if at is None else left.pop(at)[2])
    return written
