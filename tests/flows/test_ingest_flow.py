"""From a link to a note in a real vault: pages come from a server on loopback, everything else is the product."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from sidecar.api.operations import find_operation
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.init import init_vault
from sidecar.errors import BlockedAddress, ExtractionError, FetchError, SidecarError
from sidecar.ingest.adapters import PAGE, Page, Wishes
from sidecar.ingest.document import Document
from sidecar.ingest.plan import Buried, Created, Duplicate, IngestOptions, Outcome
from sidecar.ingest.worker import PageReader
from sidecar.vault.address import url_hash
from sidecar.vault.frontmatter import read_frontmatter

WORDS = "A page needs enough plain words to be taken for an article, and these here will do for all of the tests. "
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def html(title: str, text: str = "") -> str:
    return f"<html lang=en><head><title>{title}</title></head><body><article><p>{WORDS * 3}{text}</p></article></body></html>"


class Site:
    """A web site on loopback; ``pages`` maps paths to HTML, and counts how often each was asked for."""

    def __init__(self) -> None:
        self.pages: dict[str, str | Handler] = {}
        self.asked: list[str] = []
        self.port = 0

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        page = self.pages.get(request.path)
        if page is None:
            raise web.HTTPNotFound
        return web.Response(text=page, content_type="text/html") if isinstance(page, str) else await page(request)


@pytest.fixture
async def site(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    found = Site()
    app = web.Application()
    app.router.add_get("/{path:.*}", found.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    listener = web.TCPSite(runner, "127.0.0.1", 0)
    await listener.start()
    found.port = runner.addresses[0][1]
    monkeypatch.setenv("KB_ALLOW_LOOPBACK", str(found.port))
    monkeypatch.setenv("KB_NOW", "2026-03-05T12:00:00+00:00")
    yield found
    await runner.cleanup()


@pytest.fixture
async def vault(site: Site, tmp_path: Path) -> AsyncIterator[Container]:
    root = tmp_path / "vault"
    (root / "notes").mkdir(parents=True)
    (root / "notes" / "mine.md").write_text("My own words.\n")
    init_vault(root, "en")
    container = open_container(root)
    await container.services.thread.run(container.vault.open)
    container.services.progress.is_ready = True
    yield container
    await container.close()


async def ingest(vault: Container, url: str, **options: Any) -> Outcome:
    return await vault.services.ingest.ingest(url, IngestOptions(**options), lambda name, details: None)


async def call(vault: Container, method: str, path: str, **parameters: Any) -> dict[str, Any]:
    operation = find_operation(method, path)
    assert operation is not None
    answer = await operation.run(vault.services, operation.request.model_validate(parameters))
    value: dict[str, Any] = answer.model_dump(mode="json")
    return value


def text_of(vault: Container, path: str) -> str:
    return (vault.root / path).read_text(encoding="utf-8")


def files_of(vault: Container) -> dict[str, str]:
    """Give every file of the vault but the sidecar's own, by hash."""
    found = {path.relative_to(vault.root).as_posix(): path for path in vault.root.rglob("*") if path.is_file()}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in found.items() if not name.startswith(".kb/")}


def journal_of(vault: Container) -> list[dict[str, Any]]:
    lines = [line for path in sorted((vault.root / ".kb" / "journal").glob("notes-*.jsonl")) for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines]


async def test_a_link_becomes_one_note_with_its_provenance_and_nothing_else_changes(vault: Container, site: Site) -> None:
    site.pages["/story"] = html("A story")
    before = files_of(vault)
    outcome = await ingest(vault, site.url("/story?utm_source=x#part"), tags=("reading",), use_when="planning", via="share")
    assert isinstance(outcome, Created)
    assert {"sources/a-story.md"} == files_of(vault).keys() - before.keys()
    assert before.items() <= files_of(vault).items()
    head = read_frontmatter(text_of(vault, outcome.path))
    assert {
        "title": "A story",
        "aliases": ["A story"],
        "tags": ["reading"],
        "created": "2026-03-05",
        "origin": "web",
        "url": site.url("/story"),
        "site": "127.0.0.1",
        "lang": "en",
        "hash": url_hash(site.url("/story")),
        "via": "share",
        "body_state": "full",
        "kb_layer": "L1",
        "kb_use_when": "planning",
    } == head.properties
    order = "title aliases tags created origin url site lang hash via body_state kb_layer kb_use_when".split()
    assert order == list(head.properties)
    line = journal_of(vault)[-1]
    assert ("ingested", outcome.path, site.url("/story"), "share") == (line["event"], line["path"], line["url"], line["via"])


async def test_the_note_can_be_found_at_once(vault: Container, site: Site) -> None:
    site.pages["/story"] = html("A story", "with an unmistakable quokka in it")
    await ingest(vault, site.url("/story"))
    found = await call(vault, "GET", "/api/kb/search", q="quokka")
    assert ["sources/a-story.md"] == [hit["path"] for hit in found["hits"]]


