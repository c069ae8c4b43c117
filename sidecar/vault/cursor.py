"""Columns of a line of Markdown: what stands before its text."""

from __future__ import annotations

import re

_WHITE = re.compile(r"[ \t]*")


class Cursor:
    """Walks along a line's indentation and container marks, counting columns with tab stops of four."""

    __slots__ = ("column", "extra", "line", "position", "tabs")

    def __init__(self, line: str) -> None:
        self.line = line
        self.tabs = "\t" in line
        self.position = 0
        self.column = 0
        self.extra = 0

    def indent(self) -> tuple[int, int]:
        """Give the columns of white space from here on and the position of what follows it."""
        columns, at, column = self.extra, self.position, self.column
        if not self.tabs:
            end = _WHITE.match(self.line, at).end()  # type: ignore[union-attr]  # it matches nothing at all, too
            return columns + end - at, end
        while at < len(self.line) and self.line[at] in " \t":
            step = 4 - column % 4 if self.line[at] == "\t" else 1
            columns += step
            column += step
            at += 1
        return columns, at

    def eat(self, columns: int) -> None:
        used = min(self.extra, columns)
        self.extra -= used
        columns -= used
        if not self.tabs:
            step = min(columns, len(self.line) - self.position)
            self.position += step
            self.column += step
            return
        while columns > 0 and self.position < len(self.line):
            step = 4 - self.column % 4 if self.line[self.position] == "\t" else 1
            self.position += 1
            self.column += step
            columns -= step
        if columns < 0:
            self.extra = -columns

    def eat_quote(self, at: int) -> None:
        """Step over ``>`` at position ``at`` and one column of white space behind it."""
        indent, _ = self.indent()
        self.column += indent - self.extra + 1
        self.position = at + 1
        self.extra = 0
        if self.position < len(self.line) and self.line[self.position] in " \t":
            self.eat(1)
