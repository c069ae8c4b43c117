"""The aiohttp application: refuse, check, call one operation, encode."""

from __future__ import annotations

import asyncio
import contextlib
import json
import mimetypes
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web
from pydantic import ValidationError

from sidecar import PROTOCOL_VERSION, __version__
from sidecar.api.models.base import ProblemBody
from sidecar.api.openapi import openapi_document
from sidecar.api.operations import OPERATIONS, Operation
from sidecar.api.problems import problem_of, request_error
from sidecar.api.security import SECURITY_HEADERS, Keys, cors_headers, refusal
from sidecar.api.services import Services
from sidecar.errors import RequestInvalid, SidecarError

_BODY_DEADLINE_S = 15.0
_READY_WAIT_S = 25.0
_PING_S = 15.0
_MAX_NONCE = 128
_SMALL_BODY_BYTES = 10_000

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def make_app(services: Services, keys: Keys, port: int, console: Path | None) -> web.Application:
    """Build the application that serves one vault.

    Args:
        port: The port it is served on, which the Host of every request must name.
        console: Folder with the console's files, or ``None`` if this installation has none.
    """
    app = web.Application(client_max_size=max(op.max_body_bytes for op in OPERATIONS), middlewares=[_guard(keys, port)])
    app.on_response_prepare.append(_hide_versions)
    for op in OPERATIONS:
        handler = _events_handler(services, op) if op.path == "/api/kb/events" else _handler(services, op)
        app.router.add_route(op.method, op.path, handler)
    app.router.add_get("/health", _health(services, keys))
    app.router.add_post("/api/console/session", _session(keys))
    document = json.dumps(openapi_document(), ensure_ascii=False).encode("utf-8")

    async def openapi(_: web.Request) -> web.Response:
        return web.Response(body=document, content_type="application/json")

    app.router.add_get("/api/openapi.json", openapi)
    _add_console(app, console)
    return app


def _guard(keys: Keys, port: int) -> Any:
    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        refused = refusal(request, port, keys)
        if refused is not None:
            status, code, sentence = refused
            response: web.StreamResponse = _problem(status, code, sentence, "Reconnect: the endpoint file names port and token.")
        elif request.method == "OPTIONS":
            response = web.Response(status=204)
        else:
            response = await _answer(request, handler)
        if not response.prepared:
            response.headers.update(SECURITY_HEADERS)
            response.headers.update(cors_headers(request))
        return response

    return guard


async def _hide_versions(_: web.Request, response: web.StreamResponse) -> None:
    """Take out the names and versions that aiohttp adds as the last thing."""
    response.headers.popall("Server", None)


