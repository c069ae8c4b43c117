"""yt-dlp, if it is there: a program of its own, asked what it knows of a video and its captions, never imported.

It downloads nothing and writes nothing; a caption track that it names is fetched through the guarded fetcher like any page. It runs
without the owner's settings, cookies, proxies and secrets, within bounds of time and size, and ends with the ingest that asked it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sidecar.ingest.adapters.base import Need, Page
from sidecar.ingest.page.safe_text import strip_invisible

_SITES = ("youtube.com", "bilibili.com")
_KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE", "PATHEXT")
_ARGUMENTS = (
    "--ignore-config", "--no-cache-dir", "--no-playlist", "--no-progress", "--no-update", "--skip-download", "--write-subs",
    "--write-auto-subs", "--socket-timeout", "15", "--retries", "1", "--extractor-retries", "1", "--dump-single-json",
)  # fmt: skip
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$")
_SAID_BYTES = 4_000
_REASON_CHARS = 160
_END_S = 5.0
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """Bounds of one question: seconds, and bytes of the answer."""

    timeout_s: float = 60.0
    max_bytes: int = 12_000_000


class MediaTool:
    """Asks the program.

    Args:
        is_on: Whether the owner lets it be asked at all; asked anew each time.
    """

    def __init__(self, is_on: Callable[[], bool] = lambda: True, limits: ToolLimits | None = None) -> None:
        self._is_on = is_on
        self._limits = limits or ToolLimits()

    async def ask(self, need: Need) -> Page:
        """Give the program's answer about a video as JSON text, or why there is none."""
        if not self._is_on():
            return _without(need, "yt-dlp is switched off (ingest.media_tool).")
        if not _is_of_site(need.url):
            return _without(need, "yt-dlp is asked about videos of YouTube and Bilibili only.")
        command = await asyncio.to_thread(find_command)
        if not command:
            return _without(need, "yt-dlp is not installed.")
        with tempfile.TemporaryDirectory(prefix="kb-media-") as folder:
            return await self._run([*command, *arguments(need)], need, folder)

    async def _run(self, argv: list[str], need: Need, folder: str) -> Page:
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=folder,
                env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
                start_new_session=True,  # what it starts itself ends with it
            )
        except OSError as error:
            return _without(need, f"yt-dlp could not be started ({error.strerror}).")
        assert process.stdout is not None
        assert process.stderr is not None
        reading = asyncio.create_task(_read(process.stdout, self._limits.max_bytes))
        hearing = asyncio.create_task(_read_end(process.stderr))
        try:
            async with asyncio.timeout(self._limits.timeout_s):
                answer, said = await asyncio.gather(reading, hearing)
                code = await process.wait()
        except TimeoutError:
            return _without(need, f"yt-dlp took longer than {self._limits.timeout_s:g} s.")
        except _Flood:
            return _without(need, "yt-dlp answered with more than is taken.")
        finally:
            reading.cancel()
            hearing.cancel()
            await asyncio.shield(asyncio.ensure_future(_end(process, (reading, hearing))))
        text = answer.decode("utf-8", "replace").strip()
        if code != 0:
            return _without(need, f"yt-dlp: {shortened(said.decode('utf-8', 'replace')) or f'it ended with code {code}.'}")
        if not (text.startswith("{") and text.endswith("}")):
            return _without(need, "yt-dlp answered with something that is no JSON.")
        return Page(need.url, "application/json", text)


class _Flood(Exception):
    """More came than is taken."""


def find_command() -> list[str]:
    """Find the program: on the PATH, else installed beside the sidecar; empty if there is none."""
    found = shutil.which("yt-dlp")
    if found and Path(found).is_absolute():  # a relative entry of the PATH would look into the folder of the moment
        return [found]
    return [sys.executable, "-P", "-m", "yt_dlp"] if importlib.util.find_spec("yt_dlp") else []


def arguments(need: Need) -> list[str]:
    """Give what the program is told. The address comes last, after a mark that no option follows."""
    languages = [lang for lang in need.languages if _LANGUAGE.match(lang) and lang != "all"]  # that would fetch each translation
    return [*_ARGUMENTS, "--sub-langs", ",".join(languages) or "en", "--", need.url]


def shortened(said: str) -> str:
    """Give the last error that the program told, as one short sentence."""
    lines = [line.strip() for line in strip_invisible(said).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    text = re.sub(r"^ERROR:\s*(?:\[[^\]]{1,40}\]\s*[\w-]{0,40}:\s*)?", "", errors[-1]) if errors else ""
    text = re.split(r"(?<=[.!?])\s|;|\s+\(caused by", text, maxsplit=1)[0]
    return text if len(text) <= _REASON_CHARS else text[: _REASON_CHARS - 1].rstrip() + "…"


def _is_of_site(url: str) -> bool:
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts.scheme == "https" and any(host == site or host.endswith(f".{site}") for site in _SITES)


async def _read(stream: asyncio.StreamReader, max_bytes: int) -> bytes:
    found = bytearray()
    while chunk := await stream.read(_CHUNK):
        found += chunk
        if len(found) > max_bytes:
            raise _Flood
    return bytes(found)


async def _read_end(stream: asyncio.StreamReader) -> bytes:
    found = b""
    while chunk := await stream.read(_CHUNK):
        found = (found + chunk)[-_SAID_BYTES:]
    return found


async def _end(process: asyncio.subprocess.Process, readers: Sequence[asyncio.Task[bytes]]) -> None:
    """End the process and all that it started, and wait for it.

    What it wrote meanwhile is read away: a pipe that nobody reads never tells of its end, and waiting for it would take for ever.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    await asyncio.wait(readers)
    with contextlib.suppress(TimeoutError):  # something that left the group may hold the pipes
        async with asyncio.timeout(_END_S):
            for stream in (process.stdout, process.stderr):
                while stream is not None and await stream.read(_CHUNK):
                    pass
            await process.wait()


def _without(need: Need, problem: str) -> Page:
    return Page(need.url, status=0, problem=problem)
