"""From a note's text to its structure: headings, links, tags, block ids.

A line scanner of our own instead of a full Markdown parser, because the vault is read whole at the first start: it follows
CommonMark's containers (quotes, lists) and leaf blocks as far as they decide what is code and what is text, and the rules of
Obsidian for what counts as a link. The tests hold it against mistune's reading.

Where Obsidian's behaviour is not known the choice is: links in block HTML count (they do in inline HTML); those in
``$$`` and ``$`` math do not; reference links ``[a][b]`` are no edges.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from dataclasses import dataclass, field

from sidecar.vault.cursor import Cursor
from sidecar.vault.inline import read_inline
from sidecar.vault.note import Heading, Link

_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|$)(.*)")
_HEADING_TAIL = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_BREAK = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_BULLET = re.compile(r"[-+*](?=[ \t]|$)")
_ORDERED = re.compile(r"(\d{1,9})[.)](?=[ \t]|$)")
_SETEXT = re.compile(r"(=+|-+)[ \t]*$")
_DELIMITER_ROW = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELL_BAR = re.compile(r"\\.|\|")
_BLOCK_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*$")
_NO_PROSE = re.compile(r"\s*(?:(?:#\S+\s*)+$|[\w -]{1,40}::)")
"""A line of tags, or a Dataview field: no words of the note's own."""
_STARTERS = frozenset(" \t>-+*_#`~=|:$%<0123456789")
"""What a line begins with that may be more than text of a paragraph."""
_NO_TEXT = _STARTERS | {""}


@dataclass(slots=True)
class Structure:
    """What a note's body holds, in document order. Offsets count code points in the whole text, lines from 1."""

    headings: list[Heading] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    code_lines: list[int] = field(default_factory=list)
    excerpt: str = ""


def scan_markdown(text: str, start: int = 0) -> Structure:
    """Read the structure of ``text`` from offset ``start`` (the end of its frontmatter) on."""
    scanner = _Scanner(text, start)
    scanner.run()
    return scanner.found


