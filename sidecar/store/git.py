"""Commits of the sidecar's own writes: its own paths only, and nothing of the user's is touched.

A commit is built in an index file of its own, so that what the user has staged stays staged and nothing else. Git runs without
hooks, signing, prompts and file-system monitors: a vault's ``.git/config`` is foreign input, and the sidecar must never wait for
a person. In the user's index only the entries of the committed paths are brought up to date, and only those that had no staged
change of their own.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Outcome = Literal["committed", "nothing", "postponed", "unavailable"]

_TIMEOUT_S: Final = 60.0
_UNDER_WAY: Final = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisect",
    "sequencer": "a series of picks",
}
_QUIET: Final = (
    "core.hooksPath=" + os.devnull, "core.fsmonitor=false", "commit.gpgsign=false", "core.quotepath=false", "gc.auto=0",
    "protocol.ext.allow=never", "maintenance.auto=false",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CommitReport:
    """What became of a commit. ``reason`` says why there is none."""

    outcome: Outcome
    reason: str = ""


class _GitError(Exception):
    """Git refused; the message is its own."""


class GitRepository:
    """The repository around a vault, if there is one. Every call starts a process and waits for it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def problem(self) -> str:
        """Say why nothing could be committed here at all; empty if it could."""
        try:
            self._git("rev-parse", "--absolute-git-dir")
        except FileNotFoundError:
            return "git is not installed; notes have no history to fall back on"
        except (_GitError, OSError, subprocess.TimeoutExpired):
            return "the vault is in no git repository; notes have no history to fall back on"
        return ""

    def obstacle(self) -> str:
        """Say what git is in the middle of, so that nothing should be committed now; empty if it is free, or there is none."""
        try:
            folder = Path(self._git("rev-parse", "--absolute-git-dir").strip())
        except (_GitError, OSError, subprocess.TimeoutExpired):
            return ""
        under_way = next((what for name, what in _UNDER_WAY.items() if (folder / name).exists()), "")
        if under_way:
            return f"{under_way} is under way in the vault's repository"
        return "another git process holds index.lock" if (folder / "index.lock").exists() else ""

    def commit(self, paths: Sequence[str], message: str) -> CommitReport:
        """Commit the present state of ``paths`` (relative to the vault) and nothing else.

        A path that is gone is committed as removed; one that git ignores is passed over.
        """
        problem = self.problem()
        if problem:
            return CommitReport("unavailable", problem)
        try:
            obstacle = self.obstacle()
            if obstacle:
                return CommitReport("postponed", obstacle)
            with tempfile.TemporaryDirectory(prefix="kb-git-") as private:
                return self._commit(paths, message, Path(private) / "index")
        except (_GitError, OSError, subprocess.TimeoutExpired) as error:
            return CommitReport("postponed", str(error).strip().splitlines()[-1] if str(error).strip() else "git refused")

    def _commit(self, paths: Sequence[str], message: str, index: Path) -> CommitReport:
        own = {"GIT_INDEX_FILE": str(index)}
        parent = self._head()
        self._git("read-tree", parent or "--empty", **own)
        wanted = self._not_ignored(paths)
        if not wanted:
            return CommitReport("nothing")
        self._git("update-index", "--add", "--remove", "-z", "--stdin", given="\0".join(wanted), **own)
        tree = self._git("write-tree", **own).strip()
        if parent and tree == self._git("rev-parse", f"{parent}^{{tree}}").strip():
            return CommitReport("nothing")
        base = self._entries(wanted, parent)
        commit = self._git("commit-tree", tree, *(("-p", parent) if parent else ()), given=message, **self._author()).strip()
        self._git("update-ref", "--create-reflog", "-m", f"commit: {message.splitlines()[0]}", "HEAD", commit, parent or "0" * len(commit))
        self._follow(wanted, base, own)
        return CommitReport("committed")

    def _follow(self, paths: Sequence[str], base: dict[str, str], own: dict[str, str]) -> None:
        """Bring the user's index up to date for paths that it held as the parent commit did: these alone had nothing staged."""
        staged, now = self._staged(paths), self._staged(paths, **own)
        below = self._git("rev-parse", "--show-prefix").rstrip("\n")
        unstaged = [path for path in paths if staged.get(path, "") == base.get(path, "")]
        lines = [f"{now.get(path, '0 ' + '0' * 40)}\t{below}{path}" for path in unstaged]
        if lines:
            # A lock taken meanwhile only means that the path shows as changed until the next refresh; the commit stands.
            with contextlib.suppress(_GitError):
                self._git("update-index", "-z", "--index-info", given="\0".join(lines) + "\0")
                self._git("update-index", "-q", "--refresh", "--", *paths[:50])

    def last_day(self, path: str) -> str:
        """Give the day of the newest commit that touched ``path``, like 2026-11-30; empty if there is none."""
        try:
            return self._git("log", "-1", "--format=%cs", "--", path).strip()
        except (_GitError, OSError, subprocess.TimeoutExpired):
            return ""

    def _head(self) -> str:
        """Give the commit that HEAD stands for, on a branch or not; empty before the first."""
        try:
            return self._git("rev-parse", "--verify", "--quiet", "HEAD^{commit}").strip()
        except _GitError:
            return ""

    def _not_ignored(self, paths: Sequence[str]) -> list[str]:
        """Leave out what git ignores and does not follow, what another repository in the vault holds, and links' insides."""
        plain = [path for path in dict.fromkeys(paths) if not self._is_elsewhere(path)]
        known = set(self._git("ls-files", "-z", "--", *plain).split("\0")) if plain else set()
        ignored = set(self._git("check-ignore", "-z", "--stdin", given="\0".join(plain)).split("\0")) if plain else set()
        return [path for path in plain if path in known or (path not in ignored and (self._root / path).exists())]

    def _is_elsewhere(self, path: str) -> bool:
        above = [self._root.joinpath(*path.split("/")[:depth]) for depth in range(1, path.count("/") + 1)]
        return any((folder / ".git").exists() or folder.is_symlink() for folder in above)

    def _entries(self, paths: Sequence[str], commit: str) -> dict[str, str]:
        if not commit:
            return {}
        found = {}
        for line in self._git("ls-tree", "-z", commit, "--", *paths).split("\0"):
            words, _, path = line.partition("\t")
            if path:
                mode, _, name = words.split(" ")
                found[path] = f"{mode} {name} 0"
        return found

    def _staged(self, paths: Sequence[str], **environment: str) -> dict[str, str]:
        """Give mode, object and stage of each path in an index."""
        lines = self._git("ls-files", "-s", "-z", "--", *paths, **environment).split("\0")
        return {path: words for words, _, path in (line.partition("\t") for line in lines) if path}

    def _author(self) -> dict[str, str]:
        """Name an author only where the user has set none."""
        try:
            self._git("var", "GIT_AUTHOR_IDENT")
            if self._git("config", "user.email").strip():
                return {}
        except _GitError:
            pass
        names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
        return {**dict.fromkeys(names[0], "Vault Sidecar"), **dict.fromkeys(names[1], "vault-sidecar@localhost")}

    def _git(self, *words: str, given: str | None = None, **environment: str) -> str:
        settings = [word for setting in _QUIET for word in ("-c", setting)]
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_") or name.startswith(("GIT_AUTHOR", "GIT_COMM", "GIT_CONFIG_", "GIT_CEIL"))
        }
        done = subprocess.run(
            ["git", *([] if words[0] == "check-ignore" else ["--literal-pathspecs"]), *settings, *words],
            cwd=self._root,
            env={**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", **environment},
            input=(given or "").encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        if done.returncode != 0 and (words[0], done.returncode) != ("check-ignore", 1):  # 1: none is ignored
            raise _GitError(done.stderr.decode("utf-8", "replace") or f"git {words[0]} ended with {done.returncode}")
        return done.stdout.decode("utf-8", "surrogateescape")
