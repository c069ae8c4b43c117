"""How the fetcher behaves towards sites: rest when asked for, robots.txt, what is known already, cookies, TLS."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.errors import BlockedAddress, FetchError, FetchTimeout, RobotsRefused, SiteResting
from sidecar.net import Ask, Fetcher, FetchLimits
from sidecar.net.pacing import Pause, after_answer, parse_retry_after
from tests.conftest import FIXTURES

SMALL = FetchLimits(max_bytes=200_000, timeout_s=5.0, connect_timeout_s=1.0, read_timeout_s=0.5)
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
ALONE = Ask(unattended=True)


class Shelf:
    """A server that answers from a table of path → (status, headers, body), and keeps what it was asked."""

    def __init__(self) -> None:
        self.port = 0
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.heads: list[str] = []

    def put(self, path: str, body: bytes = b"<p>text</p>", status: int = 200, **headers: str) -> str:
        self.pages[path] = (status, {name.replace("_", "-"): value for name, value in headers.items()}, body)
        return f"http://site.test:{self.port}{path}"

    @property
    def asked(self) -> list[str]:
        return [head.split(" ")[1] for head in self.heads]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.heads.append(head)
        status, headers, body = self.pages.get(head.split(" ")[1], (404, {}, b""))
        lines = {"Content-Type": "text/html", "Content-Length": str(len(body)), "Connection": "close"} | headers
        text = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"HTTP/1.1 {status} X\r\n{text}\r\n".encode("latin-1") + body)
        await writer.drain()
        writer.close()


@pytest.fixture
async def shelf() -> AsyncIterator[Shelf]:
    found = Shelf()
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    yield found
    server.close()


class Timer:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


async def home(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


def fetcher_of(shelf: Shelf, timer: Timer | None = None, cookies: dict[str, str] | None = None) -> Fetcher:
    given = cookies or {}
    return Fetcher(
        SMALL,
        loopback_ports=[shelf.port],
        resolver=home,
        monotonic=timer,
        clock=lambda: NOW,
        cookie_of=lambda host: given.get(host, ""),
    )


# ── rest ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_site_that_asks_for_rest_is_left_alone_that_long_by_everybody(shelf: Shelf) -> None:
    timer = Timer()
    fetcher = fetcher_of(shelf, timer)
    url = shelf.put("/a", status=429, Retry_After="120")
    with pytest.raises(FetchError) as first:
        await fetcher.fetch(url)
    assert (429, 120) == (first.value.params["status"], first.value.params["retry_after_s"])
    shelf.put("/a")
    with pytest.raises(SiteResting) as second:
        await fetcher.fetch(url)
    assert 120 == second.value.params["retry_after_s"]
    assert 1 == len(shelf.heads)
    timer.now_s += 121
    assert b"<p>text</p>" == (await fetcher.fetch(url)).body


async def test_rest_may_be_asked_for_until_a_date(shelf: Shelf) -> None:
    url = shelf.put("/a", status=503, Retry_After=format_datetime(NOW + timedelta(minutes=10), usegmt=True))
    with pytest.raises(FetchError) as caught:
        await fetcher_of(shelf, Timer()).fetch(url)
    assert 600 == caught.value.params["retry_after_s"]


async def test_a_site_that_fails_is_asked_ever_less_often_unattended_but_at_once_for_a_person(shelf: Shelf) -> None:
    timer = Timer()
    fetcher = fetcher_of(shelf, timer)
    shelf.put("/robots.txt", status=404)
    url = shelf.put("/feed", status=500)
    waits: list[float] = []
    for _ in range(3):
        with pytest.raises(FetchError):
            await fetcher.fetch(url, ALONE)
        with pytest.raises(SiteResting) as caught:
            await fetcher.fetch(url, ALONE)
        waits.append(float(caught.value.params["retry_after_s"] or 0))
        timer.now_s += waits[-1] + 1
    assert [30.0, 60.0, 120.0] == waits
    with pytest.raises(FetchError):
        await fetcher.fetch(url, ALONE)
    shelf.put("/feed")
    assert 200 == (await fetcher.fetch(url)).status
    assert 200 == (await fetcher.fetch(url, ALONE)).status, "one good answer ends the pause"


@given(statuses=st.lists(st.sampled_from([0, 429, 500, 503]), min_size=1, max_size=40), wish=st.none() | st.floats(0, 1e9))
def test_pauses_grow_and_never_beyond_a_day(statuses: list[int], wish: float | None) -> None:
    pause = Pause()
    last = 0.0
    for status in statuses:
        pause = after_answer(pause, status, wish, 0.0)
        assert last <= pause.left_s(0.0, unattended=True) <= 24 * 3600
        last = pause.left_s(0.0, unattended=True)
    assert Pause() == after_answer(pause, 200, None, 0.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7", 7.0), (" 7 ", 7.0), ("-1", None), ("soon", None), ("", None), ("٣", None), ("Mon, 30 Nov 2026 09:01:00 GMT", 60.0),
     ("Mon, 30 Nov 2026 08:00:00 GMT", 0.0), ("Mon, 99 Nov 2026 08:00:00 GMT", None), ("9" * 400, 999999999.0)],
)  # fmt: skip
def test_a_wish_for_rest_is_read_as_seconds_or_as_a_date(text: str, expected: float | None) -> None:
    assert expected == parse_retry_after(text, NOW)


# ── robots.txt ────────────────────────────────────────────────────────────────────────────────


async def test_robots_txt_holds_for_unattended_fetches_and_not_for_a_pasted_link(shelf: Shelf) -> None:
    fetcher = fetcher_of(shelf)
    shelf.put("/robots.txt", b"User-agent: *\nDisallow: /private\n", Content_Type="text/plain")
    secret, free = shelf.put("/private/a"), shelf.put("/public/a")
    with pytest.raises(RobotsRefused):
        await fetcher.fetch(secret, ALONE)
    assert "/private/a" not in shelf.asked
    assert 200 == (await fetcher.fetch(free, ALONE)).status
    assert 200 == (await fetcher.fetch(secret)).status
    assert 1 == shelf.asked.count("/robots.txt")


async def test_rules_for_us_by_name_win_over_those_for_all(shelf: Shelf) -> None:
    shelf.put("/robots.txt", b"User-agent: *\nDisallow:\n\nUser-agent: vault-sidecar\nDisallow: /\n")
    with pytest.raises(RobotsRefused):
        await fetcher_of(shelf).fetch(shelf.put("/a"), ALONE)


@pytest.mark.parametrize(("status", "allowed"), [(404, True), (403, True), (500, False), (503, False)])
async def test_no_robots_txt_allows_all_and_a_broken_one_means_wait(shelf: Shelf, status: int, allowed: bool) -> None:
    shelf.put("/robots.txt", status=status)
    url = shelf.put("/a")
    if allowed:
        assert 200 == (await fetcher_of(shelf).fetch(url, ALONE)).status
    else:
        with pytest.raises(SiteResting):
            await fetcher_of(shelf).fetch(url, ALONE)
        assert "/a" not in shelf.asked


async def test_a_redirect_of_robots_txt_goes_through_the_same_gate(shelf: Shelf) -> None:
    shelf.put("/robots.txt", status=302, Location="http://10.0.0.1/robots.txt")

    async def names(host: str, port: int) -> list[str]:
        return ["127.0.0.1"] if host == "site.test" else [host]

    fetcher = Fetcher(SMALL, loopback_ports=[shelf.port], resolver=names)
    with pytest.raises((BlockedAddress, SiteResting)):
        await fetcher.fetch(shelf.put("/a"), ALONE)
    assert ["/robots.txt"] == shelf.asked


async def test_the_pause_that_robots_txt_asks_for_is_kept(shelf: Shelf) -> None:
    fetcher = fetcher_of(shelf)
    shelf.put("/robots.txt", b"User-agent: *\nCrawl-delay: 0.3\n")
    url = shelf.put("/a")
    await fetcher.fetch(url, ALONE)
    begin = asyncio.get_running_loop().time()
    await fetcher.fetch(url, ALONE)
    assert asyncio.get_running_loop().time() - begin >= 0.25


# ── what is known already ─────────────────────────────────────────────────────────────────────


async def test_what_is_unchanged_is_not_sent_again(shelf: Shelf) -> None:
    fetcher = fetcher_of(shelf)
    url = shelf.put("/feed", ETag='"v1"', Last_Modified="Mon, 30 Nov 2026 08:00:00 GMT")
    first = await fetcher.fetch(url)
    assert ('"v1"', "Mon, 30 Nov 2026 08:00:00 GMT", False) == (first.etag, first.last_modified, first.is_unchanged)
    shelf.put("/feed", b"", status=304)
    second = await fetcher.fetch(url, Ask(etag=first.etag, last_modified=first.last_modified))
    assert second.is_unchanged
    assert 'If-None-Match: "v1"' in shelf.heads[-1]
    assert "If-Modified-Since: Mon, 30 Nov 2026 08:00:00 GMT" in shelf.heads[-1]


async def test_an_unchanged_that_nobody_asked_about_is_an_error(shelf: Shelf) -> None:
    with pytest.raises(FetchError):
        await fetcher_of(shelf).fetch(shelf.put("/feed", b"", status=304))


async def test_a_remembered_tag_cannot_smuggle_in_a_header(shelf: Shelf) -> None:
    url = shelf.put("/feed")
    await fetcher_of(shelf).fetch(url, Ask(etag='"a"\r\nX-Evil: 1'))
    assert "X-Evil" not in shelf.heads[-1]


@pytest.mark.parametrize(("status", "moved"), [(301, True), (308, True), (302, False), (307, False)])
async def test_an_address_that_moved_for_good_is_told(shelf: Shelf, status: int, moved: bool) -> None:
    new = shelf.put("/new")
    found = await fetcher_of(shelf).fetch(shelf.put("/old", status=status, Location="/new"))
    assert (new if moved else "") == found.moved_to


# ── cookies ───────────────────────────────────────────────────────────────────────────────────


async def test_the_owners_cookie_goes_to_its_site_and_not_along_a_redirect(shelf: Shelf) -> None:
    shelf.put("/there")
    url = shelf.put("/a", status=302, Location=f"http://other.test:{shelf.port}/there")
    await fetcher_of(shelf, cookies={"site.test": "SESSDATA=secret"}).fetch(url)
    assert "Cookie: SESSDATA=secret" in shelf.heads[0]
    assert "SESSDATA" not in shelf.heads[1]


async def test_no_cookie_where_none_is_wanted(shelf: Shelf) -> None:
    await fetcher_of(shelf, cookies={"site.test": "a=b"}).fetch(shelf.put("/a"), Ask(with_cookie=False))
    assert "Cookie" not in shelf.heads[0]


# ── kinds, speed, TLS ─────────────────────────────────────────────────────────────────────────


async def test_an_image_is_taken_where_images_are_asked_for(shelf: Shelf) -> None:
    url = shelf.put("/a.png", b"\x89PNG", Content_Type="image/png")
    with pytest.raises(FetchError):
        await fetcher_of(shelf).fetch(url)
    assert b"\x89PNG" == (await fetcher_of(shelf).fetch(url, Ask(accept=("image/",)))).body


async def test_a_server_that_holds_back_on_purpose_is_not_waited_for() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        try:
            while True:
                writer.write(b"x" * 10)
                await writer.drain()
                await asyncio.sleep(0.05)
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    limits = FetchLimits(timeout_s=30, read_timeout_s=5, slow_after_s=0.3)
    begin = asyncio.get_running_loop().time()
    with pytest.raises(FetchTimeout, match="slowly"):
        await Fetcher(limits, loopback_ports=[port], resolver=home).fetch(f"http://site.test:{port}/")
    assert asyncio.get_running_loop().time() - begin < 10
    server.close()


async def test_this_machine_is_not_reached_by_a_public_address_of_its_own(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback stands in for a public address of this machine: it is judged public here, and yet refused once connected."""
    monkeypatch.setattr("sidecar.net.guard.is_public_address", lambda text: True)
    monkeypatch.setattr("sidecar.net.fetch._PORTS", {shelf.port})
    with pytest.raises(BlockedAddress):
        await Fetcher(SMALL, resolver=home).fetch(shelf.put("/a"))
    assert [] == shelf.heads


