"""What the doors of ingest promise beside the link itself: where a note goes, images, dry runs, pasted text, ``kb add``."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from sidecar.api.operations import find_operation
from sidecar.cli.commands import add as add_command
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.init import init_vault
from sidecar.ingest.adapters import find_adapter
from sidecar.vault.frontmatter import read_frontmatter

WORDS = "A page needs enough plain words to be taken for an article, and these here will do for all of the tests. " * 3
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


def page(title: str, more: str = "") -> str:
    end = "<p>And to end with, something else is said here at some length, so that the text is long enough.</p>"
    return f"<html lang=en><head><title>{title}</title></head><body><article><p>{WORDS}</p>{more}{end}</article></body></html>"


class Site:
    def __init__(self) -> None:
        self.pages: dict[str, str | bytes] = {}
        self.types: dict[str, str] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.port = 0

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.path, request.headers.get("Referer")))
        found = self.pages.get(request.path)
        if found is None:
            raise web.HTTPNotFound
        kind = self.types.get(request.path, "text/html" if isinstance(found, str) else "image/png")
        return web.Response(body=found.encode() if isinstance(found, str) else found, content_type=kind)


@pytest.fixture
async def site(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    found = Site()
    app = web.Application()
    app.router.add_get("/{path:.*}", found.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.port = runner.addresses[0][1]
    monkeypatch.setenv("KB_ALLOW_LOOPBACK", str(found.port))
    monkeypatch.setenv("KB_NOW", "2026-03-05T12:00:00+00:00")
    yield found
    await runner.cleanup()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    found = tmp_path / "vault"
    found.mkdir()
    (found / "mine.md").write_text("My own words.\n")
    init_vault(found, "en")
    return found


@pytest.fixture
async def vault(site: Site, root: Path) -> AsyncIterator[Container]:
    container = await opened(root)
    yield container
    await container.close()


async def opened(root: Path) -> Container:
    container = open_container(root)
    await container.services.thread.run(container.vault.open)
    container.services.progress.is_ready = True
    return container


def set_up(root: Path, ingest: str) -> None:
    (root / ".kb" / "config.toml").write_text(f"[ingest]\n{ingest}\n")


async def call(vault: Container, method: str, path: str, **parameters: Any) -> dict[str, Any]:
    operation = find_operation(method, path)
    assert operation is not None
    answer = await operation.run(vault.services, operation.request.model_validate(parameters))
    value: dict[str, Any] = answer.model_dump(mode="json")
    return value


async def add(vault: Container, url: str | None = None, **options: Any) -> dict[str, Any]:
    job = await call(vault, "POST", "/api/kb/ingest", url=url, wait=True, **options)
    result: dict[str, Any] = job["result"]["results"][0]
    return result


def text_of(root: Path, path: str) -> str:
    return (root / path).read_text(encoding="utf-8")


def names_of(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file() and ".kb" not in path.parts}


# ── where a note goes ─────────────────────────────────────────────────────────────────────────


async def test_where_a_use_is_asked_for_a_link_without_one_waits_in_the_inbox_and_expires(root: Path, site: Site) -> None:
    set_up(root, "require_use_when = true")
    site.pages |= {"/a": page("First page"), "/b": page("Second page")}
    vault = await opened(root)
    staged = await add(vault, site.url("/a"), use_when="  ")
    kept = await add(vault, site.url("/b"), use_when="planning the garden")
    await vault.close()
    assert ("inbox/first-page.md", "sources/second-page.md") == (staged["path"], kept["path"])
    head = read_frontmatter(text_of(root, staged["path"])).properties
    assert ("inbox", "2026-04-04") == (head["kb_layer"], head["kb_expires"])
    head = read_frontmatter(text_of(root, kept["path"])).properties
    assert ("L1", None, "planning the garden") == (head["kb_layer"], head.get("kb_expires"), head["kb_use_when"])


async def test_a_dry_run_shows_the_note_and_writes_nothing_at_all(vault: Container, root: Path, site: Site) -> None:
    site.pages["/a"] = page("First page")
    before = names_of(root)
    result = await add(vault, site.url("/a"), dry_run=True, assets=True)
    assert ("planned", "sources/first-page.md") == (result["status"], result["path"])
    assert "title: First page\n" in result["text"]
    assert before == names_of(root)
    assert not (root / ".kb" / "journal").exists()


async def test_distilling_is_said_to_be_missing_and_the_note_is_made(vault: Container, root: Path, site: Site) -> None:
    site.pages["/a"] = page("First page")
    job = await call(vault, "POST", "/api/kb/ingest", url=site.url("/a"), distill=True, wait=True)
    assert "created" == job["result"]["results"][0]["status"]
    assert ["not built yet" in notice for notice in job["result"]["notices"]] == [True]


@pytest.mark.parametrize(("robots", "via", "status"), [("unattended", "paste", "created"), ("unattended", "brief", "failed"),
                                                      ("unattended", "agent", "failed"), ("always", "paste", "failed")])  # fmt: skip
async def test_robots_txt_binds_what_nobody_pasted_or_all_if_the_owner_wants_it(
    root: Path, site: Site, robots: str, via: str, status: str
) -> None:
    set_up(root, f'robots = "{robots}"')
    site.pages |= {"/a": page("First page"), "/robots.txt": "User-agent: *\nDisallow: /\n"}
    site.types["/robots.txt"] = "text/plain"
    vault = await opened(root)
    result = await add(vault, site.url("/a"), via=via)
    await vault.close()
    assert status == result["status"]
    assert status == "created" or result["error"]["code"] == "robots-refused"


@pytest.mark.parametrize("damage", [None, "{", '{"version": 1, "notes": {}}'])
async def test_the_list_of_ingested_pages_is_mended_when_the_vault_settles(
    vault: Container, root: Path, site: Site, damage: str | None
) -> None:
    site.pages["/a"] = page("First page")
    await add(vault, site.url("/a"))
    path = root / ".kb" / "ingested.json"
    whole = path.read_bytes()
    assert b"first-page" in whole
    path.unlink()
    if damage is not None:
        path.write_text(damage)
    await vault.services.thread.run(vault.vault.settle)
    assert whole == path.read_bytes()


# ── images ────────────────────────────────────────────────────────────────────────────────────


SHOWN = ("1.png", "2.png", "1.png", "gone.png", "evil.svg", "fake.png")


def with_images(site: Site) -> None:
    site.pages |= {
        "/a": page(
            "First page",
            "".join(f"<p>Picture {n} shows a garden in {name} colours. <img src=/{name} alt={n}></p>" for n, name in enumerate(SHOWN)),
        ),
        "/1.png": PNG,
        "/2.png": PNG + b"two",
        "/evil.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        "/fake.png": b"<html>not an image</html>",
    }
    site.types["/evil.svg"] = "image/svg+xml"


async def test_images_are_left_on_their_site_unless_asked_for(vault: Container, root: Path, site: Site) -> None:
    with_images(site)
    before = names_of(root)
    result = await add(vault, site.url("/a"))
    assert {"sources/first-page.md"} == names_of(root) - before
    assert [] == result["assets"]
    assert f"![0]({site.url('/1.png')})" in text_of(root, result["path"])


@pytest.mark.parametrize(
    ("folder", "where"), [(None, ""), ("files/pictures", "files/pictures/"), ("./", "sources/"), ("./img", "sources/img/")]
)
async def test_images_come_into_obsidians_attachment_folder_and_failures_stay_links(
    root: Path, site: Site, folder: str | None, where: str
) -> None:
    with_images(site)
    set_up(root, "assets = true")
    if folder is not None:
        (root / ".obsidian").mkdir(exist_ok=True)
        (root / ".obsidian" / "app.json").write_text(json.dumps({"attachmentFolderPath": folder}))
    before = names_of(root)
    vault = await opened(root)
    result = await add(vault, site.url("/a"))
    embeds = [link.path for link in vault.services.index.notes[result["path"]].links]
    await vault.close()
    images = names_of(root) - before - {"sources/first-page.md"}
    assert 2 == len(images)
    assert set(result["assets"]) == images
    assert all(name.startswith(where) and "/" not in name.removeprefix(where) for name in images)
    assert {PNG, PNG + b"two"} == {(root / name).read_bytes() for name in images}
    text = text_of(root, result["path"])
    assert site.url("/1.png") not in text
    assert 2 == text.count(f"]({result['assets'][0]})"), "the same image is one file"
    assert all(f"]({site.url(path)})" in text for path in ("/gone.png", "/evil.svg", "/fake.png"))
    assert images == set(embeds) & images
    assert 1 == [path for path, _ in site.asked].count("/1.png")
    assert {site.url("/")} == {referer for path, referer in site.asked if path != "/a"}


async def test_a_second_page_with_the_same_image_shares_its_file(vault: Container, root: Path, site: Site) -> None:
    with_images(site)
    site.pages["/b"] = page("Second page", "<p>A picture of the garden is here: <img src=/1.png></p>")
    first, second = await add(vault, site.url("/a"), assets=True), await add(vault, site.url("/b"), assets=True)
    assert second["assets"] == first["assets"][:1]


async def test_no_more_images_than_the_setting_allows(root: Path, site: Site) -> None:
    with_images(site)
    set_up(root, "assets = true\nmax_assets = 1")
    vault = await opened(root)
    result = await add(vault, site.url("/a"))
    await vault.close()
    assert 1 == len(result["assets"])


# ── pasted text ───────────────────────────────────────────────────────────────────────────────


def has_paste() -> bool:
    try:
        find_adapter("paste")
    except KeyError:
        return False
    return True


@pytest.mark.skipif(has_paste(), reason="pasted text can be read")
async def test_a_version_that_reads_no_pasted_text_says_so(vault: Container, root: Path) -> None:
    before = names_of(root)
    result = await add(vault, None, text="# Title\n\nWords.\n")
    assert ("failed", "extraction-failed") == (result["status"], result["error"]["code"])
    assert before == names_of(root)


@pytest.mark.skipif(not has_paste(), reason="pasted text cannot be read yet")
async def test_pasted_text_becomes_a_note_once(vault: Container, root: Path) -> None:
    text = f"# A pasted story\n\n{WORDS}\n"
    first = await add(vault, None, text=text, content_type="text/markdown")
    again = await add(vault, None, text=text, content_type="text/markdown")
    assert ("created", "duplicate", first["path"]) == (first["status"], again["status"], again["path"])
    head = read_frontmatter(text_of(root, first["path"])).properties
    assert "url" not in head
    assert 64 == len(str(head["hash"]))


@pytest.mark.skipif(not has_paste(), reason="pasted text cannot be read yet")
async def test_pasted_html_with_its_address_is_the_same_page_as_the_link(vault: Container, root: Path, site: Site) -> None:
    site.pages["/a"] = page("First page")
    first = await add(vault, site.url("/a?utm_source=x"), text=page("First page"), content_type="text/html")
    assert "created" == first["status"]
    assert [] == site.asked
    assert site.url("/a") == read_frontmatter(text_of(root, first["path"])).properties["url"]
    assert "duplicate" == (await add(vault, site.url("/a")))["status"]


# ── kb add ────────────────────────────────────────────────────────────────────────────────────


def requests_of(*words: str, stdin: str = "", monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Give what ``kb add`` would send."""
    parser = argparse.ArgumentParser()
    add_command.add_arguments(parser)
    monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
    args = parser.parse_args(list(words))
    return list(add_command._requests(add_command._given(args), args))


