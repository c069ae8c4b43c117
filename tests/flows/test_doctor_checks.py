"""The doctor finds what is wrong and says what to do; its report for others holds nothing private."""

from __future__ import annotations

import json
import logging
import os
import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar import PROTOCOL_VERSION, __version__
from sidecar.cli.main import main
from sidecar.daemon import doctor_machine
from sidecar.daemon.doctor import check_vault
from sidecar.daemon.doctor_machine import check_clock, check_disk, check_log, check_secrets, check_sidecar, check_watching
from sidecar.daemon.endpoint import Endpoint, state_folder, user_folder
from sidecar.daemon.findings import Finding
from sidecar.daemon.in_process import InProcess
from sidecar.daemon.init import init_vault
from sidecar.daemon.logs import KEPT_FILES, log_path, open_log, read_log
from sidecar.daemon.report import write_report
from sidecar.errors import VaultUnreadable
from sidecar.store import Secrets
from tests.conftest import MakeVault

ENDPOINT = Endpoint("http://127.0.0.1:9", "t0ken-of-the-sidecar", "0123-4567", "/v", 1, __version__, PROTOCOL_VERSION)


class Here:
    """A vault opened in this process, asked as a client asks."""

    def __init__(self, root: Path) -> None:
        self.vault = InProcess(root)

    def call(self, method: str, path: str, **parameters: object) -> dict[str, object]:
        return self.vault.call(method, path, dict(parameters))


def test_a_sound_vault_has_nothing_bad_and_each_check_has_its_line(make_vault: MakeVault) -> None:
    root = make_vault({"Garden.md": "See [[Soil]].", "Soil.md": "Earth."})
    init_vault(root, "en")
    here = Here(root)
    findings = check_vault(root, here, None)
    here.vault.close()
    assert [] == [finding for finding in findings if finding.state == "bad"]
    names = ["Program", "Vault", "Settings", "Sidecar", "Login item", "Index", "Search", "Properties", "Map", "Plugin", "Git", "Watching",
             "Secrets", "Feeds", "Agents", "Clock", "Disk", "Log"]  # fmt: skip
    assert names == [finding.name for finding in findings]
    assert [] == [finding for finding in findings if finding.state == "note" and finding.name != "Git" and not finding.fix]
    assert "3 of 3 notes" in next(finding.text for finding in findings if finding.name == "Index"), "two, and the map"


def test_a_sidecar_of_another_version_is_to_be_started_anew() -> None:
    old = Endpoint("http://127.0.0.1:9", "t", "0123-4567", "/v", 1, "0.0.9", PROTOCOL_VERSION)
    assert ("note", True) == (check_sidecar(old).state, "restart" in check_sidecar(old).fix)
    assert "ok" == check_sidecar(ENDPOINT).state


def test_more_folders_than_may_be_watched_are_told_with_the_command() -> None:
    found = check_watching(10_000_000)
    if found.text == "by the system":
        pytest.skip("this system has no such limit")
    assert "note" == found.state
    assert "fs.inotify.max_user_watches=40000000" in found.fix


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_secrets_that_others_can_read_are_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_SECRETS", "file")
    Secrets(user_folder()).put("cookie:example.com", "SESSDATA=abc")
    assert "ok" == check_secrets().state
    (user_folder() / "secrets.json").chmod(0o644)
    assert ("bad", True) == (check_secrets().state, "chmod 600" in check_secrets().fix)


def test_a_secret_that_the_keyring_lost_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_SECRETS", "file")
    user_folder().mkdir(parents=True, exist_ok=True)
    (user_folder() / "secrets.json").write_text('{"key:api.example.com": null}')
    (user_folder() / "secrets.json").chmod(0o600)
    assert "bad" == check_secrets().state
    assert "key:api.example.com" in check_secrets().text


def test_a_journal_from_the_future_means_that_a_clock_is_wrong(make_vault: MakeVault) -> None:
    root = make_vault({".kb/journal/notes-2026-01-here.jsonl": '{"at": "2026-01-01T00:00:00+00:00"}\n'})
    assert "ok" == check_clock(root).state
    (root / ".kb/journal/notes-2099-01-there.jsonl").write_text('torn {"at\n{"at": "2099-01-01T00:00:00+00:00"}\n')
    assert ("bad", True) == (check_clock(root).state, "2099-01-01" in check_clock(root).text)


