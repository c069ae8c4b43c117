"""The queue of links: nothing accepted is lost, whatever happens, and each link gives one whole note."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.operations import find_operation
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.init import init_vault
from sidecar.ingest.plan import IngestOptions
from sidecar.ingest.waiting import pause_s
from sidecar.net import Ask, Fetched
from sidecar.vault.frontmatter import read_frontmatter

ROOT = Path(__file__).resolve().parent.parent.parent
WORDS = "A page needs enough plain words to be taken for an article, and these here will do for all of the tests. " * 3
WALL = (
    "<html><head><title></title></head><body><script>var PAGE_MID='mmbizwap:secitptpage/verify.html', poc_token='x';</script></body></html>"
)


def page(title: str) -> str:
    return f"<html lang=en><head><title>{title}</title></head><body><article><p>{WORDS} This is the end.</p></article></body></html>"


class Site:
    """A web site on loopback. ``status`` and ``retry_after`` are those of its answers, ``wait_s`` how long it thinks first."""

    def __init__(self) -> None:
        self.status, self.retry_after, self.wait_s = 200, "", 0.0
        self.body = ""
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                time.sleep(site.wait_s)
                body = (site.body or page(f"Page {self.path.strip('/')} of many")).encode()
                with contextlib.suppress(OSError):  # whoever asked was killed
                    self.send_response(site.status)
                    if site.retry_after:
                        self.send_header("Retry-After", site.retry_after)
                    self.send_header("Content-Type", "text/html; charset=utf-8")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Nothing is printed."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    found = Site()
    monkeypatch.setenv("KB_ALLOW_LOOPBACK", str(found.port))
    monkeypatch.setenv("KB_NOW", "2026-03-05T12:00:00+00:00")
    yield found
    found.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    found = tmp_path / "vault"
    found.mkdir()
    (found / "mine.md").write_text("My own words.\n")
    init_vault(found, "en")
    return found


@contextlib.asynccontextmanager
async def sidecar_of(root: Path) -> AsyncIterator[Container]:
    container = open_container(root)
    await container.services.thread.run(container.vault.open)
    container.services.progress.is_ready = True
    try:
        yield container
    finally:
        await container.close()


async def call(vault: Container, method: str, path: str, **parameters: Any) -> dict[str, Any]:
    operation = find_operation(method, path)
    assert operation is not None
    answer = await operation.run(vault.services, operation.request.model_validate(parameters))
    value: dict[str, Any] = answer.model_dump(mode="json")
    return value


async def add(vault: Container, *urls: str, **options: Any) -> list[dict[str, Any]]:
    job = await call(vault, "POST", "/api/kb/ingest", urls=list(urls), wait=True, **options)
    results: list[dict[str, Any]] = job["result"]["results"]
    return results


async def queue_of(vault: Container) -> list[dict[str, Any]]:
    links: list[dict[str, Any]] = (await call(vault, "GET", "/api/kb/ingest/queue"))["links"]
    return links


async def follow_until_empty(vault: Container, at_most_s: float = 20.0) -> None:
    following = asyncio.create_task(vault.services.intake.follow())
    async with asyncio.timeout(at_most_s):
        while any(link["retry_at"] is None for link in await queue_of(vault)):  # noqa: ASYNC110 - it tells nobody when it is empty
            await asyncio.sleep(0.02)
    vault.services.intake.close()
    following.cancel()
    await asyncio.wait([following])


def journal_of(root: Path, kind: str) -> list[dict[str, Any]]:
    paths = sorted((root / ".kb" / "journal").glob(f"{kind}-*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def sources_of(root: Path) -> dict[str, list[str]]:
    """Give the names of the notes of each address; a note that is not whole fails."""
    found: dict[str, list[str]] = {}
    for path in sorted((root / "sources").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        assert text.startswith("---\ntitle: "), path
        assert text.endswith("This is the end.\n"), path
        found.setdefault(str(read_frontmatter(text).properties["url"]), []).append(path.stem)
    return found


# ── trying again ──────────────────────────────────────────────────────────────────────────────


async def test_a_link_is_in_the_journal_before_anything_is_fetched_and_ends_there(root: Path, site: Site) -> None:
    async with sidecar_of(root) as vault:
        site.wait_s = 0.3
        job = await call(vault, "POST", "/api/kb/ingest", urls=[site.url("a"), site.url("b"), "no address"], tags=["x"])
        assert [] == site.asked
        accepted = journal_of(root, "queue")
        assert [["accepted", [site.url("a"), site.url("b")]]] == [[r["event"], [link["url"] for link in r["links"]]] for r in accepted]
        assert [site.url("a"), site.url("b")] == [link["url"] for link in await queue_of(vault)]
        await vault.services.jobs.wait(vault.services.jobs.get(job["id"]))
        assert [] == await queue_of(vault)
        assert ["accepted", "finished", "finished"] == [record["event"] for record in journal_of(root, "queue")]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_site_in_trouble_is_asked_again_later_by_itself(
    root: Path, site: Site, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.status = status
    async with sidecar_of(root) as vault:
        [result] = await add(vault, site.url("a"), tags=["kept"])
        assert ("failed", "2026-03-05T12:05:00+00:00") == (result["status"], result["retry_at"])
        [waiting] = await queue_of(vault)
        assert (1, site.url("a"), ["kept"], "fetch-failed") == tuple(waiting[key] for key in ("attempts", "url", "tags", "code"))
    site.status = 200
    site.asked.clear()
    async with sidecar_of(root) as vault:  # not yet due
        await follow_until_empty(vault)
        assert [] == site.asked
    monkeypatch.setenv("KB_NOW", "2026-03-05T12:05:01+00:00")
    async with sidecar_of(root) as vault:
        following = asyncio.create_task(vault.services.intake.follow())
        async with asyncio.timeout(10):
            while await queue_of(vault):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        following.cancel()
    [name] = sources_of(root)[site.url("a")]
    assert ["kept"] == read_frontmatter((root / "sources" / f"{name}.md").read_text()).properties["tags"]


class WallNetwork:
    """Stands for the network: whatever is asked for, the site wants to see a person first."""

    async def fetch(self, url: str, ask: Ask) -> Fetched:
        return Fetched(url, 200, "text/html", "utf-8", WALL.encode())


async def test_a_verification_page_makes_no_note_and_is_told_apart_and_tried_again(root: Path, site: Site) -> None:
    """I2."""
    async with sidecar_of(root) as vault:
        vault.services.ingest._gatherer._fetcher = WallNetwork()  # type: ignore[assignment]
        [result] = await add(vault, "https://mp.weixin.qq.com/s/abcdefghijkl")
        assert ("failed", "verification-wall") == (result["status"], result["error"]["code"])
        assert "wants to see a person" in result["error"]["detail"]
        assert "2026-03-05T12:05:00+00:00" == result["retry_at"]
        assert ["verification-wall"] == [link["code"] for link in await queue_of(vault)]
    assert {} == sources_of(root)


@pytest.mark.parametrize(("status", "body"), [(404, ""), (410, ""), (403, ""), (200, " ")])
async def test_what_time_cannot_mend_is_final(root: Path, site: Site, status: int, body: str) -> None:
    site.status, site.body = status, body
    async with sidecar_of(root) as vault:
        [result] = await add(vault, site.url("a"))
        assert ("failed", None) == (result["status"], result["retry_at"])
        assert [] == await queue_of(vault)


async def test_a_wish_for_rest_is_kept_and_pauses_grow_until_the_link_is_given_up(
    root: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.status, site.retry_after = 503, "7200"
    async with sidecar_of(root) as vault:
        [result] = await add(vault, site.url("a"))
        assert "2026-03-05T14:00:00+00:00" == result["retry_at"]
    pauses = [pause_s(n, None) for n in range(1, 12)]
    grown = [pause for pause in pauses if pause is not None]
    assert grown == sorted(grown)
    assert pauses[-1] is None


async def test_a_waiting_link_that_is_added_again_is_tried_at_once_and_waits_once(root: Path, site: Site) -> None:
    site.status = 500
    async with sidecar_of(root) as vault:
        await add(vault, site.url("a"))
        await add(vault, site.url("a"), tags=["new"])
        assert [["new"]] == [link["tags"] for link in await queue_of(vault)]
        site.status = 200
        [result] = await add(vault, site.url("a"))
        assert "created" == result["status"]
        assert [] == await queue_of(vault)


async def test_waiting_links_can_be_forgotten_one_or_all(root: Path, site: Site) -> None:
    site.status = 500
    async with sidecar_of(root) as vault:
        await add(vault, *(site.url(name) for name in "abc"))
        first = (await queue_of(vault))[0]
        assert {"dropped": 0} == await call(vault, "DELETE", "/api/kb/ingest/queue", link="none-such")
        assert {"dropped": 1} == await call(vault, "DELETE", "/api/kb/ingest/queue", link=first["id"])
        assert [site.url("b"), site.url("c")] == [link["url"] for link in await queue_of(vault)]
        assert {"dropped": 2} == await call(vault, "DELETE", "/api/kb/ingest/queue")
    async with sidecar_of(root) as vault:
        assert [] == await queue_of(vault)


async def test_a_cancelled_job_takes_its_links_out_of_the_queue(root: Path, site: Site) -> None:
    site.wait_s = 0.4
    async with sidecar_of(root) as vault:
        job = await call(vault, "POST", "/api/kb/ingest", urls=[site.url("a"), site.url("b")])
        await asyncio.sleep(0.1)
        assert "cancelled" == (await call(vault, "DELETE", "/api/kb/jobs/{id}", id=job["id"]))["state"]
        assert [] == await queue_of(vault)


async def test_a_sidecar_that_stops_in_the_middle_goes_on_at_its_next_start(root: Path, site: Site) -> None:
    site.wait_s = 0.3
    async with sidecar_of(root) as vault:
        await call(vault, "POST", "/api/kb/ingest", urls=[site.url(name) for name in "abc"])
        await asyncio.sleep(0.1)
    site.wait_s = 0
    async with sidecar_of(root) as vault:
        assert 3 == len(await queue_of(vault))
        await follow_until_empty(vault)
    assert {site.url(name): [f"page-{name}-of-many"] for name in "abc"} == sources_of(root)


async def test_another_machines_queue_is_left_to_it(root: Path, site: Site) -> None:
    async with sidecar_of(root) as vault:
        await vault.services.intake.accept([site.url("a")], IngestOptions())
    [path] = (root / ".kb" / "journal").glob("queue-*.jsonl")
    path.rename(path.with_name("queue-2026-03-some-other-machine.jsonl"))
    async with sidecar_of(root) as vault:
        assert [] == await queue_of(vault)


@pytest.mark.parametrize("force", [False, True])
async def test_a_note_that_was_written_just_before_a_crash_is_not_written_twice(root: Path, site: Site, force: bool) -> None:
    async with sidecar_of(root) as vault:
        if force:
            await add(vault, site.url("a"))
        await add(vault, site.url("a"), force=force)
    notes = sources_of(root)
    [path] = (root / ".kb" / "journal").glob("queue-*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:9])  # the crash came while the end was put down
    async with sidecar_of(root) as vault:
        assert 1 == len(await queue_of(vault))
        await follow_until_empty(vault)
    assert notes == sources_of(root)


# ── crashes ───────────────────────────────────────────────────────────────────────────────────

NURSERY = """
import asyncio, os, sys
from pathlib import Path
import trafilatura
from sidecar.daemon.container import open_container
from sidecar.ingest.plan import IngestOptions
from sidecar.ingest.worker import read_pages

