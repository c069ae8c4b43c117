"""Ages from real git repositories, and the owner's decisions: buried, brought back, purged; promotion; the trial at a real terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sidecar.daemon.container import Container, open_container
from sidecar.daemon.init import init_vault
from sidecar.daemon.owner_desk import OwnerDesk
from sidecar.errors import NoteExists, PromotionRefused, TrialRefused
from tests.conftest import MakeVault

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=400)


def git(root: Path, *words: str, days: float = 0) -> str:
    at = (NOW - timedelta(days=days)).isoformat()
    names = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b.c"}
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**clean, **names, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *words], cwd=root, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def commit(root: Path, days: float, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path = path.with_name(path.name + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "x", days=days)


@pytest.fixture
def repo(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KB_NOW", NOW.isoformat())
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    root = make_vault({"keep.md": "Nothing.\n"})
    git(root, "init", "-q", "-b", "main")
    return root


def observed(root: Path) -> None:
    """Let signals be kept for more than a year."""
    folder = root / ".kb/journal"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "signals-2025-10-test.jsonl").write_text(json.dumps({"at": SINCE.isoformat(), "kind": "observe"}) + "\n")


@pytest.fixture
def opened(repo: Path) -> Iterator[Any]:
    found: list[Container] = []

    def open_it(root: Path = repo) -> Container:
        if not (root / ".kb/protocol.json").is_file():
            init_vault(root, "en")
        container = open_container(root)
        container.vault.open()
        container.services.metabolism.look_at_git()
        found.append(container)
        return container

    yield open_it
    for container in found:
        container.vault.close()
        container.services.thread.close()
        container.services.item_thread.close()


def changed_days_ago(container: Container, path: str) -> int | None:
    age = container.services.metabolism.view().ages[path]
    return (NOW - age.changed).days if age.changed else None


# ── ages ──────────────────────────────────────────────────────────────────────────────────────


def test_ages_of_chinese_names_renames_bulk_and_bookkeeping(repo: Path, opened: Any) -> None:
    commit(repo, 300, wiki__知识="第一版，写了一些内容，足够长。\n" * 5, wiki__b="Text [[Old]].\n", wiki__c="Text\n")
    commit(repo, 200, wiki__知识="第二版，写了一些内容，足够长。\n" * 5)
    (repo / "wiki/知识.md").rename(repo / "wiki/认识.md")
    commit(repo, 100)
    commit(repo, 50, **{f"wiki__n{n}": "x\n" for n in range(25)}, wiki__b="Text [[Old]].\nBulk.\n")
    commit(repo, 40, wiki__b="Text [[New]].\nBulk.\n")
    commit(repo, 30, wiki__c="---\nkb_use_when: later\n---\nText\n")
    commit(repo, 20, wiki__n3="x\ny\n")
    container = opened()
    assert 200 == changed_days_ago(container, "wiki/认识.md")
    assert 300 == changed_days_ago(container, "wiki/b.md")
    assert 300 == changed_days_ago(container, "wiki/c.md")
    assert 50 == changed_days_ago(container, "wiki/n4.md")
    assert 20 == changed_days_ago(container, "wiki/n3.md")


def test_a_vault_that_is_a_sub_folder_and_a_merge_and_a_worktree(repo: Path, opened: Any, tmp_path: Path) -> None:
    commit(repo, 300, vault__wiki__a="Text\n", vault__wiki__b="Text\n")
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, 100, vault__wiki__a="Text, side.\n")
    git(repo, "checkout", "-q", "main")
    commit(repo, 90, vault__wiki__b="Text, main.\n")
    git(repo, "merge", "-q", "--no-edit", "side", days=10)
    container = opened(repo / "vault")
    assert 100 == changed_days_ago(container, "wiki/a.md")
    assert 90 == changed_days_ago(container, "wiki/b.md")
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
    elsewhere = opened(tmp_path / "tree" / "vault")
    assert 100 == changed_days_ago(elsewhere, "wiki/a.md")


def test_a_shallow_clone_tells_what_it_has(repo: Path, opened: Any, tmp_path: Path) -> None:
    commit(repo, 300, wiki__a="Text\n")
    commit(repo, 100, wiki__a="Text, changed\n")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", str(tmp_path / "shallow"))
    assert 100 == changed_days_ago(opened(tmp_path / "shallow"), "wiki/a.md")


def test_one_commit_more_is_read_alone_and_gives_the_same(repo: Path, opened: Any) -> None:
    commit(repo, 300, wiki__a="Text that is long enough to be told again.\n", wiki__b="Other\n")
    container = opened()
    kept = repo / ".kb/cache/age.json"
    assert kept.is_file()
    (repo / "wiki/a.md").rename(repo / "wiki/z.md")
    commit(repo, 60)
    commit(repo, 50, wiki__b="Other, changed\n")
    again = opened()
    assert (300, 50) == (changed_days_ago(again, "wiki/z.md"), changed_days_ago(again, "wiki/b.md"))
    kept.write_text("{broken")
    assert (300, 50) == (changed_days_ago(opened(), "wiki/z.md"), changed_days_ago(opened(), "wiki/b.md"))
    assert 300 == changed_days_ago(container, "wiki/a.md")


def test_without_git_the_created_day_counts_and_file_times_never(make_vault: MakeVault, opened: Any, tmp_path: Path) -> None:
    root = tmp_path / "plain"
    (root / "wiki").mkdir(parents=True)
    (root / "wiki/a.md").write_text("---\ncreated: 2026-01-01\n---\nText\n")
    (root / "wiki/b.md").write_text("Text\n")
    os.utime(root / "wiki/b.md", (1, 1))
    container = opened(root)
    assert 334 == changed_days_ago(container, "wiki/a.md")
    assert changed_days_ago(container, "wiki/b.md") in (None, 0)


# ── the docket in a real vault ────────────────────────────────────────────────────────────────


def test_a_fresh_install_on_an_old_vault_lists_nothing_but_expired_inbox_notes(repo: Path, opened: Any) -> None:
    commit(repo, 1000, wiki__a="Old\n", sources__b="Old\n", inbox__c="---\nkb_expires: 2026-11-01\n---\nOld\n")
    container = opened()
    container.services.metabolism.observe()
    assert ["inbox/c.md"] == [one.path for one in container.services.metabolism.docket()[1]]


def test_every_signal_door_saves_and_searching_does_not(repo: Path, opened: Any) -> None:
    commit(repo, 1000, wiki__a="Old\n", wiki__b="Old\n", wiki__c="Old\n", core__d="---\nsources: ['[[c]]']\n---\nCore\n")
    observed(repo)
    container = opened()
    assert ["wiki/a.md", "wiki/b.md", "wiki/c.md"] == [one.path for one in container.services.metabolism.docket()[1]]
    container.services.search.search("Old")
    container.services.metabolism.record("read", ["wiki/a.md"], "cli")
    container.services.metabolism.record("search", ["wiki/b.md"], "panel")
    container.services.metabolism.record("cite", ["core/d.md"], "cli")
    assert ["wiki/b.md"] == [one.path for one in container.services.metabolism.docket()[1]]


# ── bury, resurrect, purge ────────────────────────────────────────────────────────────────────


def vault_with_dead(repo: Path) -> Path:
    commit(repo, 1000, wiki__Old="---\ntitle: Old  # mine\n---\nOld words.\n", wiki__Other="See [[Old]].\n", wiki__Live="Text\n")
    commit(repo, 5, wiki__Live="Text, new\n")
    observed(repo)
    init_vault(repo, "en")
    return repo


def test_a_burial_keeps_path_and_words_and_commits_itself_alone(repo: Path) -> None:
    vault_with_dead(repo)
    (repo / "wiki/Live.md").write_text("Unfinished.\n")
    before = git(repo, "rev-parse", "HEAD").strip()
    with OwnerDesk(repo) as desk:
        assert ["wiki/Old.md", "wiki/Other.md"] == sorted(one.path for one in desk.docket())
        desk.owner.bury(["wiki/Old.md"])
        assert ["wiki/Other.md"] == [one.path for one in desk.docket()]
    grave = repo / "_graveyard/wiki/Old.md"
    assert not (repo / "wiki/Old.md").exists()
    text = grave.read_text()
    assert "title: Old  # mine\n" in text
    assert "kb_buried_from: wiki/Old.md" in text
    assert text.endswith("Old words.\n")
    shown = git(repo, "show", "--name-status", "--format=%s", "-M", "HEAD").split()
    assert "wiki/Live.md" not in shown
    assert "_graveyard/wiki/Old.md" in shown
    assert before == git(repo, "rev-parse", "HEAD~1").strip()


def test_a_resurrection_brings_the_same_bytes_to_the_same_place(repo: Path) -> None:
    vault_with_dead(repo)
    before = (repo / "wiki/Old.md").read_bytes()
    with OwnerDesk(repo) as desk:
        desk.owner.bury(["wiki/Old.md"])
        assert "wiki/Old.md" == desk.owner.resurrect("Old")
        assert "wiki/Old.md" not in [one.path for one in desk.docket()]
    assert before == (repo / "wiki/Old.md").read_bytes()
    assert not (repo / "_graveyard/wiki/Old.md").exists()


def test_a_taken_place_refuses_a_resurrection_and_loses_nothing(repo: Path) -> None:
    vault_with_dead(repo)
    with OwnerDesk(repo) as desk:
        desk.owner.bury(["wiki/Old.md"])
    (repo / "wiki/Old.md").write_text("Another.\n")
    with OwnerDesk(repo) as desk, pytest.raises(NoteExists):
        desk.owner.resurrect("Old")
    assert "Another.\n" == (repo / "wiki/Old.md").read_text()
    assert (repo / "_graveyard/wiki/Old.md").is_file()


def test_a_purge_needs_git_to_hold_the_note(repo: Path) -> None:
    vault_with_dead(repo)
    with OwnerDesk(repo) as desk:
        desk.owner.bury(["wiki/Old.md"])
        grave = repo / "_graveyard/wiki/Old.md"
        grave.write_text(grave.read_text() + "Added.\n")
        with pytest.raises(TrialRefused):
            desk.owner.purge("Old")
        git(repo, "commit", "-qam", "held")
        desk.owner.purge("Old")
    assert not grave.exists()


def test_nothing_is_decided_during_a_merge_or_with_a_locked_index(repo: Path) -> None:
    vault_with_dead(repo)
    for name in ("MERGE_HEAD", "index.lock"):
        (repo / ".git" / name).write_text("x")
        with OwnerDesk(repo) as desk, pytest.raises(TrialRefused):
            desk.owner.bury(["wiki/Old.md"])
        (repo / ".git" / name).unlink()
    assert (repo / "wiki/Old.md").is_file()


# ── promotion ─────────────────────────────────────────────────────────────────────────────────


def test_promotion_goes_upward_with_a_stated_use_and_clears_the_expiry(repo: Path, opened: Any) -> None:
    commit(repo, 10, inbox__a="---\nurl: https://example.org\nkb_expires: 2026-12-30\n---\nText\n", inbox__b="Own\n", wiki__w="Text\n")
    promote = opened().services.promotion.promote
    with pytest.raises(PromotionRefused):
        promote("inbox/a.md", "  ")
    assert "sources/a.md" == promote("inbox/a.md", "When planning").target
    assert "wiki/b.md" == promote("inbox/b.md", "When planning", door="mcp").target
    text = (repo / "sources/a.md").read_text()
    assert "kb_expires" not in text
    assert "kb_use_when: When planning" in text
    with pytest.raises(PromotionRefused):
        promote("wiki/w.md", "Again", to="wiki")
    with pytest.raises(PromotionRefused):
        promote("wiki/w.md", "Always", to="core")
    with pytest.raises(PromotionRefused):
        promote("wiki/w.md", "Always", to="core", sentence="It is so.", door="mcp")
    assert "core/w.md" == promote("wiki/w.md", "Always", to="core", sentence="It is so.").target


def test_a_full_core_asks_whom_to_displace(repo: Path, opened: Any) -> None:
    for n in range(100):
        (repo / "core").mkdir(exist_ok=True)
        (repo / f"core/c{n}.md").write_text("Core.\n")
    commit(repo, 10, wiki__w="Text\n")
    promotion = opened().services.promotion
    with pytest.raises(PromotionRefused, match="holds 100"):
        promotion.promote("wiki/w.md", "Always", to="core", sentence="It is so.")
    done = promotion.promote("wiki/w.md", "Always", to="core", sentence="It is so.", displace="c7")
    assert ("core/w.md", "wiki/c7.md") == (done.target, done.displaced)
    assert 100 == len(list((repo / "core").glob("*.md")))
    path, _ = promotion.write_core(["wiki/c7.md"], "A judgement", "I say so.", "Always", "c8")
    assert "[[c7]]" in (repo / path).read_text()


# ── the trial, at a terminal ──────────────────────────────────────────────────────────────────


class Terminal:
    """``kb trial`` on a pseudo-terminal of 80 by 24."""

    def __init__(self, root: Path, **environment: str) -> None:
        master, slave = pty.openpty()
        import fcntl
        import struct
        import termios

        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        clean = {name: value for name, value in os.environ.items() if name not in ("CLAUDECODE", "AI_AGENT", "NO_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sidecar.cli.main", "trial", "--vault", str(root)],
            stdin=slave, stdout=slave, stderr=slave, env={**clean, "TERM": "xterm-256color", **environment}, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self._master = master
        self.seen = ""

    def until(self, text: str, timeout_s: float = 40.0) -> None:
        end = time.monotonic() + timeout_s
        while text not in self.seen:
            assert time.monotonic() < end, f"{text!r} did not appear in {self.seen[-3000:]!r}"
            self._read(0.2)

    def _read(self, wait_s: float) -> bool:
        if not select.select([self._master], [], [], wait_s)[0]:
            return False
        try:
            data = os.read(self._master, 65_536)
        except OSError:
            return False
        self.seen += data.decode("utf-8", "replace")
        return bool(data)

    def press(self, keys: str) -> None:
        self.seen = ""
        os.write(self._master, keys.encode())

    def end(self) -> int:
        end = time.monotonic() + 40
        while self.process.poll() is None and time.monotonic() < end:
            self._read(0.1)
        while self._read(0.1):
            pass
        os.close(self._master)
        return self.process.wait(10)


def decisions(root: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in (root / ".kb/journal").glob("decisions-*") for line in path.read_text().splitlines()]


def test_at_a_terminal_one_is_buried_one_undone_and_the_rest_spared(repo: Path) -> None:
    vault_with_dead(repo)
    commit(repo, 900, wiki__Third="Third\n")
    terminal = Terminal(repo)
    terminal.until("3 notes, 0 decided")
    terminal.press("b")
    terminal.until("1 decided")
    terminal.press("b")
    terminal.until("2 decided")
    terminal.press("u")
    terminal.until("1 decided")
    terminal.press("q")
    terminal.until("Bury 1, promote 0, spare 2")
    terminal.press("\r")
    assert 0 == terminal.end(), terminal.seen
    assert "Buried 1, promoted 0, spared 2." in terminal.seen
    assert ["bury", "spare", "spare"] == sorted(line["kind"] for line in decisions(repo))
    assert 1 == len(list((repo / "_graveyard/wiki").glob("*.md")))
    with OwnerDesk(repo) as desk:
        assert [] == desk.docket()
        assert 17 == desk.owner.room_this_week()


def test_a_trial_that_is_left_decides_nothing(repo: Path) -> None:
    vault_with_dead(repo)
    terminal = Terminal(repo)
    terminal.until("0 decided")
    terminal.press("b")
    terminal.until("1 decided")
    terminal.press("\x03")
    assert 0 == terminal.end()
    assert [] == decisions(repo)
    assert (repo / "wiki/Old.md").is_file()


def test_a_promotion_in_the_trial_asks_for_the_use(repo: Path) -> None:
    commit(repo, 50, inbox__Idea="---\nkb_expires: 2026-11-01\n---\nAn idea.\n")
    init_vault(repo, "zh-CN")
    terminal = Terminal(repo)
    terminal.until("过堂：1 条")
    terminal.press("p")
    terminal.until("何时会用到它")
    terminal.press("when writing\r")
    terminal.until("已定 1 条")
    terminal.press("q")
    terminal.until("提升 1")
    terminal.press("\r")
    assert 0 == terminal.end()
    assert "kb_use_when: when writing" in (repo / "wiki/Idea.md").read_text()


@pytest.mark.parametrize("environment", [{}, {"CLAUDECODE": "1"}])
def test_a_trial_is_refused_without_a_terminal_and_for_agents(repo: Path, environment: dict[str, str]) -> None:
    vault_with_dead(repo)
    command = [sys.executable, "-m", "sidecar.cli.main", "trial", "--vault", str(repo)]
    done = subprocess.run(command, capture_output=True, text=True, input="", env={**os.environ, **environment}, check=False)
    assert 10 == done.returncode
    assert "terminal" in done.stderr
    assert (repo / "wiki/Old.md").is_file()


def test_no_operation_of_the_api_and_no_service_of_it_buries_or_deletes_notes() -> None:
    from sidecar.api.operations import OPERATIONS
    from sidecar.api.services import Services

    words = " ".join(f"{op.path} {op.summary}" for op in OPERATIONS).lower()
    assert not any(word in words for word in ("bury", "burial", "purge", "delete a note", "trial"))
    assert "Owner" not in str(Services.__annotations__)
