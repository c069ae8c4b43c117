"""The line around a place in a note, as a pane shows it (pure)."""

from __future__ import annotations

from dataclasses import dataclass

from sidecar.vault.note import Heading

_BEFORE, _AFTER = 60, 140


@dataclass(frozen=True, slots=True)
class Context:
    """A line of a note, cut to what a pane can show.

    Attributes:
        text: The line, with ``…`` where it was cut.
        highlights: Start and end of what the line is shown for, in code points of ``text``.
        line: Its number, from 1.
        heading: The nearest heading above, or empty.
    """

    text: str
    highlights: tuple[tuple[int, int], ...]
    line: int
    heading: str = ""


def context_at(text: str, start: int, end: int, line: int, heading: str = "") -> Context:
    """Cut out the line that holds ``start`` to ``end``."""
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    left = begin if start - begin <= _BEFORE + 10 else start - _BEFORE
    right = stop if stop - end <= _AFTER + 20 else end + _AFTER
    shown = text[left:right]
    lead = len(shown) - len(shown.lstrip())
    before, after = "…" if left > begin else "", "…" if right < stop else ""
    offset = len(before) - left - lead
    return Context(before + shown.strip() + after, ((start + offset, end + offset),), line, heading)


def heading_above(headings: tuple[Heading, ...], line: int) -> str:
    """Give the text of the nearest heading above a line; empty if there is none."""
    return next((heading.text for heading in reversed(headings) if heading.line < line), "")
