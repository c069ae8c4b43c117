"""``kb export``: everything is there byte for byte, and nothing is mixed up or led out of the vault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.near_kb import Kb, bytes_of, kb, make, vault

__all__ = ["kb", "vault"]


def test_notes_and_attachments_are_copied_byte_for_byte_with_the_graph(kb: Kb, vault: Path) -> None:
    (vault / "pictures").mkdir()
    (vault / "pictures" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (vault / "crlf.md").write_bytes(b"\xef\xbb\xbfa\r\nb\xff")
    (vault / ".kb" / "journal").mkdir(exist_ok=True)
    (vault / ".kb" / "journal" / "items-2026-01-here.jsonl").write_text('{"at": "2026-01-01T00:00:00+00:00"}\n')
    (vault / "out.md").symlink_to("/etc/hostname")
    before = bytes_of(vault)
    done = kb("export", kb.cwd / "copy", "--vault", vault, "--json")
    assert 0 == done.code, done.err
    wanted = {name: digest for name, digest in before.items() if not name.startswith(".") and name != "out.md"}
    assert wanted == bytes_of(kb.cwd / "copy" / "notes")
    assert {"notes", "graph.json", "graph.graphml", "journal"} == {path.name for path in (kb.cwd / "copy").iterdir()}
    assert json.loads((kb.cwd / "copy" / "graph.json").read_text())["nodes"]
    assert len(wanted) == done.json["counts"]["notes"]
    assert before.items() <= bytes_of(vault).items()


def test_one_part_alone(kb: Kb, vault: Path) -> None:
    assert {"journals": 0} == kb("export", kb.cwd / "copy", "--only", "journals", "--vault", vault, "--json").json["counts"]
    assert [] == list((kb.cwd / "copy").iterdir())


@pytest.mark.parametrize("folder", ["vault/copy", "full", "vault"])
def test_a_folder_in_the_vault_or_one_with_files_in_it_is_refused(kb: Kb, vault: Path, folder: str) -> None:
    make(kb.cwd / "full", {"mine.md": "x"})
    before = bytes_of(kb.cwd)
    done = kb("export", kb.cwd / folder, "--vault", vault)
    assert 2 == done.code
    assert before == bytes_of(kb.cwd)
