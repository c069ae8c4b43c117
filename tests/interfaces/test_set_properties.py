"""Setting properties through both doors: the API's operation and ``kb set``; what is written may become a commit."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.exit_codes import EXIT_CODES
from sidecar.cli.main import main
from sidecar.config import load_config
from sidecar.daemon.in_process import InProcess
from sidecar.daemon.init import init_vault
from sidecar.errors import FrontmatterError, NoteNotFound, WriteConflict

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
PATH = "/api/kb/entry/properties"
NOTE = "---\n# mine\ntags: [a,b]\nold: 1\n---\nText [[Other]]\r\n"


@pytest.fixture
def vault(make_vault: MakeVault) -> Path:
    root = make_vault({"Note.md": NOTE, "Braces.md": "---\n{a: 1}\n---\n", "b.canvas": "{}"})
    init_vault(root, "en")
    return root


@pytest.fixture
def api(vault: Path) -> Iterator[InProcess]:
    asked = InProcess(vault)
    yield asked
    asked.close()


def test_a_property_is_set_and_the_next_question_sees_it(vault: Path, api: InProcess) -> None:
    done = api.call("POST", PATH, {"note": "Note", "set": {"tags": ["a", "b", "c"], "day": "2026-11-30"}, "remove": ["old"]})
    assert "---\n# mine\ntags: [a,b,c]\nday: 2026-11-30\n---\nText [[Other]]\r\n" == (vault / "Note.md").read_bytes().decode()
    entry = api.call("GET", "/api/kb/entry", {"note": "Note"})
    assert (True, done["hash"], done["properties"]) == (done["written"], entry["hash"], entry["properties"])
    assert ["a", "b", "c"] == entry["tags"]
    again = api.call("POST", PATH, {"note": "Note", "set": {"day": "2026-11-30"}, "remove": ["old"]})
    assert (False, "") == (again["written"], again["diff"])


def test_a_dry_run_tells_and_writes_nothing(vault: Path, api: InProcess) -> None:
    done = api.call("POST", PATH, {"note": "Note", "set": {"old": 2}, "dry_run": True})
    assert (False, NOTE) == (done["written"], (vault / "Note.md").read_bytes().decode())
    assert ["-old: 1", "+old: 2"] == [line for line in done["diff"].split("\n")[2:] if line[0] in "-+"]


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({"note": "Note", "set": {"a": 1}, "expected_hash": "0" * 32}, WriteConflict),
        ({"note": "Nobody", "set": {"a": 1}}, NoteNotFound),
        ({"note": "Braces", "set": {"a": 2}}, FrontmatterError),
        ({"note": "b.canvas", "set": {"a": 2}}, FrontmatterError),
        ({"note": "Note", "set": {"a\nb": 2}}, FrontmatterError),
        ({"note": "../outside", "set": {"a": 2}}, NoteNotFound),
    ],
)
def test_what_is_refused_writes_nothing(request_: dict[str, Any], error: type[Exception], vault: Path, api: InProcess) -> None:
    before = {path: path.read_bytes() for path in vault.glob("*.*") if path.is_file()}
    with pytest.raises(error):
        api.call("POST", PATH, request_)
    assert before == {path: path.read_bytes() for path in before}


def _kb(vault: Path, *words: str) -> int:
    return main(["set", "--vault", str(vault), *words])


def test_the_command_sets_lists_numbers_and_any_text(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["num=3", "done=true", "list=[x, y]", "t=a: b #c", "link=[[Other]]", "empty=", "eq=a=b", "--remove", "old"]
    assert 0 == _kb(vault, "Note", *words, "--json")
    expected = {
        "tags": ["a", "b"],
        "num": 3,
        "done": True,
        "list": ["x", "y"],
        "t": "a: b #c",
        "link": "[[Other]]",
        "empty": None,
        "eq": "a=b",
    }
    assert expected == json.loads(capsys.readouterr().out)["properties"]
    assert 0 == _kb(vault, "Note", "num=4", "--dry-run")
    assert "-num: 3\n+num: 4\n" in capsys.readouterr().out
    assert 0 == _kb(vault, "Note", "num=3")
    assert "Note.md is so already.\n" == capsys.readouterr().out


def test_the_command_says_what_it_wants_and_what_went_wrong(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    codes = {kind: code for kind, code, _ in EXIT_CODES}
    assert [2, 2, 4] == [_kb(vault, "Note"), _kb(vault, "Note", "noequals"), _kb(vault, "Nobody", "a=1")]
    assert codes[FrontmatterError] == _kb(vault, "Braces", "a=2")
    assert "Write each on a line of its own." in capsys.readouterr().err


def test_commits_are_on_in_a_new_vault_and_off_in_one_that_was_there(vault: Path, tmp_path: Path) -> None:
    init_vault(tmp_path / "new", "en")
    assert (True, False) == (load_config(tmp_path / "new").git.autocommit, load_config(vault).git.autocommit)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_property_set_in_a_vault_with_a_history_is_one_commit_of_that_note(
    vault: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(vault.parent))
    subprocess.run(["git", "init", "-q"], cwd=vault, check=True)
    (vault / ".kb" / "config.toml").write_text("[git]\nautocommit = true\n[moc]\npath = 'none.md'\n")
    assert 0 == _kb(vault, "Note", "n=3")
    shown = subprocess.run(["git", "log", "--format=%s", "--name-only"], cwd=vault, capture_output=True, text=True, check=True)
    assert "Vault Sidecar: Note.md\n\nNote.md\n" == shown.stdout
    capsys.readouterr()
