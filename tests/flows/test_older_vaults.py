"""A vault of an older version is brought up, with nothing lost; one of a newer is refused in words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import sidecar.daemon.migrations as migrations_module
from sidecar import PROTOCOL_VERSION
from sidecar.daemon.init import init_vault
from sidecar.daemon.migrations import MIGRATIONS, Migration, migrate
from sidecar.daemon.open_vault import OpenVault
from sidecar.daemon.protocol import read_vault_id
from sidecar.daemon.wire_init import open_journal
from sidecar.errors import ProtocolError
from sidecar.store import Journal, NoteHistory
from sidecar.vault.files import VaultFiles
from tests.conftest import FIXTURES, OpenVaultAt

OLD = FIXTURES / "vaults" / "version-0"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OLD, tmp_path / "vault"))


def files_of(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_there_is_one_step_for_each_version() -> None:
    assert list(range(1, PROTOCOL_VERSION + 1)) == [step.to_version for step in MIGRATIONS]


def test_a_vault_without_kb_is_brought_up_and_every_file_stays(old: Path) -> None:
    before = files_of(old)
    report = init_vault(old, "en")
    after = files_of(old)
    assert before.items() <= after.items()
    assert {name for name in after if not name.startswith(".kb/")} == before.keys(), "nothing but .kb is added"
    assert (
        "Took over 2 captures from .ingested.json; the file stays as it is.",
        "1 of its entries name notes that are not there any more.",
    ) == report.migrated
    again = init_vault(old, "en")
    assert ((), ()) == (again.migrated, again.added)
    assert after == files_of(old)


def test_captures_of_the_old_list_stay_material_even_without_their_properties(old: Path) -> None:
    init_vault(old, "en")
    history = NoteHistory(open_journal(old))
    assert history.came_from_outside("sources/compost-in-winter.md"), "its property is gone; the list knew"
    assert history.came_from_outside("sources/slow-gardens.md")
    assert not history.came_from_outside("wiki/gardens.md")


def test_a_page_captured_then_is_known_now(old: Path, open_vault: OpenVaultAt) -> None:
    init_vault(old, "en")
    vault: OpenVault = open_vault(old)
    vault.open()
    vault.write_ingested()
    known = json.loads((old / ".kb" / "ingested.json").read_text())["notes"]
    assert ["slow-gardens"] == list(known.values())


NONSENSE = ("", "[]", "nonsense", '{"x": {"slug": "../../outside"}}', '{"x": "/etc/passwd"}', '{"x": 3}', "[" * 100_000)


@pytest.mark.parametrize("text", [*NONSENSE, json.dumps({"x": "a" * 5000})])
def test_a_list_of_nonsense_stops_nothing_and_is_left_alone(old: Path, text: str) -> None:
    (old / ".ingested.json").write_text(text)
    report = init_vault(old, "en")
    assert report.vault_id
    assert text == (old / ".ingested.json").read_text()
    assert not list((old / ".kb").rglob("notes-*.jsonl"))


def test_an_interrupted_step_is_done_again_and_tells_nothing_twice(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (old / ".kb").mkdir()
    journal = open_journal(old)
    migrate(old, journal, 0)  # and the process is killed before the version is written
    init_vault(old, "en")
    assert 2 == len([record for record in journal.read("notes") if record["event"] == "ingested"])


def test_an_older_vault_is_not_served_before_it_was_brought_up(old: Path) -> None:
    init_vault(old, "en")
    path = old / ".kb" / "protocol.json"
    kept = json.loads(path.read_text())["vault_id"]
    path.write_text(json.dumps({"version": 0, "vault_id": kept}))
    with pytest.raises(ProtocolError, match="protocol 0") as caught:
        read_vault_id(VaultFiles(old))
    assert "kb init" in caught.value.fix
    assert kept == init_vault(old, "en").vault_id == read_vault_id(VaultFiles(old)), "the id stays"


def test_a_newer_vault_is_refused_and_left_as_it_is(old: Path) -> None:
    init_vault(old, "en")
    path = old / ".kb" / "protocol.json"
    path.write_text(json.dumps({"version": PROTOCOL_VERSION + 1, "vault_id": "0000-newer"}))
    before = files_of(old)
    for call in (lambda: read_vault_id(VaultFiles(old)), lambda: init_vault(old, "en")):
        with pytest.raises(ProtocolError, match="newer Vault Sidecar") as caught:
            call()
        assert "pgrade" in caught.value.fix
    assert before == files_of(old)


def test_steps_run_in_order_and_only_those_that_are_due(old: Path) -> None:
    def step(name: str) -> Migration:
        def run(root: Path, journal: Journal) -> list[str]:
            return [name]

        return Migration(int(name), run)

    steps = (step("1"), step("2"), step("3"))
    (old / ".kb").mkdir()
    assert ["2", "3"] == migrate(old, open_journal(old), 1, steps)
    assert [] == migrate(old, open_journal(old), 3, steps)
    assert migrations_module.OLD_LIST in files_of(old)
