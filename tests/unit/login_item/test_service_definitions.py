"""Definitions of login items: each system's own reader takes them, and gives back what was put in, whatever the folder is called."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.errors import ServiceRefused
from sidecar.login_item import LoginItem, ServiceDefinition, linux, macos, windows, xdg
from sidecar.login_item.definition import Places

ITEM = ServiceDefinition(
    ("/opt/tools/bin/kb",),
    "/home/ann/My notes",
    "0123abcd-0000-4000-8000-000000000000",
    "My notes",
    (("PATH", "/usr/local/bin:/usr/bin"), ("LANG", "C.UTF-8"), ("PYTHONUTF8", "1")),
)
HOME = Places("/home/ann", "/home/ann/.config", 501, "DESK\\ann")
SYSTEMS: dict[str, LoginItem] = {"linux": linux, "macos": macos, "xdg": xdg, "windows": windows}
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"

names = st.text(st.characters(blacklist_categories=("Cc", "Cs"), blacklist_characters="/\x7f"), min_size=1, max_size=20)


@pytest.mark.parametrize("system", SYSTEMS)
@given(folder=names, program=names)
def test_any_folder_and_program_come_back_as_they_were(system: str, folder: str, program: str) -> None:
    item = replace(ITEM, command=(f"/opt/{program}/kb",), vault=f"/v/{folder}", vault_name=folder)
    read = SYSTEMS[system].read_command(SYSTEMS[system].data(item, HOME))
    assert (f"/opt/{program}/kb", "serve", "--service") == read[:3]
    assert ("--vault", f"/v/{folder}") == read[-2:]


@pytest.mark.parametrize("system", SYSTEMS)
def test_two_vaults_have_items_of_their_own(system: str) -> None:
    other = replace(ITEM, vault_id="9876fedc-0000-4000-8000-000000000000")
    assert SYSTEMS[system].path(ITEM, HOME) != SYSTEMS[system].path(other, HOME)
    assert SYSTEMS[system].name(ITEM) != SYSTEMS[system].name(other)


@pytest.mark.parametrize("text", ["/v/a\nExecStart=/bin/sh", "/v/a\x00b", "/v/\x1b[31m"])
def test_a_folder_that_could_add_a_line_is_refused(text: str) -> None:
    with pytest.raises(ServiceRefused):
        replace(ITEM, vault=text)


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_no_definition_starts_nothing(system: str) -> None:
    for data in (b"", b"\x00\xff\xfe", b"nonsense", b"<a/>", b"[Service]\n"):
        assert () == SYSTEMS[system].read_command(data)


# ── Linux ─────────────────────────────────────────────────────────────────────────────────────

UNIT_KEYS = {
    "Unit": {"Description", "StartLimitIntervalSec", "StartLimitBurst"},
    "Service": {
        "Type", "NotifyAccess", "ExecStart", "Environment", "Restart", "RestartSec", "RestartPreventExitStatus", "TimeoutStartSec",
        "TimeoutStopSec", "WatchdogSec", "UMask", "NoNewPrivileges", "LockPersonality", "RestrictRealtime", "RestrictSUIDSGID",
        "RestrictNamespaces", "RestrictAddressFamilies", "SystemCallArchitectures", "MemoryMax", "TasksMax", "Nice", "IOSchedulingClass",
    },
    "Install": {"WantedBy"},
}  # fmt: skip


def unit_values(text: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for line in filter(None, text.splitlines()):
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), {})
        else:
            key, value = line.split("=", 1)
            section[key] = value
    return found


def test_the_unit_has_the_keys_that_were_tried_and_no_other_in_their_sections() -> None:
    values = unit_values(linux.text(ITEM, HOME))
    assert UNIT_KEYS == {section: set(keys) for section, keys in values.items()}
    service = values["Service"]
    assert ("notify", "on-failure", "78", "60") == (
        service["Type"], service["Restart"], service["RestartPreventExitStatus"], service["WatchdogSec"],
    )  # fmt: skip
    assert "default.target" == values["Install"]["WantedBy"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here")
@pytest.mark.parametrize("folder", ["notes", 'a "quoted" 50% $HOME \\ vault', "知识库"])
def test_systemd_takes_the_unit_without_a_word(tmp_path: Path, folder: str) -> None:
    program = tmp_path / "bin" / "kb"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    item = replace(ITEM, command=(str(program),), vault=f"/v/{folder}", vault_name=folder)
    unit = tmp_path / linux.name(item)
    unit.write_bytes(linux.data(item, HOME))
    (tmp_path / "run").mkdir(mode=0o700)
    environment = {"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(tmp_path / "run"), "HOME": str(tmp_path)}
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(unit)], capture_output=True, text=True, env=environment, check=False
    )
    assert (0, "") == (done.returncode, done.stderr)


def test_systemd_puts_no_variables_and_specifiers_into_the_command() -> None:
    item = replace(ITEM, vault="/v/$HOME %h", environment=(("A", "100%"),))
    text = linux.text(item, HOME)
    assert '"/v/$$HOME %%h"' in text
    assert 'Environment="A=100%%"' in text


# ── macOS ─────────────────────────────────────────────────────────────────────────────────────


def test_the_property_list_restarts_failures_only_and_has_the_right_types() -> None:
    values = plistlib.loads(macos.data(ITEM, HOME))
    assert macos.path(ITEM, HOME).endswith(values["Label"] + ".plist")
    assert {"SuccessfulExit": False} == values["KeepAlive"]
    assert ["/opt/tools/bin/kb", "serve", "--service", "--manager", "launchd", "--vault", "/home/ann/My notes"] == values[
        "ProgramArguments"
    ]
    kinds = {"Label": str, "RunAtLoad": bool, "KeepAlive": dict, "ThrottleInterval": int, "ProcessType": str, "LowPriorityIO": bool,
             "LimitLoadToSessionType": str, "ExitTimeOut": int, "EnvironmentVariables": dict, "WorkingDirectory": str, "Umask": int,
             "StandardOutPath": str, "StandardErrorPath": str, "ProgramArguments": list}  # fmt: skip
    assert kinds == {key: type(value) for key, value in values.items()}
    assert all(not value.startswith("~") for value in values.values() if isinstance(value, str))
    assert 0o077 == values["Umask"]


def test_an_agent_is_enabled_and_taken_out_before_it_is_put_in() -> None:
    verbs = [step.argv[1] for step in macos.install(ITEM, HOME)]
    assert ["enable", "bootout", "bootstrap"] == verbs
    assert macos.install(ITEM, HOME)[-1].tries > 1, "launchd answers before it has tidied up"


# ── desktop entry ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="desktop-file-validate is not installed here")
@pytest.mark.parametrize("folder", ["notes", 'a "quoted" 50% $HOME `x` \\ vault', "知识库"])
def test_the_desktop_takes_the_entry_without_a_word(tmp_path: Path, folder: str) -> None:
    item = replace(ITEM, vault=f"/v/{folder}", vault_name=folder)
    entry = tmp_path / xdg.name(item)
    entry.write_bytes(xdg.data(item, HOME))
    done = subprocess.run(["desktop-file-validate", str(entry)], capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stdout + done.stderr)


def test_the_entry_supervises_itself_and_names_no_version() -> None:
    text = xdg.text(ITEM, HOME)
    assert '"--supervise"' in text
    assert "Version=" not in text
    assert 7 == len([line for line in text.splitlines() if "=" in line])


# ── Windows ───────────────────────────────────────────────────────────────────────────────────

SETTINGS_ORDER = [
    "MultipleInstancesPolicy", "DisallowStartIfOnBatteries", "StopIfGoingOnBatteries", "AllowHardTerminate", "StartWhenAvailable",
    "RunOnlyIfNetworkAvailable", "AllowStartOnDemand", "Enabled", "Hidden", "RunOnlyIfIdle", "WakeToRun", "ExecutionTimeLimit", "Priority",
    "RestartOnFailure",
]  # fmt: skip


def test_the_task_is_utf_16_with_a_mark_and_runs_on_battery_for_ever() -> None:
    data = windows.data(ITEM, HOME)
    assert data.startswith(b"\xff\xfe")
    assert "\n" not in data.decode("utf-16").replace("\r\n", "")
    root = ET.fromstring(data)
    assert ["RegistrationInfo", "Triggers", "Principals", "Settings", "Actions"] == [child.tag.removeprefix(TASK) for child in root]
    settings = root.find(f"{TASK}Settings")
    assert settings is not None
    assert SETTINGS_ORDER == [child.tag.removeprefix(TASK) for child in settings]
    values = {child.tag.removeprefix(TASK): child.text for child in settings}
    assert ["false", "false", "PT0S", "IgnoreNew"] == [
        values[key] for key in ("DisallowStartIfOnBatteries", "StopIfGoingOnBatteries", "ExecutionTimeLimit", "MultipleInstancesPolicy")
    ]


def test_the_task_starts_for_its_own_user_only_whose_name_may_need_escapes() -> None:
    places = replace(HOME, user_name="DESK\\Ann & <Bob>")
    root = ET.fromstring(windows.text(ITEM, places))
    users = [element.text for element in root.iter(f"{TASK}UserId")]
    assert ["DESK\\Ann & <Bob>"] * 2 == users
    assert ["InteractiveToken", "LeastPrivilege"] == [
        element.text for tag in ("LogonType", "RunLevel") for element in root.iter(f"{TASK}{tag}")
    ]


@given(st.text(st.characters(blacklist_categories=("Cc", "Cs"), blacklist_characters="\x7f"), min_size=1, max_size=12))
def test_windows_takes_its_command_line_apart_as_it_was_meant(word: str) -> None:
    assert subprocess.list2cmdline([f"a {word}"]) == windows._quoted(f"a {word}")


def test_conditions_are_read_from_what_the_managers_say() -> None:
    said = linux.condition(0, "ActiveState=failed\nSubState=failed\nMainPID=0\nExecMainStatus=78\nNRestarts=2\n")
    assert ("failed", None, 78, 2) == (said.state, said.pid, said.exit_code, said.restarts)
    assert "running" == linux.condition(0, "ActiveState=active\nMainPID=12\n").state
    assert "unknown" == linux.condition(1, "Failed to connect to bus").state
    said = macos.condition(0, "gui/501/x = {\n\tstate = running\n\truns = 3\n\tpid = 77\n\tlast exit code = 75\n}\n")
    assert ("running", 77, 75, 2) == (said.state, said.pid, said.exit_code, said.restarts)
    assert "stopped" == macos.condition(113, "Could not find service").state
    assert "running" == windows.condition(0, "Letztes Ergebnis:   267009\n").state