@pytest.mark.parametrize("again", ["/story", "/story?utm_source=x&fbclid=1", "/story/", "/story#part", "/short"])
async def test_the_same_page_again_is_there_already(vault: Container, site: Site, again: str) -> None:
    site.pages["/story"] = site.pages["/story/"] = html("A story")

    async def redirect(_: web.Request) -> web.StreamResponse:
        raise web.HTTPFound("/story?utm_medium=short")

    site.pages["/short"] = redirect
    first = await ingest(vault, site.url("/story"))
    before = files_of(vault)
    assert Duplicate(first.path, "A story") == await ingest(vault, site.url(again))
    assert before == files_of(vault)
    assert 1 == len(journal_of(vault))


async def test_a_known_page_is_not_even_fetched(vault: Container, site: Site) -> None:
    site.pages["/story"] = html("A story")
    await ingest(vault, site.url("/story"))
    site.asked.clear()
    await ingest(vault, site.url("/story"))
    assert [] == site.asked


async def test_the_same_link_twice_at_once_makes_one_note(vault: Container, site: Site) -> None:
    site.pages["/story"] = html("A story")
    outcomes = await asyncio.gather(*(ingest(vault, site.url(f"/story?utm_id={n}")) for n in range(5)))
    assert [Created] + [Duplicate] * 4 == sorted((type(outcome) for outcome in outcomes), key=lambda kind: kind.__name__)
    assert 1 == len(list((vault.root / "sources").glob("*.md")))


async def test_two_short_links_to_one_page_at_once_make_one_note(vault: Container, site: Site) -> None:
    site.pages["/story"] = html("A story")

    async def redirect(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.05)
        raise web.HTTPFound("/story")

    site.pages["/a"] = site.pages["/b"] = redirect
    outcomes = await asyncio.gather(ingest(vault, site.url("/a")), ingest(vault, site.url("/b")))
    assert {Created, Duplicate} == {type(outcome) for outcome in outcomes}
    assert 1 == len(list((vault.root / "sources").glob("*.md")))


async def test_force_writes_a_second_note_that_supersedes_the_first_which_stays_as_the_user_left_it(vault: Container, site: Site) -> None:
    """I7: the user's edits are never touched, the new version is offered beside them."""
    site.pages["/story"] = html("A story", "old words")
    first = await ingest(vault, site.url("/story"))
    edited = text_of(vault, first.path) + "\nMy own remark.\n"
    (vault.root / first.path).write_text(edited, encoding="utf-8")
    await vault.services.thread.run(vault.vault.apply, [first.path])
    assert Duplicate(first.path, "A story") == await ingest(vault, site.url("/story"))
    assert edited == text_of(vault, first.path)
    site.pages["/story"] = html("A story", "new words")
    second = await ingest(vault, site.url("/story"), force=True)
    assert "sources/a-story-2.md" == second.path
    assert "a-story" == read_frontmatter(text_of(vault, second.path)).properties["supersedes"]
    assert edited == text_of(vault, first.path)
    assert Duplicate(second.path, "A story") == await ingest(vault, site.url("/story"))


async def test_a_buried_page_is_said_to_be_buried_and_nothing_is_written(vault: Container, site: Site) -> None:
    site.pages["/story"] = html("A story")
    first = await ingest(vault, site.url("/story"))
    (vault.root / "_graveyard").mkdir()
    (vault.root / first.path).rename(vault.root / "_graveyard" / "a-story.md")
    await vault.services.thread.run(vault.vault.apply, [first.path, "_graveyard/a-story.md"])
    before = files_of(vault)
    assert Buried("_graveyard/a-story.md", "A story") == await ingest(vault, site.url("/story"))
    assert before == files_of(vault)


async def test_another_page_of_the_same_title_gets_a_name_of_its_own(vault: Container, site: Site) -> None:
    site.pages["/one"] = site.pages["/two"] = html("Mine")
    assert ["sources/mine-2.md", "sources/mine-3.md"] == [(await ingest(vault, site.url(path))).path for path in ("/one", "/two")]
    assert "My own words.\n" == text_of(vault, "notes/mine.md")


async def test_a_name_taken_since_the_vault_was_read_is_left_to_its_owner(vault: Container, site: Site) -> None:
    site.pages["/story"] = html("A story")
    (vault.root / "sources").mkdir(exist_ok=True)
    (vault.root / "sources" / "a-story.md").write_text("Made by hand a moment ago.\n")
    outcome = await ingest(vault, site.url("/story"))
    assert "sources/a-story-2.md" == outcome.path
    assert "Made by hand a moment ago.\n" == text_of(vault, "sources/a-story.md")
    assert ["sources/a-story-2.md"] == [line["path"] for line in journal_of(vault)], "the journal calls nobody's own note ingested"


