"""The sidecar's own log: one JSON object a line, in files that rotate, outside every vault, without secrets."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from sidecar.daemon.endpoint import state_folder
from sidecar.daemon.redact import redact

MAX_BYTES, KEPT_FILES = 1_000_000, 4


def log_path(vault_id: str, name: str = "sidecar") -> Path:
    """Give the file that a vault's sidecar writes its log to."""
    return state_folder(vault_id) / "logs" / f"{name}.jsonl"


def open_log(path: Path, level: int = logging.INFO) -> logging.Handler:
    """Send all log records to ``path`` from now on; the folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handler = _PrivateFiles(path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(_JsonLines())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)
    return handler


def read_log(path: Path, count: int) -> list[dict[str, Any]]:
    """Give the last ``count`` records, oldest first, from the current file and those that were rotated away."""
    found: list[dict[str, Any]] = []
    for file in (path, *(path.with_name(f"{path.name}.{n}") for n in range(1, KEPT_FILES + 1))):
        if len(found) >= count:
            break
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        found = [record for line in lines if (record := _record(line)) is not None] + found
    return found[-count:] if count else []


def follow_log(path: Path, every_s: float = 0.5) -> Iterator[dict[str, Any]]:
    """Give records as they are written, across rotations, for ever."""
    at = path.stat().st_size if path.exists() else 0
    while True:
        size = path.stat().st_size if path.exists() else 0
        if size < at:
            at = 0
        if size > at:
            with path.open("rb") as file:
                file.seek(at)
                data = file.read(size - at)
            whole = data.rpartition(b"\n")[0]
            at += len(whole) + bool(whole)
            yield from (record for line in whole.decode("utf-8", "replace").splitlines() if (record := _record(line)) is not None)
        time.sleep(every_s)


def _record(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:  # torn by a crash
        return None
    return found if isinstance(found, dict) and {"at", "level", "message"} <= found.keys() else None


class _PrivateFiles(RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        handle = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(handle, "a", encoding=self.encoding, errors=self.errors)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - a full disk must not fill the terminal as well
        del record


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        home = Path.home()
        values: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redact(record.getMessage(), home=home),
        }
        if record.exc_info:
            values["error"] = redact(self.formatException(record.exc_info), home=home)
        return json.dumps(values, ensure_ascii=False)
