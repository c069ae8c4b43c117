"""A systemd unit of the user. Kept to what systemd 252 knows and what works without mount namespaces.

``RestartPreventExitStatus=78``: a wrong setting is not mended by starting again. After five failures in five minutes it stays
down until ``kb service start``.
"""

from __future__ import annotations

import re

from sidecar.login_item.definition import Condition, Places, ServiceDefinition, State, Step

_SYSTEMCTL = ("systemctl", "--user", "--no-pager")
_UNIT = """[Unit]
Description={title}
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=notify
NotifyAccess=main
ExecStart={command}
{environment}
Restart=on-failure
RestartSec=3
RestartPreventExitStatus=78
TimeoutStartSec=90
TimeoutStopSec=20
WatchdogSec=60
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
SystemCallArchitectures=native
MemoryMax=1500M
TasksMax=256
Nice=5
IOSchedulingClass=idle

[Install]
WantedBy=default.target
"""


def name(item: ServiceDefinition) -> str:
    return f"vault-sidecar-{item.key}.service"


def path(item: ServiceDefinition, places: Places) -> str:
    return f"{places.config}/systemd/user/{name(item)}"


def text(item: ServiceDefinition, places: Places) -> str:
    """Write the unit."""
    del places
    program, *words = item.arguments()
    # Variables are put into all words but the first, so a dollar stands for itself there only if doubled.
    command = " ".join([_quoted(program), *(_quoted(word).replace("$", "$$") for word in words)])
    environment = "\n".join(f"Environment={_quoted(f'{key}={value}')}" for key, value in item.environment)
    return _UNIT.format(title=item.title.replace("\\", "\\\\").replace("%", "%%"), command=command, environment=environment)


def data(item: ServiceDefinition, places: Places) -> bytes:
    return text(item, places).encode("utf-8")


def read_command(found: bytes) -> tuple[str, ...]:
    line = re.search(r"^ExecStart=(.*)$", found.decode("utf-8", errors="replace"), re.MULTILINE)
    words = re.findall(r'"((?:[^"\\]|\\.)*)"', line[1]) if line else []
    return tuple(re.sub(r"\\(.)", r"\1", word).replace("%%", "%").replace("$$", "$") for word in words)


def install(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del places
    return (
        Step((*_SYSTEMCTL, "daemon-reload")),
        Step((*_SYSTEMCTL, "enable", name(item))),
        Step((*_SYSTEMCTL, "restart", name(item))),
    )


def uninstall(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del places
    return (Step((*_SYSTEMCTL, "disable", "--now", name(item)), may_fail=True),)


def after_removal(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del places
    return (Step((*_SYSTEMCTL, "daemon-reload"), may_fail=True), Step((*_SYSTEMCTL, "reset-failed", name(item)), may_fail=True))


def start(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del places
    return (Step((*_SYSTEMCTL, "reset-failed", name(item)), may_fail=True), Step((*_SYSTEMCTL, "start", name(item))))


def stop(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del places
    return (Step((*_SYSTEMCTL, "stop", name(item))),)


def restart(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del places
    return (Step((*_SYSTEMCTL, "reset-failed", name(item)), may_fail=True), Step((*_SYSTEMCTL, "restart", name(item))))


def query(item: ServiceDefinition, places: Places) -> Step | None:
    del places
    return Step((*_SYSTEMCTL, "show", "-p", "ActiveState,SubState,MainPID,ExecMainStatus,NRestarts", name(item)))


def condition(exit_code: int, output: str) -> Condition:
    values = dict(line.split("=", 1) for line in output.splitlines() if "=" in line)
    if exit_code or "ActiveState" not in values:
        return Condition("unknown")
    states: dict[str, State] = {"active": "running", "activating": "running", "reloading": "running", "failed": "failed"}
    return Condition(
        states.get(values["ActiveState"], "stopped"),
        _number(values.get("MainPID")) or None,
        _number(values.get("ExecMainStatus")),
        _number(values.get("NRestarts")),
    )


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _number(value: str | None) -> int | None:
    return int(value) if value and value.isascii() and value.isdigit() else None
