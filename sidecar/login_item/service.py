"""Putting a login item in place, and asking the system's service manager about it. Every call is harmless twice."""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sidecar.errors import ServiceRefused
from sidecar.login_item import linux, macos, windows, xdg
from sidecar.login_item.definition import KEPT_VARIABLES, Condition, LoginItem, Places, Platform, ServiceDefinition, Step

SYSTEMS: Mapping[Platform, LoginItem] = {"macos": macos, "linux": linux, "xdg": xdg, "windows": windows}
_ANSWER_S = 60.0
_BETWEEN_TRIES_S = 1.0
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)


@dataclass(frozen=True, slots=True)
class Registration:
    """What lies in the service manager's folder: which file, what it starts, and whether that is what would be written today."""

    path: Path
    is_installed: bool
    command: tuple[str, ...] = ()
    problem: str = ""


def find_platform() -> Platform:
    """Find which service manager this session has.

    Raises:
        ServiceRefused: It has none.
    """
    if sys.platform == "darwin":
        return "macos"
    if sys.platform == "win32":
        return "windows"
    asked = _call(("systemctl", "--user", "is-system-running"))
    if asked is not None and asked.stdout.strip() in ("running", "degraded", "starting", "initializing"):
        return "linux"
    if os.environ.get("XDG_CURRENT_DESKTOP"):
        return "xdg"
    raise ServiceRefused(
        "This session has neither systemd for users nor a desktop, so nothing could start the sidecar.",
        fix="Run it in what you have (tmux, a container's command): kb serve --supervise",
    )


def find_installed(vault: Path, vault_id: str) -> Platform:
    """Find the service manager that has this vault's item, also where it does not answer (over ssh); else the session's own.

    Raises:
        ServiceRefused: Nothing is installed, and the session has none.
    """
    kinds: tuple[Platform, ...] = () if sys.platform in ("darwin", "win32") else ("linux", "xdg")
    for kind in kinds:
        if look(describe(vault, vault_id, kind), kind).is_installed:
            return kind
    return find_platform()


def places_here(platform: Platform) -> Places:
    """Find this user's folders, as ``platform`` spells them."""
    home = Path.home()
    if platform == "windows":
        config = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
        user = os.environ.get("USERNAME") or getpass.getuser()
        domain = os.environ.get("USERDOMAIN") or os.environ.get("COMPUTERNAME")
        return Places(str(home), str(config), 0, f"{domain}\\{user}" if domain else user)
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return Places(str(home), str(config), os.getuid() if os.name != "nt" else 0)


def describe(vault: Path, vault_id: str, platform: Platform) -> ServiceDefinition:
    """Describe the login item of a vault: started by the program that runs now, with the environment that it needs."""
    root = vault.resolve()
    return ServiceDefinition(own_command(platform), str(root), vault_id, root.name, tuple(_environment().items()))


def own_command(platform: Platform) -> tuple[str, ...]:
    """Give the lasting way to this program: the command as it was called, whose path an upgrade keeps, else Python and the module."""
    python = Path(sys.executable)
    if platform == "windows":  # without a console window
        without_window = python.with_name("pythonw.exe")
        return (str(without_window if without_window.exists() else python), "-X", "utf8", "-m", "sidecar.cli.main")
    called = Path(os.path.abspath(sys.argv[0]))  # noqa: PTH100 - a link must stay a link: it outlives what it points at
    if called.name == "kb" and os.access(called, os.X_OK):
        return (str(called),)
    beside = python.with_name("kb")
    return (str(beside),) if os.access(beside, os.X_OK) else (str(python), "-m", "sidecar.cli.main")


def look(item: ServiceDefinition, platform: Platform) -> Registration:
    """Look at what is registered, and compare it with what runs now."""
    system, places = SYSTEMS[platform], places_here(platform)
    path = Path(system.path(item, places))
    try:
        command = system.read_command(path.read_bytes())
    except FileNotFoundError:
        return Registration(path, is_installed=False)
    except OSError as error:
        return Registration(path, is_installed=True, problem=f"{path} cannot be read: {error.strerror}")
    problem = ""
    if not command:
        problem = "registered, but its definition cannot be read"
    elif shutil.which(command[0]) is None:
        problem = f"registered, but what it starts is gone: {command[0]}"
    elif command[-1] != item.vault:
        problem = f"registered, but for another folder: {command[-1]}"
    elif command[: len(item.command)] != item.command:
        problem = f"registered, but points elsewhere: {command[0]}, not {item.command[0]}"
    return Registration(path, is_installed=True, command=command, problem=problem)