class _Scanner:
    def __init__(self, text: str, start: int) -> None:
        self.found = Structure()
        self.text = text
        self.first_line = text.count("\n", 0, start) + 1
        self.lines: list[str] = text[start:].split("\n")
        self.offsets: list[int] = []
        offset = start
        for line in self.lines:
            self.offsets.append(offset)
            offset += len(line) + 1
        self.containers: list[int] = []
        """Open containers, outermost first: 0 for a quote, n > 0 for a list item whose content starts at column n."""
        self.run_parts: list[tuple[int, str]] = []
        self.run_line = 0
        self.in_table = False
        self.fence = ""
        self.fence_depth = 0
        self.last_lines: dict[str, int] = {}

    # ── blocks ────────────────────────────────────────────────────────────────────────────────

    def run(self) -> None:
        lone_percent = [i for i, line in enumerate(self.lines) if line.strip() == "%%"] if "%%" in self.text else []
        hides = bool(lone_percent) or "<!--" in self.text or "$$" in self.text
        skip_until = -1
        hidden: str | None = None
        for i, line in enumerate(self.lines):
            if line.endswith("\r"):
                line = line[:-1]
            if i <= skip_until:
                continue
            offset = self.offsets[i]
            if hidden is not None:  # inside an HTML comment or a math block
                end = line.find(hidden)
                if end < 0:
                    continue
                offset += end + len(hidden)
                line = line[end + len(hidden) :]
                hidden = None
            if hides and not self.fence:
                if lone_percent and line.strip() == "%%":
                    after = bisect_right(lone_percent, i)
                    if after < len(lone_percent):
                        self._flush()
                        skip_until = lone_percent[after]
                        self._comment(i + 1, skip_until)
                        continue
                if "<!--" in line:
                    cut = _open_comment(line)
                    if cut >= 0 and (self._closes("-->", i) or not line[:cut].strip()):
                        line = line[:cut]
                        hidden = "-->"
                if line.lstrip(" >").startswith("$$") and line.count("$$") == 1 and self._closes("$$", i):
                    self._flush()
                    hidden = "$$"
                    continue
            self._line(i, line, offset)
        self._flush()

    def _comment(self, begin: int, end: int) -> None:
        """Read the lines of a ``%%`` block: Obsidian counts its tags, not its links."""
        for line in self.lines[begin:end]:
            self.found.tags.extend(read_inline(line).tags)

    def _closes(self, mark: str, line: int) -> bool:
        """Whether ``mark`` stands on a later line."""
        if mark not in self.last_lines:
            last = (n for n in range(len(self.lines) - 1, -1, -1) if mark in self.lines[n])
            self.last_lines[mark] = next(last, -1)
        return self.last_lines[mark] > line

    def _line(self, i: int, line: str, offset: int) -> None:
        if not self.fence:
            if not line:
                self._blank(0)
                return
            if line[0] not in _STARTERS:
                if self.containers and (self.in_table or not self.run_parts):
                    self._flush()
                    self.containers.clear()
                self._paragraph(i, line, offset)
                return
            if line[0] in "-*+" and line[1:2] == " " and line[2:3] not in _NO_TEXT:
                self._flush()  # a list item of the first level with a line of text, the commonest of the rest
                self.containers[:] = [2]
                self._paragraph(i, line[2:], offset + 2)
                return
        cursor = Cursor(line)
        matched = self._match_containers(cursor)
        if self.fence:
            if matched >= self.fence_depth:
                self._fence_line(i, cursor)
                return
            self.fence = ""
        indent, at = cursor.indent()
        rest = line[at:]
        if not rest:
            self._blank(matched)
            return
        if self.run_parts and matched < len(self.containers) and self._is_lazy(rest, indent):
            self._paragraph(i, rest, offset + at)
            return
        if matched < len(self.containers):
            self._flush()
            del self.containers[matched:]
        self._open_blocks(i, cursor, offset)

    def _match_containers(self, cursor: Cursor) -> int:
        indent, at = cursor.indent()
        for depth, content in enumerate(self.containers):
            if content == 0:
                if indent > 3 or at >= len(cursor.line) or cursor.line[at] != ">":
                    return depth
                cursor.eat_quote(at)
                indent, at = cursor.indent()
            elif at >= len(cursor.line):
                continue  # a blank line keeps list items open
            elif indent >= content:
                cursor.eat(content)
                indent -= content  # not measured anew: deep lists would cost their depth squared
            else:
                return depth
        return len(self.containers)

    def _is_lazy(self, rest: str, indent: int) -> bool:
        """Whether a line without its containers' marks still continues the open paragraph."""
        if self.in_table or indent > 3:
            return not self.in_table
        return not (
            rest[0] == ">"
            or _FENCE.match(rest)
            or _HEADING.match(rest)
            or _BREAK.match(rest)
            or _BULLET.match(rest)
            or _ORDERED.match(rest)
        )

    def _blank(self, matched: int) -> None:
        self._flush()
        for depth in range(matched, len(self.containers)):
            if self.containers[depth] == 0:
                del self.containers[depth:]
                break

    def _open_blocks(self, i: int, cursor: Cursor, offset: int) -> None:
        """Open what starts on this line, container by container, then the leaf block."""
        while True:
            indent, at = cursor.indent()
            rest = cursor.line[at:]
            if not rest:
                self._flush()
                return
            if indent > 3:
                if self.run_parts:
                    self._paragraph(i, rest, offset + at)
                else:
                    self.found.code_lines.append(self.first_line + i)
                return
            if rest[0] == ">":
                self._flush()
                cursor.eat_quote(at)
                self.containers.append(0)
                continue
            if self._leaf(i, rest, offset + at):
                return
            width = self._list_marker(rest)
            if not width:
                self._paragraph(i, rest, offset + at)
                return
            self._flush()
            cursor.eat(indent)
            cursor.eat(width)
            gap, _ = cursor.indent()
            if 1 <= gap <= 4:
                cursor.eat(gap)
                self.containers.append(indent + width + gap)
            else:
                if gap:
                    cursor.eat(1)
                self.containers.append(indent + width + 1)

    def _list_marker(self, rest: str) -> int:
        """Give the width of a list marker at the start of ``rest``, or 0."""
        if _BULLET.match(rest):
            return 0 if self.run_parts and not rest[1:].strip() else 1
        ordered = _ORDERED.match(rest)
        if ordered and not (self.run_parts and (int(ordered[1]) != 1 or not rest[ordered.end() :].strip())):
            return ordered.end()
        return 0

    def _leaf(self, i: int, rest: str, offset: int) -> bool:
        """Take a line that is a heading, a fence, a rule or a table's second row; tell whether it was one."""
        fence = _FENCE.match(rest)
        if fence:
            self._flush()
            self.fence = fence[1]
            self.fence_depth = len(self.containers)
            self.found.code_lines.append(self.first_line + i)
            return True
        heading = _HEADING.match(rest)
        if heading:
            self._flush()
            text = _HEADING_TAIL.sub("", heading[2]).strip()
            self.found.headings.append(Heading(len(heading[1]), text, self.first_line + i))
            self._inline([(offset + heading.start(2), heading[2])], self.first_line + i)
            return True
        if self.run_parts and not self.in_table:
            if _SETEXT.match(rest):
                parts, line = self.run_parts, self.run_line
                self.run_parts = []
                text = " ".join(part.strip() for _, part in parts)
                self.found.headings.append(Heading(1 if rest[0] == "=" else 2, text, line))
                self._inline(parts, line)
                return True
            if "|" in rest and self._starts_table(rest):
                header = self.run_parts.pop()
                line = self.run_line + len(self.run_parts)
                self._flush()
                self._row(header[1], header[0], line)
                self.in_table = True
                return True
        if _BREAK.match(rest):
            self._flush()
            return True
        return False

    def _starts_table(self, rest: str) -> bool:
        return bool(_DELIMITER_ROW.match(rest)) and len(_cells(rest)) == len(_cells(self.run_parts[-1][1]))

    def _fence_line(self, i: int, cursor: Cursor) -> None:
        self.found.code_lines.append(self.first_line + i)
        indent, at = cursor.indent()
        rest = cursor.line[at:].rstrip()
        if indent <= 3 and rest and rest[0] == self.fence[0] and len(rest) >= len(self.fence) and not rest.strip(rest[0]):
            self.fence = ""

    def _paragraph(self, i: int, rest: str, offset: int) -> None:
        if self.in_table:
            self._row(rest, offset, self.first_line + i)
            return
        if not self.run_parts:
            self.run_line = self.first_line + i
        self.run_parts.append((offset, rest))

    def _flush(self) -> None:
        """End the open paragraph or table."""
        self.in_table = False
        if self.run_parts:
            parts, self.run_parts = self.run_parts, []
            if not self.found.excerpt:
                self.found.excerpt = " ".join(part.strip() for _, part in parts if not _NO_PROSE.match(part))[:400]
            self._inline(parts, self.run_line)

    def _row(self, row: str, offset: int, line: int) -> None:
        for start, end in _cells(row):
            self._inline([(offset + start, row[start:end])], line)

    # ── inline ────────────────────────────────────────────────────────────────────────────────

    def _inline(self, parts: list[tuple[int, str]], line: int) -> None:
        text = parts[0][1] if len(parts) == 1 else "\n".join(part for _, part in parts)
        block = _BLOCK_ID.search(text) if "^" in text else None
        if block:
            self.found.blocks.append(block[1])
        if "[" not in text and "#" not in text and "://" not in text:
            return
        inline = read_inline(text, _Where(parts, line).of)
        self.found.tags += inline.tags
        self.found.links += inline.links
        self.found.urls += inline.urls


