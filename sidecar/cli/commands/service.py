"""``kb service``: the sidecar as a login item."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.cli.client import RunningSidecar, find_running
from sidecar.cli.context import Context
from sidecar.errors import ServiceRefused, SidecarError, VaultNotInitialised

if TYPE_CHECKING:
    from sidecar.login_item import Platform, ServiceDefinition

ACTIONS = ("install", "uninstall", "start", "stop", "restart", "status", "logs")
_STOPS_WITHIN_S = 25.0
_NO_ID = "00000000"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help=" | ".join(ACTIONS))
    parser.add_argument("--dry-run", action="store_true", help="with install: print the definition and write nothing")
    parser.add_argument("--platform", choices=("macos", "linux", "xdg", "windows"), help="which service manager (default: this system's)")
    parser.add_argument("--lines", type=int, default=40, metavar="N", help="with logs: how many lines (default: 40)")
    parser.add_argument("--follow", action="store_true", help="with logs: go on until Ctrl-C")


def run(args: argparse.Namespace, context: Context) -> int:
    from sidecar.daemon.protocol import read_vault_id
    from sidecar.login_item.service import describe, find_installed, find_platform
    from sidecar.vault.files import VaultFiles

    root = context.vault()
    try:
        vault_id = read_vault_id(VaultFiles(root))
    except VaultNotInitialised:
        if not args.dry_run:
            raise
        vault_id = _NO_ID
        sys.stderr.write(f"kb: this vault is not set up yet (kb init); its id will stand in the place of {_NO_ID}.\n")
    if args.action == "logs":
        return _logs(args, context, vault_id)
    platform = args.platform or (find_platform() if args.action == "install" else find_installed(root, vault_id))
    item = describe(root, vault_id, platform)
    if args.action == "install":
        return _show(context, item, platform) if args.dry_run else _install(context, root, item, platform)
    actions = {"uninstall": _uninstall, "start": _start, "stop": _stop, "restart": _restart, "status": _status}
    return actions[args.action](context, root, item, platform)


def _show(context: Context, item: ServiceDefinition, platform: Platform) -> int:
    from sidecar.login_item.service import SYSTEMS, places_here

    system, places = SYSTEMS[platform], places_here(platform)
    path, text = system.path(item, places), system.text(item, places)
    commands = [list(step.argv) for step in system.install(item, places)]
    if context.is_json:
        context.print({"platform": platform, "path": path, "definition": text, "commands": commands}, [])
        return 0
    sys.stdout.write(text)
    sys.stdout.flush()
    sys.stderr.write(f"Would write {path}" + ("\nand run:\n" if commands else "\n"))
    sys.stderr.writelines(f"  {' '.join(command)}\n" for command in commands)
    return 0


def _install(context: Context, root: Path, item: ServiceDefinition, platform: Platform) -> int:
    from sidecar.login_item.service import install, look

    already = find_running(root)
    is_new = install(item, platform)
    path = look(item, platform).path
    words = context.words
    lines = [words.service_new.format(vault=root.resolve()) if is_new else words.service_same]
    lines += [f"  {path}", f"  {words.service_look_after}"]
    if already is not None and is_new:
        lines.append(f"  {words.service_other_runs}")
    context.print({"installed": True, "changed": is_new, "platform": platform, "path": str(path)}, lines)
    return 0


def _uninstall(context: Context, root: Path, item: ServiceDefinition, platform: Platform) -> int:
    from sidecar.daemon.endpoint import state_folder
    from sidecar.login_item.service import look, uninstall

    is_known = look(item, platform).is_installed
    if is_known and platform in ("xdg", "windows"):
        _ask_to_stop(root)
    was_there = uninstall(item, platform)
    stays = [str(root.resolve() / ".kb"), str(state_folder(item.vault_id))]
    words = context.words
    lines = [words.service_removed if was_there else words.service_absent]
    lines += [words.service_stays, f"  {stays[1]}", words.service_plugin_too]
    context.print({"removed": was_there, "stays": stays}, lines)
    return 0


def _start(context: Context, root: Path, item: ServiceDefinition, platform: Platform) -> int:
    from sidecar.login_item.service import start

    _require_installed(item, platform)
    if find_running(root) is None:
        start(item, platform)
    context.print({"started": True}, [context.words.service_started])
    return 0


def _stop(context: Context, root: Path, item: ServiceDefinition, platform: Platform) -> int:
    from sidecar.login_item.service import stop

    _require_installed(item, platform)
    was_running = find_running(root) is not None
    if platform in ("xdg", "windows"):
        _ask_to_stop(root)
    if was_running or platform == "linux":
        stop(item, platform)
    _await_end(root)
    context.print({"stopped": was_running}, [context.words.service_stopped if was_running else context.words.service_not_running])
    return 0


def _restart(context: Context, root: Path, item: ServiceDefinition, platform: Platform) -> int:
    from sidecar.login_item.service import restart, start

    _require_installed(item, platform)
    endpoint = find_running(root)
    if platform in ("xdg", "windows"):
        if endpoint is not None:
            RunningSidecar(endpoint).call("POST", "/api/kb/restart")
        else:
            start(item, platform)
    else:
        restart(item, platform)
    context.print({"restarted": True}, [context.words.service_restarted])
    return 0


def _status(context: Context, root: Path, item: ServiceDefinition, platform: Platform) -> int:
    from sidecar.login_item.service import ask_condition, look

    found, endpoint = look(item, platform), find_running(root)
    condition = ask_condition(item, platform)
    state = "running" if endpoint is not None else condition.state if condition.state != "unknown" else "stopped"
    value: dict[str, Any] = {
        "platform": platform,
        "path": str(found.path),
        "installed": found.is_installed,
        "command": list(found.command),
        "problem": found.problem,
        "state": state,
        "pid": endpoint.pid if endpoint else condition.pid,
        "url": endpoint.url if endpoint else "",
        "last_exit_code": condition.exit_code,
        "restarts": condition.restarts,
    }
    words = context.words
    process = f" ({value['pid']})" if value["pid"] else ""
    lines = [words.service_state.format(title=item.title, state=words.states[state]) + process]
    lines.append(f"  {words.service_item}  {found.path if found.is_installed else words.service_not_installed}")
    if found.problem:
        lines += [f"  {words.attention}  {found.problem}", f"  {words.service_mend}"]
    if condition.state == "failed":
        lines.append(f"  {words.attention}  {words.service_ended.format(code=condition.exit_code)}")
    context.print(value, lines)
    return 0


def _logs(args: argparse.Namespace, context: Context, vault_id: str) -> int:
    from sidecar.daemon.logs import follow_log, log_path, read_log

    path = log_path(vault_id)
    records = read_log(path, max(0, args.lines))
    context.print({"path": str(path), "records": records}, [*map(_line, records)] or [context.words.log_empty.format(path=path)])
    if args.follow and not context.is_json:
        sys.stdout.flush()
        for record in follow_log(path):
            sys.stdout.write(_line(record) + "\n")
            sys.stdout.flush()
    return 0


def _line(record: dict[str, Any]) -> str:
    error = "\n" + str(record["error"]) if record.get("error") else ""
    return f"{record['at'][:19].replace('T', ' ')}Z {record['level']!s:<8}{record['message']}{error}"


def _require_installed(item: ServiceDefinition, platform: Platform) -> None:
    from sidecar.login_item.service import look

    if not look(item, platform).is_installed:
        raise ServiceRefused("No login item is installed for this vault.", fix="Install it with: kb service install")


def _ask_to_stop(root: Path) -> None:
    """Ask the running sidecar to end by itself: there is no gentle signal on Windows, and nobody to send one on a plain desktop."""
    endpoint = find_running(root)
    if endpoint is None:
        return
    try:
        RunningSidecar(endpoint).call("POST", "/api/kb/stop")
    except SidecarError:
        return
    _await_end(root)


def _await_end(root: Path) -> None:
    ends_at = time.monotonic() + _STOPS_WITHIN_S
    while find_running(root) is not None and time.monotonic() < ends_at:
        time.sleep(0.1)
