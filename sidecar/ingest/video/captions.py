"""Captions of any form into cues (pure): json3 and timed-text XML of YouTube, Bilibili's JSON, WebVTT, SRT."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

_TAG = re.compile(r"</?[A-Za-z0-9][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_CLOCK = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_TIMES = re.compile(rf"^\s*{_CLOCK}\s+-->\s+{_CLOCK}")
_LONGEST_S = 1e6
_XML_ROOTS = frozenset({"transcript", "timedtext"})
"""And no other: Bilibili's bullet comments are XML, too, and nobody says them in the video."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What is said from one second of the video to another; several lines stay several lines."""

    begin_s: float
    end_s: float
    text: str


def parse_captions(text: str) -> list[Cue]:
    """Read captions whatever their form; cues without words are left out. Empty if it is no form that is known."""
    text = text.lstrip("\ufeff \r\n\t")
    if text.startswith("{"):
        found = _of_json(text)
    elif text.startswith("<"):
        found = _of_xml(text)
    else:
        found = _of_lines(text)
    return [cue for cue in found if cue.text.strip()]


def load_json(text: str) -> dict[str, Any]:
    """Read a JSON object; an empty one if it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def seconds_of(value: Any, unit_s: float = 1.0) -> float:
    """Read a time as seconds; -1 if it is none."""
    try:
        found = float(value) * unit_s
    except (TypeError, ValueError, OverflowError):
        return -1.0
    return found if math.isfinite(found) and 0 <= found < _LONGEST_S else -1.0


def _of_json(text: str) -> Iterator[Cue]:
    value = load_json(text)
    if isinstance(value.get("events"), list):
        yield from _of_json3(value["events"])
    elif isinstance(value.get("body"), list):
        for item in value["body"]:
            if isinstance(item, dict):
                yield from _cue(seconds_of(item.get("from")), seconds_of(item.get("to")), str(item.get("content") or ""))


def _of_json3(events: list[Any]) -> Iterator[Cue]:
    """Read events in their order. Those without words set up a window; those that append hold the break of a line only."""
    for event in events:
        segments = event.get("segs") if isinstance(event, dict) else None
        if isinstance(segments, list):
            words = "".join(str(part.get("utf8") or "") for part in segments if isinstance(part, dict))
            begin = seconds_of(event.get("tStartMs"), 0.001)
            yield from _cue(begin, begin + max(seconds_of(event.get("dDurationMs"), 0.001), 0.0), words)


def _of_xml(text: str) -> Iterator[Cue]:
    """Read timed text: ``<text start= dur=>`` in seconds, or ``<p t= d=>`` in milliseconds."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return
    if root is None or root.tag not in _XML_ROOTS:
        return
    for element in root.iter("text", "p"):
        is_old = element.tag == "text"
        begin = seconds_of(element.get("start") if is_old else element.get("t"), 1.0 if is_old else 0.001)
        length = seconds_of(element.get("dur") if is_old else element.get("d"), 1.0 if is_old else 0.001)
        yield from _cue(begin, begin + max(length, 0.0), "".join(str(part) for part in element.itertext()))


def _of_lines(text: str) -> Iterator[Cue]:
    """Read WebVTT or SRT: a line of times, then words up to a blank line, or up to the next line of times."""
    begin = end = -1.0
    words: list[str] = []
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        times = _TIMES.match(line)
        if times:
            yield from _cue(begin, end, "\n".join(words))
            fields = times.groups()
            begin, end, words = _clock(fields[:4]), _clock(fields[4:]), []
        elif not line.strip("\n") and begin >= 0:
            yield from _cue(begin, end, "\n".join(words))
            begin, words = -1.0, []
        elif begin >= 0:
            words.append(line)


def _clock(fields: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = (field or "0" for field in fields)
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000


def _cue(begin_s: float, end_s: float, text: str) -> Iterator[Cue]:
    if begin_s >= 0:
        plain = _TAG.sub("", html.unescape(text)).replace("\\N", "\n").replace("\xa0", " ")
        yield Cue(begin_s, max(end_s, begin_s), plain)