class _Where:
    """Maps a position in a run of joined lines back to the note's text."""

    def __init__(self, parts: list[tuple[int, str]], line: int) -> None:
        self.parts = parts
        self.line = line
        self.starts = [0]
        for _, part in parts[:-1]:
            self.starts.append(self.starts[-1] + len(part) + 1)

    def of(self, position: int) -> tuple[int, int]:
        if len(self.starts) == 1:
            return self.parts[0][0] + position, self.line
        n = bisect_right(self.starts, position) - 1
        return self.parts[n][0] + position - self.starts[n], self.line + n


def _cells(row: str) -> list[tuple[int, int]]:
    """Give start and end of each cell of a table row; only unescaped bars divide, in code too."""
    bars = [m.start() for m in _CELL_BAR.finditer(row) if m[0] == "|"]
    edges = [-1, *bars, len(row)]
    cells = [(a + 1, b) for a, b in itertools.pairwise(edges)]
    if cells and not row[: cells[0][1]].strip() and len(cells) > 1:
        cells = cells[1:]
    if cells and not row[cells[-1][0] :].strip() and len(cells) > 1:
        cells = cells[:-1]
    return cells


def _open_comment(line: str) -> int:
    """Give the position of an HTML comment that opens on this line, outside inline code, and does not close on it; else -1."""
    at = line.find("<!--")
    while at >= 0:
        if line.count("`", 0, at) % 2:
            at = line.find("<!--", at + 4)
            continue
        close = line.find("-->", at + 4)
        if close < 0:
            return at
        at = line.find("<!--", close + 3)
    return -1
