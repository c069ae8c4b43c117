"""Cues into paragraphs that a person can read (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sidecar.ingest.page.safe_text import escape_line_start, escape_text
from sidecar.ingest.video.captions import Cue

_SOUND_WORDS = (
    r"(?:\w{1,20} ){0,2}(?:music|applause|laughter|laughing|laughs|cheering|cheers|foreign|silence|musik|musique|m[úu]sica|musica|applaus"
    r"|applaudissements|aplausos|rires|risas|gelächter|музыка|аплодисменты|смех)(?: \w{1,20}){0,2}"
    r"|(?:背景|轻快|激昂)?(?:音[乐樂]|音楽|掌[声聲]|笑[声聲]|拍手|笑|歌[声聲]|鼓掌)(?:[声聲])?"
)
_SOUND = re.compile(rf"[\[(（【]\s{{0,3}}(?:{_SOUND_WORDS})\s{{0,3}}[\])）】]", re.IGNORECASE)
_NOTES = re.compile(r"[♪♫♬🎵🎶]+")
_SPEAKER = re.compile(r"^\s*(?:>{2,}|&gt;&gt;)\s*|^\s*[-–—]\s+(?=\S)")
_SENTENCE_END = re.compile(r"[.?!。？！…]['\"”’」』)）]*$")
_ENDS_WITH_MARK = re.compile(r"[^\w\s]$")
_CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_PAUSE_S = 4.0
_BREATH_S = 0.8
_PARAGRAPH_CHARS = 420
_CJK_PARAGRAPH_CHARS = 160
_MARK_EVERY_S = 120.0
_ROLL_WINDOW_S = 0.1
_FLASH_S = 0.05
_MIN_OVERLAP_WORDS = 3
_MAX_OVERLAP_WORDS = 20


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of a video that its maker, or the site, gave a name."""

    begin_s: float
    title: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph of speech and when it begins."""

    begin_s: float
    text: str


def clock_text(seconds: float) -> str:
    """Write a place in a video: ``1:05``, ``1:02:03``."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def write_transcript(cues: Sequence[Cue], chapters: Sequence[Chapter], url: str) -> str:
    """Write what is said as Markdown: a heading for each chapter, and every few minutes a link to that place in the video.

    Args:
        url: The video's address; the second is added as ``t``.
    """
    lines: list[str] = []
    marked_s = -_MARK_EVERY_S
    left = list(chapters)
    for passage in passages(cues, [chapter.begin_s for chapter in chapters]):
        while left and left[0].begin_s <= passage.begin_s + 1.0:
            lines.append(f"### {one_line(left.pop(0).title)}")
            marked_s = -_MARK_EVERY_S
        if passage.begin_s - marked_s >= _MARK_EVERY_S:
            marked_s = passage.begin_s
            lines.append(f"{time_link(url, passage.begin_s)} {escape_text(passage.text)}")
        else:
            lines.append(escape_line_start(escape_text(passage.text)))
    lines.extend(f"### {one_line(chapter.title)}" for chapter in left)
    return "\n\n".join(lines)


def time_link(url: str, seconds: float) -> str:
    """Link to a place in a video."""
    return f"[{clock_text(seconds)}]({url}{'&' if '?' in url else '?'}t={int(seconds)})"


def one_line(text: str) -> str:
    """Give text from outside as one harmless line."""
    return escape_line_start(escape_text(" ".join(text.split())))


def passages(cues: Sequence[Cue], breaks: Iterable[float] = ()) -> list[Passage]:
    """Join cues into paragraphs.

    A paragraph ends at a long pause, where another person speaks, at a chapter, or at the end of a sentence once it is long enough.
    Chinese and Japanese captions mostly leave out punctuation and set the end of the line in its place; it is written as a comma.

    Args:
        breaks: Seconds at which a new paragraph begins in any case.
    """
    spoken = _without_repeats([_tidy(cue) for cue in cues])
    return _Joiner(spoken, sorted(breaks)).join()


