"""The one door to the network, against real servers on loopback that misbehave in every way we know."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from sidecar.errors import (
    BlockedAddress,
    FetchError,
    FetchTimeout,
    IngestError,
    InvalidUrl,
    TooLarge,
    TooManyRedirects,
    UnsupportedContent,
)
from sidecar.net import Fetcher, FetchLimits

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]
SMALL = FetchLimits(max_bytes=200_000, timeout_s=5.0, connect_timeout_s=1.0, read_timeout_s=0.4)


class Site:
    """A server on loopback that answers each path with bytes as given, whatever they are."""

    def __init__(self) -> None:
        self.port = 0
        self.pages: dict[str, bytes | Answer] = {}
        self.requests: list[str] = []
        self.heads: list[str] = []

    def page(self, path: str, body: bytes = b"<p>text</p>", *, status: str = "200 OK", **headers: str) -> str:
        lines = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
        lines |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
        self.pages[path] = f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body
        return f"http://site.test:{self.port}{path}"

    def redirect(self, path: str, to: str, status: str = "302 Found") -> str:
        return self.page(path, b"", status=status, Location=to)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ")[1]
            self.requests.append(path)
            self.heads.append(head)
            answer = self.pages.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


class Names:
    """A resolver from a table; a name with several lists gives them one after the other, as a rebinding name server does."""

    def __init__(self, **names: list[list[str]]) -> None:
        self.names = names
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        if host.partition(".")[0] not in self.names:
            raise OSError("no such name")
        answers = self.names[host.partition(".")[0]]
        return answers.pop(0) if len(answers) > 1 else answers[0]


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    found = Site()
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    yield found
    server.close()


def fetcher_of(site: Site, limits: FetchLimits = SMALL, names: Names | None = None) -> Fetcher:
    return Fetcher(limits, loopback_ports=[site.port], resolver=names or Names(site=[["127.0.0.1"]]))


async def test_a_page_comes_with_type_charset_and_bytes(site: Site) -> None:
    url = site.page("/a", "é".encode("latin-1"), Content_Type="text/html; charset=ISO-8859-1")
    found = await fetcher_of(site).fetch(url)
    assert (url, 200, "text/html", "iso-8859-1", b"\xe9") == (
        found.url,
        found.status,
        found.content_type,
        found.charset.lower(),
        found.body,
    )


async def test_the_request_says_who_asks_and_for_which_name(site: Site) -> None:
    await fetcher_of(site).fetch(site.page("/a"))
    assert f"host: site.test:{site.port}" in site.heads[0].lower()
    assert "user-agent: vault-sidecar/" in site.heads[0].lower()
    assert "accept-encoding: gzip\r\n" in site.heads[0].lower()


# ── addresses ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "address", ["10.0.0.7", "169.254.169.254", "::1", "::ffff:7f00:1", "64:ff9b::7f00:1", "fe80::1%eth0", "192.168.1.1"]
)
async def test_a_name_that_leads_to_a_private_address_is_refused_without_telling_it(site: Site, address: str) -> None:
    with pytest.raises(BlockedAddress) as caught:
        await fetcher_of(site, names=Names(inside=[[address]])).fetch("http://inside.test/")
    assert address not in f"{caught.value.message} {caught.value.fix} {caught.value.params}"


async def test_one_private_address_among_public_ones_refuses_the_name(site: Site) -> None:
    names = Names(both=[["93.184.216.34", "10.0.0.7"]])
    with pytest.raises(BlockedAddress):
        await fetcher_of(site, names=names).fetch("http://both.test/")
    assert ["both.test"] == names.asked


async def test_a_name_that_changes_its_mind_never_leads_to_the_second_address(site: Site) -> None:
    """Rebinding: the name is asked for once for each connection, and that answer is both judged and dialled."""
    names = Names(rebind=[["127.0.0.1"], ["127.0.0.2"]])
    url = site.page("/a").replace("site.test", "rebind.test")
    fetcher = fetcher_of(site, names=names)
    assert b"<p>text</p>" == (await fetcher.fetch(url)).body
    assert ["rebind.test"] == names.asked
    with pytest.raises(BlockedAddress):
        await fetcher.fetch(url)
    assert ["/a"] == site.requests


async def test_loopback_is_reached_only_on_the_ports_that_tests_name(site: Site) -> None:
    url = site.page("/a")
    with pytest.raises(BlockedAddress):
        await Fetcher(SMALL, loopback_ports=[], resolver=Names(site=[["127.0.0.1"]])).fetch(url)
    with pytest.raises(BlockedAddress):
        await Fetcher(SMALL, loopback_ports=[site.port], resolver=Names(site=[["127.0.0.1"]])).fetch("http://site.test/")
    with pytest.raises(BlockedAddress):
        await Fetcher(SMALL, loopback_ports=[site.port], resolver=Names(site=[["127.0.0.2"]])).fetch(url)
    assert [] == site.requests


@pytest.mark.parametrize(
    "url",
    [
        "http://user@site.test/",
        "http://user:word@site.test/",
        "http://a@127.0.0.1/",
        "http://site.test\\@127.0.0.1/",
        "http://127.0.0.1\\.site.test/",
        "http:\\\\127.0.0.1/",
        "http://exa\tmple.test/",
        "http://exa\nmple.test/",
        "http://exa mple.test/",
        "http://127.1/",
        "http://0x7f.1/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://017700000001/",
        "http://①②⑦.0.0.1/",
        "http://１２７.０.０.１/",
        "http://127.0.0.1./",
        "http://[::ffff:7f00:1]/",
        "http://[::1]/",
        "http://[::]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[fe80::1%25eth0]/",
        "http://[::1/",
        "http://0/",
        "http://localhost/",
        "http://127.0.0.1:0/",
        "http://site.test:0/",
        "ftp://site.test/",
        "file:///etc/passwd",
        "gopher://site.test/",
        "javascript:alert(1)",
        "data:text/html,x",
        "//site.test/",
        "site.test",
        "",
        "http://",
        "http:///path",
        "http://a..b/",
        "http://" + "a" * 64 + ".test/",
        "http://site.test:22/",
        "http://site.test:99999/",
        "http://site.test:port/",
        "http://\u2024/",
        "http://xn--/",
    ],
)
async def test_odd_spellings_of_an_address_never_open_a_socket(site: Site, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """With the system's own resolver: short, decimal, hexadecimal and full-width hosts all end at the judged address."""
    dialled: list[object] = []
    loop = asyncio.get_running_loop()
    real = loop.sock_connect

    async def watch(sock: object, address: object) -> None:
        dialled.append(address)
        await real(sock, address)  # type: ignore[arg-type]

    async def nowhere(host: str, port: int) -> list[str]:
        from sidecar.net.guard import resolve_host

        if host.replace(".", "").isalpha() and host != "localhost" and len(host) < 64 and ".." not in host:
            return ["10.0.0.1"]
        return await resolve_host(host, port)

    monkeypatch.setattr(loop, "sock_connect", watch)
    with pytest.raises(IngestError) as caught:
        await Fetcher(SMALL, resolver=nowhere).fetch(url)
    assert isinstance(caught.value, (InvalidUrl, BlockedAddress, FetchError))
    assert [] == dialled