def install(item: ServiceDefinition, platform: Platform) -> bool:
    """Write the definition and start it; tell whether the file is new or another. What fails leaves things as they were.

    Raises:
        ServiceRefused: The folder cannot be written, or the service manager refuses.
    """
    system, places = SYSTEMS[platform], places_here(platform)
    path, data = Path(system.path(item, places)), system.data(item, places)
    before = path.read_bytes() if path.is_file() else None
    if before == data:
        start(item, platform)
        return False
    if item.log_file or platform == "macos":  # launchd makes no folders
        Path(item.log_file or f"{places.home}/Library/Logs/VaultSidecar/x").parent.mkdir(parents=True, exist_ok=True)
    _write(path, data)
    try:
        _carry_out(system.install(item, places))
    except ServiceRefused:
        if before is None:
            with contextlib.suppress(ServiceRefused):
                _carry_out(system.uninstall(item, places))
            path.unlink(missing_ok=True)
        else:
            _write(path, before)
        with contextlib.suppress(ServiceRefused):
            _carry_out(system.after_removal(item, places))
        raise
    if platform == "xdg":
        start(item, platform)
    return True


def uninstall(item: ServiceDefinition, platform: Platform) -> bool:
    """Stop and forget the login item; tell whether there was one."""
    system, places = SYSTEMS[platform], places_here(platform)
    path = Path(system.path(item, places))
    was_there = path.is_file()
    _carry_out(system.uninstall(item, places))
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ServiceRefused(f"{path} cannot be removed: {error.strerror}.", fix="Remove it by hand.") from error
    _carry_out(system.after_removal(item, places))
    return was_there


def start(item: ServiceDefinition, platform: Platform) -> None:
    """Start the login item now.

    Raises:
        ServiceRefused: The service manager refuses.
    """
    if platform == "xdg":  # the desktop starts it at login only
        environment = {**os.environ, **dict(item.environment)}
        subprocess.Popen(
            item.arguments("--supervise"), env=environment, cwd=Path.home(), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return
    _carry_out(SYSTEMS[platform].start(item, places_here(platform)))


def stop(item: ServiceDefinition, platform: Platform) -> None:
    _carry_out(SYSTEMS[platform].stop(item, places_here(platform)))


def restart(item: ServiceDefinition, platform: Platform) -> None:
    _carry_out(SYSTEMS[platform].restart(item, places_here(platform)))


def ask_condition(item: ServiceDefinition, platform: Platform) -> Condition:
    """Ask the service manager how the item is."""
    system = SYSTEMS[platform]
    step = system.query(item, places_here(platform))
    answer = _call(step.argv) if step else None
    return system.condition(answer.returncode, answer.stdout) if answer else Condition("unknown")


def _carry_out(steps: tuple[Step, ...]) -> None:
    for step in steps:
        for last in (n == step.tries for n in range(1, step.tries + 1)):
            answer = _call(step.argv)
            if answer is not None and answer.returncode == 0:
                break
            if last and not step.may_fail:
                raise _refused(step, answer)
            if not last:
                time.sleep(_BETWEEN_TRIES_S)


def _refused(step: Step, answer: subprocess.CompletedProcess[str] | None) -> ServiceRefused:
    command = " ".join(step.argv)
    if answer is None:
        return ServiceRefused(f"{step.argv[0]} cannot be run or does not answer.", fix=f"Try it yourself: {command}")
    said = " ".join((answer.stderr or answer.stdout).split())[:300] or f"code {answer.returncode}"
    return ServiceRefused(f"{step.argv[0]} refused: {said}", fix=f"Try it yourself: {command}")


def _call(argv: tuple[str, ...]) -> subprocess.CompletedProcess[str] | None:
    """Run a command of the system; ``None`` if it cannot be run or hangs."""
    try:
        return subprocess.run(
            argv, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=_ANSWER_S, check=False,
            stdin=subprocess.DEVNULL, creationflags=_NO_WINDOW,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None


def _environment() -> dict[str, str]:
    """Give what the service must know of this terminal: where programs and its own files are, and that text is UTF-8."""
    folders = [
        folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(folder).is_absolute() and folder.isprintable()
    ]
    found = {"PATH": os.pathsep.join(dict.fromkeys(folders)), "LANG": os.environ.get("LANG") or "C.UTF-8", "PYTHONUTF8": "1"}
    return found | {name: os.environ[name] for name in KEPT_VARIABLES if os.environ.get(name)}


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise ServiceRefused(f"{path} cannot be written: {error.strerror}.", fix="Check permissions and free space.") from error
