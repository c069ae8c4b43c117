"""Asking an embedding endpoint: the configured host and no other, within limits of time and size."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import httpx

from sidecar.errors import ConfigError, EndpointError
from sidecar.llm.shapes import Matrix, Shape, address_of, read_answer, request_body

_TRIES = 4
_FIRST_PAUSE_S = 1.0
_MAX_PAUSE_S = 60.0
_BYTES_PER_TEXT = 200_000
"""Room for a vector of 8,192 numbers written out in full."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """Where to ask and how. ``key`` goes to that host only and is never shown."""

    endpoint: str
    shape: Shape
    model: str
    query_prefix: str = ""
    passage_prefix: str = ""
    timeout_s: float = 30.0
    key: str = field(default="", repr=False)


class EmbeddingEndpoint:
    """A source of vectors behind an address.

    Args:
        sleep: Waits between tries.
    Raises:
        ConfigError: The address is none, carries a user name, or would send the key unencrypted over a network.
    """

    crosses_languages = True
    default_weight = 1.0

    def __init__(self, settings: EndpointSettings, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._settings = settings
        self._sleep = sleep
        self._url = checked_address(address_of(settings.endpoint, settings.shape), has_key=bool(settings.key))
        if not settings.model:
            raise ConfigError("No embedding model is named.", fix="Set model under [search] in .kb/config.toml.", key="search.model")
        # Prefixes change vectors as a model does, and the same name may mean another model at another host.
        self.model = "|".join((self._url.host, settings.shape, settings.model, settings.query_prefix, settings.passage_prefix))

    async def embed(self, texts: list[str], *, is_query: bool, tries: int = _TRIES) -> Matrix:
        """Give a vector of length 1 for each text.

        What may pass (no answer, 429, 5xx) is tried again with growing pauses, or after as long as the endpoint asks for.

        Raises:
            EndpointError: It does not answer, refuses, or answers something else than vectors.
        """
        prefix = self._settings.query_prefix if is_query else self._settings.passage_prefix
        body = request_body(self._settings.shape, self._settings.model, [prefix + text for text in texts])
        pause_s = _FIRST_PAUSE_S
        for attempt in range(1, tries + 1):
            try:
                async with asyncio.timeout(self._settings.timeout_s):
                    return read_answer(self._settings.shape, await self._ask(body, len(texts)), len(texts))
            except (_PassingError, TimeoutError) as error:
                if attempt == tries:
                    raise _gave_up(error, self._url.host) from error
                asked_s = error.after_s if isinstance(error, _PassingError) else 0.0
                await self._sleep(min(max(pause_s, asked_s), _MAX_PAUSE_S))
                pause_s *= 2
        raise AssertionError("tries is at least 1")

    async def _ask(self, body: dict[str, object], count: int) -> bytes:
        headers = {"Authorization": f"Bearer {self._settings.key}"} if self._settings.key else {}
        try:
            # Neither proxies of the environment nor redirects: the texts go to the host that the owner named.
            async with (
                httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=self._settings.timeout_s) as client,
                client.stream("POST", self._url, json=body, headers=headers) as response,
            ):
                status = response.status_code
                if status == 429 or status >= 500:
                    raise _PassingError(f"answered {status}", _retry_after(response.headers.get("retry-after", "")))
                if status != 200:
                    fix = "Check the key: docs/search.md." if status in (401, 403) else "Check [search] endpoint, shape and model."
                    raise EndpointError(f"{self._url.host} answered {status}.", fix=fix, status=status)
                data = bytearray()
                async for chunk in response.aiter_bytes():
                    data += chunk
                    if len(data) > _BYTES_PER_TEXT * count + 10_000:
                        raise EndpointError(
                            f"{self._url.host} answers more than vectors need.", fix="Check [search] endpoint and model.", status=status
                        )
                return bytes(data)
        except httpx.HTTPError as error:
            raise _PassingError("does not answer", 0.0) from error


class _PassingError(Exception):
    def __init__(self, what: str, after_s: float) -> None:
        super().__init__(what)
        self.what = what
        self.after_s = after_s


def _gave_up(error: Exception, host: str) -> EndpointError:
    what = error.what if isinstance(error, _PassingError) else "did not answer in time"
    return EndpointError(f"{host} {what}.", fix="Check that it runs; vectors made until now are kept.", status=None)


def _retry_after(value: str) -> float:
    """Read a ``Retry-After`` in seconds; a date, or nonsense, counts as none."""
    try:
        seconds = float(value)
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < float("inf") else 0.0


def host_of(endpoint: str) -> str:
    """Give the host of a configured endpoint.

    Raises:
        ConfigError: It is no address.
    """
    return checked_address(endpoint, has_key=False).host


def checked_address(address: str, *, has_key: bool) -> httpx.URL:
    fix = "Write it like https://host/v1 or http://127.0.0.1:11434."
    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, ValueError, UnicodeError) as error:
        raise ConfigError("The embedding endpoint is no address.", fix=fix, key="search.endpoint") from error
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or any(char.isspace() for char in address):
        raise ConfigError("The embedding endpoint is no plain http(s) address.", fix=fix, key="search.endpoint")
    if has_key and url.scheme == "http" and not _is_this_machine(url.host):
        raise ConfigError("The key would travel unencrypted.", fix="Use https, or no key.", key="search.endpoint")
    return url


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
