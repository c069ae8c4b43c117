"""The API as others are told of it: the OpenAPI document, and recorded requests and answers that the plugin's tests read, too."""

from __future__ import annotations

import io
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from sidecar.api.app import make_app
from sidecar.api.openapi import openapi_document, operation_id
from sidecar.api.operations import OPERATIONS, find_operation
from sidecar.daemon.container import open_container
from sidecar.daemon.init import init_vault

CONTRACT = Path(__file__).parent.parent.parent / "fixtures" / "contract"
Client = TestClient[web.Request, web.Application]

NOTES = {
    "Garden.md": "---\ntags: [plants]\naliases: [Plot]\n---\n# Garden\nNettles grow in the garden. See [[Soil]] and [[Not written]].\n",
    "Soil.md": "Soil feeds the [[Garden]]. 土壤是花园的根本。\n",
    "wiki/Compost.md": "---\ntags: [plants]\n---\nCompost becomes soil, and the Garden likes it.\n",
    "Broken.md": "---\ntitle: [open\n---\nThe text is there.\n",
    "index.md": "# Index\n\n%% kb:moc:begin %%\n%% kb:moc:end %%\n",
}

REQUESTS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("status", "GET", "/api/kb/status", {}),
    ("search", "GET", "/api/kb/search", {"q": "garden", "limit": 5}),
    ("search-chinese", "GET", "/api/kb/search", {"q": "土壤"}),
    ("search-nothing", "GET", "/api/kb/search", {"q": "zeppelin"}),
    ("search-refused", "GET", "/api/kb/search", {"q": "x", "limit": 0}),
    ("ingest-queue", "GET", "/api/kb/ingest/queue", {}),
    ("ingest-queue-clear", "DELETE", "/api/kb/ingest/queue", {}),
    ("search-bad-filter", "GET", "/api/kb/search", {"q": "garden layer:attic"}),
    ("search-state", "GET", "/api/kb/search/state", {"note": "Garden"}),
    ("similar", "POST", "/api/kb/similar", {"note": "Garden", "limit": 3}),
    ("bench-refused", "POST", "/api/kb/bench", {"source": "elsewhere"}),
    ("vectors", "POST", "/api/kb/vectors", {"wait": True}),
    ("links", "GET", "/api/kb/links", {"note": "Garden.md"}),
    ("links-page", "GET", "/api/kb/links", {"note": "Garden.md", "limit": 1, "offset": 1}),
    ("mentions", "GET", "/api/kb/mentions", {"note": "Garden", "limit": 5}),
    ("links-unknown", "GET", "/api/kb/links", {"note": "Nobody"}),
    ("entry", "GET", "/api/kb/entry", {"note": "Garden", "render": "true"}),
    ("entry-broken", "GET", "/api/kb/entry", {"note": "Broken"}),
    ("switches", "GET", "/api/kb/agent/switches", {}),
    ("switches-change", "POST", "/api/kb/agent/switches", {"inject": False}),
    ("picture-unknown", "GET", "/api/kb/picture", {"path": "none.png"}),
    ("list-notes", "GET", "/api/kb/list", {}),
    ("list-hubs", "GET", "/api/kb/list", {"kind": "hubs"}),
    ("list-orphans", "GET", "/api/kb/list", {"kind": "orphans"}),
    ("list-unresolved", "GET", "/api/kb/list", {"kind": "unresolved"}),
    ("list-tags", "GET", "/api/kb/list", {"kind": "tags"}),
    ("list-problems", "GET", "/api/kb/list", {"kind": "problems"}),
    ("graph", "GET", "/api/kb/graph", {}),
    ("graph-neighbourhood", "GET", "/api/kb/graph/neighbourhood", {"note": "Garden.md", "depth": 2}),
    ("graph-path", "GET", "/api/kb/graph/path", {"start": "Garden", "goal": "Soil"}),
    ("graph-components", "GET", "/api/kb/graph/components", {}),
    ("list-dead-ends", "GET", "/api/kb/list", {"kind": "dead-ends"}),
    ("resolve", "GET", "/api/kb/resolve", {"link": "[[Soil]]", "source": "Garden.md"}),
    ("resolve-unwritten", "GET", "/api/kb/resolve", {"link": "Not written"}),
    ("moc", "GET", "/api/kb/moc", {}),
    ("moc-write", "POST", "/api/kb/moc", {}),
    ("properties", "POST", "/api/kb/entry/properties", {"note": "Soil", "set": {"tags": ["plants"]}, "dry_run": True}),
    ("ingest-refused", "POST", "/api/kb/ingest", {"url": "http://127.0.0.1/", "wait": True}),
    ("ingest-empty", "POST", "/api/kb/ingest", {}),
    ("job-unknown", "GET", "/api/kb/jobs/none", {}),
    ("job-cancel-unknown", "DELETE", "/api/kb/jobs/none", {}),
    ("events", "GET", "/api/kb/events", {"since": 0}),
    ("feeds", "GET", "/api/kb/feeds", {}),
    ("feeds-add", "POST", "/api/kb/feeds", {"url": "https://example.org/feed.xml", "type": "rss", "title": "Example"}),
    ("feeds-set", "POST", "/api/kb/feeds/set", {"id": "Example", "set": {"weight": 0.5}}),
    ("feeds-set-refused", "POST", "/api/kb/feeds/set", {"id": "Example", "set": {"interval_min": 0}}),
    ("feeds-list", "GET", "/api/kb/feeds", {}),
    (
        "feeds-test",
        "POST",
        "/api/kb/feeds/test",
        {"text": "<rss version='2.0'><channel><title>T</title><item><title>A</title></item></channel></rss>"},
    ),
    ("feeds-discover", "POST", "/api/kb/feeds/discover", {"url": "https://www.youtube.com/@someone"}),
    ("feeds-import", "POST", "/api/kb/feeds/import", {"text": "https://example.com/a.xml\nhttps://example.org/feed.xml\n"}),
    ("feeds-export", "GET", "/api/kb/feeds/export", {}),
    ("feeds-login", "POST", "/api/kb/feeds/login", {"id": "nobody"}),
    ("feeds-remove", "DELETE", "/api/kb/feeds", {"id": "Example"}),
    ("preference", "GET", "/api/kb/preference", {}),
    ("preference-set", "POST", "/api/kb/preference", {"set": [{"path": ["schedule", "brief_hour"], "value": 7}]}),
    ("preference-refused", "POST", "/api/kb/preference", {"set": [{"path": ["schedule", "brief_hour"], "value": 99}]}),
    ("items", "GET", "/api/kb/items", {"limit": 5}),
    ("items-refused", "GET", "/api/kb/items", {"tier": "great"}),
    ("item-unknown", "GET", "/api/kb/items/none", {}),
    ("item-feedback", "POST", "/api/kb/items/none/feedback", {"id": "none", "action": "archive"}),
    ("items-archive", "POST", "/api/kb/items/archive", {"ids": ["none"]}),
    ("items-export", "POST", "/api/kb/items/export", {"ids": []}),
    ("items-clear", "POST", "/api/kb/items/clear", {"filter": {}, "confirm": "3"}),
    ("runs", "GET", "/api/kb/runs", {}),
    ("run-not-set-up", "POST", "/api/kb/runs", {"only": ["nobody"], "wait": True}),
    ("candidates", "GET", "/api/kb/verdicts", {"limit": 3}),
    ("verdicts", "POST", "/api/kb/verdicts", {"verdicts": [{"id": "none", "tier": "worth", "why": "It names a figure."}]}),
    ("judge-not-set-up", "POST", "/api/kb/judge", {}),
    ("brief", "GET", "/api/kb/brief", {}),
    ("brief-write", "POST", "/api/kb/brief", {}),
    ("rebuild", "POST", "/api/kb/rebuild", {}),
    ("signals", "POST", "/api/kb/signals", {"kind": "cite", "notes": ["Garden"], "door": "cli"}),
    ("signals-refused", "POST", "/api/kb/signals", {"kind": "search", "notes": ["Garden"]}),
    ("docket", "GET", "/api/kb/docket", {}),
    ("docket-one", "GET", "/api/kb/docket", {"note": "Compost"}),
    ("health", "GET", "/api/kb/health", {}),
    ("promote-refused", "POST", "/api/kb/promote", {"note": "Garden", "use_when": "Spring"}),
    ("chew", "GET", "/api/kb/chew", {}),
    ("chew-write", "POST", "/api/kb/chew", {"notes": ["Compost"], "title": "Rot", "sentence": "Rot is slow fire.", "use_when": "Planning"}),
    ("hints", "POST", "/api/kb/hints", {"prompt": "How do I make compost?"}),
    ("context", "GET", "/api/kb/context", {}),
    ("entry-add", "POST", "/api/kb/entry", {"title": "An idea", "text": "Words."}),
    ("entry-write-refused", "POST", "/api/kb/entry", {"action": "write", "slug": "Compost", "text": "# Compost"}),
    ("confirm", "POST", "/api/kb/confirm", {"note": "Compost"}),
    ("distill", "GET", "/api/kb/distill", {}),
    ("console-code", "POST", "/api/kb/console-code", {}),
    ("doctor", "GET", "/api/kb/doctor", {}),
    ("restart", "POST", "/api/kb/restart", {}),
    ("stop", "POST", "/api/kb/stop", {}),
)


