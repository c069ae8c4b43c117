"""A task of the Task Scheduler, started when this user logs on.

The defaults would never start it on battery and kill it after three days. The scheduler does not start a program again that
ends with an error, so the sidecar supervises itself (``--supervise``), under ``pythonw``, which opens no console window.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, unescape

from sidecar.login_item.definition import Condition, Places, ServiceDefinition, Step

_TASK = """<?xml version="1.0"{encoding}?>
<Task version="1.4" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>{title}</Description>
    <URI>\\{name}</URI>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>{user}</UserId>
      <Delay>PT10S</Delay>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>{user}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <AllowHardTerminate>true</AllowHardTerminate>
    <StartWhenAvailable>true</StartWhenAvailable>
    <RunOnlyIfNetworkAvailable>false</RunOnlyIfNetworkAvailable>
    <AllowStartOnDemand>true</AllowStartOnDemand>
    <Enabled>true</Enabled>
    <Hidden>false</Hidden>
    <RunOnlyIfIdle>false</RunOnlyIfIdle>
    <WakeToRun>false</WakeToRun>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>7</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>3</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{command}</Command>
      <Arguments>{arguments}</Arguments>
      <WorkingDirectory>{home}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
"""


def name(item: ServiceDefinition) -> str:
    return f"VaultSidecar-{item.key}"


def path(item: ServiceDefinition, places: Places) -> str:
    return f"{places.config}\\vault-sidecar\\{name(item)}.xml"


def text(item: ServiceDefinition, places: Places) -> str:
    return _written(item, places, "")


def data(item: ServiceDefinition, places: Places) -> bytes:
    """Write the task as the scheduler itself exports tasks: UTF-16 with a mark, lines ended by CR and LF."""
    return b"\xff\xfe" + _written(item, places, ' encoding="UTF-16"').replace("\n", "\r\n").encode("utf-16-le")


def read_command(found: bytes) -> tuple[str, ...]:
    written = found.decode("utf-16" if found.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", errors="replace")
    command, arguments = (re.search(rf"<{tag}>(.*?)</{tag}>", written, re.DOTALL) for tag in ("Command", "Arguments"))
    if not command:
        return ()
    words = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', unescape(arguments[1])) if arguments else []
    return (unescape(command[1]), *(_plain(quoted) if quoted else bare for quoted, bare in words))


def install(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    return (
        Step(("schtasks", "/Create", "/TN", name(item), "/XML", path(item, places), "/F")),
        Step(("schtasks", "/Run", "/TN", name(item))),
    )


def uninstall(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del places
    return (
        Step(("schtasks", "/End", "/TN", name(item)), may_fail=True),
        Step(("schtasks", "/Delete", "/TN", name(item), "/F"), may_fail=True),
    )


def after_removal(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del item, places
    return ()


def start(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del places
    return (Step(("schtasks", "/Run", "/TN", name(item))),)


def stop(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    """Ends what the request to stop, which is sent first, has not ended: the scheduler kills."""
    del places
    return (Step(("schtasks", "/End", "/TN", name(item)), may_fail=True),)


def restart(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    return (*stop(item, places), *start(item, places))


def query(item: ServiceDefinition, places: Places) -> Step | None:
    del places
    return Step(("schtasks", "/Query", "/TN", name(item), "/V", "/FO", "LIST"))


def condition(exit_code: int, output: str) -> Condition:
    """Read the answer by numbers only: its words are in the system's language. 267009 means that the task runs."""
    if exit_code:
        return Condition("stopped")
    if re.search(r":\s*267009\s*$", output, re.MULTILINE):
        return Condition("running")
    return Condition("unknown")


def _written(item: ServiceDefinition, places: Places, encoding: str) -> str:
    program, *words = item.arguments("--supervise")
    return _TASK.format(
        encoding=encoding,
        title=escape(item.title),
        name=escape(name(item)),
        user=escape(places.user_name),
        command=escape(program),
        arguments=escape(" ".join(map(_quoted, words))),
        home=escape(places.home),
    )


def _quoted(word: str) -> str:
    """Quote a word as Windows programs take their command line apart: backslashes count only before a quote."""
    if word and not re.search(r'[\s"]', word):
        return word
    return '"' + re.sub(r'(\\*)("|$)', lambda found: found[1] * 2 + ("\\" + found[2] if found[2] else ""), word) + '"'


def _plain(quoted: str) -> str:
    return re.sub(r'(\\+)("|$)', lambda found: "\\" * (len(found[1]) // 2) + found[2], quoted)
