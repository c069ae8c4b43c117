"""The watcher names what to look at again; whether a path changed is decided by looking."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest

from sidecar.vault.excluded import EXCLUDED_PATH
from sidecar.vault.watcher import CONFIG_PATH, VaultWatcher

MakeVault = Callable[[Mapping[str, str | bytes]], Path]


class _Heard:
    """Collects what the watcher reports until all that a test waits for is in."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.rescan = False
        self._news = asyncio.Event()

    async def take(self, paths: set[str], rescan: bool) -> None:
        self.paths |= paths
        self.rescan |= rescan
        self._news.set()

    async def until(self, is_enough: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not is_enough():
                await self._news.wait()
                self._news.clear()


@pytest.fixture(params=[False, True], ids=["native", "polling"])
async def watched(request: pytest.FixtureRequest, make_vault: MakeVault) -> AsyncIterator[tuple[Path, _Heard]]:
    root = make_vault({"n.md": "old", "folder/a.md": "", ".kb/config.toml": "", ".obsidian/app.json": "", "last.md": ""})
    heard = _Heard()
    watcher = VaultWatcher(root, heard.take, 0.05, polling=request.param)
    assert ("polling" if request.param else "native", "") == await watcher.start()
    yield root, heard
    await watcher.stop()


async def test_a_save_by_temporary_file_names_the_note(watched: tuple[Path, _Heard]) -> None:  # W1
    root, heard = watched
    (root / "n.tmp").write_text("new and longer")
    (root / "n.tmp").replace(root / "n.md")
    await heard.until(lambda: "n.md" in heard.paths)


async def test_a_new_and_a_deleted_note_are_named(watched: tuple[Path, _Heard]) -> None:
    root, heard = watched
    (root / "新.md").write_text("new")
    (root / "n.md").unlink()
    await heard.until(lambda: {"新.md", "n.md"} <= heard.paths)


async def test_a_renamed_folder_asks_for_a_scan(watched: tuple[Path, _Heard]) -> None:
    root, heard = watched
    (root / "folder").rename(root / "moved")
    await heard.until(lambda: heard.rescan)


async def test_hidden_files_are_not_named_but_the_settings_are(watched: tuple[Path, _Heard]) -> None:
    root, heard = watched
    (root / ".obsidian/app.json").write_text("{} changed")
    (root / ".obsidian/workspace.json").write_text("{}")
    (root / ".kb/index.json").write_text("{}")
    (root / CONFIG_PATH).write_text("language = 'en'")
    (root / "last.md").write_text("marks the end")
    expected = {CONFIG_PATH, EXCLUDED_PATH, "last.md"}
    await heard.until(lambda: expected <= heard.paths)
    assert expected == heard.paths
