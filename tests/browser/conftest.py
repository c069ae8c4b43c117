"""A real Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from tests.browser.serving import NOTES, PAGE, Served, serve_folder, serve_vault
from tests.conftest import ROOT, MakeVault

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests of this folder share one event loop, for they share one Chromium."""
    for item in items:
        if Path(__file__).parent in item.path.parents and isinstance(item, pytest.Function):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Give a headless Chromium that all tests of a run share; skip where none could be installed."""
    path = os.environ.get("KB_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("no Chromium on this machine: ./test says how it looked for one")
    async with async_playwright() as driver:
        chromium = await driver.chromium.launch(executable_path=path, args=_FLAGS)
        yield chromium
        await chromium.close()


@pytest.fixture
def watch_page() -> Callable[[Page], list[str]]:
    """Give a call that collects what a page complains of: errors, refused content, failed requests."""

    def watch(page: Page) -> list[str]:
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
        return complaints

    return watch


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def closed_pages(browser: Browser) -> AsyncIterator[None]:
    """Close what a test opened."""
    yield
    for context in list(browser.contexts):
        await context.close()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Give a served vault that the tests of a module share: they look, and change nothing."""
    root = tmp_path_factory.mktemp("shown") / "vault"
    for name, text in NOTES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    with serve_vault(root, 1, state=tmp_path_factory.mktemp("state")) as vault:
        yield vault


@pytest.fixture
def served(make_vault: MakeVault, tmp_path: Path) -> Iterator[tuple[Served, int]]:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "design.html").write_text(PAGE, encoding="utf-8")
    with serve_folder(pages) as port, serve_vault(make_vault(NOTES), port) as vault:
        yield vault, port


@pytest.fixture(scope="session")
def standin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the stand-in; skip where the plugin's Node packages are not installed."""
    node = shutil.which("node")
    if not node or not (ROOT / "obsidian-plugin" / "node_modules" / "esbuild").is_dir():
        pytest.skip("the plugin's Node packages are not installed: ./test installs them")
    target = tmp_path_factory.mktemp("standin") / "standin.js"
    subprocess.run([node, "scripts/build-standin.mjs", str(target)], cwd=ROOT / "obsidian-plugin", check=True)
    return target
