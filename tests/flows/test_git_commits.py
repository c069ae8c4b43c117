"""Commits on real repositories: own paths only, nothing of the user's touched, postponed where a person is at work."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.store.git import GitRepository

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Give a call of git in the test's repository, with none of this machine's settings."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))

    def run(*words: str, at: Path | None = None, ok: bool = True) -> str:
        person = ["-c", "user.name=Owner", "-c", "user.email=owner@example.org", "-c", "core.quotepath=false"]
        done = subprocess.run(["git", *person, *words], cwd=at or tmp_path / "vault", capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not ok, done.stderr
        return done.stdout.rstrip()

    (tmp_path / "vault").mkdir()
    run("init", "-q", "-b", "main")
    return run


@pytest.fixture
def vault(tmp_path: Path, git: Git) -> Path:
    """Give a vault with a history of one commit."""
    root = tmp_path / "vault"
    for name in ("a.md", "b.md", "中文 笔记.md"):
        (root / name).write_text("old\n")
    git("add", ".")
    git("commit", "-qm", "first")
    return root


def test_only_own_paths_are_committed_and_staged_work_stays_staged(vault: Path, git: Git) -> None:  # D4
    (vault / "b.md").write_text("staged by the owner\n")
    git("add", "b.md")
    (vault / "a.md").write_text("ours\n")
    (vault / "中文 笔记.md").write_text("typed, not staged\n")
    assert "committed" == GitRepository(vault).commit(["a.md"], "Set a property of a.md").outcome
    assert "M\ta.md" == git("show", "--name-status", "--format=", "HEAD")
    assert ["M  b.md", " M 中文 笔记.md"] == git("status", "--porcelain").split("\n") or git(
        "status", "--porcelain"
    ) == 'M  b.md\n M "中文 笔记.md"'
    assert "Set a property of a.md" == git("log", "-1", "--format=%s")


def test_a_path_that_the_owner_had_staged_differently_keeps_the_owners_entry(vault: Path, git: Git) -> None:
    (vault / "a.md").write_text("staged by the owner\n")
    git("add", "a.md")
    (vault / "a.md").write_text("staged by the owner\nand ours\n")
    GitRepository(vault).commit(["a.md"], "ours")
    assert ("staged by the owner\nand ours", "staged by the owner") == (git("show", "HEAD:a.md"), git("show", ":a.md"))


def test_names_of_any_script_new_files_and_removals(vault: Path, git: Git) -> None:
    (vault / "中文 笔记.md").write_text("ours\n")
    (vault / "new[1] *.md").write_text("new\n")
    (vault / "b.md").unlink()
    assert "committed" == GitRepository(vault).commit(["中文 笔记.md", "new[1] *.md", "b.md"], "three").outcome
    assert {"M\t中文 笔记.md", "A\tnew[1] *.md", "D\tb.md"} == set(git("show", "--name-status", "--format=", "HEAD").split("\n"))
    assert "" == git("status", "--porcelain")


def test_nothing_changed_is_no_commit(vault: Path, git: Git) -> None:
    assert ("nothing", "1") == (GitRepository(vault).commit(["a.md"], "x").outcome, git("rev-list", "--count", "HEAD"))


@pytest.mark.parametrize("kind", ["lock", "merge", "rebase", "cherry-pick", "bisect"])  # D4
def test_while_a_person_is_at_work_commits_are_postponed_and_say_why(kind: str, vault: Path, git: Git) -> None:
    git("checkout", "-qb", "side")
    (vault / "b.md").write_text("side\n")
    git("commit", "-qam", "side")
    git("checkout", "-q", "main")
    (vault / "b.md").write_text("main\n")
    git("commit", "-qam", "main")
    match kind:
        case "lock":
            (vault / ".git" / "index.lock").touch()
        case "bisect":
            git("bisect", "start")
        case _:
            git(kind, "side", ok=False)
    (vault / "a.md").write_text("ours\n")
    before = git("rev-parse", "HEAD"), (vault / ".git" / "index").read_bytes()
    report = GitRepository(vault).commit(["a.md"], "ours")
    assert "postponed" == report.outcome
    assert ("index.lock" if kind == "lock" else f"a {kind}") in report.reason
    assert before == (git("rev-parse", "HEAD"), (vault / ".git" / "index").read_bytes())


def test_the_first_commit_of_a_repository(tmp_path: Path, git: Git) -> None:
    root = tmp_path / "vault"
    (root / "a.md").write_text("x\n")
    (root / "mine.md").write_text("x\n")
    assert "committed" == GitRepository(root).commit(["a.md"], "first").outcome
    assert ("a.md", "?? mine.md") == (git("ls-tree", "--name-only", "HEAD"), git("status", "--porcelain"))


def test_who_has_no_name_gets_one_and_who_has_keeps_theirs(vault: Path, git: Git) -> None:
    (vault / "a.md").write_text("1\n")
    GitRepository(vault).commit(["a.md"], "x")
    assert "Vault Sidecar" == git("log", "-1", "--format=%an")
    git("config", "user.name", "作者")
    git("config", "user.email", "me@example.org")
    (vault / "a.md").write_text("2\n")
    GitRepository(vault).commit(["a.md"], "x")
    assert "作者 <me@example.org>" == git("log", "-1", "--format=%an <%ae>")


def test_no_hook_runs_and_no_signing_is_asked_for(vault: Path, git: Git) -> None:
    ran = vault / "ran"
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
        hook = vault / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch '{ran}'\nexit 1\n")
        hook.chmod(0o755)
    git("config", "commit.gpgsign", "true")
    git("config", "gpg.program", str(vault / "absent"))
    git("config", "core.fsmonitor", f"touch '{ran}'")
    (vault / "a.md").write_text("ours\n")
    assert ("committed", False) == (GitRepository(vault).commit(["a.md"], "x").outcome, ran.exists())


def test_ignored_paths_and_other_repositories_inside_are_passed_over(vault: Path, git: Git) -> None:
    (vault / ".gitignore").write_text("*.tmp.md\n")
    (vault / "x.tmp.md").write_text("x")
    (vault / "sub").mkdir()
    git("init", "-q", at=vault / "sub")
    (vault / "sub" / "n.md").write_text("x")
    assert "nothing" == GitRepository(vault).commit(["x.tmp.md", "sub/n.md", "gone.md"], "x").outcome
    (vault / "a.md").write_text("ours\n")
    assert "committed" == GitRepository(vault).commit(["a.md", "x.tmp.md", "sub/n.md"], "x").outcome
    assert "a.md" == git("show", "--name-only", "--format=", "HEAD")


def test_a_vault_below_the_repositorys_root_a_worktree_and_a_detached_head(vault: Path, git: Git, tmp_path: Path) -> None:
    below = vault / "笔记"
    below.mkdir()
    (below / "n.md").write_text("x\n")
    assert "committed" == GitRepository(below).commit(["n.md"], "below").outcome
    assert "A\t笔记/n.md" == git("show", "--name-status", "--format=", "HEAD")
    assert "" == git("status", "--porcelain")
    tree = tmp_path / "tree"
    git("worktree", "add", "-q", "--detach", str(tree))
    (tree / "a.md").write_text("in the tree\n")
    assert "committed" == GitRepository(tree).commit(["a.md"], "detached").outcome
    assert ("in the tree", "old", "") == (
        git("show", "HEAD:a.md", at=tree),
        git("show", "HEAD:a.md"),
        git("status", "--porcelain", at=tree),
    )


def test_line_ends_in_the_folder_stay_as_they_are(vault: Path, git: Git) -> None:
    git("config", "core.autocrlf", "true")
    (vault / "a.md").write_bytes(b"ours\r\nlines\r\n")
    GitRepository(vault).commit(["a.md"], "x")
    assert (b"ours\r\nlines\r\n", "") == ((vault / "a.md").read_bytes(), git("status", "--porcelain", "a.md"))


def test_without_git_or_repository_it_says_so(tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    report = GitRepository(plain).commit(["a.md"], "x")
    assert ("unavailable", True) == (report.outcome, "no git repository" in report.reason)
    monkeypatch.setenv("PATH", str(plain))
    report = GitRepository(tmp_path / "vault").commit(["a.md"], "x")
    assert ("unavailable", True) == (report.outcome, "not installed" in report.reason)