def test_links_come_from_words_files_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = tmp_path / "list.md"
    listed.write_text("- [one](https://e.com/1)\n- https://e.com/2.\n")
    [request] = requests_of("https://e.com/0", "-", "--file", str(listed), stdin="# no\nhttps://e.com/3\n", monkeypatch=monkeypatch)
    assert [f"https://e.com/{n}" for n in (0, 3, 1, 2)] == request["urls"]


def test_exported_bookmarks_are_sent_with_their_folders_as_tags_if_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bookmarks.html"
    file.write_text(
        "<!DOCTYPE NETSCAPE-Bookmark-file-1><H1>B</H1><DL><DT><A HREF='https://e.com/1'>1</A>"
        "<DT><H3>Garden</H3><DL><DT><A HREF='https://e.com/2'>2</A></DL></DL>"
    )
    [plain] = requests_of(str(file), "--tag", "x", monkeypatch=monkeypatch)
    assert (["https://e.com/1", "https://e.com/2"], ["x"]) == (plain["urls"], plain["tags"])
    tagged = requests_of(str(file), "--tag", "x", "--folder-tags", monkeypatch=monkeypatch)
    assert [(["https://e.com/1"], ["x"]), (["https://e.com/2"], ["x", "Garden"])] == [(r["urls"], r["tags"]) for r in tagged]


def test_more_links_than_one_request_takes_are_sent_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(f"https://e.com/{n}" for n in range(1203))
    assert [500, 500, 203] == [len(request["urls"]) for request in requests_of("-", stdin=text, monkeypatch=monkeypatch)]


def test_a_saved_page_is_sent_as_text_with_the_address_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "page.html"
    file.write_bytes("<!-- saved from url=(0017)https://e.com/gbk --><meta charset=gbk><p>土壤是花园的根本".encode("gbk"))
    [request] = requests_of(str(file), monkeypatch=monkeypatch)
    assert ("text/html", "https://e.com/gbk", True) == (request["content_type"], request["url"], "土壤" in request["text"])
    [request] = requests_of(str(file), "--url", "https://e.com/mine", monkeypatch=monkeypatch)
    assert "https://e.com/mine" == request["url"]
    [request] = requests_of("--paste", stdin="Some words.", monkeypatch=monkeypatch)
    assert ("Some words.", "text/markdown", None) == (request["text"], request["content_type"], request["url"])


def test_the_name_of_a_missing_page_is_taken_for_an_address_and_refused_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    [request] = requests_of("missing.html", monkeypatch=monkeypatch)
    assert ["missing.html"] == request["urls"]
