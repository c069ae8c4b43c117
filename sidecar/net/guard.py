"""Connections that are opened to judged addresses only.

Every host name is resolved once, every address it has is judged, and the connection is made to a judged address: a name
that changes its mind between check and use (rebinding) gains nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

import httpcore
import httpx

from sidecar.errors import BlockedAddress
from sidecar.net.addresses import is_public_address

Resolver = Callable[[str, int], Awaitable[list[str]]]
"""Gives the addresses of a host name."""


async def resolve_host(host: str, port: int) -> list[str]:
    """Ask the system for the addresses of a host."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class GuardedBackend(httpcore.AsyncNetworkBackend):
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
            raise _not_public(host)
        last: Exception | None = None
        for address in addresses:
            try:
                stream = await self._real.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
                continue
            if port not in self._ports and _leads_home(stream):
                await stream.aclose()
                raise _not_public(host)
            return stream
        assert last is not None
        raise last

    def _may_reach(self, address: str, port: int) -> bool:
        return is_public_address(address) or (port in self._ports and is_test_address(address))

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore's
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.ConnectError("unix sockets are never opened")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class GuardedTransport(httpx.AsyncBaseTransport):
    """httpx over a connection pool whose network is the guarded one."""

    def __init__(self, context: ssl.SSLContext, resolver: Resolver, loopback_ports: frozenset[int]) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context, max_connections=8, network_backend=GuardedBackend(resolver, loopback_ports)
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


def _leads_home(stream: httpcore.AsyncNetworkStream) -> bool:
    """Whether a connection ends on this very machine: it too has public addresses, and what listens there is not the internet."""
    own, other = stream.get_extra_info("client_addr"), stream.get_extra_info("server_addr")
    return bool(own and other and own[0] == other[0])


def _not_public(host: str) -> BlockedAddress:
    # Said in general words: the caller is not told where a name leads inside this network.
    return BlockedAddress(f"{host} is not a public address.", fix="Only pages on the public internet are fetched.", host=host)


def is_test_address(address: str) -> bool:
    """Whether an address may be reached on a port that tests let through: one of each family, and no other."""
    return address in ("127.0.0.1", "::1")
