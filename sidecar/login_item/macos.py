"""A launchd agent of the user.

launchd starts again whatever fails and has no exit code that stops that, so ``--manager launchd`` makes the sidecar end with 0
where starting again is no use. A property list expands neither ``~`` nor variables.
"""

from __future__ import annotations

import plistlib
import re

from sidecar.login_item.definition import Condition, Places, ServiceDefinition, Step


def name(item: ServiceDefinition) -> str:
    return f"org.vault-sidecar.{item.key}"


def path(item: ServiceDefinition, places: Places) -> str:
    return f"{places.home}/Library/LaunchAgents/{name(item)}.plist"


def text(item: ServiceDefinition, places: Places) -> str:
    return data(item, places).decode("utf-8")


def data(item: ServiceDefinition, places: Places) -> bytes:
    """Write the property list."""
    log = item.log_file or f"{places.home}/Library/Logs/VaultSidecar/{item.key}.log"
    values: dict[str, object] = {
        "Label": name(item),
        "ProgramArguments": list(item.arguments("--manager", "launchd")),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "LimitLoadToSessionType": "Aqua",
        "ExitTimeOut": 20,
        "EnvironmentVariables": dict(item.environment),
        "WorkingDirectory": places.home,
        "Umask": 0o077,
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    return plistlib.dumps(values, sort_keys=False)


def read_command(found: bytes) -> tuple[str, ...]:
    try:
        words = plistlib.loads(found)["ProgramArguments"]
    except (ValueError, KeyError, TypeError, plistlib.InvalidFileException):
        return ()
    except Exception as error:  # expat's own error is no ValueError
        if type(error).__name__ != "ExpatError":
            raise
        return ()
    return tuple(map(str, words))


def install(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    # An agent once disabled cannot be bootstrapped; one that is loaded must go first, which takes launchd a moment.
    return (
        Step(("launchctl", "enable", _target(item, places))),
        Step(("launchctl", "bootout", _target(item, places)), may_fail=True),
        Step(("launchctl", "bootstrap", _domain(places), path(item, places)), tries=6),
    )


def uninstall(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    return (Step(("launchctl", "bootout", _target(item, places)), may_fail=True),)


def after_removal(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del item, places
    return ()


def start(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    return (
        Step(("launchctl", "bootstrap", _domain(places), path(item, places)), may_fail=True),
        Step(("launchctl", "kickstart", _target(item, places))),
    )


def stop(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    return (Step(("launchctl", "kill", "SIGTERM", _target(item, places))),)


def restart(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    return (
        Step(("launchctl", "bootstrap", _domain(places), path(item, places)), may_fail=True),
        Step(("launchctl", "kickstart", "-k", _target(item, places))),
    )


def query(item: ServiceDefinition, places: Places) -> Step | None:
    return Step(("launchctl", "print", _target(item, places)))


def condition(exit_code: int, output: str) -> Condition:
    if exit_code:
        return Condition("stopped")
    pid = re.search(r"^\s*pid = (\d+)", output, re.MULTILINE)
    last = re.search(r"^\s*last exit code = (\d+)", output, re.MULTILINE)
    runs = re.search(r"^\s*runs = (\d+)", output, re.MULTILINE)
    code = int(last[1]) if last else None
    restarts = int(runs[1]) - 1 if runs and int(runs[1]) else None
    if pid:
        return Condition("running", int(pid[1]), code, restarts)
    return Condition("failed" if code else "stopped", None, code, restarts)


def _domain(places: Places) -> str:
    return f"gui/{places.user_id}"


def _target(item: ServiceDefinition, places: Places) -> str:
    return f"{_domain(places)}/{name(item)}"
