"""Fetching a page from the public internet, and from nowhere else.

Every host name is resolved once, every address it has is judged, and the connection is made to a judged address: a name
that changes its mind between check and use (rebinding) gains nothing. Redirects are walked by hand through the same gate.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import httpcore
import httpx

from sidecar import __version__
from sidecar.errors import BlockedAddress, FetchError, FetchTimeout, InvalidUrl, TooLarge, TooManyRedirects, UnsupportedContent
from sidecar.net.addresses import is_public_address

Resolver = Callable[[str, int], Awaitable[list[str]]]
"""Gives the addresses of a host name."""

USER_AGENT = f"vault-sidecar/{__version__} (personal note keeping; fetches one page on its reader's request)"
_MAX_REDIRECTS = 5
_PORTS = frozenset({80, 443, 8080, 8443})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TEXT_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml", "text/markdown", "")
_RATIO_LIMIT = 100
_RATIO_FROM_BYTES = 1_000_000
_INFLATE_STEP = 65_536
_GZIP_BEGIN = b"\x1f"
_GZIP_OR_ZLIB = 47
"""zlib's name for: 32 KB window, and the header says which of the two it is."""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Bounds of one fetch. ``max_bytes`` counts decoded bytes, ``timeout_s`` the whole of it, redirects included."""

    max_bytes: int = 10_000_000
    timeout_s: float = 60.0
    connect_timeout_s: float = 5.0
    read_timeout_s: float = 10.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer. ``url`` is where it came from after redirects; ``charset`` is the one the header names, or empty."""

    url: str
    status: int
    content_type: str
    charset: str
    body: bytes


async def resolve_host(host: str, port: int) -> list[str]:
    """Ask the system for the addresses of a host."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Fetcher:
    """Fetches pages.

    Args:
        limits: Bounds that hold for every fetch.
        loopback_ports: Ports on this machine that may be reached all the same; for tests only.
        resolver: Replaced by tests.
    """

    def __init__(self, limits: FetchLimits, *, loopback_ports: Iterable[int] = (), resolver: Resolver = resolve_host) -> None:
        self._limits = limits
        self._ports = frozenset(loopback_ports)
        self._resolver = resolver
        self._host_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._context: ssl.SSLContext | None = None

    async def fetch(self, url: str) -> Fetched:
        """Fetch a page.

        Raises:
            InvalidUrl: It is no http(s) address, or carries a user name.
            BlockedAddress: It, or a redirect on the way, leads to an address that is not public.
            FetchError: No answer, too slow, too large, too many redirects, an error status, or no text.
        """
        if self._context is None:  # reads all certificates of the system, so not on the event loop and only once
            self._context = await asyncio.to_thread(ssl.create_default_context)
        transport = _GuardedTransport(self._context, self._resolver, self._ports)
        timeout = httpx.Timeout(self._limits.read_timeout_s, connect=self._limits.connect_timeout_s)
        headers = {
            "User-Agent": USER_AGENT,
            "Accept": "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.8",
            "Accept-Encoding": "gzip",
        }
        async with httpx.AsyncClient(transport=transport, timeout=timeout, headers=headers, trust_env=False) as client:
            try:
                async with asyncio.timeout(self._limits.timeout_s):
                    return await self._walk(client, url)
            except TimeoutError as error:
                raise FetchTimeout(
                    f"{_host(url)} did not finish within {self._limits.timeout_s:g} s.", fix="Try again later.", url=url
                ) from error

    async def _walk(self, client: httpx.AsyncClient, url: str) -> Fetched:
        for _ in range(_MAX_REDIRECTS + 1):
            target = self._checked(url)
            lock = self._host_locks.setdefault(target.host, asyncio.Lock())
            async with lock:  # one request at a time for each site
                answer = await self._get(client, target, url)
            if isinstance(answer, Fetched):
                return answer
            if target.scheme == "https" and answer.startswith("http://"):
                raise BlockedAddress(f"{target.host} redirects from https to http.", fix="Open it in a browser.", url=url)
            url = answer
        raise TooManyRedirects(f"{_host(url)} redirects more than {_MAX_REDIRECTS} times.", fix="Paste the final address.", url=url)

    def _checked(self, url: str) -> httpx.URL:
        try:
            parsed = httpx.URL(url)
            host = parsed.host
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise InvalidUrl(f"{url[:200]!r} is not an address.", fix="Give a whole address like https://example.com/page.") from error
        if parsed.scheme not in ("http", "https") or not host or any(char.isspace() or char == "\\" for char in url):
            raise InvalidUrl(f"{url[:200]!r} is not a web address.", fix="Give a whole address like https://example.com/page.")
        if parsed.userinfo:
            raise InvalidUrl("The address carries a user name or password.", fix="Remove what stands before the @.")
        port = parsed.port if parsed.port is not None else (443 if parsed.scheme == "https" else 80)
        if port not in _PORTS and port not in self._ports:
            raise BlockedAddress(f"Port {port} is not one that web pages use.", fix="Only 80, 443, 8080 and 8443 are fetched.", url=url)
        return parsed

    async def _get(self, client: httpx.AsyncClient, target: httpx.URL, shown: str) -> Fetched | str:
        """Ask for one address; give the answer, or the address it redirects to."""
        try:
            async with client.stream("GET", target, follow_redirects=False) as response:
                if response.status_code in _REDIRECTS and "location" in response.headers:
                    return str(target.join(response.headers["location"]))
                if not 200 <= response.status_code < 300:
                    raise FetchError(
                        f"{target.host} answered {response.status_code} for this page.",
                        fix=_status_advice(response.status_code),
                        status=response.status_code,
                        url=shown,
                    )
                content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                if content_type not in _TEXT_TYPES:
                    raise UnsupportedContent(
                        f"{target.host} sent {content_type[:80]}, which is no web page.",
                        fix="Save the file into the vault yourself.",
                        url=shown,
                    )
                body = await self._read(response, shown)
                return Fetched(str(target), response.status_code, content_type, response.charset_encoding or "", body)
        except httpx.TimeoutException as error:
            raise FetchTimeout(f"{target.host} did not answer in time.", fix="Try again later.", url=shown) from error
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:  # from a Location header, which httpx reads in any case
            raise FetchError(
                f"{target.host} redirects to something that is no address.", fix="Paste the final address.", url=shown
            ) from error
        except zlib.error as error:
            raise FetchError(f"{target.host} sent a page that is packed wrongly.", fix="Try again later.", url=shown) from error
        except httpx.HTTPError as error:
            raise FetchError(f"{target.host} could not be reached.", fix="Check the address and your connection.", url=shown) from error

    async def _read(self, response: httpx.Response, url: str) -> bytes:
        """Read and decompress the body, never more than a step beyond the limit at a time: httpx would inflate a whole chunk."""
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("identity", "", "gzip", "x-gzip", "deflate"):
            raise UnsupportedContent(f"The page is packed as {encoding[:40]}.", fix="Save the page by hand.", url=url)
        inflate = None if encoding in ("identity", "") else zlib.decompressobj(_GZIP_OR_ZLIB)
        body = bytearray()
        wire = 0
        async for chunk in response.aiter_raw():
            wire += len(chunk)
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
                if len(body) > self._limits.max_bytes or (len(body) > _RATIO_FROM_BYTES and len(body) > _RATIO_LIMIT * wire):
                    raise TooLarge(
                        f"The page is larger than {self._limits.max_bytes / 1e6:g} MB, or unpacks to far more than was sent.",
                        fix="Save the part you need by hand.",
                        url=url,
                    )
        if inflate is not None:
            body += inflate.flush()
            if wire and not inflate.eof:
                raise FetchError("The page broke off before its end.", fix="Try again later.", url=url)
        return bytes(body)


