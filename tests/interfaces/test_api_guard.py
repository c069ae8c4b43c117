"""The door of the API, knocked at with raw bytes: who may ask, and what a refused request leaves behind."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import logging
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from sidecar.api.app import make_app
from sidecar.api.operations import OPERATIONS
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.init import init_vault

CANARY = "canary-outside-the-vault"
OBSIDIAN = "app://obsidian.md"


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Door:
    """A served vault. ``send`` writes bytes as they are; ``ask`` makes a well-formed request with a token."""

    container: Container
    port: int
    root: Path

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def send(self, data: bytes) -> Reply:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(data)
            await writer.drain()
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
            lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
            body = await asyncio.wait_for(reader.readexactly(int(headers.get("content-length", "0"))), 10)
            return Reply(int(lines[0].split(" ")[1]), headers, body)
        finally:
            writer.close()

    async def ask(
        self, method: str, path: str, body: bytes | None = None, *, token: str | None = None, version: str = "1.1", **headers: str | None
    ) -> Reply:
        wanted: dict[str, str | None] = {"Host": self.host, "Authorization": f"Bearer {token or self.container.keys.token}"}
        if body is not None:
            wanted |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        wanted |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in wanted.items() if value is not None)
        return await self.send(f"{method} {path} HTTP/{version}\r\n{head}\r\n".encode() + (body or b""))


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[Door]:
    (tmp_path / "outside.md").write_text(CANARY)
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("---\ntags: [x]\n---\nA note with [[b]] in it.\n")
    (root / "b.md").write_text("B knows [[a]].\n")
    (root / "待整理.md").write_text("## Детали\n中文 [[a]]\n")
    init_vault(root, "en")
    container = open_container(root)
    await container.services.thread.run(container.vault.open)
    container.services.progress.is_ready = True
    listener = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    listener.close()
    runner = web.AppRunner(make_app(container.services, container.keys, port, None), access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    yield Door(container, port, root)
    await runner.cleanup()
    await container.close()


# ── host, origin, token ───────────────────────────────────────────────────────────────────────


async def test_a_request_with_the_right_host_and_token_is_answered(door: Door) -> None:
    assert 200 == (await door.ask("GET", "/api/kb/status")).status
    assert 200 == (await door.ask("GET", "/api/kb/status", Host=f"localhost:{door.port}")).status


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:1",
        "127.0.0.1.nip.io:PORT",
        "127.0.0.1@evil.example:PORT",
        "localhost.:PORT",
        "LOCALHOST:PORT",
        "[::1]:PORT",
        "0.0.0.0:PORT",
        "127.1:PORT",
        "2130706433:PORT",
        "x.localhost:PORT",
        "127.0.0.1:PORT,x",
    ],
)
async def test_any_other_host_is_refused(door: Door, host: str) -> None:
    for path in ("/api/kb/status", "/health", "/", "/api/openapi.json"):
        reply = await door.ask("GET", path, Host=host.replace("PORT", str(door.port)))
        assert reply.status in (400, 421)
        assert b"vault" not in reply.body


async def test_no_host_two_hosts_http_1_0_and_absolute_form_are_refused(door: Door) -> None:
    token = f"Authorization: Bearer {door.container.keys.token}\r\n"
    host = f"Host: {door.host}\r\n"
    for request in (
        f"GET /api/kb/status HTTP/1.1\r\n{token}\r\n",
        f"GET /api/kb/status HTTP/1.1\r\n{host}{host}{token}\r\n",
        f"GET /api/kb/status HTTP/1.1\r\n{host}Host: evil.example\r\n{token}\r\n",
        f"GET /api/kb/status HTTP/1.0\r\n{token}\r\n",
        f"GET /api/kb/status HTTP/1.0\r\n{host}{token}\r\n",
        f"GET http://evil.example/api/kb/status HTTP/1.1\r\n{host}{token}\r\n",
        f"GET http://{door.host}/api/kb/status HTTP/1.1\r\n{host}{token}\r\n",
    ):
        assert (await door.send(request.encode())).status in (400, 421), request


@pytest.mark.parametrize("origin", [OBSIDIAN, "capacitor://localhost", "http://127.0.0.1:PORT", "http://localhost:PORT", None])
async def test_obsidian_the_own_console_and_programs_may_ask(door: Door, origin: str | None) -> None:
    assert 200 == (await door.ask("GET", "/api/kb/status", Origin=origin and origin.replace("PORT", str(door.port)))).status


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "https://obsidian.md",
        "app://obsidian.md.evil",
        "APP://OBSIDIAN.MD",
        "http://127.0.0.1:1",
        "http://localhost",
        "https://127.0.0.1:PORT",
        "file://",
        "app://other",
        "http://127.0.0.1",
        "capacitor://evil",
        "",
    ],
)
async def test_other_origins_are_refused_without_cors_headers_and_nothing_happens(door: Door, origin: str) -> None:
    value = origin.replace("PORT", str(door.port))
    before = (door.root / "index.md").read_bytes()
    for method, path, token in (
        ("GET", "/api/kb/status", None),
        ("GET", "/api/kb/none", None),
        ("GET", "/api/kb/status", "wrong"),
        ("OPTIONS", "/api/kb/moc", None),
    ):
        reply = await door.ask(method, path, token=token, Origin=value)
        assert 403 == reply.status
        assert "access-control-allow-origin" not in reply.headers
    assert 403 == (await door.ask("POST", "/api/kb/moc", b'{"adopt": true}', Origin=value)).status
    assert before == (door.root / "index.md").read_bytes()


async def test_obsidians_cors_headers_are_exact_on_every_kind_of_answer(door: Door) -> None:
    for path, token, status in (("/api/kb/status", None, 200), ("/api/kb/status", "wrong", 401), ("/api/kb/none", None, 404)):
        reply = await door.ask("GET", path, token=token, Origin=OBSIDIAN)
        assert (status, OBSIDIAN, "Origin") == (reply.status, reply.headers["access-control-allow-origin"], reply.headers["vary"])
        assert "access-control-allow-credentials" not in reply.headers
    preflight = await door.ask("OPTIONS", "/api/kb/moc", Origin=OBSIDIAN, Access_Control_Request_Method="POST", Authorization=None)
    assert 204 == preflight.status
    assert int(preflight.headers["access-control-max-age"]) <= 600
    assert "access-control-allow-private-network" not in preflight.headers


@pytest.mark.parametrize(
    ("site", "status"), [("none", 200), ("same-origin", 200), (None, 200), ("cross-site", 403), ("same-site", 403), ("x", 403)]
)
async def test_a_browser_that_says_the_request_is_another_sites_is_refused(door: Door, site: str | None, status: int) -> None:
    assert status == (await door.ask("GET", "/api/kb/status", Sec_Fetch_Site=site)).status


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer wrong", "Basic TOKEN", "TOKEN", "Bearer TOKENx", "Bearer tökén", "Bearer TOKEN TOKEN"]
)
async def test_without_the_token_nothing_is_told_or_done(door: Door, header: str | None) -> None:
    value = header and header.replace("TOKEN", door.container.keys.token)
    for operation in OPERATIONS:
        body = b"{}" if operation.method == "POST" else None
        reply = await door.ask(operation.method, operation.path.replace("{id}", "x"), body, Authorization=value)
        assert (401, "token-refused") == (reply.status, reply.json()["code"])
    assert 401 == (await door.ask("GET", "/api/openapi.json", Authorization=value)).status


async def test_a_thousand_wrong_tokens_do_not_lock_the_right_one_out(door: Door) -> None:
    for _ in range(200):
        assert 401 == (await door.ask("GET", "/api/kb/status", token="wrong")).status
    assert 200 == (await door.ask("GET", "/api/kb/status")).status


async def test_health_says_ok_and_proves_the_token_without_telling_it(door: Door) -> None:
    reply = await door.ask("GET", "/health", Authorization=None)
    assert {"ok": True} == reply.json()
    proof = (await door.ask("GET", "/health?nonce=abc", Authorization=None)).json()
    assert door.container.keys.prove(f"{door.container.services.vault_id}:abc") == proof["proof"]
    assert door.container.keys.token not in json.dumps(proof)


# ── bodies ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"adopt=true", {"Content_Type": "application/x-www-form-urlencoded"}, 400),
        (b'{"adopt": true}', {"Content_Type": "text/plain"}, 400),
        (b'{"adopt": true}', {"Content_Type": None}, 400),
        (gzip.compress(b'{"adopt": true}', mtime=0), {"Content_Encoding": "gzip"}, 400),
        (b"[" * 100_000, {}, 400),
        (b'{"a":' * 50_000, {}, 400),
        (b"[]", {}, 400),
        (b"null", {}, 400),
        (b"{", {}, 400),
        (b"\xff\xfe", {}, 400),
        (b'{"adopt": "perhaps"}', {}, 400),
        (b'{"adopt": true, "more": 1}', {}, 400),
        (b'{"adopt": true' + b" " * 2_000_000 + b"}", {}, 413),
    ],
)
async def test_a_body_that_is_not_as_it_should_be_is_refused_and_nothing_is_written(
    door: Door, body: bytes, headers: dict[str, str | None], status: int
) -> None:
    (door.root / "index.md").write_text("my own\n")
    reply = await door.ask("POST", "/api/kb/moc", body, token=None, version="1.1", **headers)
    assert status == reply.status
    assert "application/problem+json" in reply.headers["content-type"]
    assert reply.json()["fix"]
    assert "my own\n" == (door.root / "index.md").read_text()


async def test_two_hundred_half_open_requests_do_not_keep_others_out(door: Door) -> None:
    half = []
    for n in range(200):
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        body = (
            f"POST /api/kb/moc HTTP/1.1\r\nHost: {door.host}\r\nContent-Length: 100\r\n\r\n{{" if n % 2 else "GET /health HTTP/1.1\r\nHos"
        )
        writer.write(body.encode())
        half.append((reader, writer))
    assert 200 == (await door.ask("GET", "/health")).status
    assert 200 == (await door.ask("GET", "/api/kb/status")).status
    for _, writer in half:
        writer.close()


# ── answers ───────────────────────────────────────────────────────────────────────────────────


async def test_security_headers_stand_on_every_answer_and_no_version_is_told(door: Door) -> None:
    paths = [op.path.replace("{id}", "x") for op in OPERATIONS if op.method == "GET" and "events" not in op.path]
    for path in [*paths, "/", "/health", "/api/openapi.json", "/console/none.js", "/nowhere", "/favicon.ico", "/api/kb/events"]:
        for token in (None, "wrong"):
            reply = await door.ask("GET", path, token=token)
            assert "nosniff" == reply.headers["x-content-type-options"], path
            assert "no-store" == reply.headers["cache-control"], path
            assert "same-origin" == reply.headers["cross-origin-resource-policy"], path
            assert "frame-ancestors 'none'" in reply.headers["content-security-policy"], path
            assert "server" not in reply.headers, path


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/kb/entry?note=nothing", 404, "note-not-found"),
        ("GET", "/api/kb/jobs/none", 404, "job-not-found"),
        ("GET", "/api/kb/search", 400, "request-invalid"),
        ("GET", "/api/kb/search?q=x&limit=0", 400, "request-invalid"),
        ("GET", "/api/kb/search?q=x&limit=many", 400, "request-invalid"),
        ("GET", "/api/kb/search?q=x&unknown=1", 400, "request-invalid"),
        ("GET", "/api/kb/events?wait_s=nan", 400, "request-invalid"),
        ("GET", "/api/kb/list?kind=secrets", 400, "request-invalid"),
        ("GET", "/api/kb/nowhere", 404, "no-such-route"),
        ("PUT", "/api/kb/moc", 405, "no-such-route"),
        ("POST", "/api/kb/ingest", 400, "request-invalid"),
    ],
)
async def test_every_problem_has_a_code_a_sentence_and_a_fix(door: Door, method: str, path: str, status: int, code: str) -> None:
    reply = await door.ask(method, path, b"{}" if method != "GET" else None)
    problem = reply.json()
    assert (status, status, code) == (reply.status, problem["status"], problem["code"])
    assert {"type", "title", "status", "detail", "code", "fix", "params"} == problem.keys()
    assert problem["detail"]
    assert problem["fix"]
    assert "application/problem+json" in reply.headers["content-type"]


async def test_while_the_vault_is_read_questions_wait_and_status_answers(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecar.api.app._READY_WAIT_S", 0.2)
    door.container.services.progress.is_ready = False
    assert "starting" == (await door.ask("GET", "/api/kb/status")).json()["state"]
    reply = await door.ask("GET", "/api/kb/search?q=note")
    assert (503, "starting") == (reply.status, reply.json()["code"])


@pytest.mark.parametrize(
    "name",
    [
        "../outside.md",
        "../outside",
        "..%2Foutside.md",
        "%2e%2e%2foutside.md",
        "..%252Foutside.md",
        "/etc/passwd",
        "%2Fetc%2Fpasswd",
        "....//outside.md",
        "..\\outside.md",
        "..%5Coutside.md",
        "a/../../outside.md",
        "a.md/../../outside.md",
        ".kb/config.toml",
        ".kb/protocol.json",
        ".obsidian/app.json",
        "a.md%00",
        "C:%5Coutside.md",
        "file:///etc/passwd",
        ".%2E/outside.md",
        "%EF%BC%8E%EF%BC%8E/outside.md",
        "link.md",
        "%ED%A0%80",
        "x" * 900,
    ],
)
async def test_no_name_of_a_note_leads_out_of_the_vault(door: Door, name: str) -> None:
    (door.root / "link.md").symlink_to(door.root.parent / "outside.md")
    await door.container.services.thread.run(door.container.vault.apply, ["link.md"])
    for path in (
        f"/api/kb/entry?note={name}",
        f"/api/kb/entry?render=true&note={name}",
        f"/api/kb/links?note={name}",
        f"/console/{name}",
        f"/api/kb/resolve?link={name}&source=a",
        f"/api/kb/jobs/{name}",
        f"/{name}",
    ):
        reply = await door.ask("GET", path.replace("\\", "%5C"))
        assert CANARY.encode() not in reply.body
        assert b"root:" not in reply.body
        assert b"vault_id" not in reply.body
        assert reply.status in (200, 400, 403, 404, 422)
        assert str(door.root).encode() not in reply.body


async def test_names_in_any_script_work(door: Door) -> None:
    """P1: such a path once made a server hang or break its headers."""
    reply = await door.ask("GET", "/api/kb/entry?note=%E5%BE%85%E6%95%B4%E7%90%86.md&render=true")
    assert "待整理.md" == reply.json()["path"]
    assert [[2, "Детали", 1]] == reply.json()["headings"]
    assert 404 == (await door.ask("GET", "/api/kb/entry?note=%F0%9F%96%8A%EF%B8%8F%20journal/x.md")).status


async def test_a_note_is_rendered_without_anything_that_runs(door: Door) -> None:
    (door.root / "bad.md").write_text(
        "<script>x</script><img src=x onerror=y>\n\n[a](javascript:z) ![i](http://t.example/p.png) [[a|<b>]]\n"
    )
    await door.container.services.thread.run(door.container.vault.apply, ["bad.md"])
    page = (await door.ask("GET", "/api/kb/entry?note=bad&render=true")).json()["html"]
    assert 'data-note="a.md"' in page
    for live in ("<script", "<img", "<b>", "javascript:", 'src="'):
        assert live not in page


PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")


async def test_pictures_of_the_vault_are_named_in_a_note_and_given_by_what_they_are(door: Door) -> None:
    (door.root / "att").mkdir()
    (door.root / "att/图 1.png").write_bytes(PNG)
    (door.root / "p.md").write_text(
        "![[图 1.png|120]] ![a plan](att/%E5%9B%BE%201.png) ![far](https://t.example/p.png) ![[gone.png]] [[图 1.png]]\n"
    )
    await door.container.services.thread.run(door.container.vault.apply, ["att/图 1.png", "p.md"])
    page = (await door.ask("GET", "/api/kb/entry?note=p&render=true")).json()["html"]
    assert [
        '<span class="vs-image" data-picture="att/图 1.png"></span>',
        '<span class="vs-image" data-picture="att/图 1.png">a plan</span>',
    ] == (re.findall(r'<span class="vs-image" data-picture[^>]*>[^<]*</span>', page))
    picture = (await door.ask("GET", "/api/kb/picture?path=att/%E5%9B%BE%201.png")).json()
    assert {"path": "att/图 1.png", "type": "image/png", "data": base64.b64encode(PNG).decode()} == picture


async def test_nothing_but_pictures_that_lie_in_the_vault_is_given_as_a_picture(door: Door) -> None:
    (door.root.parent / "outside.png").write_bytes(PNG + CANARY.encode())
    (door.root / ".hidden.png").write_bytes(PNG)
    (door.root / "link.png").symlink_to(door.root.parent / "outside.png")
    (door.root / "page.png").write_bytes(b"<script>1</script>" + CANARY.encode())
    (door.root / "draw.svg").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    names = ["link.png", ".hidden.png", "page.png", "draw.svg"]
    await door.container.services.thread.run(door.container.vault.apply, names)
    for name in [*names, "a.md", "../outside.png", "%2e%2e/outside.png", ".kb/protocol.json", "gone.png"]:
        reply = await door.ask("GET", f"/api/kb/picture?path={name}")
        assert reply.status in (403, 404, 422, 400, 409, 503), name
        assert CANARY.encode() not in reply.body
        assert b'"data"' not in reply.body
    assert 401 == (await door.ask("GET", "/api/kb/picture?path=page.png", Authorization=None)).status


# ── the console's code ────────────────────────────────────────────────────────────────────────


async def exchange(door: Door, code: object) -> Reply:
    return await door.ask("POST", "/api/console/session", json.dumps({"code": code}).encode(), Authorization=None)


async def test_a_console_code_opens_one_session_once(door: Door) -> None:
    code = (await door.ask("POST", "/api/kb/console-code", b"{}")).json()["code"]
    token = (await exchange(door, code)).json()["token"]
    assert door.container.keys.token != token
    assert 200 == (await door.ask("GET", "/api/kb/status", token=token)).status
    again = await exchange(door, code)
    assert (401, "code-refused") == (again.status, again.json()["code"])
    for wrong in ("", "x", None, 3, ["x"]):
        assert 401 == (await exchange(door, wrong)).status


async def test_a_console_code_ends_after_a_minute(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    code = door.container.keys.make_code()
    import time

    later = time.monotonic() + 61
    monkeypatch.setattr("sidecar.api.security.time.monotonic", lambda: later)
    assert 401 == (await exchange(door, code)).status


async def test_the_token_is_neither_in_the_vault_nor_in_the_log(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        code = (await door.ask("POST", "/api/kb/console-code", b"{}")).json()["code"]
        session = (await exchange(door, code)).json()["token"]
        await door.ask("GET", "/api/kb/search?q=note")
        await door.ask("GET", "/api/kb/entry?note=none", token=session)
    for secret in (door.container.keys.token, session, code):
        assert secret not in caplog.text
        for path in door.root.rglob("*"):
            assert not path.is_file() or secret.encode() not in path.read_bytes()


# ── events ────────────────────────────────────────────────────────────────────────────────────


async def stream(door: Door, since: str | None, count: int) -> list[tuple[int, str]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
    resume = f"Last-Event-ID: {since}\r\n" if since is not None else ""
    head = f"Host: {door.host}\r\nAuthorization: Bearer {door.container.keys.token}\r\nAccept: text/event-stream\r\n{resume}"
    writer.write(f"GET /api/kb/events HTTP/1.1\r\n{head}\r\n".encode())
    found: list[tuple[int, str]] = []
    number = 0
    while len(found) < count:
        line = (await asyncio.wait_for(reader.readline(), 10)).decode().strip()
        if line.startswith("id: "):
            number = int(line[4:])
        elif line.startswith("event: "):
            found.append((number, line[7:]))
    writer.close()
    return found


async def test_a_stream_resumes_after_the_last_event_it_had(door: Door) -> None:
    events = door.container.services.events
    for n in range(4):
        events.publish("note-changed", paths=[f"{n}.md"])
    assert [(1, "note-changed"), (2, "note-changed")] == await stream(door, None, 2)
    assert [(3, "note-changed"), (4, "note-changed")] == await stream(door, "2", 2)
    assert [(4, "reset")] == await stream(door, "99", 1)


async def test_a_long_poll_answers_as_soon_as_something_happens(door: Door) -> None:
    waiting = asyncio.create_task(door.ask("GET", "/api/kb/events?since=0&wait_s=25"))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    door.container.services.events.publish("moc-changed", path="index.md")
    answer = (await asyncio.wait_for(waiting, 5)).json()
    assert {"revision": 1, "events": [{"id": 1, "type": "moc-changed", "data": {"path": "index.md"}}]} == answer
    assert [] == (await door.ask("GET", "/api/kb/events?since=1")).json()["events"]


async def test_a_listener_that_fell_too_far_behind_is_told_to_begin_anew(door: Door) -> None:
    for n in range(600):
        door.container.services.events.publish("note-changed", n=n)
    answer = (await door.ask("GET", "/api/kb/events?since=5")).json()
    assert (600, [(600, "reset")]) == (answer["revision"], [(e["id"], e["type"]) for e in answer["events"]])
    assert 500 == len((await door.ask("GET", "/api/kb/events?since=100")).json()["events"])
