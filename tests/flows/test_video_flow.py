"""A link to a video, gathered whole: fetcher, reader's process and adapters are the product, the sites are played on loopback."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sidecar.errors import VerificationWall
from sidecar.ingest.adapters import Wishes
from sidecar.ingest.document import Document
from sidecar.ingest.gather import Gatherer
from sidecar.ingest.media_tool import MediaTool
from sidecar.ingest.worker import PageReader
from sidecar.net import Ask, Fetched, Fetcher, FetchLimits
from tests.conftest import FIXTURES

TLS = FIXTURES / "tls-video"
CUES = (FIXTURES / "web/bilibili-subtitle-cc.json").read_bytes()
LOGIN = (FIXTURES / "web/bilibili-player-v2-need-login.json").read_bytes()
TRACKS = (FIXTURES / "web/bilibili-player-v2-three-tracks.json").read_bytes()
VIEW = {
    "bvid": "BV1ZF411g7EZ", "title": "笔记课", "desc": "简介", "owner": {"name": "老师"},
    "pages": [{"cid": n, "page": n, "part": f"第{n}讲", "duration": 40} for n in (1, 2, 3)],
}  # fmt: skip


class Sites:
    """Plays all sites at once: a table of host and path → status, headers, body. Keeps what it was asked."""

    def __init__(self) -> None:
        self.port = 0
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.heads: list[str] = []

    def put(self, url: str, body: bytes = b"", status: int = 200, **headers: str) -> None:
        self.pages[url] = (status, {"Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}, body)

    def cookie_for(self, path: str) -> str:
        head = next(head for head in self.heads if path in head)
        return next((line[8:] for line in head.split("\r\n") if line.startswith("Cookie: ")), "")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.heads.append(head)
        host = next(line[6:] for line in head.split("\r\n") if line.lower().startswith("host: ")).partition(":")[0]
        path = head.split(" ")[1]
        status, headers, body = self.pages.get(host + path, (404, {}, b""))
        if host + path == "api.bilibili.com/x/player/wbi/v2?bvid=BV1ZF411g7EZ&cid=2" and "SESSDATA" in head:
            body = TRACKS
        text = "".join(
            f"{name}: {value}\r\n" for name, value in (headers | {"Content-Length": str(len(body)), "Connection": "close"}).items()
        )
        writer.write(f"HTTP/1.1 {status} X\r\n{text}\r\n".encode("latin-1") + body)
        await writer.drain()
        writer.close()


class ByPort(Fetcher):
    """The fetcher, with the sites at a port that tests may open. What it hands back has the sites' own addresses."""

    port = 0

    async def fetch(self, url: str, ask: Ask = Ask()) -> Fetched:  # noqa: B008 - frozen
        host = urlsplit(url).hostname or ""
        found = await super().fetch(url.replace(f"//{host}", f"//{host}:{self.port}", 1), ask)
        return replace(found, url=found.url.replace(f":{self.port}", "", 1))


@pytest.fixture
async def sites() -> AsyncIterator[Sites]:
    found = Sites()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "sites.pem", TLS / "sites.key")
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0, ssl=context)
    found.port = server.sockets[0].getsockname()[1]
    yield found
    server.close()


