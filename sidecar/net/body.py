"""Reading an answer's body within bounds: size, speed, and how much it may unpack to."""

from __future__ import annotations

import asyncio
import zlib

import httpx

from sidecar.errors import FetchError, FetchTimeout, TooLarge, UnsupportedContent
from sidecar.net.limits import FetchLimits

_RATIO_LIMIT = 100
_RATIO_FROM_BYTES = 1_000_000
_INFLATE_STEP = 65_536
_GZIP_BEGIN = b"\x1f"
_GZIP_OR_ZLIB = 47
"""zlib's name for: 32 KB window, and the header says which of the two it is."""


async def read_body(response: httpx.Response, url: str, limits: FetchLimits) -> bytes:
    """Read and decompress a body, never more than a step beyond the limit at a time: httpx would inflate a whole chunk.

    Raises:
        TooLarge: More bytes than allowed, or far more than were sent.
        FetchTimeout: It comes so slowly that it is held back on purpose.
        UnsupportedContent, FetchError: It is packed in a way not asked for, or breaks off.
    """
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "", "gzip", "x-gzip", "deflate"):
        raise UnsupportedContent(f"The page is packed as {encoding[:40]}.", fix="Save the page by hand.", url=url)
    inflate = None if encoding in ("identity", "") else zlib.decompressobj(_GZIP_OR_ZLIB)
    body = bytearray()
    wire = 0
    begin = asyncio.get_running_loop().time()
    async for chunk in response.aiter_raw():
        wire += len(chunk)
        _check_speed(wire, asyncio.get_running_loop().time() - begin, url, limits)
        pending = chunk
        while pending:
            if inflate is None:
                part, pending = pending, b""
            else:
                if inflate.eof:  # gzip may come in several members; anything else behind the first is padding
                    if pending[:1] != _GZIP_BEGIN:
                        break
                    inflate = zlib.decompressobj(_GZIP_OR_ZLIB)
                part = inflate.decompress(pending, _INFLATE_STEP)
                pending = inflate.unconsumed_tail or inflate.unused_data
            body += part
            if len(body) > limits.max_bytes or (len(body) > _RATIO_FROM_BYTES and len(body) > _RATIO_LIMIT * wire):
                raise TooLarge(
                    f"The page is larger than {limits.max_bytes / 1e6:g} MB, or unpacks to far more than was sent.",
                    fix="Save the part you need by hand.",
                    url=url,
                )
    if inflate is not None:
        body += inflate.flush()
        if wire and not inflate.eof:
            raise FetchError("The page broke off before its end.", fix="Try again later.", url=url)
    return bytes(body)


def _check_speed(wire: int, elapsed_s: float, url: str, limits: FetchLimits) -> None:
    if elapsed_s > limits.slow_after_s and wire < limits.min_bytes_per_s * elapsed_s:
        raise FetchTimeout("The page comes too slowly to be waited for.", fix="Try again later.", url=url)