class _GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections to judged addresses only."""

    def __init__(self, resolver: Resolver, loopback_ports: frozenset[int]) -> None:
        self._resolver = resolver
        self._ports = loopback_ports
        self._real = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await asyncio.wait_for(self._resolver(host, port), timeout)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout("name lookup took too long") from error
        except (OSError, UnicodeError) as error:  # UnicodeError: a label that is empty or too long for a name
            raise httpcore.ConnectError("name not found") from error
        if not addresses or not all(self._may_reach(address, port) for address in addresses):
            # Said in general words: the caller is not told where a name leads inside this network.
            raise BlockedAddress(f"{host} is not a public address.", fix="Only pages on the public internet are fetched.", host=host)
        last: Exception | None = None
        for address in addresses:
            try:
                return await self._real.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
        assert last is not None
        raise last

    def _may_reach(self, address: str, port: int) -> bool:
        return is_public_address(address) or (port in self._ports and address in ("127.0.0.1", "::1"))

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore's
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.ConnectError("unix sockets are never opened")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _GuardedTransport(httpx.AsyncBaseTransport):
    """httpx over a connection pool whose network is the guarded one."""

    def __init__(self, context: ssl.SSLContext, resolver: Resolver, loopback_ports: frozenset[int]) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context, max_connections=8, network_backend=_GuardedBackend(resolver, loopback_ports)
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.AsyncByteStream)
        core = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _as_httpx_errors():
            response = await self._pool.handle_async_request(core)
        assert hasattr(response.stream, "__aiter__")
        return httpx.Response(
            status_code=response.status, headers=response.headers, stream=_Stream(response.stream), extensions=response.extensions
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Stream(httpx.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx_errors():
            async for part in self._stream:
                yield part

    async def aclose(self) -> None:
        if hasattr(self._stream, "aclose"):
            await self._stream.aclose()


@contextlib.contextmanager
def _as_httpx_errors() -> Any:
    try:
        yield
    except httpcore.TimeoutException as error:
        raise httpx.ReadTimeout(str(error)) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, ssl.SSLError) as error:
        raise httpx.TransportError(str(error)) from error


def _host(url: str) -> str:
    try:
        return httpx.URL(url).host or url[:80]
    except (httpx.InvalidURL, ValueError):
        return url[:80]


def _status_advice(status: int) -> str:
    if status in (404, 410):
        return "The page is gone; check the address."
    if status in (401, 402, 403):
        return "It wants a login; open it in a browser and paste the text."
    if status < 400:
        return "Paste the address of the page itself."
    if status == 429 or status >= 500:
        return "Try again later."
    return "Open it in a browser to see why."