async def gather(sites: Sites, url: str, cookie: str = "", *, use_tool: bool = False) -> Document:
    async def home(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    fetcher = ByPort(
        FetchLimits(timeout_s=10.0), loopback_ports=[sites.port], resolver=home,
        cookie_of=lambda host: cookie if "bilibili" in host else "",
        context=ssl.create_default_context(cafile=str(TLS / "sites.pem")),
    )  # fmt: skip
    fetcher.port = sites.port
    reader = PageReader()
    try:
        gatherer = Gatherer(fetcher, reader, MediaTool(lambda: use_tool), lambda: Wishes(("zh", "en")))
        return await gatherer.gather(url, lambda *step: None)
    finally:
        await reader.close()


def bilibili(sites: Sites) -> None:
    target = "https://www.bilibili.com/video/BV1ZF411g7EZ?mid=SECRET&p=2&share_session_id=SECRET"
    sites.put("b23.tv/AbCd123", status=302, Location=target)
    sites.put("api.bilibili.com/x/web-interface/view?bvid=BV1ZF411g7EZ", json.dumps({"code": 0, "data": VIEW}).encode())
    sites.put("api.bilibili.com/x/player/wbi/v2?bvid=BV1ZF411g7EZ&cid=2", LOGIN)
    sites.put("aisubtitle.hdslb.com/bfs/subtitle/placeholder.json", CUES, Content_Type="application/octet-stream")


async def test_a_shared_part_with_the_owners_cookie(sites: Sites) -> None:
    bilibili(sites)
    document = await gather(sites, "https://b23.tv/AbCd123", "SESSDATA=mine")
    assert ("https://www.bilibili.com/video/BV1ZF411g7EZ?p=2", "笔记课 P2 第2讲", "manual:zh-CN", "full") == (
        document.url, document.title, document.transcript, document.body_state,
    )  # fmt: skip
    assert "我把它分成三步" in document.markdown
    assert not any("SECRET" in head for head in sites.heads)
    assert ("", "SESSDATA=mine", "") == tuple(sites.cookie_for(path) for path in ("/web-interface/view", "/player/wbi/v2", "/bfs/subtitle"))


async def test_the_same_without_a_login(sites: Sites) -> None:
    bilibili(sites)
    document = await gather(sites, "https://b23.tv/AbCd123")
    assert ("unavailable(login-needed)", "summary_only") == (document.transcript, document.body_state)
    assert "yt-dlp is switched off (ingest.media_tool)." == document.warnings[1]


async def test_a_refusal_is_a_wall_and_the_site_is_asked_once(sites: Sites) -> None:
    sites.put("api.bilibili.com/x/web-interface/view?bvid=BV1ZF411g7EZ", b'{"code": -412}', 412)
    with pytest.raises(VerificationWall):
        await gather(sites, "https://www.bilibili.com/video/BV1ZF411g7EZ")
    assert 1 == len(sites.heads)


def youtube(sites: Sites, address: str) -> None:
    player = {
        "playabilityStatus": {"status": "OK"},
        "videoDetails": {"videoId": "AAAAAAAAAAA", "title": "A talk", "author": "Someone", "lengthSeconds": "20"},
        "captions": {"playerCaptionsTracklistRenderer": {"captionTracks": [{"baseUrl": address, "languageCode": "en"}]}},
    }  # fmt: skip
    page = f"<html><script>var ytInitialPlayerResponse = {json.dumps(player)};</script></html>"
    sites.put("www.youtube.com/watch?v=AAAAAAAAAAA", page.encode(), Content_Type="text/html; charset=utf-8")


async def test_a_short_link_with_captions(sites: Sites) -> None:
    youtube(sites, "https://www.youtube.com/api/timedtext?v=x&lang=en")
    sites.put("www.youtube.com/api/timedtext?v=x&lang=en&fmt=json3", (FIXTURES / "web/youtube-timedtext-asr.json3").read_bytes())
    document = await gather(sites, "https://youtu.be/AAAAAAAAAAA?si=tracking")
    assert ("A talk", "manual:en", "full") == (document.title, document.transcript, document.body_state)
    assert "today we measure the river" in document.markdown


async def test_an_empty_answer_then_yt_dlp(sites: Sites, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    youtube(sites, "https://www.youtube.com/api/timedtext?v=x&lang=en")
    sites.put("www.youtube.com/api/timedtext?v=x&lang=en&fmt=json3", b"", Content_Type="text/html")
    assert "unavailable(po-token)" == (await gather(sites, "https://youtu.be/AAAAAAAAAAA")).transcript

    told = {"title": "A talk", "subtitles": {"en": [{"ext": "json3", "url": "https://www.youtube.com/api/timedtext?v=x&pot=1"}]}}
    stub = tmp_path / "yt-dlp"
    stub.write_text(f"#!/bin/sh\necho '{json.dumps(told)}'\n", "utf-8")
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    sites.put("www.youtube.com/api/timedtext?v=x&pot=1", (FIXTURES / "web/youtube-timedtext-asr.json3").read_bytes())
    document = await gather(sites, "https://youtu.be/AAAAAAAAAAA", use_tool=True)
    assert ("manual:en", ()) == (document.transcript, document.warnings)
