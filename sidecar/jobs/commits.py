"""The sidecar's own writes on their way into git: gathered, committed together, kept while git is not free."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Final

from sidecar.config import KB_FOLDER
from sidecar.store.git import CommitReport, GitRepository

_JOURNALS: Final = f"{KB_FOLDER}/journal"
_SHOWN: Final = 3


class GitCommits:
    """Commits what the sidecar wrote, if the owner wants that.

    Args:
        is_on: The setting ``git.autocommit``, asked anew each time.
        today: The day, for journals are committed at most once in it.
    """

    def __init__(self, root: Path, repository: GitRepository, is_on: Callable[[], bool], today: Callable[[], date]) -> None:
        self._root = root
        self._repository = repository
        self._is_on = is_on
        self._today = today
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self.problem = ""
        """Why commits wait at the moment, or empty."""
        self.on_note: Callable[[], None] = lambda: None
        """Told that there is something to commit; called on the thread that wrote."""

    def note(self, path: str) -> None:
        """Remember a file that the sidecar wrote."""
        if self._is_on():
            with self._lock:
                self._paths.add(path)
            self.on_note()

    async def flush(self) -> CommitReport:
        """Commit what was noted. Git is waited for in a thread of its own; what it cannot take now is kept for the next time."""
        with self._lock:
            paths, self._paths = sorted(self._paths), set()
        if not paths:
            return CommitReport("nothing")
        report = await asyncio.to_thread(self._commit, paths)
        self.problem = ""
        if report.outcome == "postponed":
            self.problem = f"Notes written by the sidecar are not committed yet: {report.reason}."
            with self._lock:
                self._paths.update(paths)
        return report

    def _commit(self, paths: list[str]) -> CommitReport:
        names = ", ".join(paths[:_SHOWN]) + (f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else "")
        if self._repository.last_day(_JOURNALS) != self._today().isoformat():
            paths = [*paths, *(f"{_JOURNALS}/{path.name}" for path in sorted((self._root / _JOURNALS).glob("*.jsonl")))]
        return self._repository.commit(paths, f"Vault Sidecar: {names}")
