"""The sidecar as a login item: what service managers see of it, and what it does when they refuse."""

from __future__ import annotations

import json
import os
import plistlib
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.client import RunningSidecar
from sidecar.daemon.endpoint import Endpoint
from sidecar.daemon.init import init_vault
from tests.interfaces.near_kb import Kb, kb, make, vault
from tests.interfaces.test_cli_kb import ROOT, bytes_of, eventually

__all__ = ["kb", "vault"]


def start_service(kb: Kb, vault: Path, *args: str, **environment: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "sidecar.cli.main", "serve", "--service", *args, "--vault", str(vault)],
        cwd="/",
        env={**kb.environment, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    kb.serving.append(process)
    return process


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


def log_text(kb: Kb, vault: Path) -> str:
    return "".join(path.read_text("utf-8") for path in (kb.endpoint(vault).parent / "logs").glob("*.jsonl"))


# ── what systemd hears ────────────────────────────────────────────────────────────────────────


@pytest.mark.skipif(sys.platform != "linux", reason="systemd's socket")
def test_systemd_hears_ready_once_clients_are_answered_then_signs_of_life_and_the_end(kb: Kb, vault: Path) -> None:
    name = str(kb.cwd / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(name)
        heard.settimeout(20)
        process = start_service(kb, vault, NOTIFY_SOCKET=name, WATCHDOG_USEC="200000")
        messages = []
        while "READY=1" not in messages:
            messages.append(heard.recv(4096).decode())
        assert kb.endpoint(vault).exists(), "ready means that clients find it"
        begun = time.monotonic()
        while messages.count("WATCHDOG=1") < 5:
            messages.append(heard.recv(4096).decode())
        assert time.monotonic() - begun < 5
        process.terminate()
        while "STOPPING=1" not in messages:
            messages.append(heard.recv(4096).decode())
    assert (0, "", "") == end(process)


def test_without_any_environment_and_from_the_root_folder_it_serves(vault: Path) -> None:
    """launchd, systemd and the Task Scheduler hand on next to nothing."""
    state = vault.parent / "state"
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from sidecar.cli.main import run; run()"
    process = subprocess.Popen(
        [sys.executable, "-c", script, "serve", "--service", "--vault", str(vault)],
        cwd="/", env={"XDG_STATE_HOME": str(state)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        eventually(lambda: list(state.rglob("endpoint.json")), "the endpoint file", 30)
    finally:
        process.terminate()
    assert (0, "", "") == end(process)
    assert [] == list(state.rglob("endpoint.json"))


# ── exit codes ────────────────────────────────────────────────────────────────────────────────


def test_a_second_one_ends_with_0_and_tells_systemd_so(kb: Kb, vault: Path) -> None:
    """With any other end the service manager would start it for ever."""
    first = start_service(kb, vault)
    eventually(lambda: kb.endpoint(vault).exists(), "the first serves", 30)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(kb.cwd / "notify"))
        heard.settimeout(20)
        second = start_service(kb, vault, NOTIFY_SOCKET=str(kb.cwd / "notify"))
        assert (0, "") == end(second)[:2]
        told = [heard.recv(4096).decode() for _ in range(3)]
    assert "READY=1" in told, "a program that ends without this has failed in systemd's eyes"
    assert kb.endpoint(vault).exists(), "the first goes on"
    first.terminate()
    assert 0 == end(first)[0]


def test_a_second_one_in_a_terminal_is_told_where_the_first_is(kb: Kb, vault: Path) -> None:
    first = kb.serve(vault)
    done = kb("serve", "--vault", vault, "--json")
    assert (8, first.pid) == (done.code, done.json["error"]["params"]["pid"])
    assert json.loads(kb.endpoint(vault).read_text())["url"] in done.err
    assert "kb status" in done.err
    assert kb("status", "--vault", vault, "--json").json["running"]


def test_wrong_settings_end_with_78(kb: Kb, vault: Path) -> None:
    (vault / ".kb" / "config.toml").write_text('langauge = "en"\n')
    code, out, err = end(start_service(kb, vault))
    assert (78, "") == (code, out)
    assert "langauge" in err
    assert "langauge" in log_text(kb, vault), "why it ended stands in the log"


def test_a_test_setting_is_refused_for_good(kb: Kb, vault: Path) -> None:
    code, _, err = end(start_service(kb, vault, KB_ALLOW_LOOPBACK="8000"))
    assert 78 == code
    assert "for tests only" in err


def test_a_folder_that_is_no_vault_ends_with_78_and_a_missing_one_is_waited_for(kb: Kb, vault: Path, tmp_path: Path) -> None:
    assert 78 == end(start_service(kb, make(tmp_path / "plain", {"a.md": "x"})))[0]
    away = tmp_path / "away"
    vault.rename(away)
    process = start_service(kb, vault)
    time.sleep(1)
    assert process.poll() is None, "a drive may come later than the login"
    process.send_signal(signal.SIGTERM)
    end(process)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_supervised_it_comes_back_after_a_kill_and_stops_when_told(kb: Kb, vault: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "sidecar.cli.main", "serve", "--supervise", "--vault", str(vault)],
        cwd=kb.cwd, env=kb.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    kb.serving.append(process)
    path = kb.endpoint(vault)
    eventually(path.exists, "it serves", 30)
    first = json.loads(path.read_text())["pid"]
    os.kill(first, signal.SIGKILL)
    eventually(lambda: path.exists() and json.loads(path.read_text())["pid"] != first, "another serves", 30)
    process.terminate()
    assert 0 == end(process)[0]
    assert not path.exists()


# ── kb service against service managers that are played ───────────────────────────────────────

FAKE = """#!/bin/sh
printf '%s' "$(basename "$0")" >> {log}
for word in "$@"; do case $word in --*) ;; *) printf ' %s' "$word" >> {log} ;; esac; done
echo >> {log}
all=" $* "
while IFS='	' read -r words code out; do
  case $all in *"$words"*)
    [ "$code" = 0 ] && printf '%b\\n' "$out" || printf '%b\\n' "$out" >&2
    exit "$code" ;;
  esac
done < {plays}
"""


class Played:
    """Puts commands of service managers on PATH that note what they are told and answer as is wanted."""

    def __init__(self, kb: Kb) -> None:
        self.kb = kb
        self.folder, self.log, self.plays = kb.cwd / "fake", kb.cwd / "told", kb.cwd / "plays"
        self.folder.mkdir()
        for name in ("systemctl", "launchctl", "schtasks"):
            (self.folder / name).write_text(FAKE.format(log=self.log, plays=self.plays))
            (self.folder / name).chmod(0o755)
        kb.environment["PATH"] = f"{self.folder}:{kb.environment['PATH']}"
        kb.environment["XDG_CONFIG_HOME"] = str(kb.cwd / "config")
        self.answer()

    def answer(self, *plays: tuple[str, int, str]) -> None:
        """Set what commands with these words are answered; others are answered with success."""
        lines = [*plays, ("is-system-running", 0, "running")]
        self.plays.write_text("".join(f"{words}\t{code}\t{out}\n".replace("\n", "\\n", out.count("\n")) for words, code, out in lines))

    def told(self) -> list[str]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def played(kb: Kb) -> Played:
    return Played(kb)


def key_of(vault: Path) -> str:
    return str(json.loads((vault / ".kb" / "protocol.json").read_text())["vault_id"])[:8]


def test_install_twice_is_once_and_uninstall_leaves_nothing(kb: Kb, vault: Path, played: Played) -> None:
    before = bytes_of(vault)
    name = f"vault-sidecar-{key_of(vault)}.service"
    first = kb("service", "install", "--vault", vault, "--json").json
    assert {"installed": True, "changed": True, "platform": "linux"}.items() <= first.items()
    unit = kb.cwd / "config" / "systemd" / "user" / name
    assert (str(unit), 0o644) == (first["path"], unit.stat().st_mode & 0o777)
    assert f'"{vault}"' in unit.read_text()
    assert [
        "systemctl is-system-running",
        "systemctl daemon-reload",
        f"systemctl enable {name}",
        f"systemctl restart {name}",
    ] == played.told()
    written = unit.read_bytes()
    assert not kb("service", "install", "--vault", vault, "--json").json["changed"]
    assert written == unit.read_bytes()
    assert ["reset-failed", "start"] == [line.split()[1] for line in played.told()[1:]]
    gone = kb("service", "uninstall", "--vault", vault, "--json").json
    assert gone["removed"]
    assert not unit.exists()
    assert f"systemctl disable {name}" in played.told()
    assert not kb("service", "uninstall", "--vault", vault, "--json").json["removed"]
    assert before == bytes_of(vault), "nothing of it lies in the vault"


def test_a_service_manager_that_refuses_leaves_things_as_they_were(kb: Kb, vault: Path, played: Played) -> None:
    played.answer((" enable ", 1, "Failed to enable unit: Access denied"))
    done = kb("service", "install", "--vault", vault, "--json")
    assert (11, "service-refused") == (done.code, done.json["error"]["code"])
    assert "Access denied" in done.err
    assert [] == list((kb.cwd / "config").rglob("*.service")), "a definition that does not work is not left behind"
    played.answer()
    assert 0 == kb("service", "install", "--vault", vault).code
    (unit,) = (kb.cwd / "config").rglob("*.service")
    before = unit.read_bytes()
    played.answer((" restart ", 1, "Job failed"))
    assert 11 == kb("service", "install", "--vault", vault, LANG="de_DE.UTF-8").code
    assert before == unit.read_bytes(), "the definition that worked is back"


def test_without_a_service_manager_the_other_ways_are_named(kb: Kb, vault: Path, played: Played) -> None:
    played.answer(("is-system-running", 1, "Failed to connect to bus"))
    played.plays.write_text("is-system-running\t1\toffline\n")
    done = kb("service", "install", "--vault", vault)
    assert 11 == done.code
    assert "kb serve --supervise" in done.err


def test_what_is_registered_is_compared_with_what_runs(kb: Kb, vault: Path, played: Played) -> None:
    assert not kb("service", "status", "--vault", vault, "--json").json["installed"]
    kb("service", "install", "--vault", vault)
    played.answer((" show ", 0, "ActiveState=failed\nMainPID=0\nExecMainStatus=78\nNRestarts=0"))
    status = kb("service", "status", "--vault", vault, "--json").json
    assert (True, "failed", 78, "") == (status["installed"], status["state"], status["last_exit_code"], status["problem"])
    unit = Path(status["path"])
    text = unit.read_text()
    old = status["command"][0]
    unit.write_text(text.replace(f'"{old}"', '"/usr/bin/env"'))
    assert "points elsewhere" in kb("service", "status", "--vault", vault, "--json").json["problem"]
    unit.write_text(text.replace(f'"{old}"', '"/gone/bin/kb"'))
    assert "is gone" in kb("service", "status", "--vault", vault).out
    kb("service", "install", "--vault", vault)
    assert "" == kb("service", "status", "--vault", vault, "--json").json["problem"]


def test_a_vault_that_moved_is_told_and_mended(kb: Kb, vault: Path, played: Played) -> None:
    kb("service", "install", "--vault", vault)
    moved = vault.with_name("moved")
    vault.rename(moved)
    assert "for another folder" in kb("service", "status", "--vault", moved, "--json").json["problem"]
    assert "for another folder" in kb("doctor", "--vault", moved).out
    assert 0 == kb("service", "install", "--vault", moved).code
    assert "" == kb("service", "status", "--vault", moved, "--json").json["problem"]
    assert 1 == len(list((kb.cwd / "config").rglob("*.service")))


def test_it_is_removed_also_where_the_service_manager_does_not_answer(kb: Kb, vault: Path, played: Played) -> None:
    """Over ssh, or after a change of desktop."""
    kb("service", "install", "--vault", vault)
    played.plays.write_text("\t1\tFailed to connect to bus\n")
    done = kb("service", "uninstall", "--vault", vault, "--json")
    assert (0, True) == (done.code, done.json["removed"]), done.err
    assert [] == list((kb.cwd / "config").rglob("*.service"))


def test_start_and_stop_need_an_installed_item(kb: Kb, vault: Path, played: Played) -> None:
    for action in ("start", "stop", "restart"):
        done = kb("service", action, "--vault", vault)
        assert 11 == done.code
        assert "kb service install" in done.err
    kb("service", "install", "--vault", vault)
    played.told()
    for action in ("start", "stop", "restart"):
        assert 0 == kb("service", action, "--vault", vault).code
    verbs = [line.split()[1] for line in played.told()]
    assert ["start", "stop", "restart"] == [verb for verb in verbs if verb in ("start", "stop", "restart")]


def test_launchd_is_asked_again_while_it_tidies_up(kb: Kb, vault: Path, played: Played) -> None:
    """Its answer to a removal comes before the removal is done; code 5 follows."""
    counter = kb.cwd / "count"
    text = (played.folder / "launchctl").read_text()
    busy = (
        f"import pathlib; n = pathlib.Path({str(counter)!r})\nif 'bootstrap' in sys.argv and not n.exists():\n    n.touch(); sys.exit(5)\n"
    )
    (played.folder / "launchctl").write_text(text.replace("import json, os, sys\n", "import json, os, sys\n" + busy))
    done = kb("service", "install", "--platform", "macos", "--vault", vault, "--json")
    assert 0 == done.code, done.err
    plist = Path(done.json["path"])
    assert plist.parent == kb.cwd / "Library" / "LaunchAgents"
    values = plistlib.loads(plist.read_bytes())
    assert Path(values["StandardOutPath"]).parent.is_dir(), "launchd makes no folders"
    assert 0 == plist.stat().st_mode & 0o022
    assert ["enable", "bootout", "bootstrap"] == [line.split()[1] for line in played.told()]


def test_the_task_scheduler_gets_its_file_and_is_asked_to_run_it(kb: Kb, vault: Path, played: Played) -> None:
    done = kb("service", "install", "--platform", "windows", "--vault", vault, "--json", APPDATA=str(kb.cwd / "app"), USERNAME="ann")
    assert 0 == done.code, done.err
    assert [["/Create", "/TN"], ["/Run", "/TN"]] == [line.split()[1:3] for line in played.told()]
    played.answer(("/Create", 1, "ERROR: Access is denied."))
    assert 0 == kb("service", "uninstall", "--platform", "windows", "--vault", vault, APPDATA=str(kb.cwd / "app")).code
    refused = kb("service", "install", "--platform", "windows", "--vault", vault, APPDATA=str(kb.cwd / "app"))
    assert 11 == refused.code
    assert "Access is denied" in refused.err


@pytest.mark.parametrize(("platform", "sign"), [("macos", "<plist"), ("linux", "[Unit]"), ("xdg", "[Desktop Entry]"), ("windows", "<Task")])
def test_a_dry_run_prints_the_definition_alone_and_writes_nothing(kb: Kb, vault: Path, platform: str, sign: str) -> None:
    before = bytes_of(kb.cwd)
    done = kb("service", "install", "--dry-run", "--platform", platform, "--vault", vault)
    assert 0 == done.code
    assert sign in done.out
    assert "Would write" in done.err
    value: dict[str, Any] = kb("service", "install", "--dry-run", "--platform", platform, "--vault", vault, "--json").json
    assert done.out == value["definition"]
    assert {"platform", "path", "definition", "commands"} == value.keys()
    assert before == bytes_of(kb.cwd)


def test_a_dry_run_shows_the_definition_also_for_a_vault_that_is_not_set_up(kb: Kb) -> None:
    plain = make(kb.cwd / "plain", {"a.md": "x"})
    done = kb("service", "install", "--dry-run", "--platform", "linux", "--vault", plain)
    assert (0, True) == (done.code, str(plain) in done.out)
    assert {"a.md"} == bytes_of(plain).keys()
    assert 3 == kb("service", "install", "--platform", "linux", "--vault", plain).code


def test_several_vaults_have_items_side_by_side(kb: Kb, vault: Path, tmp_path: Path, played: Played) -> None:
    other = make(tmp_path / "other", {"Moon.md": "Only here."})
    init_vault(other, "en")
    for root in (vault, other):
        assert 0 == kb("service", "install", "--vault", root).code
    assert 2 == len(list((kb.cwd / "config").rglob("*.service")))
    assert 0 == kb("service", "uninstall", "--vault", other).code
    assert [f"vault-sidecar-{key_of(vault)}.service"] == [path.name for path in (kb.cwd / "config").rglob("*.service")]


# ── logs ──────────────────────────────────────────────────────────────────────────────────────


def test_asked_to_stop_it_ends_with_0_and_logs_what_it_did_without_keys(kb: Kb, vault: Path) -> None:
    assert "Nothing is logged yet" in kb("service", "logs", "--vault", vault).out
    process = start_service(kb, vault)
    eventually(lambda: "ready:" in log_text(kb, vault), "it is ready", 30)
    endpoint = Endpoint(**json.loads(kb.endpoint(vault).read_text()))
    token = endpoint.token
    assert {"done": True} == RunningSidecar(endpoint).call("POST", "/api/kb/stop")
    assert (0, "", "") == end(process)
    shown = kb("service", "logs", "--vault", vault).out
    assert "starting for" in shown
    assert "stopped" in shown
    value = kb("service", "logs", "--lines", "1", "--vault", vault, "--json").json
    assert ["stopped"] == [record["message"] for record in value["records"]]
    path = Path(value["path"])
    assert (0o600, 0o700) == (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777)
    assert token not in path.read_text()
    assert vault not in path.parents