@pytest.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    monkeypatch.setenv("KB_NOW", "2026-03-05T12:00:00+00:00")
    root = tmp_path / "vault"
    for name, text in NOTES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    init_vault(root, "en")
    container = open_container(root)
    await container.services.thread.run(container.vault.open)
    container.services.progress.is_ready = True
    server = TestServer(web.Application())
    await server.start_server()
    port = server.port
    await server.close()
    assert port is not None
    server = TestServer(make_app(container.services, container.keys, port, None), port=port)
    async with TestClient(server, headers={"Authorization": f"Bearer {container.keys.token}"}) as found:
        yield found
    await container.close()


async def ask(client: Client, method: str, path: str, parameters: dict[str, Any]) -> tuple[int, Any]:
    # As a stream: some requests are larger than the client sends at once without a warning.
    body = {"data": io.BytesIO(json.dumps(parameters).encode()), "headers": {"Content-Type": "application/json"}}
    given: dict[str, Any] = body if method == "POST" else {"params": parameters}
    async with client.request(method, path, **given) as response:
        return response.status, await response.json(content_type=None)


def settled(value: Any) -> Any:
    """Replace what differs from run to run."""
    if isinstance(value, dict):
        return {
            key: "…" if key in ("vault_id", "id", "version", "code_") and isinstance(inner, str) else settled(inner)
            for key, inner in value.items()
        }
    return [settled(inner) for inner in value] if isinstance(value, list) else value


