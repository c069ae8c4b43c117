"""The cache may be lost, damaged or old: the answers stay the same. The journals may be torn: only the torn line is lost."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sidecar.daemon.open_vault import OpenVault
from sidecar.errors import StoreError
from sidecar.store import CachedNote, Journal, NoteCache
from sidecar.vault.indexer import OpenReport

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]
SMALL = Path(__file__).resolve().parents[2] / "fixtures/vaults/small"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SMALL, tmp_path / "vault"))


def _run(root: Path, open_vault: OpenVaultAt) -> tuple[OpenReport, list[Any]]:
    """Open, settle, search and close, as one life of the sidecar; give what it read and what it says."""
    vault = open_vault(root, keep=True)
    report = vault.open()
    vault.settle()
    found = [vault.search.search(query) for query in ("知识库", "retrieval", "tag:方法")]
    told = [vault.graph.as_json(), dict(sorted(vault.index.notes.items())), found]
    vault.close()
    return report, [*told, (root / ".kb/index.json").read_bytes(), (root / "index.md").read_bytes()]


def test_a_warm_start_parses_nothing_and_says_the_same(small: Path, open_vault: OpenVaultAt) -> None:  # W8
    cold, told = _run(small, open_vault)
    warm, again = _run(small, open_vault)
    assert (OpenReport(reused=0, parsed=17, files=19), OpenReport(reused=17, parsed=0, files=19)) == (cold, warm)
    assert told == again


def test_a_warm_start_parses_only_what_changed(small: Path, open_vault: OpenVaultAt) -> None:
    _run(small, open_vault)
    (small / "latin1.md").write_text("now longer and UTF-8")
    (small / "new.md").write_text("[[latin1]]")
    (small / "windows.md").unlink()
    assert OpenReport(reused=15, parsed=2, files=19) == _run(small, open_vault)[0]


@pytest.mark.parametrize("harm", ["deleted", "text", "zeros", "cut", "empty", "foreign"])
def test_a_lost_or_damaged_cache_changes_no_answer(harm: str, small: Path, open_vault: OpenVaultAt) -> None:
    _, told = _run(small, open_vault)
    cache = small / ".kb/cache/index.sqlite"
    match harm:
        case "deleted":
            shutil.rmtree(cache.parent)
        case "text":
            cache.write_text("no database")
        case "zeros":
            data = bytearray(cache.read_bytes())
            data[100 : len(data) // 2] = bytes(len(data) // 2 - 100)
            cache.write_bytes(data)
        case "cut":
            cache.write_bytes(cache.read_bytes()[:5000])
        case "empty":
            cache.write_bytes(b"")
        case "foreign":
            cache.unlink()
            with sqlite3.connect(cache) as db:
                db.execute("create table notes (other text)")
            db.close()
    report, again = _run(small, open_vault)
    assert (17, told) == (report.parsed, again)


def _rows(cache: NoteCache) -> list[CachedNote]:
    return list(cache.load())


ROW = CachedNote("a.md", 1, 2, 3, "hash", "[]", b"terms")


def test_a_cache_of_another_version_starts_anew_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    first = NoteCache(path, "1")
    first.replace([ROW])
    first.close()
    second = NoteCache(path, "2")
    assert ([], "it was written by another version") == (_rows(second), second.rebuilt_because)
    second.close()


def test_a_damaged_cache_starts_anew_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    cache = NoteCache(path, "1")
    assert ([], "the cache was damaged") == (_rows(cache), cache.rebuilt_because)
    cache.close()


def test_a_cache_that_cannot_be_opened_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "c.sqlite").mkdir()
    (tmp_path / "c.sqlite/canary").write_text("canary")
    with pytest.raises(StoreError, match="cannot be opened"):
        NoteCache(tmp_path / "c.sqlite", "1")
    assert (tmp_path / "c.sqlite/canary").read_text() == "canary"


def test_a_cache_keeps_what_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "deep/er/c.sqlite"
    cache = NoteCache(path, "1")
    cache.replace([ROW, CachedNote("b.md", 1, 2, 3, "h", "[]", b"")])
    cache.replace([], ["b.md", "never.md"])
    cache.close()
    again = NoteCache(path, "1")
    assert ([("a.md", b"terms")], ["a.md"], "") == (list(again.load_terms()), [row.path for row in _rows(again)], again.rebuilt_because)
    again.close()


# ── journals ─────────────────────────────────────────────────────────────────────────────────────

MOMENT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal", lambda: MOMENT, machine="My Mac.local")


def test_records_are_read_as_they_were_written(journal: Journal, tmp_path: Path) -> None:
    journal.append("notes", path="笔记.md", event="seen")
    journal.append("notes", path="b.md", odd="line\nbreak \u2028 \x85")
    journal.append("signals", kind="read")
    at = "2026-11-30T09:00:00+00:00"
    assert [{"at": at, "path": "笔记.md", "event": "seen"}, {"at": at, "path": "b.md", "odd": "line\nbreak \u2028 \x85"}] == list(
        journal.read("notes")
    )
    assert ["notes-2026-11-my-mac-local.jsonl", "signals-2026-11-my-mac-local.jsonl"] == sorted(
        p.name for p in (tmp_path / "journal").iterdir()
    )


def test_a_torn_last_line_does_not_swallow_the_next(journal: Journal, tmp_path: Path) -> None:
    journal.append("notes", n=1)
    path = tmp_path / "journal/notes-2026-11-my-mac-local.jsonl"
    path.write_bytes(path.read_bytes() + '{"at": "2026-11-30", "path": "笔'.encode()[:-1])
    journal.append("notes", n=2)
    journal.append("notes", n=3)
    assert [1, 2, 3] == [record["n"] for record in journal.read("notes")]


def test_kinds_whose_names_begin_alike_stay_apart(journal: Journal) -> None:
    journal.append("notes", n=1)
    journal.append("notes-extra", n=2)
    assert [1] == [record["n"] for record in journal.read("notes")]


def test_what_was_written_before_is_never_changed(journal: Journal, tmp_path: Path) -> None:
    journal.append("notes", n=1)
    path = tmp_path / "journal/notes-2026-11-my-mac-local.jsonl"
    before = path.read_bytes()
    journal.append("notes", n=2)
    assert before == path.read_bytes()[: len(before)]
    assert {"at": "2026-11-30T09:00:00+00:00", "n": 2} == json.loads(path.read_bytes()[len(before) :])


def test_a_full_disk_does_not_keep_graph_and_search_from_following(small: Path, open_vault: OpenVaultAt) -> None:
    _run(small, open_vault)
    vault = open_vault(small, keep=True)
    vault.open()
    other = sqlite3.connect(small / ".kb/cache/index.sqlite")
    other.execute("pragma busy_timeout = 0")
    other.execute("begin immediate")  # like a full disk, it lets the sidecar read and not write
    (small / "late.md").write_text("an unheard word: zebrafish, [[windows]]")
    (small / "latin1.md").unlink()
    vault.apply(["late.md", "latin1.md"])
    assert ["late.md"] == [hit.path for hit in vault.search.search("zebrafish").hits]
    assert "windows.md" in [edge.target for edge in vault.graph.forward("late.md")]
    assert "could not be written" in vault.index.cache_problem
    other.rollback()
    (small / "windows.md").write_text("the disk takes it again")
    vault.apply(["windows.md"])
    assert not vault.index.cache_problem
    other.close()
    vault.close()
    assert OpenReport(reused=17, parsed=0, files=19) == _run(small, open_vault)[0]
