"""Captions out of the pages at hand, or which page is needed for them (pure)."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.ingest.adapters.base import JSON, Need, Pages
from sidecar.ingest.video.captions import parse_captions
from sidecar.ingest.video.tracks import Captions, Track, is_of_another

CAPTION_TYPES = (*JSON, "text/vtt", "application/x-subrip", "application/xml", "text/xml", "application/octet-stream")
_MAX_TRIED = 2


def find_captions(tracks: Sequence[Track], pages: Pages, prefix: str, duration_s: float) -> Captions | Need | str:
    """Read the first of the tracks that can be read, or ask for it.

    Args:
        prefix: Begin of the names under which they are asked for.
    Returns:
        The captions, a page that is needed, or the reason why none could be read.
    """
    reason = "none"
    for n, track in enumerate(tracks[:_MAX_TRIED]):
        text = track.text
        if not text:
            name = f"{prefix}-{n}"
            page = pages.get(name)
            if page is None:
                return Need(name, track.url, accept=CAPTION_TYPES)
            if page.problem or not page.status:
                reason = "not-reached"
                continue
            text = page.text
        if not text.strip():
            reason = "empty"
            continue
        cues = parse_captions(text)
        if not cues:
            reason = "unreadable"
        elif is_of_another(cues, duration_s):
            reason = "wrong-track"
        else:
            return Captions(track, tuple(cues))
    return reason
