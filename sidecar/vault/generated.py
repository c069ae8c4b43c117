"""The block of a note that the sidecar writes, between two marker lines; all else in the note is the owner's."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sidecar.vault.markdown import scan_markdown

BEGIN = "%% kb:moc:begin %%"
END = "%% kb:moc:end %%"
BRIEF_BEGIN = "%% kb:brief:begin %%"
BRIEF_END = "%% kb:brief:end %%"

_MARKS = {kind: re.compile(rf"^[ \t]*%%[ \t]*kb:{kind}:(begin|end)[ \t]*%%[ \t]*\r?$", re.MULTILINE) for kind in ("moc", "brief")}


@dataclass(frozen=True, slots=True)
class Block:
    """Offsets of the generated text: ``start`` after the line of the begin marker, ``end`` before that of the end marker."""

    start: int
    end: int


def find_block(text: str, kind: str = "moc") -> Block | None:
    """Find the generated block: one begin marker and one end marker, in that order, each on a line of its own.

    Blanks around a marker and either line ending are accepted. Anything else (a marker twice, alone, half deleted) is no
    block, so that nothing of the owner's can be overwritten by mistake.
    """
    trace = f"kb:{kind}:"
    if trace not in text:
        return None
    marks = list(_MARKS[kind].finditer(text))
    if [m[1] for m in marks] != ["begin", "end"] or text.count(trace) != 2:
        return None
    begin, end = marks
    if _in_code(text, begin.start()):
        return None
    start = begin.end() + 1
    return Block(start, end.start()) if start <= end.start() else None


def _in_code(text: str, offset: int) -> bool:
    """Whether the marker line at ``offset`` stands in a fence: a note that only shows what the markers look like."""
    before = text[:offset]
    return before.count("\n") + 1 in scan_markdown(before + BEGIN).code_lines


def has_trace(text: str) -> bool:
    """Whether any part of a marker is left in the text."""
    return "kb:moc:" in text


def blank_block(text: str) -> str:
    """Give the text with the generated block blanked out: same offsets, same lines, only the owner's words."""
    block = find_block(text)
    if block is None:
        return text
    inner = re.sub(r"[^\n]", " ", text[block.start : block.end])
    return text[: block.start] + inner + text[block.end :]
