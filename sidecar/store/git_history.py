"""The history of a vault's notes in one pass over git's log. Every call starts a process and waits for it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_TIMEOUT_S: Final = 300.0
_FIELDS: Final = 5


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What a commit did to one file: status letter, path before and after, blobs before and after."""

    kind: str
    old_path: str
    path: str
    old_blob: str
    new_blob: str


@dataclass(frozen=True, slots=True)
class LogCommit:
    id: str
    at: datetime
    entries: tuple[LogEntry, ...]


class GitHistory:
    """Reads the log of the repository around a vault, which may be a sub-folder of it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def head(self) -> str:
        """Give the newest commit, or nothing where there is none or no git."""
        return self._output("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()

    def dirty(self) -> set[str]:
        """Give the paths, relative to the vault, that differ from the newest commit or are not followed."""
        found: set[str] = set()
        prefix = self._output("rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").rstrip("\n")
        parts = iter(
            self._output("status", "--porcelain", "-z", "--untracked-files=all", "--", ".").decode("utf-8", "surrogateescape").split("\0")
        )
        for part in parts:
            if len(part) < 4:
                continue
            found.add(part[3:].removeprefix(prefix))
            if part[0] in "RC":
                found.add(next(parts, "").removeprefix(prefix))
        return found

    def log(self, since: str = "") -> Iterator[LogCommit]:
        """Give the commits that touched files of the vault, newest first; with ``since``, only those after that commit."""
        words = (
            "log", *([f"{since}..HEAD"] if since else []), "-z", "--raw", "--no-abbrev", "--find-renames", "--topo-order", "--relative",
            "--no-ext-diff", "--no-textconv", "--format=%x01%H %ct", "--", ".",
        )  # fmt: skip
        text = self._output(*words).decode("utf-8", "surrogateescape")
        for block in text.split("\x01")[1:]:
            head, _, rest = block.partition("\0")
            name, _, seconds = head.strip().partition(" ")
            if seconds.isdigit():
                yield LogCommit(name, datetime.fromtimestamp(int(seconds), UTC), tuple(_entries(rest)))

    def is_ancestor(self, commit: str) -> bool:
        """Tell whether a commit lies behind the newest one: the log after it is all that is new."""
        return self._run("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0

    def texts(self, blobs: Sequence[str]) -> dict[str, str]:
        """Give the texts of blobs, in one process."""
        wanted = [blob for blob in dict.fromkeys(blobs) if blob.strip("0")]
        if not wanted:
            return {}
        data = self._run("cat-file", "--batch", given="\n".join(wanted).encode() + b"\n").stdout
        found: dict[str, str] = {}
        at = 0
        while at < len(data):
            end = data.index(b"\n", at)
            words = data[at:end].split()
            at = end + 1
            if len(words) == 3:
                size = int(words[2])
                found[words[0].decode()] = data[at : at + size].decode("utf-8", "replace")
                at += size + 1
        return found

    def holds(self, path: str) -> bool:
        """Tell whether the newest commit holds a path as it is on disk now."""
        if not self._output("ls-tree", "HEAD", "--", path).strip():
            return False
        return self._run("diff", "--quiet", "HEAD", "--", path).returncode == 0

    def _output(self, *words: str) -> bytes:
        done = self._run(*words)
        return done.stdout if done.returncode == 0 else b""

    def _run(self, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith("GIT_CEIL")}
        settings = (
            "core.quotePath=false",
            "core.fsmonitor=false",
            "core.hooksPath=" + os.devnull,
            "diff.renameLimit=20000",
            "log.showSignature=false",
        )
        try:
            return subprocess.run(
                ["git", "--literal-pathspecs", *(word for one in settings for word in ("-c", one)), *words],
                cwd=self._root, env={**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
                input=given, capture_output=True, timeout=_TIMEOUT_S, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return subprocess.CompletedProcess([], 1, b"", b"")


def _entries(text: str) -> Iterator[LogEntry]:
    parts = iter(text.split("\0"))
    for part in parts:
        head = part.strip("\n")
        if not head.startswith(":"):
            continue
        words = head[1:].split(" ")
        if len(words) != _FIELDS:
            continue
        old_blob, new_blob, status = words[2], words[3], words[4]
        path = next(parts, "")
        new_path = next(parts, "") if status[0] in "RC" else path
        yield LogEntry(status[0], path, new_path, old_blob, new_blob)