async def _answer(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except SidecarError as error:
        return _problem_response(problem_of(error))
    except web.HTTPRequestEntityTooLarge:
        return _problem(413, "body-too-large", "The request is too large.", "Send less at a time.")
    except web.HTTPServiceUnavailable as error:
        return _problem(503, "starting", f"The sidecar is {error.reason}.", "Ask again in a moment.")
    except web.HTTPException as error:
        return _problem(error.status, "no-such-route", f"{request.method} {request.path[:100]} is not offered.", "See /api/openapi.json.")
    except Exception:
        request.app.logger.exception("unexpected error")
        return _problem(500, "unexpected", "Something unexpected happened.", "Look at the log with: kb doctor")


def _handler(services: Services, op: Operation) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        if op.needs_index:
            await _wait_until_ready(services)
        parameters = (
            {**await _body(request.clone(client_max_size=op.max_body_bytes)), **request.match_info}
            if op.method == "POST"
            else {**request.query, **request.match_info}
        )
        try:
            checked = op.request.model_validate(parameters)
        except ValidationError as error:
            raise request_error(error) from error
        work = op.run(services, checked)
        # A client that hangs up must not stop a write half way.
        answer = await (asyncio.shield(asyncio.ensure_future(work)) if op.method == "POST" else work)
        return web.Response(text=answer.model_dump_json(), content_type="application/json")

    return handle


async def _wait_until_ready(services: Services) -> None:
    deadline = asyncio.get_running_loop().time() + _READY_WAIT_S
    while not services.progress.is_ready:
        if asyncio.get_running_loop().time() > deadline:
            done, total = services.progress.done, services.progress.total
            raise web.HTTPServiceUnavailable(reason=f"reading notes: {done} of {total}")
        await asyncio.sleep(0.05)


async def _body(request: web.Request) -> dict[str, Any]:
    if request.headers.get("Content-Encoding"):
        raise RequestInvalid("Compressed requests are not read.", fix="Send plain JSON.", field="Content-Encoding")
    if request.content_type != "application/json":
        raise RequestInvalid("The request must be JSON.", fix="Send Content-Type: application/json.", field="Content-Type")
    try:
        async with asyncio.timeout(_BODY_DEADLINE_S):
            value = json.loads(await request.read() or b"{}")
    except TimeoutError as error:
        raise RequestInvalid("The request took too long to arrive.", fix="Send it again.", field="body") from error
    except (ValueError, RecursionError) as error:
        raise RequestInvalid("The request is not valid JSON.", fix="Check its syntax.", field="body") from error
    if not isinstance(value, dict):
        raise RequestInvalid("The request must be a JSON object.", fix="Send {…}.", field="body")
    return value


def _events_handler(services: Services, op: Operation) -> Handler:
    """Serve events as a long poll or, if the client accepts ``text/event-stream``, as a stream that resumes by id."""
    poll = _handler(services, op)

    async def handle(request: web.Request) -> web.StreamResponse:
        if "text/event-stream" not in request.headers.get("Accept", ""):
            return await poll(request)
        since = request.headers.get("Last-Event-ID") or request.query.get("since") or "0"
        revision = int(since) if since.isascii() and since.isdigit() and len(since) < 16 else 0
        response = web.StreamResponse(headers={**SECURITY_HEADERS, **cors_headers(request), "Content-Type": "text/event-stream"})
        with contextlib.suppress(ConnectionError):  # the client has hung up
            await response.prepare(request)
            while not services.events.is_closed:
                events = await services.events.wait(revision, _PING_S)
                lines = [f"id: {e.id}\nevent: {e.type}\ndata: {json.dumps(e.data, ensure_ascii=False)}\n\n" for e in events]
                await response.write("".join(lines or [": ping\n\n"]).encode("utf-8", "replace"))
                revision = events[-1].id if events else revision
        return response

    return handle


def _health(services: Services, keys: Keys) -> Handler:
    async def health(request: web.Request) -> web.Response:
        nonce = request.query.get("nonce", "")
        if not nonce:
            return web.json_response({"ok": True})
        proof = keys.prove(f"{services.vault_id}:{nonce[:_MAX_NONCE]}")
        return web.json_response({"ok": True, "proof": proof, "protocol": PROTOCOL_VERSION, "version": __version__})

    return health


def _session(keys: Keys) -> Handler:
    async def session(request: web.Request) -> web.Response:
        token = keys.exchange(str((await _body(request.clone(client_max_size=_SMALL_BODY_BYTES))).get("code", "")))
        if token is None:
            return _problem(401, "code-refused", "This link was used already or is older than a minute.", "Open a new one with: kb open")
        return web.json_response({"token": token})

    return session


def _add_console(app: web.Application, console: Path | None) -> None:
    """Serve the console's files, read once; nothing but what lies in its folder has a route."""
    files = {path.name: path.read_bytes() for path in sorted(console.iterdir()) if path.is_file()} if console else {}

    async def page(_: web.Request) -> web.Response:
        if "index.html" not in files:
            return _problem(404, "console-missing", "This installation has no console.", "Install the released package.")
        return web.Response(body=files["index.html"], content_type="text/html", charset="utf-8")

    async def asset(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in files:
            raise web.HTTPNotFound
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return web.Response(body=files[name], content_type=kind, charset="utf-8" if kind.startswith("text/") else None)

    app.router.add_get("/", page)
    app.router.add_get("/console/{name}", asset)


def _problem(status: int, code: str, detail: str, fix: str) -> web.Response:
    return _problem_response(
        ProblemBody(title=code.replace("-", " ").capitalize(), status=status, detail=detail, code=code, fix=fix, params={})
    )


def _problem_response(problem: ProblemBody) -> web.Response:
    return web.Response(status=problem.status, text=problem.model_dump_json(), content_type="application/problem+json")
