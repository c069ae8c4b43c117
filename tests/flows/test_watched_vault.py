"""The watcher on a real file system, with what follows from it: whatever editors, git and sync programs do ends right."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sidecar.daemon.open_vault import OpenVault
from sidecar.vault.excluded import EXCLUDED_PATH
from sidecar.vault.watcher import VaultWatcher

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]
IS_SLOW = os.environ.get("KB_HYPOTHESIS") == "slow"
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


@dataclass
class _Watched:
    """A vault that follows its watcher as the process does; ``bursts`` holds what changed in each."""

    root: Path
    vault: OpenVault
    fresh: Callable[[], OpenVault]
    bursts: list[list[str]] = field(default_factory=list)
    scans: int = 0
    problems: list[str] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    watcher: VaultWatcher | None = None

    async def take(self, paths: set[str], rescan: bool) -> None:
        self.scans += rescan
        delta = self.vault.apply(sorted(paths) + (self.vault.index.rescan() if rescan else []))
        if delta:
            self.bursts.append(delta.paths)
        self.news.set()

    def polls(self, problem: str) -> None:
        self.problems.append(problem)
        self.news.set()

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(60 if IS_SLOW else 20):
            while not is_so():
                await self.news.wait()
                self.news.clear()

    async def until_notes(self, *names: str) -> None:
        await self.until(lambda: sorted(names) == sorted(self.vault.index.notes))
        assert self.fresh().graph.as_json() == self.vault.graph.as_json()

    async def start(self, *, polling: bool = False) -> tuple[str, str]:
        self.watcher = VaultWatcher(self.root, self.take, 0.05, polling=polling, on_polling=self.polls)
        return await self.watcher.start()

    def write(self, path: str, text: str = "") -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)


@pytest.fixture
async def idle(make_vault: MakeVault, open_vault: OpenVaultAt) -> AsyncIterator[_Watched]:
    """Give a vault that is not watched yet."""
    root = make_vault({"n.md": "old [[m]]", "m.md": "text", "folder/a.md": "", "folder/in/b.md": "[[a]]"})

    def fresh() -> OpenVault:
        again = open_vault(root)
        again.open()
        return again

    watched = _Watched(root, fresh(), fresh)
    yield watched
    if watched.watcher is not None:
        await watched.watcher.stop()


@pytest.fixture
async def watched(idle: _Watched) -> _Watched:
    assert ("native", "") == await idle.start()
    return idle


async def test_temporary_files_of_a_save_leave_one_note_and_no_trace(watched: _Watched) -> None:  # W1, W2
    watched.write("n.md.tmp", "new [[folder/a]]")
    (watched.root / "n.md.tmp").replace(watched.root / "n.md")
    watched.write("Test.tmp", "[[n]]")
    (watched.root / "Test.tmp").rename(watched.root / "Test.md")
    await watched.until_notes("Test.md", "folder/a.md", "folder/in/b.md", "m.md", "n.md")
    assert ["folder/a.md"] == [edge.target for edge in watched.vault.graph.forward("n.md")]


async def test_a_note_deleted_and_made_again_stays_one_note(watched: _Watched) -> None:
    (watched.root / "n.md").unlink()
    watched.write("n.md", "again, [[folder/a]]")
    await watched.until(lambda: ["folder/a.md"] == [edge.target for edge in watched.vault.graph.forward("n.md")])
    assert "n.md" in watched.vault.index.notes


async def test_a_case_only_rename_keeps_the_backlinks(watched: _Watched) -> None:  # W7
    (watched.root / "m.md").rename(watched.root / "M.md")
    await watched.until_notes("M.md", "folder/a.md", "folder/in/b.md", "n.md")
    assert ["n.md"] == [link.source for link in watched.vault.graph.backlinks("M.md")]


async def test_folders_move_within_out_and_in(watched: _Watched, tmp_path: Path) -> None:
    (watched.root / "folder").rename(watched.root / "moved")
    await watched.until_notes("m.md", "moved/a.md", "moved/in/b.md", "n.md")
    (watched.root / "moved").rename(tmp_path / "outside")
    await watched.until_notes("m.md", "n.md")
    (tmp_path / "outside").rename(watched.root / "back")
    await watched.until_notes("back/a.md", "back/in/b.md", "m.md", "n.md")
    watched.write("back/in/b.md", "[[m]], for what came in is watched as well")
    await watched.until(lambda: ["m.md"] == [edge.target for edge in watched.vault.graph.forward("back/in/b.md")])


async def test_files_made_in_a_folder_before_it_was_watched_are_found(watched: _Watched) -> None:
    names = [f"new/{n % 7}/deep/{n}.md" for n in range(300)]
    for name in names:
        watched.write(name, "[[n]]")
    await watched.until_notes("folder/a.md", "folder/in/b.md", "m.md", "n.md", *names)


async def test_conflict_copies_are_ordinary_notes(watched: _Watched) -> None:
    copies = ["Note (conflict).md", "n.sync-conflict-20261130-090000-ABCDEFG.md", "n (Ann's conflicted copy 2026-11-30).md"]
    for name in copies:
        watched.write(name, "[[m]]")
    await watched.until_notes("folder/a.md", "folder/in/b.md", "m.md", "n.md", *copies)


async def test_an_older_version_with_an_older_time_is_taken(watched: _Watched) -> None:
    watched.write("m.md", "restored [[n]]")
    os.utime(watched.root / "m.md", (1, 1))
    await watched.until(lambda: ["n.md"] == [edge.target for edge in watched.vault.graph.forward("m.md")])
    watched.write("m.md", "from tomorrow [[folder/a]]")
    os.utime(watched.root / "m.md", (5_000_000_000, 5_000_000_000))
    await watched.until(lambda: ["folder/a.md"] == [edge.target for edge in watched.vault.graph.forward("m.md")])


async def test_a_cloud_placeholder_is_no_deletion(watched: _Watched) -> None:
    (watched.root / "m.md").rename(watched.root / ".m.md.icloud")
    await watched.until(lambda: "m.md" in watched.vault.index.problems)
    assert "cloud" in watched.vault.index.problems["m.md"]
    assert ["m.md"] == [edge.target for edge in watched.vault.graph.forward("n.md")]
    assert "m.md" in [hit.path for hit in watched.vault.search.search("text").hits]
    watched.write("m.md", "it is back")
    (watched.root / ".m.md.icloud").unlink()
    await watched.until(lambda: not watched.vault.index.problems)
    (watched.root / "m.md").unlink()
    await watched.until_notes("folder/a.md", "folder/in/b.md", "n.md")


async def test_a_placeholder_that_was_never_read_is_a_file_and_goes_when_deleted(watched: _Watched) -> None:
    watched.write(".late.md.icloud", "binary")
    await watched.until(lambda: "late.md" in watched.vault.index.notes)
    assert "late.md" in watched.fresh().index.problems
    (watched.root / ".late.md.icloud").unlink()
    await watched.until_notes("folder/a.md", "folder/in/b.md", "m.md", "n.md")


@only_linux
async def test_a_file_of_holes_keeps_what_was_known_of_it(watched: _Watched) -> None:
    with (watched.root / "m.md.part").open("wb") as file:
        file.truncate(5000)
    if (watched.root / "m.md.part").stat().st_blocks:
        pytest.skip("this file system stores holes")
    (watched.root / "m.md.part").replace(watched.root / "m.md")
    await watched.until(lambda: "m.md" in watched.vault.index.problems)
    assert "m.md" in [hit.path for hit in watched.vault.search.search("text").hits]


async def test_excluded_files_are_read_again_when_they_change(watched: _Watched) -> None:
    watched.write(EXCLUDED_PATH, "{}")
    watched.write("x.md")
    await watched.until(lambda: "x.md" in watched.vault.index.notes)
    told: list[Any] = []
    watched.vault.on_change = told.append
    watched.write(EXCLUDED_PATH, '{"userIgnoreFilters": ["FOLDER/"]}')
    await watched.until(lambda: watched.vault.index.is_excluded("folder/a.md"))
    assert told, "map and lists are told to rank anew"


async def test_own_writes_do_not_echo(watched: _Watched) -> None:
    watched.write("index.md", "%% kb:moc:begin %%\n%% kb:moc:end %%\n")
    await watched.until(lambda: "index.md" in watched.vault.index.notes)
    assert watched.vault.refresh_moc()
    watched.vault.graph.write_file()
    watched.bursts.clear()
    watched.write("end.md")  # what was written before it is named before it or with it
    await watched.until(lambda: "end.md" in watched.vault.index.notes)
    assert [["end.md"]] == watched.bursts


async def test_polling_ends_the_same(idle: _Watched) -> None:
    assert ("polling", "") == await idle.start(polling=True)
    idle.write("new/x.md", "[[n]]")
    (idle.root / "folder").rename(idle.root / "moved")
    (idle.root / "m.md").unlink()
    await idle.until_notes("moved/a.md", "moved/in/b.md", "n.md", "new/x.md")


@only_linux
@pytest.mark.parametrize(("code", "setting"), [(errno.ENOSPC, "max_user_watches"), (errno.EMFILE, "max_user_instances")])
async def test_a_limit_met_at_the_start_leads_to_polling_with_the_fix(
    code: int, setting: str, idle: _Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    from watchdog.observers.inotify_c import InotifyFD

    real = InotifyFD._get_or_create_watch

    def refuse(self: InotifyFD, path: bytes, *rest: Any) -> Any:
        if path.endswith(b"/in"):  # a folder deep down: watchdog itself passes over it
            raise OSError(code, os.strerror(code))
        return real(self, path, *rest)

    monkeypatch.setattr(InotifyFD, "_get_or_create_watch", refuse)
    how, problem = await idle.start()
    assert ("polling", True) == (how, f"fs.inotify.{setting}" in problem)
    idle.write("folder/in/b.md", "[[m]] and more")
    await idle.until(lambda: ["m.md"] == [edge.target for edge in idle.vault.graph.forward("folder/in/b.md")])


@only_linux
async def test_a_limit_met_later_leads_to_polling_with_the_fix(watched: _Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    from watchdog.observers.inotify_c import InotifyFD

    def refuse(*_: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(InotifyFD, "_get_or_create_watch", refuse)
    watched.write("late/x.md", "[[n]]")
    await watched.until(lambda: bool(watched.problems))
    assert "fs.inotify.max_user_watches" in watched.problems[0]
    watched.write("late/y.md", "[[n]]")
    await watched.until_notes("folder/a.md", "folder/in/b.md", "late/x.md", "late/y.md", "m.md", "n.md")


@only_linux
async def test_an_overflow_of_the_kernels_queue_leads_to_a_scan(idle: _Watched) -> None:
    if not os.access(QUEUE, os.W_OK):
        pytest.skip("this user may not make the kernel's queue smaller")
    before = QUEUE.read_text()
    try:
        QUEUE.write_text("16")  # it counts for queues made from now on
        await idle.start()
    finally:
        QUEUE.write_text(before)
    names = [f"{n}.md" for n in range(400)]
    code = "import sys\nfor n in range(400): open(f'{sys.argv[1]}/{n}.md', 'w').write('[[n]]')"
    await asyncio.to_thread(lambda: subprocess.run([sys.executable, "-c", code, str(idle.root)], check=True))
    await idle.until_notes("folder/a.md", "folder/in/b.md", "m.md", "n.md", *names)
    assert idle.scans, "some events were dropped"


async def test_a_checkout_of_many_files_is_one_burst(watched: _Watched) -> None:
    count = 5000 if IS_SLOW else 500

    def git(*args: str) -> None:
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *args], cwd=watched.root, check=True, capture_output=True)

    for n in range(count):
        watched.write(f"g/{n % 20}/{n}.md", f"one [[{n + 1}]] [[n]]")
    git("init", "-q", "-b", "one")
    git("add", "-A")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "two")
    for n in range(count):
        watched.write(f"g/{n % 20}/{n}.md", f"two, longer [[{n + 2}]]")
    git("commit", "-qam", "two")
    await watched.until(lambda: watched.vault.index.notes.keys() == watched.fresh().index.notes.keys())
    watched.vault.apply(watched.vault.index.rescan())
    last = f"g/{(count - 1) % 20}/{count - 1}.md"
    watched.write("end.md")
    await watched.until(lambda: "end.md" in watched.vault.index.notes)
    watched.bursts.clear()
    git("checkout", "-q", "one")
    await watched.until(lambda: sum(map(len, watched.bursts)) >= count)
    assert [count] == [len(burst) for burst in watched.bursts]
    assert f"{count}" in [edge.target for edge in watched.vault.graph.forward(last)]
    assert watched.fresh().graph.as_json() == watched.vault.graph.as_json()
