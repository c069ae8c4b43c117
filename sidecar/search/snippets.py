"""The passage of a note that answers a query, with exact marks (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sidecar.search.stems import MIN_STEMMED, shared_beginning, stem
from sidecar.search.terms import CJK, Run, fold_with_origin, original_span

_BEFORE, _LENGTH = 40, 160
_CJK_CHAR = re.compile(f"[{CJK}]")
_WORD_BEGIN = rf"(?<![^\W_{CJK}])"
_MARKUP = re.compile(
    r"^[ \t]*(?:#{1,6} |(?:> ?)+(?:\[!\w+\][+-]? ?)?|(?:[-*+]|\d{1,3}[.)]) (?:\[.\] )?|\|?[ \t]*:?-{3,}[-:| \t]*$|\||`{3,}.*$|%%)"
    r"|!?\[\[(?:[^\[\]\n|]*\|)?|\]\]|\]\([^()\s]*\)|!?\[(?=[^\[\]\n]*\]\()"
    r"|\*\*|==|~~|%%|`+|(?<![\w*])\*(?=\S)|(?<=[^\s*])\*(?!\w)|\|[ \t]*$|[ \t]\|(?=[ \t])|<br ?/?>",
    re.MULTILINE,
)
"""What only a renderer wants: marks of lines, links, emphasis, code and tables; also where a link with other words leads."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage, without the marks of Markdown that only a renderer wants.

    ``highlights`` are start and end of matches in code points of ``text``, in order, not overlapping.
    """

    text: str
    highlights: tuple[tuple[int, int], ...]


def make_snippets(body: str, runs: tuple[Run, ...], limit: int = 2) -> list[Snippet]:
    """Cut the passages of ``body`` that hold most of the query.

    A run that occurs as a whole is marked as a whole; only if it does not, its pairs are.
    """
    matches = find_matches(body, runs)
    if not matches:
        return []
    snippets: list[Snippet] = []
    taken: list[tuple[int, int]] = []
    for start, end in _windows(body, matches):
        if any(start < b and a < end for a, b in taken):
            continue
        taken.append((start, end))
        snippets.append(_cut(body, start, end, matches))
        if len(snippets) == limit:
            break
    return snippets


def find_matches(text: str, runs: tuple[Run, ...]) -> list[tuple[int, int]]:
    """Give where the runs of a query stand in ``text``, merged, in code points of ``text``."""
    folded, origin = fold_with_origin(text)
    lowered = folded.lower()
    folded = lowered if len(lowered) == len(folded) else folded
    spans: list[tuple[int, int]] = []
    for run in runs:
        wanted = run.text.lower()
        found = _occurrences(folded, wanted) if run.is_cjk else _words(folded, wanted)
        if not found and run.is_cjk and len(wanted) > 2:
            for n in range(len(wanted) - 1):
                found += _occurrences(folded, wanted[n : n + 2])
        spans += found
    if origin is not None:
        spans = [original_span(a, b, origin) for a, b in spans]
    return _merged(sorted(spans))


def _occurrences(text: str, wanted: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = text.find(wanted)
    while at >= 0:
        found.append((at, at + len(wanted)))
        at = text.find(wanted, at + len(wanted))
    return found


def _words(text: str, wanted: str) -> list[tuple[int, int]]:
    """Give where a word begins that begins as ``wanted``, and the whole words of its English stem."""
    found: list[tuple[int, int]] = []
    if wanted in text:
        found += [(m.start(), m.end()) for m in re.finditer(rf"{_WORD_BEGIN}{re.escape(wanted)}", text)]
    root = stem(wanted)
    begins = shared_beginning(wanted)
    if begins in text and wanted.isascii() and wanted.isalpha() and len(root) >= MIN_STEMMED:
        kin = re.finditer(rf"{_WORD_BEGIN}{re.escape(begins)}[a-z]*", text)
        found += [(m.start(), m.end()) for m in kin if stem(m[0]) == root]
    return found


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _windows(body: str, matches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Rank windows around matches by how much different text they mark, then by place."""
    ranked: list[tuple[int, int, int]] = []
    for n, (first, _) in enumerate(matches[:400]):
        start = max(0, first - _BEFORE)
        end = min(len(body), start + _LENGTH)
        marked = {body[a:b].lower() for a, b in matches[n : n + 40] if b <= end}
        ranked.append((-sum(len(text) for text in marked), start, end))
    return [(start, end) for _, start, end in sorted(ranked)]


def _cut(body: str, start: int, end: int, matches: list[tuple[int, int]]) -> Snippet:
    start, end = _word_border(body, start, -1), _word_border(body, end, 1)
    text = "…" if start > 0 else ""
    inside = [(max(a, start), min(b, end)) for a, b in matches if a < end and b > start]
    # A mark that holds a match, such as the address in a link, is what the reader looked for: it stays.
    marks = [
        (m.start(), m.end() if not any(a < m.end() and b > m.start() for a, b in inside) else m.start() + _brackets(m[0]))
        for m in _MARKUP.finditer(body, start, end)
    ]
    highlights: list[tuple[int, int]] = []
    at = start
    for a, b in [*inside, (end, end)]:
        text = _append(text, body, at, a, marks)
        if b > a:
            begin = len(text)
            text = _append(text, body, a, b, marks)
            highlights.append((begin, len(text)))
        at = b
    return Snippet(text.rstrip() + ("…" if end < len(body) else ""), tuple(highlights))


def _brackets(mark: str) -> int:
    """Give how many of a mark's first characters are a wikilink's brackets."""
    return 2 if mark.startswith("[[") else 3 if mark.startswith("![[") else 0


def _append(text: str, body: str, start: int, end: int, marks: list[tuple[int, int]]) -> str:
    """Append a passage on one line, without the marks in it and without a second blank in a row."""
    for a, b in [*((a, b) for a, b in marks if a < end and b > start), (end, end)]:
        piece = re.sub(r"\s+", " ", body[start : max(a, start)])
        text += piece[1:] if piece.startswith(" ") and (not text or text.endswith((" ", "…"))) else piece
        start = max(b, start)
    return text


def utf16_spans(text: str, spans: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Give spans of code points as JavaScript counts: UTF-16 units of the same text."""
    if not text or max(text) < "\U00010000":
        return spans

    def at(offset: int) -> int:
        return offset + sum(char > "\uffff" for char in text[:offset])

    return tuple((at(start), at(end)) for start, end in spans)


def _word_border(body: str, at: int, step: int) -> int:
    """Move a cut off the middle of a Latin word, at most twenty characters outwards."""
    for _ in range(20):
        if at <= 0 or at >= len(body):
            return min(max(at, 0), len(body))
        before, after = body[at - 1], body[at]
        if not (before.isalnum() and after.isalnum()) or _CJK_CHAR.match(before) or _CJK_CHAR.match(after):
            return at
        at += step
    return at
