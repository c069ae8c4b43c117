"""Append-only journals under ``.kb/journal/``: what cannot be worked out again from the notes.

One file per kind, month and machine, one JSON object per line, so that two machines never write the same file and a synced
vault merges by itself.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from sidecar.clock import Clock
from sidecar.errors import WriteFailed


class Journal:
    """The journals of one vault.

    Args:
        folder: ``.kb/journal`` of the vault.
        machine: Name of this machine in file names.
    """

    def __init__(self, folder: Path, clock: Clock, machine: str | None = None) -> None:
        self._folder = folder
        self._clock = clock
        self._machine = re.sub(r"[^a-z0-9]+", "-", (machine or socket.gethostname()).lower()).strip("-") or "machine"

    def now(self) -> datetime:
        """Give the moment that a line written now would bear."""
        return self._clock()

    def append(self, kind: str, /, **record: Any) -> None:
        """Write one line, with the time as ``at``, and have it on disk before returning.

        Raises:
            WriteFailed: The disk refused.
        """
        self.append_all(kind, [record])

    def append_all(self, kind: str, records: Iterable[dict[str, Any]]) -> None:
        """Write a line for each record, all in one write.

        Raises:
            WriteFailed: The disk refused.
        """
        now = self._clock()
        path = self._folder / f"{kind}-{now:%Y-%m}-{self._machine}.jsonl"
        at = now.isoformat(timespec="seconds")
        line = "".join(json.dumps({"at": at, **record}, ensure_ascii=False) + "\n" for record in records)
        try:
            self._folder.mkdir(exist_ok=True)  # not its parents: a vault that is away must not be made anew
            with path.open("ab") as file:
                if file.tell() and not _ends_line(path):
                    line = "\n" + line  # a line torn by a crash stays alone
                file.write(line.encode("utf-8", "replace"))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteFailed(
                f"The journal {path.name} could not be written: {error.strerror}.", fix="Check free space and permissions."
            ) from error

    def read(self, kind: str, *, own: bool = False) -> Iterator[dict[str, Any]]:
        """Give all records of a kind, or those of this machine alone, file by file; lines torn by a crash are passed over."""
        machine = re.escape(self._machine) if own else ".*"
        name = re.compile(re.escape(kind) + rf"-\d{{4}}-\d{{2}}-{machine}\.jsonl")
        for path in sorted(path for path in self._folder.glob(f"{kind}-*.jsonl") if name.fullmatch(path.name)):
            # Not splitlines(): a record's text may hold U+2028 and its like, which are no ends of lines here.
            for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if isinstance(record, dict):
                    yield record

    def sizes(self, kinds: Iterable[str]) -> dict[str, int]:
        """Give the size of each file of some kinds, by its name: what differs when anything was written."""
        names = tuple(f"{kind}-" for kind in kinds)
        found = {path.name: path.stat().st_size for path in self._folder.glob("*.jsonl") if path.name.startswith(names)}
        return dict(sorted(found.items()))


def _ends_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
