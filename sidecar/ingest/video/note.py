"""A video as a document (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sidecar.errors import InvalidUrl
from sidecar.ingest.document import Document
from sidecar.ingest.page.metadata import language_of
from sidecar.ingest.page.safe_text import escape_line_start, escape_text, safe_destination
from sidecar.ingest.video.speech import Chapter, clock_text, one_line, time_link, write_transcript
from sidecar.ingest.video.tracks import Captions
from sidecar.vault.address import clean_url

REASONS = {
    "none": "The video has no captions.",
    "login-needed": "The site shows captions only to readers who are logged in; set your cookie for it to get them.",
    "po-token": "YouTube gives these captions only to its own player (it wants a proof-of-origin token).",
    "consent": "YouTube asked for consent to cookies instead of showing the page.",
    "page-unreadable": "The site did not show the video's page as usual.",
    "not-reached": "The captions could not be fetched.",
    "empty": "The site lists captions but sends none.",
    "unreadable": "The captions came in a form that is not known.",
    "wrong-track": "The site sent captions of another video, which were left out.",
    "live": "The stream is still running; add the link again with --force when it is over.",
    "upcoming": "The video has not begun yet; add the link again with --force when it is over.",
    "not-playable": "The site does not play this video here or without a login.",
}
"""Why there is no transcript: what stands in the ``transcript`` property, and the sentence a reader sees."""
_ADDRESS = re.compile(r"https?://[^\s<>\"'，。、；！？（）【】《》]+")
_AFTER_ADDRESS = ".,;:!?)]}"
_LINE_CLOCK = r"(?:(?P<hours>\d{1,2}):)?(?P<minutes>\d{1,2}):(?P<seconds>\d{2})"
_CLOCK_FIRST = re.compile(rf"^[^\w:]{{0,6}}{_LINE_CLOCK}\b[^\w:]{{0,6}}(?P<title>\S.*)$")
_CLOCK_LAST = re.compile(rf"^(?P<title>\S.{{0,150}}?)[\s([–—|:-]{{1,6}}{_LINE_CLOCK}[)\]]?\s*$")
_MIN_CHAPTERS = 3
_SHORT_SHARE = 0.5
_WORDS = {
    "en": {"part": "Part {n} of {of}", "about": "Description", "parts": "Parts", "said": "Transcript", "chapters": "Chapters"},
    "zh": {"part": "第 {n} P，共 {of} P", "about": "简介", "parts": "分 P", "said": "字幕文稿", "chapters": "章节"},
}


@dataclass(frozen=True, slots=True)
class Part:
    number: int
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Video:
    """What is known of a video apart from its captions.

    Attributes:
        published: ISO 8601, or empty.
        parts: All of them where there is more than one.
        part: Which of them this is.
        duration_s: Of this part; 0 if not known.
    """

    adapter: str
    site: str
    url: str
    title: str
    channel: str = ""
    published: str = ""
    description: str = ""
    duration_s: float = 0.0
    cover: str = ""
    chapters: tuple[Chapter, ...] = ()
    parts: tuple[Part, ...] = ()
    part: int = 1


def video_document(video: Video, captions: Captions | str, detail: str = "") -> Document:
    """Write the note of a video: cover, description, parts, and what is said if that is known.

    Args:
        captions: Or why there are none, a key of :data:`REASONS`.
        detail: What was tried in vain beside it, a sentence.
    """
    sample = f"{video.title} {video.description}"[:3000]
    lang = language_of(captions.track.lang if isinstance(captions, Captions) else "", sample)
    words = _WORDS["zh" if lang == "zh" else "en"]
    cover = safe_destination(video.cover)
    about = linked_text(video.description)
    blocks = [f"![]({cover})" if cover else "", _facts(video, words)]
    blocks += [f"## {words['about']}", about] if about else []
    if len(video.parts) > 1:
        blocks += [f"## {words['parts']}", _part_list(video)]
    if isinstance(captions, Captions):
        blocks += [f"## {words['said']}", write_transcript(captions.cues, video.chapters, video.url)]
    elif video.chapters:
        blocks += [f"## {words['chapters']}", "\n".join(f"- {time_link(video.url, c.begin_s)} {one_line(c.title)}" for c in video.chapters)]
    return Document(
        adapter=video.adapter,
        url=video.url,
        title=" ".join(video.title.split()),
        author=video.channel,
        account=video.channel,
        published=video.published,
        site=video.site,
        lang=lang,
        body_state="full" if isinstance(captions, Captions) else "summary_only" if about else "missing",
        markdown="\n\n".join(block for block in blocks if block) + "\n",
        images=(video.cover,) if cover else (),
        transcript=captions.track.label if isinstance(captions, Captions) else f"unavailable({captions})",
        warnings=_warnings(video, captions, detail),
    )


def _facts(video: Video, words: dict[str, str]) -> str:
    length = clock_text(video.duration_s) if video.duration_s else ""
    place = words["part"].format(n=video.part, of=len(video.parts)) if len(video.parts) > 1 else ""
    link = f"[{escape_text(video.site)}]({safe_destination(video.url)})"
    channel = one_line(video.channel)
    return " · ".join(piece for piece in (f"**{channel}**" if channel else "", length, place, link) if piece)


def _part_list(video: Video) -> str:
    lines = []
    for part in video.parts:
        title = one_line(part.title) or str(part.number)
        shown = f"**{title}**" if part.number == video.part else f"[{title}]({safe_destination(part.url)})"
        lines.append(f"{part.number}. {shown}")
    return "\n".join(lines)


def _warnings(video: Video, captions: Captions | str, detail: str) -> tuple[str, ...]:
    if not isinstance(captions, Captions):
        return tuple(sentence for sentence in (REASONS[captions], detail) if sentence)
    end = max(cue.end_s for cue in captions.cues)
    if video.duration_s > 60 and end < _SHORT_SHARE * video.duration_s:
        return (f"The captions end at {clock_text(end)} of {clock_text(video.duration_s)}.",)
    return ()


def linked_text(text: str) -> str:
    """Write plain text of several paragraphs as Markdown; addresses in it stay links, anything else acts on nothing."""
    blocks = (block.strip() for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\r", "\n")))
    return "\n\n".join("\n".join(_linked_line(line.strip()) for line in block.split("\n")) for block in blocks if block)


def _linked_line(line: str) -> str:
    written, at = "", 0
    for found in _ADDRESS.finditer(line):
        address = found[0].rstrip(_AFTER_ADDRESS)
        written += escape_text(line[at : found.start()]) + _link(address)
        at = found.start() + len(address)
    return escape_line_start(written + escape_text(line[at:]))


def _link(address: str) -> str:
    try:
        cleaned = clean_url(address) if "#" not in address else address
    except InvalidUrl:
        return escape_text(address)
    safe = safe_destination(cleaned)
    return f"<{safe}>" if safe else escape_text(address)


def chapters_of_text(description: str) -> tuple[Chapter, ...]:
    """Find chapters in a description: at least three lines with times that rise from 0:00, as YouTube itself wants them."""
    found: list[Chapter] = []
    for line in description.splitlines():
        match = _CLOCK_FIRST.match(line[:300].strip()) or _CLOCK_LAST.match(line[:300].strip())
        if match:
            begin = int(match["hours"] or 0) * 3600 + int(match["minutes"]) * 60 + int(match["seconds"])
            if found and begin <= found[-1].begin_s:
                continue
            if found or begin == 0:
                found.append(Chapter(begin, match["title"].strip()))
    return tuple(found) if len(found) >= _MIN_CHAPTERS else ()


def in_order(chapters: Sequence[Chapter]) -> tuple[Chapter, ...]:
    """Sort chapters, without those that have no name or no place of their own."""
    by_begin = {chapter.begin_s: chapter for chapter in chapters if chapter.title.strip() and chapter.begin_s >= 0}
    return tuple(by_begin[begin] for begin in sorted(by_begin))