async def test_a_redirect_from_https_to_http_is_refused_and_the_certificate_is_checked(shelf: Shelf) -> None:
    tls = FIXTURES / "tls"
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(tls / "site.test.pem", tls / "site.test.key")
    server = await asyncio.start_server(shelf.serve, "127.0.0.1", 0, ssl=served)
    port = server.sockets[0].getsockname()[1]
    trusted = ssl.create_default_context(cafile=str(tls / "site.test.pem"))
    fetcher = Fetcher(SMALL, loopback_ports=[port, shelf.port], resolver=home, context=trusted)
    shelf.put("/plain")
    shelf.put("/down", status=302, Location=f"http://site.test:{shelf.port}/plain")
    shelf.put("/fine")
    assert 200 == (await fetcher.fetch(f"https://site.test:{port}/fine")).status
    with pytest.raises(BlockedAddress, match="from https to http"):
        await fetcher.fetch(f"https://site.test:{port}/down")
    assert ["/fine", "/down"] == shelf.asked
    with pytest.raises(FetchError):  # the name is not one of the certificate's
        await fetcher.fetch(f"https://wrong.test:{port}/fine")
    with pytest.raises(FetchError):  # the system does not know who signed it
        await Fetcher(SMALL, loopback_ports=[port], resolver=home).fetch(f"https://site.test:{port}/fine")
    server.close()
