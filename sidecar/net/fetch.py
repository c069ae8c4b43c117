"""Fetching from the public internet, and from nowhere else.

Redirects are walked by hand, each step through the same gate as the first; see :mod:`sidecar.net.guard` for the gate.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from weakref import WeakValueDictionary

import httpx

from sidecar import __version__
from sidecar.clock import Clock, system_clock
from sidecar.errors import (
    BlockedAddress,
    FetchError,
    FetchTimeout,
    InvalidUrl,
    RobotsRefused,
    SiteResting,
    TooManyRedirects,
    UnsupportedContent,
)
from sidecar.net.body import read_body
from sidecar.net.guard import GuardedTransport, Resolver, resolve_host
from sidecar.net.limits import Ask, Fetched, FetchLimits
from sidecar.net.pacing import Pause, after_answer, parse_retry_after
from sidecar.net.robots import MAX_BYTES as MAX_ROBOTS_BYTES
from sidecar.net.robots import Robots, parse_robots

CookieOf = Callable[[str], str]
"""Gives the ``Cookie`` header that the owner set for a host, or empty."""

USER_AGENT = f"vault-sidecar/{__version__} (personal note keeping; fetches what its reader asked for or subscribed to)"
_MAX_REDIRECTS = 5
_PORTS = frozenset({80, 443, 8080, 8443})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FOR_GOOD = frozenset({301, 308})
_SHORT_WAIT_S = 5.0
"""A wish for rest that short is simply waited for."""
_DEFAULT_ASK = Ask()


class Fetcher:
    """Fetches pages, feeds, images.

    Args:
        limits: Bounds that hold for every fetch.
        loopback_ports: Ports on this machine that may be reached all the same; for tests only.
        resolver: Replaced by tests.
        cookie_of: The owner's cookies; sent over https only, each to its own site only.
        monotonic: A clock that never jumps, in seconds.
        clock: For a wish for rest that names a date.
        context: Which certificates to trust; those of the system if not given.
    """

    def __init__(
        self,
        limits: FetchLimits,
        *,
        loopback_ports: Iterable[int] = (),
        resolver: Resolver = resolve_host,
        cookie_of: CookieOf = lambda host: "",
        monotonic: Callable[[], float] | None = None,
        clock: Clock = system_clock,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._limits = limits
        self._ports = frozenset(loopback_ports)
        self._resolver = resolver
        self._cookie_of = cookie_of
        self._monotonic = monotonic or (lambda: asyncio.get_running_loop().time())
        self._host_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._pauses: dict[str, Pause] = {}
        self._robots: dict[str, Robots] = {}
        self._last_asked: dict[str, float] = {}
        self._context = context
        self._clock = clock

    async def fetch(self, url: str, ask: Ask = _DEFAULT_ASK) -> Fetched:
        """Fetch what is at an address.

        Raises:
            InvalidUrl: It is no http(s) address, or carries a user name.
            BlockedAddress: It, or a redirect on the way, leads to an address that is not public.
            SiteResting: The site asked to be left alone for a while; ``retry_after_s`` says how long.
            RobotsRefused: An unattended fetch that the site does not want.
            FetchError: No answer, too slow, too large, too many redirects, an error status, or not what was asked for.
        """
        if self._context is None:  # reads all certificates of the system, so not on the event loop and only once
            self._context = await asyncio.to_thread(ssl.create_default_context)
        transport = GuardedTransport(self._context, self._resolver, self._ports)
        timeout = httpx.Timeout(self._limits.read_timeout_s, connect=self._limits.connect_timeout_s)
        headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip"}
        async with httpx.AsyncClient(transport=transport, timeout=timeout, headers=headers, trust_env=False) as client:
            try:
                async with asyncio.timeout(self._limits.timeout_s):
                    return await self._walk(client, url, ask)
            except TimeoutError as error:
                raise FetchTimeout(
                    f"{_host(url)} did not finish within {self._limits.timeout_s:g} s.", fix="Try again later.", url=url
                ) from error

    async def _walk(self, client: httpx.AsyncClient, url: str, ask: Ask) -> Fetched:
        is_for_good = True
        begin = url
        for hop in range(_MAX_REDIRECTS + 1):
            target = self._checked(url)
            lock = self._host_locks.setdefault(_site(target), asyncio.Lock())
            async with lock:  # one request at a time for each site
                if ask.unattended:
                    await self._heed_robots(client, target, url)
                await self._heed_pause(target, url, unattended=ask.unattended)
                answer = await self._get(client, target, url, ask)
            if isinstance(answer, Fetched):
                return replace(answer, moved_to=answer.url if hop and is_for_good and url != begin else "")
            location, status = answer
            if not ask.follow:
                return Fetched(location, status, "", "", b"")
            if target.scheme == "https" and location.startswith("http://"):
                raise BlockedAddress(f"{target.host} redirects from https to http.", fix="Open it in a browser.", url=url)
            is_for_good = is_for_good and status in _FOR_GOOD
            url = location
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

    async def _heed_pause(self, target: httpx.URL, url: str, *, unattended: bool) -> None:
        """Wait out a short pause of the site; refuse during a long one."""
        site = _site(target)
        left_s = self._pauses.get(site, Pause()).left_s(self._monotonic(), unattended=unattended)
        if left_s > _SHORT_WAIT_S:
            raise SiteResting(
                f"{target.host} asked to be left alone for {left_s:.0f} s.", fix="Try again later.", url=url, retry_after_s=round(left_s)
            )
        await asyncio.sleep(left_s)

    async def _heed_robots(self, client: httpx.AsyncClient, target: httpx.URL, url: str) -> None:
        site = _site(target)
        known = self._robots.get(site)
        if known is None or known.kept_until < self._monotonic():
            known = self._robots[site] = await self._ask_robots(client, target)
        if known.is_down:
            raise SiteResting(f"{target.host} does not answer for its robots.txt.", fix="It is tried again later.", url=url)
        if not known.allows(str(target)):
            raise RobotsRefused(f"{target.host} does not want this page fetched by programs.", fix="Paste its link yourself.", url=url)
        since_s = self._monotonic() - self._last_asked.get(site, float("-inf"))
        await asyncio.sleep(max(known.delay_s - since_s, 0))

    async def _ask_robots(self, client: httpx.AsyncClient, target: httpx.URL) -> Robots:
        ask = Ask(accept=("",), with_cookie=False)
        address = target.copy_with(raw_path=b"/robots.txt", fragment=None)
        try:
            for _ in range(_MAX_REDIRECTS + 1):
                self._checked(str(address))
                async with client.stream("GET", address, headers=await self._headers(address, ask), follow_redirects=False) as response:
                    if response.status_code in _REDIRECTS and "location" in response.headers:
                        address = address.join(response.headers["location"])
                        continue
                    body = await read_body(response, str(address), replace(self._limits, max_bytes=2 * MAX_ROBOTS_BYTES))
                    return parse_robots(response.status_code, body, self._monotonic())
        except (httpx.HTTPError, httpx.InvalidURL, FetchError, InvalidUrl, UnicodeError, ValueError, zlib.error):
            return parse_robots(0, b"", self._monotonic())
        return parse_robots(404, b"", self._monotonic())  # a circle of redirects is no robots.txt

    async def _headers(self, target: httpx.URL, ask: Ask) -> dict[str, str]:
        headers = {"Accept": ", ".join(f"{kind}*" if kind.endswith("/") else kind for kind in ask.accept if kind) or "*/*"}
        if ask.etag:
            headers["If-None-Match"] = ask.etag
        if ask.last_modified:
            headers["If-Modified-Since"] = ask.last_modified
        if ask.referer:
            headers["Referer"] = ask.referer
        is_safe = target.scheme == "https" or (target.port or 80) in self._ports
        cookie = await asyncio.to_thread(self._cookie_of, target.host) if ask.with_cookie and is_safe else ""
        if cookie:
            headers["Cookie"] = cookie
        return {name: value for name, value in headers.items() if "\r" not in value and "\n" not in value}

    def _learn(self, target: httpx.URL, status: int, retry_after: str = "") -> float | None:
        """Remember how a site answered; give how long it wants to be left alone, if it says so."""
        site, now = _site(target), self._monotonic()
        wish_s = parse_retry_after(retry_after, self._clock()) if retry_after else None
        pause = after_answer(self._pauses.get(site, Pause()), status, wish_s, now)
        if pause.failures:
            self._pauses[site] = pause
        else:
            self._pauses.pop(site, None)
        self._last_asked[site] = now
        return wish_s

    async def _get(self, client: httpx.AsyncClient, target: httpx.URL, shown: str, ask: Ask) -> Fetched | tuple[str, int]:
        """Ask for one address; give the answer, or the address it redirects to and how."""
        try:
            async with client.stream("GET", target, headers=await self._headers(target, ask), follow_redirects=False) as response:
                status = response.status_code
                wish_s = self._learn(target, status, response.headers.get("retry-after", ""))
                if status in _REDIRECTS and "location" in response.headers:
                    return str(target.join(response.headers["location"])), status
                is_unchanged = status == 304 and bool(ask.etag or ask.last_modified)
                if not 200 <= status < 300 and not is_unchanged:
                    raise FetchError(
                        f"{target.host} answered {status} for this page.",
                        fix=_status_advice(status),
                        status=status,
                        url=shown,
                        retry_after_s=round(wish_s) if wish_s is not None else None,
                    )
                content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                if not is_unchanged and not ask.takes(content_type):
                    raise UnsupportedContent(
                        f"{target.host} sent {content_type[:80] or 'something unnamed'}, which is not what was asked for.",
                        fix="Save the file into the vault yourself.",
                        url=shown,
                    )
                body = b"" if is_unchanged else await read_body(response, shown, self._limits)
                return Fetched(
                    str(target),
                    status,
                    content_type,
                    response.charset_encoding or "",
                    body,
                    response.headers.get("etag", ""),
                    response.headers.get("last-modified", ""),
                )
        except httpx.TimeoutException as error:
            self._learn(target, 0)
            raise FetchTimeout(f"{target.host} did not answer in time.", fix="Try again later.", url=shown) from error
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:  # from a Location header, which httpx reads in any case
            raise FetchError(
                f"{target.host} redirects to something that is no address.", fix="Paste the final address.", url=shown
            ) from error
        except zlib.error as error:
            raise FetchError(f"{target.host} sent a page that is packed wrongly.", fix="Try again later.", url=shown) from error
        except httpx.HTTPError as error:
            self._learn(target, 0)
            raise FetchError(f"{target.host} could not be reached.", fix="Check the address and your connection.", url=shown) from error


def _site(target: httpx.URL) -> str:
    """Give what shares one queue: a host at one port."""
    return f"{target.scheme}://{target.host}:{target.port or ''}"


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