class NearReader:
    async def read(self, *request):  # what the reader's process does, without the second that its start takes
        return read_pages(*request)

    async def warm(self):
        pass

async def main(root, urls):
    container = open_container(Path(root))
    services = container.services
    services.ingest._gatherer._reader = NearReader()
    await services.thread.run(container.vault.open)
    await services.thread.run(container.vault.settle)
    if urls:
        await services.intake.accept(urls, IngestOptions())
        services.intake._held.clear()  # as after a start
    print("open", flush=True)
    following = asyncio.create_task(services.intake.follow())
    while await services.intake.list_waiting():
        await asyncio.sleep(0.005)
    following.cancel()
    await services.thread.run(container.vault.settle)
    await container.close()
    print("empty", flush=True)

for line in sys.stdin:
    root, *urls = line.strip().split("\\t")
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(main(root, urls))
        finally:
            os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("gone", flush=True)
"""


class Nursery:
    """Starts sidecars quickly: a process that has imported everything and forks. Each forked one is a process of its own."""

    def __init__(self, root: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._root = root
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, urls: list[str], kill_after_s: float | None) -> bool:
        """Run a sidecar that accepts links and works off its queue; tell whether it came to its end before it was killed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        lines = iter(self._process.stdout.readline, "")
        self._process.stdin.write("\t".join([str(self._root), *urls]) + "\n")
        self._process.stdin.flush()
        pid, said = 0, []
        for line in lines:
            said.append(line.strip())
            pid = int(line) if line.strip().isdigit() else pid
            if pid and "open" in said:
                break
            assert line != "gone\n", "it ended before it began"
        if kill_after_s is not None:
            time.sleep(kill_after_s)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for line in lines:
            said.append(line.strip())
            if line == "gone\n":
                break
        return "empty" in said

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_killed_at_any_moment_the_queue_ends_with_one_whole_note_for_each_link(root: Path, site: Site) -> None:
    """A process that is killed in the middle of ingesting leaves no torn file and loses no link."""
    kills = 200 if os.environ.get("KB_HYPOTHESIS") == "slow" else 20
    dice = random.Random(7)
    urls = [site.url(f"p{n}") for n in range(5 * kills)]
    nursery = Nursery(root)
    try:
        ended = 0
        for n in range(kills):
            ended += nursery.run(urls[5 * n : 5 * n + 5], dice.uniform(0.0, 0.25))
            assert all(len(names) == 1 for names in sources_of(root).values())
        assert ended <= kills // 2, "most of them must be killed before they are done"
        assert nursery.run([], None)
    finally:
        nursery.close()
    assert dict.fromkeys(urls, 1) == {url: len(names) for url, names in sources_of(root).items()}
    listed = json.loads((root / ".kb" / "ingested.json").read_text())["notes"]
    assert sorted(name for names in sources_of(root).values() for name in names) == sorted(listed.values())
