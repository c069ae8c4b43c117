"""Setting, renaming and removing properties by editing text: only a property's own lines change, every other byte stays.

No YAML library writes here, since each reformats some style that people have. A property's lines are found by the marks of
the YAML reader, or, where the YAML as a whole is broken, by its shape, as long as no open quote or bracket stands before them.
Each edit is read again before it is given out: the property must read as wanted and all others as before, else nothing is given.

Choices: of a name that occurs twice the last one counts, as for readers, so it is set there, and removed everywhere. Removing
the last property leaves the two fences, which are not its lines. A comment behind a value stays; one inside a list goes with
the item above it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sidecar.errors import FrontmatterError
from sidecar.vault.frontmatter import Frontmatter, read_frontmatter
from sidecar.vault.property_lines import Entry, locate
from sidecar.vault.property_text import render_key, render_scalar
from sidecar.vault.property_value import render_lines, render_value

_COMMA_LISTS = {
    "tags": re.compile(r"[,\s]+"),
    "tag": re.compile(r"[,\s]+"),
    "aliases": re.compile(r" *, *"),
    "cssclasses": re.compile(r"[,\s]+"),
}
"""Properties whose text Obsidian splits into a list, and where."""


def set_property(text: str, key: str, value: Any) -> str:
    """Give the text of a note with one property set, in the style of the value it replaces.

    A note without frontmatter gets one at its very top, behind a BOM. Text is quoted where YAML would read it as something else.

    Raises:
        FrontmatterError: It cannot be done without touching, or misreading, something else.
    """
    head = read_frontmatter(text)
    wanted = _as_read(value)
    if head.raw is None:
        newline = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
        at = head.body_start
        written = f"---{newline}{render_lines(key, value, newline)}---{newline}"
        return _checked(text, head, text[:at] + written + text[at:], {key: wanted}, own=())
    entries = _entries(head)
    own = [entry for entry in entries if entry.name == key]
    if own and not head.error and _same(head.properties.get(key), wanted):
        return text
    if own:
        start, end = own[-1].start, own[-1].end
        lines = render_value(head.raw, own[-1], head.properties.get(key), value)
    else:
        start = end = len(head.raw)
        lines = render_lines(key, value, _newline(text, head))
    return _checked(text, head, _spliced(text, head, start, end, lines), {key: wanted}, own=(key,))


def remove_property(text: str, key: str) -> str:
    """Give the text of a note without a property; the same text if it has none of that name.

    Raises:
        FrontmatterError: It cannot be done without touching something else.
    """
    head = read_frontmatter(text)
    if head.raw is None:
        return text
    after = text
    for entry in reversed([entry for entry in _entries(head) if entry.name == key]):
        after = _spliced(after, head, entry.start, entry.end, "")
    return after if after == text else _checked(text, head, after, {key: _GONE}, own=(key,))


def rename_property(text: str, key: str, new_key: str) -> str:
    """Give the text of a note with a property under another name, its value untouched.

    Raises:
        FrontmatterError: There is none of that name, or one of the new name.
    """
    head = read_frontmatter(text)
    entries = _entries(head) if head.raw is not None else []
    own = [entry for entry in entries if entry.name == key]
    if not own or any(entry.name == new_key for entry in entries):
        raise FrontmatterError(f"There is no property {key!r} that could be called {new_key!r}.", fix="Look at the note's properties.")
    after = text
    for entry in reversed(own):
        after = _spliced(after, head, entry.key_start, entry.key_end, render_key(new_key))
    expected = {key: _GONE, new_key: head.properties.get(key)} if not head.error else {key: _GONE}
    return _checked(text, head, after, expected, own=(key, new_key))


def add_item(text: str, key: str, item: Any) -> str:
    """Add to a list property at its end, keeping its style; the same text if the item is in it.

    ``tags: a, b`` stays a text with commas, any other single value becomes a list.
    """
    items, comma = _items(text, key)
    if any(_same(known, _as_read(item)) for known in items):
        return text
    return _put_items(text, key, [*items, item], comma)


def remove_item(text: str, key: str, item: Any) -> str:
    """Take an item out of a list property, keeping the style of the rest; an empty list stays as ``[]``."""
    items, comma = _items(text, key)
    kept = [known for known in items if not _same(known, _as_read(item))]
    return text if len(kept) == len(items) else _put_items(text, key, kept, comma)


def edit_properties(text: str, wanted: Mapping[str, Any], unwanted: Sequence[str] = ()) -> str:
    """Remove some properties and set others, in this order."""
    for key in unwanted:
        text = remove_property(text, key)
    for key, value in wanted.items():
        text = set_property(text, key, value)
    return text


def diff_heads(before: str, after: str) -> str:
    """Show what changes in the frontmatter as a unified diff; the bodies are taken to be equal."""
    old, new = (text[: read_frontmatter(text).body_start].splitlines() for text in (before, after))
    lines = difflib.unified_diff(old, new, "before", "after", lineterm="", n=1)
    return "\n".join(lines).encode("utf-8", "replace").decode("utf-8")


def _items(text: str, key: str) -> tuple[list[Any], str]:
    head = read_frontmatter(text)
    if head.error:
        raise FrontmatterError(f"The properties cannot be read: {head.error}.", fix="Mend the note's frontmatter.")
    value = head.properties.get(key)
    if isinstance(value, list):
        return value, ""
    if isinstance(value, str) and key in _COMMA_LISTS:
        comma = re.search(r"\s*,\s*|\s+", value.strip())
        return [part for part in _COMMA_LISTS[key].split(value.strip()) if part], comma[0] if comma else ""
    if isinstance(value, dict):
        raise FrontmatterError(f"{key!r} is no list.", fix="Set it as a whole.")
    return ([] if value is None else [value]), ""


def _put_items(text: str, key: str, items: list[Any], comma: str) -> str:
    if comma and items and not any(re.search(r"[,\s]", str(item)) for item in items):
        return set_property(text, key, comma.join(map(str, items)))
    return set_property(text, key, items)


def _entries(head: Frontmatter) -> list[Entry]:
    return locate(head.raw or "", head.error)


def _spliced(text: str, head: Frontmatter, start: int, end: int, lines: str) -> str:
    at = _yaml_start(text, head)
    return text[: at + start] + lines + text[at + end :]


def _yaml_start(text: str, head: Frontmatter) -> int:
    return text.index("\n") + 1 if head.raw is not None else head.body_start


def _newline(text: str, head: Frontmatter) -> str:
    return "\r\n" if text[: _yaml_start(text, head)].endswith("\r\n") else "\n"


class _Gone:
    """Stands for a property that must not be there any more."""


_GONE = _Gone()


def _checked(before: str, head: Frontmatter, after: str, expected: Mapping[str, Any], own: Sequence[str]) -> str:
    """Give ``after`` if it reads as it should."""
    found = read_frontmatter(after)
    fits = after[found.body_start :] == before[head.body_start :]
    if not head.error:
        wanted = {**head.properties, **expected}
        kept = {name: value for name, value in wanted.items() if not isinstance(value, _Gone)}
        fits = fits and not found.error and found.properties.keys() == kept.keys()
        fits = fits and all(_same(found.properties[name], value) for name, value in kept.items())
    else:
        fits = fits and _pieces(head, own) == _pieces(found, own) and _reads(found, expected)
    if not fits:
        raise FrontmatterError(
            f"{', '.join(map(repr, expected))} cannot be written without changing how other properties are read; nothing was written.",
            fix="Edit the note's properties in Obsidian.",
        )
    return after


def _pieces(head: Frontmatter, own: Sequence[str]) -> list[str]:
    raw = head.raw or ""
    return [raw[entry.start : entry.end] for entry in _entries(head) if entry.name not in own]


def _reads(head: Frontmatter, expected: Mapping[str, Any]) -> bool:
    """Whether properties read as expected although, or because, others are broken: each is asked by itself."""
    entries = {entry.name: entry for entry in _entries(head)}
    for name, value in expected.items():
        entry = entries.get(name)
        if isinstance(value, _Gone) != (entry is None):
            return False
        if entry is not None:
            alone = read_frontmatter(f"---\n{(head.raw or '')[entry.start : entry.end]}\n---\n")
            if alone.error or not _same(alone.properties.get(name), value):
                return False
    return True


def _as_read(value: Any) -> Any:
    """Give a value as reading it back shows it: dates are texts, tuples lists."""
    match value:
        case datetime() | date():
            return render_scalar(value)
        case list() | tuple():
            return [_as_read(item) for item in value]
        case dict():
            return {name: _as_read(item) for name, item in value.items()}
    return value


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of the same type throughout: ``true`` is not 1, and 1 not 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    return bool(one == other)
