"""Which captions of a video are taken (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sidecar.ingest.video.captions import Cue

_SLACK_S = 15.0
_FORMATS = ("json3", "json", "srv1", "srv3", "vtt", "srt")
"""Best first; others are not read."""
_NO_SPEECH = frozenset({"danmaku", "live_chat", "rechat", "comments"})
"""What yt-dlp lists among subtitles and nobody says in the video."""


@dataclass(frozen=True, slots=True)
class Track:
    """One caption track.

    Attributes:
        lang: As the site names it, ``zh-Hans``.
        is_auto: Made by a machine that listened.
        url: Where it is; short-lived, so never kept.
        text: Its content, where that is at hand already.
    """

    lang: str
    is_auto: bool
    url: str = ""
    text: str = ""

    @property
    def label(self) -> str:
        """How the note's ``transcript`` property names it."""
        return f"{'auto' if self.is_auto else 'manual'}:{self.lang or 'unknown'}"


@dataclass(frozen=True, slots=True)
class Captions:
    """Captions that were found and read."""

    track: Track
    cues: tuple[Cue, ...]


def rank_tracks(tracks: Sequence[Track], languages: Sequence[str]) -> list[Track]:
    """Order tracks by preference: a wished language, one of the same family, then any; a person's before a machine's in each.

    A wish without a region takes all regions: ``zh`` is met by ``zh-Hans``; ``zh-TW`` and ``zh-CN`` are one family only.
    """

    def rank(track: Track) -> tuple[int, int, bool]:
        lang = track.lang.lower().replace("_", "-")
        wishes = [wish.lower().replace("_", "-") for wish in languages]
        for n, wish in enumerate(wishes):
            if lang == wish or lang.startswith(wish + "-"):
                return 0, n, track.is_auto
        for n, wish in enumerate(wishes):
            if lang.partition("-")[0] == wish.partition("-")[0]:
                return 1, n, track.is_auto
        return 2, 0, track.is_auto

    return sorted(tracks, key=rank)


def is_of_another(cues: Sequence[Cue], duration_s: float) -> bool:
    """Whether captions are those of another video: sites mix them up, and then the speech goes on after the end."""
    return duration_s > 0 and max(cue.begin_s for cue in cues) > duration_s * 1.05 + _SLACK_S


def tool_tracks(info: dict[str, Any]) -> list[Track]:
    """List the tracks in what yt-dlp tells of a video, without machine translations."""
    found = []
    for key, is_auto in (("subtitles", False), ("automatic_captions", True)):
        listed = info.get(key)
        for lang, forms in (listed if isinstance(listed, dict) else {}).items():
            track = _tool_track(str(lang), forms, is_auto)
            if track is not None:
                found.append(track)
    return found


def _tool_track(lang: str, forms: Any, is_auto: bool) -> Track | None:
    if lang in _NO_SPEECH or not isinstance(forms, list):
        return None
    usable = [form for form in forms if isinstance(form, dict) and form.get("ext") in _FORMATS]
    for form in sorted(usable, key=lambda form: _FORMATS.index(form["ext"])):
        text, url = form.get("data"), str(form.get("url") or "")
        code = lang.removeprefix("ai-").removesuffix("-orig")
        auto = is_auto or lang.startswith("ai-")
        if isinstance(text, str) and text.strip():
            return Track(code, auto, text=text)
        if url.startswith("https://") and "tlang=" not in url:
            return Track(code, auto, url=url)
    return None
