"""Checks of vault, index, plugin and system, each with its fix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from sidecar.config import load_config
from sidecar.daemon.doctor_machine import (
    check_agents,
    check_clock,
    check_disk,
    check_git,
    check_log,
    check_login_item,
    check_program,
    check_secrets,
    check_sidecar,
    check_watching,
)
from sidecar.daemon.endpoint import Endpoint
from sidecar.daemon.findings import Finding
from sidecar.daemon.hints import access_hint
from sidecar.daemon.plugin_files import look_at_plugin
from sidecar.daemon.protocol import read_vault_id
from sidecar.errors import SidecarError
from sidecar.vault.files import VaultFiles

_SHOWN = 5


class Asks(Protocol):
    """Whoever answers operations of the API."""

    def call(self, method: str, path: str, **parameters: Any) -> dict[str, Any]: ...


def check_vault(root: Path, client: Asks, endpoint: Endpoint | None) -> list[Finding]:
    """Check everything; a check that cannot be made is a finding of its own."""
    vault_id = find_vault_id(root)
    checks: list[Callable[[], Finding]] = [
        check_program,
        lambda: _set_up(root),
        lambda: _settings(root),
        lambda: check_sidecar(endpoint),
        lambda: check_login_item(root, vault_id),
        lambda: _index(client),
        lambda: _search(client),
        lambda: _properties(client),
        lambda: _map(client),
        lambda: _plugin(root),
        lambda: check_git(root),
        lambda: check_watching(_folders(client)),
        check_secrets,
        lambda: _feeds(client),
        check_agents,
        lambda: check_clock(root),
        lambda: check_disk(root, vault_id),
        lambda: check_log(vault_id),
    ]
    findings: list[Finding] = []
    for check in checks:
        try:
            findings.append(check())
        except SidecarError as error:
            findings.append(Finding(error.code, "bad", error.message, error.fix))
        except PermissionError as error:
            text = f"{error.filename or 'a file'} cannot be read: {error.strerror}"
            findings.append(Finding("vault-unreadable", "bad", text, f"Check its permissions. {access_hint()}".strip()))
        except OSError as error:
            findings.append(
                Finding("system", "bad", f"{error.filename or 'the system'}: {error.strerror}", "Check permissions and free space.")
            )
    return findings


def find_vault_id(root: Path) -> str:
    """Give the vault's id; empty if it is not set up or cannot be read."""
    try:
        return read_vault_id(VaultFiles(root))
    except SidecarError:
        return ""


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


def _feeds(client: Asks) -> Finding:
    answer = client.call("GET", "/api/kb/feeds")
    if answer["problem"]:
        return Finding("Feeds", "bad", answer["problem"]["message"], answer["problem"]["fix"])
    if not answer["subscriptions"]:
        return Finding("Feeds", "ok", "no subscriptions")
    active = [one for one in answer["subscriptions"] if one["enabled"]]
    failed = [one for one in active if one["last"] and one["last"]["status"] not in ("ok", "unchanged")]
    text = f"{len(active)} of {len(answer['subscriptions'])} subscriptions are on"
    private = [one["id"] for one in answer["subscriptions"] if one["has_private_part"]]
    if private and not failed:
        text += f"; the address of {', '.join(private[:_SHOWN])} holds what looks like a key of yours"
        return Finding("Feeds", "note", text, "Keep it apart: kb secrets set NAME, and write ${secret:NAME} in its place.")
    if not failed:
        return Finding("Feeds", "ok", text)
    names = "; ".join(f"{one['id']}: {one['last']['reason'] or one['last']['status']}" for one in failed[:_SHOWN])
    more = f" and {len(failed) - _SHOWN} more" if len(failed) > _SHOWN else ""
    return Finding(
        "Feeds", "note", f"{text}; {len(failed)} did not work last time: {names}{more}", f"Try one: kb feeds test {failed[0]['id']}"
    )


def _folders(client: Asks) -> int:
    """Count the folders that are watched, from the paths of the files in them."""
    items = client.call("GET", "/api/kb/list", kind="notes", limit=100_000)["items"]
    return len({folder for item in items for folder in Path(item["path"]).parents} | {Path()})


def _set_up(root: Path) -> Finding:
    if (root / ".kb" / "protocol.json").exists():
        return Finding("Vault", "ok", f"{root.resolve()} is set up")
    return Finding("Vault", "bad", f"{root.resolve()} is not set up", f"Type: kb init {root}")


def _settings(root: Path) -> Finding:
    config = load_config(root)
    return Finding("Settings", "ok", f"language {config.language}, map in {config.moc.path}")


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


def _problems(client: Asks) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.call("GET", "/api/kb/list", kind="problems", limit=100_000)["items"]
    return items
