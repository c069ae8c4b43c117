"""Checks of vault, index, plugin and system, each with its fix."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from sidecar.config import load_config
from sidecar.daemon.endpoint import Endpoint
from sidecar.daemon.plugin_files import look_at_plugin
from sidecar.errors import SidecarError

State = Literal["ok", "note", "bad"]
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One check. ``note`` is worth knowing and needs nothing done."""

    name: str
    state: State
    text: str
    fix: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Asks(Protocol):
    """Whoever answers operations of the API."""

    def call(self, method: str, path: str, **parameters: Any) -> dict[str, Any]: ...


def check_vault(root: Path, client: Asks, endpoint: Endpoint | None) -> list[Finding]:
    """Check everything; a check that cannot be made is a finding of its own."""
    checks: list[Callable[[], Finding]] = [
        lambda: _python(),
        lambda: _set_up(root),
        lambda: _settings(root),
        lambda: _sidecar(endpoint),
        lambda: _index(client),
        lambda: _search(client),
        lambda: _properties(client),
        lambda: _map(client),
        lambda: _plugin(root),
        lambda: _git(root),
        lambda: _watch_limit(),
    ]
    findings: list[Finding] = []
    for check in checks:
        try:
            findings.append(check())
        except SidecarError as error:
            findings.append(Finding(error.code, "bad", error.message, error.fix))
    return findings


def check_note(client: Asks, note: str) -> Finding:
    """Say whether a note is indexed, and if not why."""
    answer = client.call("GET", "/api/kb/search/state", note=note)
    (file,) = answer["files"]
    count = f"{answer['indexed']:,} of {answer['total']:,} notes are indexed"
    since = f", as it was at {file['taken_in_at']}" if file["taken_in_at"] else ""
    if file["state"] == "skipped":
        return Finding(file["path"], "bad", f"not indexed: {file['reason']}; {count}", "Look for its path with: kb list notes")
    if file["state"] == "failed":
        text = f"indexed, but not whole{since}: {file['reason']}; {count}"
        return Finding(file["path"], "bad", text, "Mend the note; the rest of it is there.")
    if file["state"] == "partly":
        return Finding(file["path"], "note", f"indexed in part{since}: {file['reason']}; {count}")
    for item in _problems(client):
        if item["path"] == file["path"]:
            return Finding(file["path"], "bad", f"indexed, but not whole: {item['problem']}", "Mend the note; the rest of it is there.")
    return Finding(file["path"], "ok", f"indexed{since}; {count}")


def _python() -> Finding:
    version = platform.python_version()
    return Finding("Python", "ok" if sys.version_info >= (3, 11) else "bad", f"{version} on {platform.system()}")


def _set_up(root: Path) -> Finding:
    if (root / ".kb" / "protocol.json").exists():
        return Finding("Vault", "ok", f"{root.resolve()} is set up")
    return Finding("Vault", "bad", f"{root.resolve()} is not set up", f"Type: kb init {root}")


def _settings(root: Path) -> Finding:
    config = load_config(root)
    return Finding("Settings", "ok", f"language {config.language}, map in {config.moc.path}")


def _sidecar(endpoint: Endpoint | None) -> Finding:
    if endpoint is None:
        return Finding("Sidecar", "note", "not running; commands work without it, the plugin does not", "Start it with: kb serve")
    return Finding("Sidecar", "ok", f"running at {endpoint.url}, version {endpoint.version}")


def _index(client: Asks) -> Finding:
    status = client.call("GET", "/api/kb/status")
    unread = [item for item in _problems(client) if "cannot be read" in item["problem"] or "larger than" in item["problem"]]
    text = f"{status['notes'] - len(unread):,} of {status['notes']:,} notes, {status['files']:,} files"
    if not unread:
        return Finding("Index", "ok", text)
    names = "; ".join(f"{item['path']}: {item['problem']}" for item in unread[:_SHOWN])
    return Finding("Index", "bad", f"{text}. {names}", "Check the permissions of these files.")


def _search(client: Asks) -> Finding:
    state = client.call("GET", "/api/kb/search/state")
    partly = [file for file in state["files"] if file["state"] == "partly" and not file["path"].lower().endswith(".canvas")]
    text = f"{state['indexed']:,} of {state['total']:,} notes are indexed"
    if state["rebuilt_because"]:
        text += f"; all were read anew at this start, because {state['rebuilt_because']}"
    if not partly:
        return Finding("Search", "ok", text)
    names = "; ".join(f"{file['path']}: {file['reason']}" for file in partly[:_SHOWN])
    more = f" and {len(partly) - _SHOWN} more" if len(partly) > _SHOWN else ""
    return Finding("Search", "note", f"{text}, {len(partly)} of them in part: {names}{more}")


def _properties(client: Asks) -> Finding:
    broken = [item for item in _problems(client) if "cannot be read" not in item["problem"]]
    if not broken:
        return Finding("Properties", "ok", "all frontmatter can be read")
    names = "; ".join(f"{item['path']} ({item['problem']})" for item in broken[:_SHOWN])
    more = f" and {len(broken) - _SHOWN} more" if len(broken) > _SHOWN else ""
    return Finding(
        "Properties", "note", f"{len(broken)} notes: {names}{more}", "Their text and links are indexed. All of them: kb list problems"
    )


def _map(client: Asks) -> Finding:
    answer = client.call("GET", "/api/kb/moc")
    if answer["problem"]:
        return Finding("Map", "note", answer["problem"])
    return Finding("Map", "ok", f"{answer['path']}, {answer['hubs_total']} hubs, {answer['orphans_total']} orphans")


def _plugin(root: Path) -> Finding:
    state = look_at_plugin(root)
    if not state.is_installed:
        return Finding("Plugin", "note", "not in this vault", "Type: kb plugin install")
    if not state.is_current:
        return Finding(
            "Plugin", "note", f"in this vault, version {state.version}; {state.shipped_version} is at hand", "Type: kb plugin update"
        )
    switched = "switched on" if state.is_enabled else "not switched on in Obsidian's settings yet"
    return Finding("Plugin", "ok", f"in this vault, version {state.version}, {switched}")


def _git(root: Path) -> Finding:
    if shutil.which("git") is None:
        return Finding("Git", "note", "not installed; notes have no history to fall back on")
    inside = any((folder / ".git").exists() for folder in (root.resolve(), *root.resolve().parents))
    is_on = load_config(root).git.autocommit
    if not inside:
        lost = "; the setting git.autocommit does nothing" if is_on else ""
        return Finding("Git", "note", f"the vault has no history{lost}", f"Type: git init {root}" if is_on else "")
    return Finding("Git", "ok", "the vault has a history" + ("; each write of the sidecar is committed" if is_on else ""))


def _watch_limit() -> Finding:
    limit = Path("/proc/sys/fs/inotify/max_user_watches")
    if os.name == "nt" or not limit.exists():
        return Finding("Watching", "ok", "by the system")
    count = int(limit.read_text())
    if count < 8192:
        return Finding("Watching", "note", f"at most {count} folders", "Raise fs.inotify.max_user_watches.")
    return Finding("Watching", "ok", f"up to {count:,} folders")


def _problems(client: Asks) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.call("GET", "/api/kb/list", kind="problems", limit=100_000)["items"]
    return items
