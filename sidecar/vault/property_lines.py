"""Which lines of a frontmatter belong to which property."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from sidecar.errors import FrontmatterError

_AT_MARGIN = re.compile(r"^(?![#\s-])((?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\n]|'')*'|[^\s\"'][^\n]*?)) *:(?=[ \t\r\n]|$)", re.MULTILINE)
"""A name and its colon at the begin of a line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One property in the YAML text; all offsets count from its begin.

    Attributes:
        start: Begin of its first line.
        end: Behind the last line that is its own; blank lines and comments before the next property are not.
        colon: Behind the colon after the name.
        value: The YAML node of the value, if it could be read and lies within the lines.
        shift: What must be added to the marks of ``value``.
    """

    name: str
    start: int
    end: int
    key_start: int
    key_end: int
    colon: int
    value: yaml.Node | None
    shift: int = 0


def locate(raw: str, error: str) -> list[Entry]:
    """Find the lines of each property.

    Args:
        error: Why the YAML cannot be read as a whole, or empty.
    Raises:
        FrontmatterError: The lines cannot be told apart safely.
    """
    return _by_shape(raw, error) if error else _by_marks(raw)


def _by_marks(raw: str) -> list[Entry]:
    root = yaml.compose(raw, Loader=yaml.CSafeLoader)
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise FrontmatterError("The properties stand in one pair of braces.", fix="Write each on a line of its own.")
    starts = [key.start_mark.index - key.start_mark.column for key, _ in root.value]
    entries = []
    for (key, value), start, following in zip(root.value, starts, [*starts[1:], len(raw)], strict=True):
        first, last = key.start_mark.index, key.end_mark.index
        colon = raw.find(":", last) + 1
        if not isinstance(key, yaml.ScalarNode) or raw[start:first].strip() or raw[last : colon - 1].strip(" \t") or not colon:
            raise FrontmatterError(
                f"line {key.start_mark.line + 2}: a property in a form that is not edited.", fix="Write it as `name: value`."
            )
        end = _own_end(raw, start, following, key.start_mark.column)
        is_within = colon <= value.start_mark.index <= value.end_mark.index <= following  # an alias shows the marks of its anchor
        entries.append(Entry(key.value, start, end, first, last, colon, value if is_within else None))
    return entries


def _by_shape(raw: str, error: str) -> list[Entry]:
    found = list(_AT_MARGIN.finditer(raw))
    if not found or any(word in error for word in ("longer than", "too many")) or not _is_comment(raw[: found[0].start()]):
        raise FrontmatterError(f"The properties cannot be read: {error}.", fix="Mend the note's frontmatter.")
    entries: list[Entry] = []
    for match, following in zip(found, [*(match.start() for match in found[1:]), len(raw)], strict=True):
        lines = raw[match.start() : following]
        value, name, is_open = _read_alone(lines)
        if is_open and following != len(raw):
            raise FrontmatterError(f"A quote or bracket of {match[1][:80]!r} is not closed: {error}.", fix="Mend the note's frontmatter.")
        end = _own_end(raw, match.start(), following, 0)
        entries.append(
            Entry(name or match[1].strip("'\""), match.start(), end, match.start(1), match.end(1), match.end(), value, match.start())
        )
    return entries


def _is_comment(text: str) -> bool:
    return all(not line.strip() or line.lstrip().startswith("#") for line in text.split("\n"))


def _read_alone(lines: str) -> tuple[yaml.Node | None, str, bool]:
    """Read one property by itself: its value, its name, and whether it fails for want of a quote or bracket at its end."""
    try:
        root = yaml.compose(lines, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as problem:
        at_end = problem.problem_mark is not None and problem.problem_mark.index >= len(lines.rstrip())
        return None, "", at_end
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError):
        return None, "", False
    if isinstance(root, yaml.MappingNode) and len(root.value) == 1 and isinstance(root.value[0][0], yaml.ScalarNode):
        return root.value[0][1], root.value[0][0].value, False
    return None, "", False


def _own_end(raw: str, start: int, end: int, margin: int) -> int:
    while True:
        last = raw.rfind("\n", start, end - 1) + 1
        line = raw[last:end]
        bare = line.lstrip()
        if last <= start or (bare and not (bare.startswith("#") and len(line) - len(bare) <= margin)):
            return end
        end = last