@pytest.mark.parametrize("port", [22, 25, 3306, 6379, 8000, 11434])
async def test_ports_that_web_pages_do_not_use_are_refused(site: Site, port: int) -> None:
    with pytest.raises(BlockedAddress, match=str(port)):
        await fetcher_of(site).fetch(f"http://site.test:{port}/")


async def test_proxies_of_the_environment_are_passed_by(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert b"<p>text</p>" == (await fetcher_of(site).fetch(site.page("/a"))).body


# ── redirects ─────────────────────────────────────────────────────────────────────────────────


async def test_five_redirects_are_followed_and_the_sixth_is_not(site: Site) -> None:
    for n in range(6):
        site.redirect(f"/{n}", f"/{n + 1}")
    site.page("/6")
    fetcher = fetcher_of(site)
    assert f"http://site.test:{site.port}/6" == (await fetcher.fetch(f"http://site.test:{site.port}/1")).url
    with pytest.raises(TooManyRedirects):
        await fetcher.fetch(f"http://site.test:{site.port}/0")


async def test_a_redirect_in_a_circle_ends(site: Site) -> None:
    with pytest.raises(TooManyRedirects):
        await fetcher_of(site).fetch(site.redirect("/a", "/a"))


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
async def test_every_kind_of_redirect_is_followed(site: Site, status: str) -> None:
    site.page("/deep/target?x=1")
    assert (await fetcher_of(site).fetch(site.redirect("/deep/a", "target?x=1", status))).url.endswith("/deep/target?x=1")


@pytest.mark.parametrize(
    "target",
    [
        "http://inside.test/",
        "http://127.0.0.1/",
        "http://[::1]:80/",
        "//inside.test/x",
        "http://2130706433/",
        "http://site.test:22/",
        "http://0/",
    ],
)
async def test_a_redirect_into_the_own_network_is_refused(site: Site, target: str) -> None:
    names = Names(site=[["127.0.0.1"]], inside=[["10.0.0.7"]])
    names.names |= {"127": [["127.0.0.1"]], "::1": [["::1"]], "2130706433": [["127.0.0.1"]], "0": [["0.0.0.0"]]}
    with pytest.raises(BlockedAddress):
        await fetcher_of(site, names=names).fetch(site.redirect("/a", target))
    assert ["/a"] == site.requests


@pytest.mark.parametrize("target", ["file:///etc/passwd", "javascript:alert(1)", "http://a@site.test/", "http://[::1", "http://exa mple/"])
async def test_a_redirect_to_what_is_no_web_address_is_an_error_that_says_so(site: Site, target: str) -> None:
    with pytest.raises(IngestError) as caught:
        await fetcher_of(site).fetch(site.redirect("/a", target))
    assert caught.value.fix
    assert ["/a"] == site.requests


# ── size and time ─────────────────────────────────────────────────────────────────────────────


async def test_a_page_at_the_limit_is_taken_and_one_byte_more_is_not(site: Site) -> None:
    fetcher = fetcher_of(site)
    assert SMALL.max_bytes == len((await fetcher.fetch(site.page("/a", b"x" * SMALL.max_bytes))).body)
    with pytest.raises(TooLarge):
        await fetcher.fetch(site.page("/b", b"x" * (SMALL.max_bytes + 1)))


async def test_a_stream_without_end_is_cut_off(site: Site) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
            await writer.drain()

    site.pages["/a"] = endless
    with pytest.raises(TooLarge):
        await fetcher_of(site).fetch(f"http://site.test:{site.port}/a")


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_packed_pages_are_unpacked(site: Site, encoding: str) -> None:
    body = b"<p>" + b"words " * 20_000
    packed = gzip.compress(body) if encoding == "gzip" else zlib.compress(body)
    assert body == (await fetcher_of(site).fetch(site.page("/a", packed, Content_Encoding=encoding))).body


async def test_a_page_packed_in_several_members_is_whole_and_padding_is_passed_over(site: Site) -> None:
    packed = gzip.compress(b"<p>first") + gzip.compress(b" second</p>") + b"\0" * 20
    assert b"<p>first second</p>" == (await fetcher_of(site).fetch(site.page("/a", packed, Content_Encoding="gzip"))).body


async def test_a_packed_page_that_breaks_off_is_no_page(site: Site) -> None:
    packed = gzip.compress(b"<p>" + b"words " * 20_000)[:-20]
    with pytest.raises(FetchError, match="broke off"):
        await fetcher_of(site).fetch(site.page("/a", packed, Content_Encoding="gzip"))


async def test_a_decompression_bomb_is_stopped_without_being_unpacked(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """120 MB in one chunk of 120 KB: no more than the limit and one step of it is ever held."""
    bomb = gzip.compress(b"\0" * 120_000_000, 9)
    held: list[int] = []
    real = zlib.decompressobj

    class Watched:
        def __init__(self, bits: int) -> None:
            self.inner = real(bits)

        def decompress(self, data: bytes, max_length: int = 0) -> bytes:
            part = self.inner.decompress(data, max_length)
            held.append(len(part))
            return part

        def __getattr__(self, name: str) -> object:
            return getattr(self.inner, name)

    monkeypatch.setattr(zlib, "decompressobj", Watched)
    limits = FetchLimits(max_bytes=10_000_000, timeout_s=10)
    with pytest.raises(TooLarge):
        await fetcher_of(site, limits).fetch(site.page("/a", bomb, Content_Encoding="gzip"))
    assert sum(held) < 10_200_000
    assert max(held) <= 1_000_000


async def test_a_page_packed_beyond_any_honest_ratio_is_refused_below_the_size_limit(site: Site) -> None:
    limits = FetchLimits(max_bytes=10_000_000, timeout_s=10)
    with pytest.raises(TooLarge):
        await fetcher_of(site, limits).fetch(site.page("/a", gzip.compress(b"\0" * 5_000_000, 9), Content_Encoding="gzip"))


@pytest.mark.parametrize(("body", "encoding"), [(b"no gzip at all", "gzip"), (b"x", "br"), (b"x", "gzip, gzip"), (b"x", "zstd")])
async def test_a_page_packed_wrongly_or_in_a_way_not_asked_for_is_an_error(site: Site, body: bytes, encoding: str) -> None:
    with pytest.raises(FetchError, match="packed"):
        await fetcher_of(site).fetch(site.page("/a", body, Content_Encoding=encoding))


async def test_a_server_that_never_answers_times_out(site: Site) -> None:
    async def hang(_: asyncio.StreamWriter) -> None:
        await asyncio.sleep(2)

    site.pages["/a"] = hang
    with pytest.raises(FetchTimeout) as caught:
        await fetcher_of(site).fetch(f"http://site.test:{site.port}/a")
    assert "again later" in caught.value.fix


async def test_a_page_that_drips_ends_with_the_whole_time(site: Site) -> None:
    """Each drop comes within the read time-out; only the limit over all of it helps."""

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(100):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    site.pages["/a"] = drip
    limits = FetchLimits(timeout_s=0.5, read_timeout_s=5)
    with pytest.raises(FetchTimeout):
        await fetcher_of(site, limits).fetch(f"http://site.test:{site.port}/a")


async def test_a_connection_cut_off_in_the_middle_is_an_error_and_not_a_short_page(site: Site) -> None:
    async def cut(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\nhalf")
        await writer.drain()

    site.pages["/a"] = cut
    with pytest.raises(FetchError):
        await fetcher_of(site).fetch(f"http://site.test:{site.port}/a")


@pytest.mark.parametrize("answer", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"x" * 300_000 + b"\r\n\r\n"])
async def test_an_answer_that_is_no_http_is_an_error(site: Site, answer: bytes) -> None:
    site.pages["/a"] = answer
    with pytest.raises(FetchError):
        await fetcher_of(site).fetch(f"http://site.test:{site.port}/a")


async def test_a_port_where_nothing_listens_is_an_error_with_advice(unused_tcp_port: int) -> None:
    with pytest.raises(FetchError) as caught:
        await Fetcher(SMALL, loopback_ports=[unused_tcp_port], resolver=Names(site=[["127.0.0.1"]])).fetch(
            f"http://site.test:{unused_tcp_port}/"
        )
    assert "could not be reached" in caught.value.message
    assert "connection" in caught.value.fix


async def test_a_name_that_does_not_exist_is_an_error_with_advice() -> None:
    async def unknown(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(FetchError, match=r"gone\.test could not be reached"):
        await Fetcher(SMALL, resolver=unknown).fetch("http://gone.test/")


# ── what came ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        ("404 Not Found", "gone"),
        ("410 Gone", "gone"),
        ("401 Unauthorized", "login"),
        ("403 Forbidden", "login"),
        ("402 Pay", "login"),
        ("429 Too Many", "again later"),
        ("500 Oops", "again later"),
        ("503 Busy", "again later"),
        ("418 Teapot", "browser"),
        ("304 Not Modified", "itself"),
        ("300 Choices", "itself"),
    ],
)
async def test_an_error_status_says_the_status_and_what_to_do(site: Site, status: str, advice: str) -> None:
    with pytest.raises(FetchError) as caught:
        await fetcher_of(site).fetch(site.page("/a", b"", status=status, Content_Length="" if status[0] == "3" else "0"))
    assert int(status[:3]) == caught.value.params["status"]
    assert status[:3] in caught.value.message
    assert advice in caught.value.fix


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "application/octet-stream", "video/mp4", "application/zip"])
async def test_what_is_no_page_is_refused_by_its_type(site: Site, kind: str) -> None:
    with pytest.raises(UnsupportedContent, match=kind):
        await fetcher_of(site).fetch(site.page("/a", b"%PDF-1.7", Content_Type=kind))


@pytest.mark.parametrize("kind", ["text/html", "TEXT/HTML; charset=gbk", "application/xhtml+xml", "text/plain", "text/markdown", ""])
async def test_pages_and_plain_text_are_taken(site: Site, kind: str) -> None:
    assert b"<p>text</p>" == (await fetcher_of(site).fetch(site.page("/a", Content_Type=kind))).body


async def test_one_site_is_asked_for_one_page_at_a_time(site: Site) -> None:
    open_now, most = 0, 0

    async def slow(writer: asyncio.StreamWriter) -> None:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        await asyncio.sleep(0.05)
        open_now -= 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\nx")
        await writer.drain()

    site.pages["/a"] = slow
    fetcher = fetcher_of(site)
    await asyncio.gather(*(fetcher.fetch(f"http://site.test:{site.port}/a") for _ in range(4)))
    assert 1 == most


async def test_cookies_of_one_fetch_are_not_sent_with_the_next(site: Site) -> None:
    fetcher = fetcher_of(site)
    url = site.page("/a", Set_Cookie="id=42")
    await fetcher.fetch(url)
    await fetcher.fetch(url)
    assert not any("cookie" in head.lower() for head in site.heads)