class _Joiner:
    def __init__(self, cues: list[Cue], breaks: list[float]) -> None:
        self._cues = cues
        self._breaks = breaks
        sample = [cue.text for cue in cues[:400]]
        marks = sum(bool(_ENDS_WITH_MARK.search(text)) for text in sample)
        self._has_marks = marks * 5 >= len(sample)
        whole = "".join(sample)
        self._limit = _CJK_PARAGRAPH_CHARS if len(_CJK.findall(whole)) * 3 > len(whole) else _PARAGRAPH_CHARS
        self._comma = "、" if len(re.findall(r"[\u3040-\u30ff]", whole)) * 10 > len(whole) else "，"

    def join(self) -> list[Passage]:
        found: list[Passage] = []
        parts: list[str] = []
        length = 0
        begin = end = 0.0
        for cue in self._cues:
            speaker = _SPEAKER.match(cue.text)
            text = cue.text[speaker.end() :] if speaker else cue.text
            if parts and (speaker or self._ends(parts[-1], length, end, cue.begin_s)):
                found.append(Passage(begin, "".join(parts)))
                parts, length = [], 0
            if not parts:
                begin = cue.begin_s
            else:
                parts.append(self._between(parts[-1], text))
            parts.append(text)
            length += len(text) + 1
            end = max(cue.end_s, cue.begin_s)
        return [*found, Passage(begin, "".join(parts))] if parts else found

    def _ends(self, last: str, length: int, end_s: float, next_s: float) -> bool:
        while self._breaks and self._breaks[0] <= end_s - 1.0:
            self._breaks.pop(0)
        if self._breaks and self._breaks[0] <= next_s + 1.0:
            self._breaks.pop(0)
            return True
        if next_s - end_s >= _PAUSE_S or length >= 2 * self._limit:
            return True
        is_over = bool(_SENTENCE_END.search(last)) or (not self._has_marks and next_s - end_s >= _BREATH_S)
        return length >= self._limit and is_over

    def _between(self, last: str, text: str) -> str:
        if last and text and _CJK.match(last[-1]) and _CJK.match(text[0]):
            return "" if self._has_marks or _ENDS_WITH_MARK.search(last) else self._comma
        return " "


def _tidy(cue: Cue) -> Cue:
    """Take out notes about music and applause, and the marks around what is sung."""
    lines = [" ".join(_NOTES.sub(" ", _SOUND.sub(" ", line)).split()) for line in cue.text.split("\n")]
    return replace(cue, text="\n".join(lines))


def _without_repeats(cues: list[Cue]) -> list[Cue]:
    """Take out what captions that roll up or grow say again, and put each cue on one line.

    Only what is repeated at the same moment is taken: a person may well say a thing twice.
    """
    kept: list[Cue] = []
    for cue in cues:
        lines = cue.text.split("\n")
        last = kept[-1] if kept else None
        if last is not None and cue.begin_s <= last.end_s + _ROLL_WINDOW_S:
            rolls = len(lines) > 1 or cue.end_s - cue.begin_s <= _FLASH_S
            said = [line for line in lines if line]
            if rolls and said and last.text.endswith(said[0]):
                said.pop(0)
            text = _one(said)
            if text.startswith(last.text) and len(text) > len(last.text) and _is_phrase(last.text):
                kept[-1] = Cue(last.begin_s, cue.end_s, text)  # the line grows while it is spoken
                continue
            text = _after_overlap(last.text, text)
        else:
            text = _one([line for line in lines if line])
        if text:
            kept.append(Cue(cue.begin_s, cue.end_s, text))
        elif last is not None:
            kept[-1] = Cue(last.begin_s, max(last.end_s, cue.end_s), last.text)
    return kept


def _is_phrase(text: str) -> bool:
    """Whether a text is long enough that its repetition is no way of speaking (``very``, ``very good``)."""
    return len(text.split()) > 1 or len(_CJK.findall(text)) > 3


def _one(lines: list[str]) -> str:
    text = ""
    for line in lines:
        text += line if not text or (_CJK.match(text[-1]) and _CJK.match(line[0])) else " " + line
    return text


def _after_overlap(last: str, text: str) -> str:
    """Take off the begin of a text that repeats the last words of the one before."""
    before, after = last.split()[-_MAX_OVERLAP_WORDS:], text.split()
    for n in range(min(len(before), len(after)), _MIN_OVERLAP_WORDS - 1, -1):
        if before[-n:] == after[:n]:
            return " ".join(after[n:])
    return text