async def test_every_operation_answers_as_recorded(client: Client, request: pytest.FixtureRequest) -> None:
    """One vault, all requests in order; the plugin's tests read the same files."""
    assert {(op.method, op.path.replace("{id}", "none")) for op in OPERATIONS} == {(method, path) for _, method, path, _ in REQUESTS}
    for name, method, path, parameters in REQUESTS:
        status, answer = await ask(client, method, path, parameters)
        if name == "console-code":
            answer["code"] = "…"
        if name == "doctor":  # what is found differs from machine to machine
            answer = {"findings": [{**one, "state": "ok", "text": "…", "fix": "…"} for one in answer["findings"]], "report": "…"}
        recorded = {"request": {"method": method, "path": path, "parameters": parameters}, "status": status, "answer": settled(answer)}
        text = json.dumps(recorded, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        if request.config.getoption("--update-golden", default=False):
            (CONTRACT / f"{name}.json").write_text(text, encoding="utf-8")
        assert (CONTRACT / f"{name}.json").is_file(), "read what --update-golden writes before committing it"
        assert (CONTRACT / f"{name}.json").read_text(encoding="utf-8") == text, name
    assert {f"{name}.json" for name, *_ in REQUESTS} == {path.name for path in CONTRACT.glob("*.json")}


# ── the document ──────────────────────────────────────────────────────────────────────────────


def parts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(inner)


async def test_the_document_that_is_served_is_the_one_that_is_made(client: Client) -> None:
    status, served = await ask(client, "GET", "/api/openapi.json", {})
    assert (200, openapi_document()) == (status, served)


async def test_every_route_of_the_api_is_in_the_document_and_no_other(client: Client) -> None:
    server = client.server
    assert isinstance(server, TestServer)
    served = {(r.method, r.resource.canonical) for r in server.app.router.routes() if r.resource and r.method != "HEAD"}
    described = {(method.upper(), path) for path, methods in openapi_document()["paths"].items() for method in methods}
    assert described == {(method, path) for method, path in served if path.startswith("/api/kb/")}


def test_the_document_is_openapi_3_1_whose_references_all_lead_somewhere() -> None:
    document = openapi_document()
    assert "3.1.0" == document["openapi"]
    assert {"title", "version"} <= document["info"].keys()
    schemas = document["components"]["schemas"]
    for part in parts(document):
        if isinstance(part.get("$ref"), str):
            assert part["$ref"].removeprefix("#/components/schemas/") in schemas
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(set(ids)) == len(ids) == len(OPERATIONS)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            named = {p["name"]: p for p in operation.get("parameters", [])}
            assert set(re.findall(r"{(\w+)}", path)) == {name for name, p in named.items() if p["in"] == "path"}
            assert all(p["required"] for p in named.values() if p["in"] == "path")
            assert ("requestBody" in operation) == (method == "post")
            assert {"200", "default"} == operation["responses"].keys()
            assert all("$ref" not in p["schema"] for p in named.values())


def violations(schema: dict[str, Any]) -> Iterator[Any]:
    """Give values that a schema does not allow."""
    if "minimum" in schema:
        yield schema["minimum"] - 1
    if "maximum" in schema:
        yield schema["maximum"] + 1
    if schema.get("type") in ("integer", "number"):
        yield "many"
    if schema.get("type") == "boolean":
        yield "perhaps"
    if "maxLength" in schema:
        yield "x" * (schema["maxLength"] + 1)
    if schema.get("minLength"):
        yield ""
    if "enum" in schema:
        yield "none-of-them"


async def test_requests_that_break_the_document_are_refused(client: Client) -> None:
    document = openapi_document()
    tried = 0
    for op in OPERATIONS:
        described = document["paths"][op.path][op.method.lower()]
        if op.method == "POST":
            name = described["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
            schema = document["components"]["schemas"][name]
            fields = dict(schema.get("properties", {}))
            required: list[str] = schema.get("required", [])
        else:
            fields = {p["name"]: p["schema"] for p in described["parameters"] if p["in"] == "query"}
            required = [p["name"] for p in described["parameters"] if p["required"] and p["in"] == "query"]
        good = dict.fromkeys(required, "x")
        cases = [{**good, field: value} for field, inner in fields.items() for value in violations(inner)]
        cases += [{**good, "unknown": "1"}, *({key: value for key, value in good.items() if key != name} for name in required)]
        for parameters in cases:
            status, answer = await ask(client, op.method, op.path.replace("{id}", "none"), parameters)
            assert (400, "request-invalid") == (status, answer["code"]), (operation_id(op), parameters)
            tried += 1
    assert tried > 30


@pytest.mark.parametrize("url", ["", "x" * 8001, None])
async def test_odd_addresses_are_answered_with_a_problem_or_a_failed_result(client: Client, url: str | None) -> None:
    status, answer = await ask(client, "POST", "/api/kb/ingest", {"urls": [url], "wait": True})
    assert status == 400 or answer["result"]["results"][0]["error"]["code"] == "url-invalid"


def test_an_operation_is_found_by_method_and_path() -> None:
    assert find_operation("GET", "/api/kb/status") is not None
    assert find_operation("POST", "/api/kb/status") is None