def test_a_disk_that_is_nearly_full_is_told_before_it_is(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_vault({"a.md": "x"})
    assert check_disk(root, "0123-4567").state in ("ok", "note")
    monkeypatch.setattr(doctor_machine, "_LITTLE", 10**18)
    assert "bad" == check_disk(root, "0123-4567").state


def test_errors_of_the_last_day_are_counted_and_the_last_is_shown() -> None:
    path = log_path("0123-4567")
    path.parent.mkdir(parents=True)
    lines = [("2020-01-01T00:00:00+00:00", "error", "long ago"), ("2099-01-01T00:00:00+00:00", "error", "the disk is full")]
    path.write_text("".join(json.dumps({"at": at, "level": level, "message": text}) + "\n" for at, level, text in lines))
    assert ("note", True) == (check_log("0123-4567").state, "1 errors" in check_log("0123-4567").text)
    assert "the disk is full" in check_log("0123-4567").text
    assert "ok" == check_log("9999-9999").state


def test_on_macos_a_folder_that_cannot_be_read_comes_with_where_to_allow_it(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """W6: the permission that macOS wants is none of the file's own."""
    root = make_vault({".kb/protocol.json": "{}"})

    def refuse(files: object) -> str:
        raise VaultUnreadable(".kb/protocol.json cannot be read: Operation not permitted.", fix="Check its permissions.")

    monkeypatch.setattr("sidecar.daemon.protocol.read_vault_id", refuse)
    for platform, is_told in (("darwin", True), ("linux", False)):
        monkeypatch.setattr("sys.platform", platform)
        assert 3 == main(["service", "status", "--vault", str(root)])
        assert is_told == ("Privacy & Security" in capsys.readouterr().err)


# ── the log ───────────────────────────────────────────────────────────────────────────────────


def test_the_log_rotates_and_stays_within_its_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecar.daemon.logs.MAX_BYTES", 4000)
    root, level = logging.getLogger(), logging.getLogger().level
    path = tmp_path / "logs" / "sidecar.jsonl"
    handler = open_log(path)
    try:
        for n in range(400):
            logging.getLogger("sidecar").info("line %d of many, with a token=abc%d in it", n, n)
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        handler.close()
    files = sorted(path.parent.iterdir())
    assert KEPT_FILES + 1 == len(files)
    assert all(file.stat().st_size <= 4000 and file.stat().st_mode & 0o077 == 0 for file in files)
    assert not [file for file in files if "abc1" in file.read_text()]
    last = read_log(path, 60)
    assert 60 == len(last) > len(path.read_text().splitlines()), "lines that were rotated away are read as well"
    assert [f"line {n} of many" for n in range(340, 400)] == [record["message"].split(",")[0] for record in last]


# ── the report ────────────────────────────────────────────────────────────────────────────────

keys = st.text(string.ascii_letters + string.digits, min_size=8, max_size=48)


@settings(max_examples=int(os.environ.get("KB_HYPOTHESIS") == "slow") * 300 or 40)
@given(token=keys, cookie=keys, feed=keys, key=keys, name=st.text(string.ascii_lowercase, min_size=5, max_size=12))
def test_no_token_cookie_home_or_private_feed_survives_in_a_report(token: str, cookie: str, feed: str, key: str, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        home = Path(folder) / f"u-{name}"
        root = home / "notes"
        (root / ".kb").mkdir(parents=True)
        patch.setenv("HOME", str(home))
        patch.setenv("XDG_STATE_HOME", str(home / "state"))
        patch.setenv("KB_SECRETS", "file")
        Secrets(user_folder()).put("cookie:example.com", f"SESSDATA={cookie}; path=/")
        (root / ".kb" / "config.toml").write_text(f'[search]\nendpoint = "https://ann:{key}@models.example.com/v1?key={key}"\n')
        findings = [
            Finding(
                "Feeds", "note", f"https://example.com/feed/{feed}.xml gave 403", f"Try: kb feeds test https://example.com/feed/{feed}.xml"
            ),
            Finding("Disk", "bad", f"{home}/notes cannot be written to; SESSDATA={cookie}"),
        ]
        path = state_folder("0123-4567") / "logs" / "sidecar.jsonl"
        path.parent.mkdir(parents=True)
        said = [f"sent {token} to {root}/a.md", f"fetched https://example.com/u/{feed}?key={key}", f"the cookie was {cookie}"]
        path.write_text("".join(json.dumps({"at": "2026-01-01T00:00:00+00:00", "level": "error", "message": text}) + "\n" for text in said))
        endpoint = Endpoint("http://127.0.0.1:9", token, "0123-4567", str(root), 1, __version__, PROTOCOL_VERSION)
        report = write_report(root, findings, endpoint, "0123-4567")
    assert [] == [value for value in (token, cookie, feed, key, f"u-{name}") if value in report]
    assert "https://example.com/…" in report, "which site it was is of use"