async def test_the_list_of_ingested_pages_is_made_anew_from_the_notes(vault: Container, site: Site) -> None:
    site.pages["/one"], site.pages["/two"] = html("One page"), html("Two pages")
    await ingest(vault, site.url("/one"))
    path = vault.root / ".kb" / "ingested.json"
    path.unlink()
    await ingest(vault, site.url("/two"))
    assert {url_hash(site.url("/one")): "one-page", url_hash(site.url("/two")): "two-pages"} == json.loads(path.read_text())["notes"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/gone", FetchError), ("/zip", FetchError), ("/pdf", ExtractionError), ("/empty", ExtractionError), ("/inside", BlockedAddress)],
)
async def test_a_page_that_cannot_be_had_leaves_nothing_behind(vault: Container, site: Site, path: str, kind: type[SidecarError]) -> None:
    async def pdf(_: web.Request) -> web.StreamResponse:
        return web.Response(body=b"%PDF", content_type="application/pdf")

    async def packed(_: web.Request) -> web.StreamResponse:
        return web.Response(body=b"PK", content_type="application/zip")

    async def inside(_: web.Request) -> web.StreamResponse:
        raise web.HTTPFound("http://127.0.0.2:80/admin")

    site.pages |= {"/zip": packed, "/pdf": pdf, "/empty": " ", "/inside": inside}
    before = files_of(vault)
    with pytest.raises(kind):
        await ingest(vault, site.url(path))
    assert before == files_of(vault)
    assert [] == journal_of(vault)


async def test_a_bad_link_in_a_batch_does_not_stop_the_rest(vault: Container, site: Site) -> None:
    site.pages["/one"], site.pages["/two"] = html("One page"), html("Two pages")
    urls = [site.url("/one"), site.url("/gone"), "ftp://x", "http://10.0.0.7/", site.url("/two"), site.url("/one")]
    job = await call(vault, "POST", "/api/kb/ingest", urls=urls, wait=True)
    assert "done" == job["state"]
    results = job["result"]["results"]
    assert ["created", "failed", "failed", "failed", "created"] == [result["status"] for result in results]
    assert ["fetch-failed", "url-invalid", "address-blocked"] == [result["error"]["code"] for result in results[1:4]]
    assert all(result["error"]["fix"] for result in results[1:4])


async def test_a_cancelled_job_leaves_no_note_and_the_next_page_is_read(vault: Container, site: Site) -> None:
    reached = asyncio.Event()

    async def hang(_: web.Request) -> web.StreamResponse:
        reached.set()
        await asyncio.sleep(30)
        raise web.HTTPNotFound

    site.pages["/slow"], site.pages["/story"] = hang, html("A story")
    before = files_of(vault)
    job = await call(vault, "POST", "/api/kb/ingest", url=site.url("/slow"))
    await reached.wait()
    stopped = await call(vault, "DELETE", "/api/kb/jobs/{id}", id=job["id"])
    assert "cancelled" == stopped["state"]
    assert before == files_of(vault)
    assert isinstance(await ingest(vault, site.url("/story")), Created)


# ── the reader's process ──────────────────────────────────────────────────────────────────────

URL = "https://example.com/page"


async def read_with(reader: PageReader, text: str) -> Document:
    found = await reader.read("generic", URL, {PAGE: Page(URL, "text/html", text)}, Wishes())
    assert isinstance(found, Document)
    return found


async def test_a_page_that_keeps_the_parser_busy_is_given_up_and_the_next_is_read() -> None:
    reader = PageReader(timeout_s=4.0)
    slow = "<p>" + "".join(f"<a href='/{n}'>link {n} with words</a> " for n in range(60_000))
    try:
        with pytest.raises(ExtractionError) as caught:
            await read_with(reader, slow)
        assert "timeout" == caught.value.params["step"]
        assert "A story" == (await read_with(reader, html("A story"))).title
    finally:
        await reader.close()


async def test_after_a_cancelled_page_the_next_is_read_and_not_answered_with_the_first() -> None:
    reader = PageReader()
    try:
        assert "Warm" == (await read_with(reader, html("Warm"))).title
        task = asyncio.create_task(read_with(reader, html("First", "<b>x</b>" * 20_000)))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert "Second" == (await read_with(reader, html("Second"))).title
    finally:
        await reader.close()


async def test_a_reader_that_was_killed_is_replaced() -> None:
    reader = PageReader()
    try:
        await read_with(reader, html("First"))
        process = reader._process
        assert process is not None
        process.kill()
        await process.wait()
        assert "Second" == (await read_with(reader, html("Second"))).title
    finally:
        await reader.close()


@pytest.mark.parametrize("text", ["<div>" * 100_000, "<b>" * 50_000 + "x", "\ud800", "<table>" * 5_000, "<ul><li>" * 3_000])
async def test_a_page_built_to_break_the_parser_is_read_or_refused(text: str) -> None:
    reader = PageReader(timeout_s=15)
    try:
        with contextlib.suppress(ExtractionError):
            await read_with(reader, text)
        assert "Next" == (await read_with(reader, html("Next"))).title
    finally:
        await reader.close()


async def test_the_reader_imports_nothing_from_the_folder_it_was_started_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``kb add`` is typed inside vaults, and a vault may come from anyone."""
    (tmp_path / "lxml.py").write_text("from pathlib import Path\nPath(__file__).with_name('ran').write_text('')\n")
    monkeypatch.chdir(tmp_path)
    reader = PageReader()
    try:
        assert "A story" == (await read_with(reader, html("A story"))).title
    finally:
        await reader.close()
    assert not (tmp_path / "ran").exists()
