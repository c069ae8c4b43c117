"""The journal ``notes`` tells what became of each note, and trust follows it: not the property that anyone can delete."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sidecar.config import Config
from sidecar.daemon.container import open_cache, wire_vault
from sidecar.daemon.open_vault import OpenVault
from sidecar.store import Journal, NoteHistory
from sidecar.vault.files import VaultFiles

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
WEB = "---\norigin: web\n---\ncaptured"


class _Life:
    """Runs of a sidecar on one vault, with a clock that tests set."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
        (root / ".kb").mkdir(exist_ok=True)
        self.vault = self.start()

    def journal(self, machine: str = "here") -> Journal:
        return Journal(self.root / ".kb/journal", lambda: self.now, machine)

    def start(self, *, writes: bool = True) -> OpenVault:
        history = NoteHistory(self.journal(), writes=writes)
        self.vault = wire_vault(VaultFiles(self.root), open_cache(None), Config, history=history)
        self.vault.open()
        return self.vault

    def restart(self) -> OpenVault:
        self.vault.close()
        return self.start()

    def save(self, path: str, text: str) -> None:
        (self.root / path).write_text(text)
        self.vault.apply([path])

    def move(self, old: str, new: str) -> list[str]:
        (self.root / old).rename(self.root / new)
        return [old, new]

    def lines(self) -> list[tuple[Any, ...]]:
        records = list(self.journal().read("notes"))
        return [tuple(r[key] for key in ("event", "path", "from", "origin") if key in r) for r in records]


@pytest.fixture
def life(make_vault: MakeVault) -> _Life:
    return _Life(make_vault({"a.md": "own words", "w.md": WEB}))


def test_first_sight_change_rename_and_loss_are_told_once(life: _Life) -> None:
    assert [("seen", "a.md"), ("seen", "w.md", "web")] == life.lines()
    life.save("a.md", "other words")
    life.vault.apply(life.move("a.md", "b.md"))
    (life.root / "b.md").unlink()
    life.vault.apply(["b.md"])
    assert [("changed", "a.md"), ("renamed", "b.md", "a.md"), ("gone", "b.md")] == life.lines()[2:]
    before = life.lines()
    life.vault.apply(["a.md", "b.md", "w.md"])
    life.restart()
    assert before == life.lines()


def test_a_deleted_property_raises_no_trust(life: _Life) -> None:
    life.save("w.md", "the same text, and do as it says")
    assert [True, False] == [life.vault.index.is_untrusted(path) for path in ("w.md", "a.md")]
    assert life.restart().index.is_untrusted("w.md")


def test_trust_follows_a_rename_in_one_burst_in_two_and_between_runs(life: _Life) -> None:
    life.save("w.md", "no property any more")
    life.vault.apply(life.move("w.md", "x.md"))
    assert life.vault.index.is_untrusted("x.md")
    for path in life.move("x.md", "y.md"):
        life.vault.apply([path])
    assert life.vault.index.is_untrusted("y.md")
    life.vault.close()
    life.move("y.md", "z.md")
    assert life.start().index.is_untrusted("z.md")
    assert not life.vault.index.is_untrusted("a.md")


def test_an_ingested_note_is_material_whatever_its_text_says(life: _Life) -> None:
    life.journal().append("notes", event="ingested", path="n.md", url="https://example.org/")
    life.vault.close()
    (life.root / "n.md").write_text("nothing says where this came from")
    assert life.start().index.is_untrusted("n.md")


def test_many_saves_of_a_day_are_two_lines(life: _Life) -> None:
    for n in range(50):
        life.save("a.md", f"draft {n}")
    assert 1 == life.lines().count(("changed", "a.md"))
    life.vault.close()
    assert 2 == life.lines().count(("changed", "a.md"))
    last = list(life.journal().read("notes"))[-1]["hash"]
    life.start()
    assert VaultFiles(life.root).read("a.md").hash == last


def test_the_next_day_begins_with_how_the_last_one_ended(life: _Life) -> None:
    life.save("a.md", "1")
    life.save("a.md", "2")
    end_of_day = VaultFiles(life.root).read("a.md").hash
    life.now += timedelta(days=1)
    life.save("a.md", "3")
    assert [end_of_day, VaultFiles(life.root).read("a.md").hash] == [r["hash"] for r in life.journal().read("notes")][-2:]


def test_a_crash_loses_no_change(life: _Life) -> None:
    life.save("a.md", "1")
    life.save("a.md", "2")  # told at the end of the day, which never comes
    life.start()
    life.vault.close()
    assert VaultFiles(life.root).read("a.md").hash == list(life.journal().read("notes"))[-1]["hash"]


def test_a_torn_line_and_another_machines_file_are_read_past_and_together(life: _Life) -> None:
    life.vault.close()
    own = next((life.root / ".kb/journal").glob("notes-*-here.jsonl"))
    own.write_bytes(own.read_bytes()[:-9])
    life.journal("other").append("notes", event="seen", path="a.md", hash="x", origin="web")
    assert [True, True] == [life.start().index.is_untrusted(path) for path in ("a.md", "w.md")]


def test_a_burst_is_one_write(life: _Life, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync

    def fsync(handle: int) -> None:
        synced.append(handle)
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    for n in range(300):
        (life.root / f"{n}.md").write_text(f"note {n}")
    life.vault.apply([f"{n}.md" for n in range(300)])
    assert (1, 302) == (len(synced), len(life.lines()))


def test_a_process_that_only_looks_leaves_nothing(make_vault: MakeVault) -> None:
    root = make_vault({"w.md": WEB})
    vault = wire_vault(
        VaultFiles(root), open_cache(None), Config, history=NoteHistory(Journal(root / ".kb/journal", lambda: datetime.now(UTC)))
    )
    vault.open()
    (root / "w.md").write_text("clean")
    vault.apply(["w.md"])
    vault.close()
    assert vault.index.is_untrusted("w.md")
    assert ["w.md"] == sorted(path.name for path in root.rglob("*"))


def test_what_the_disk_refused_goes_with_the_next_burst(life: _Life) -> None:
    folder = life.root / ".kb/journal"
    folder.rename(life.root / ".kb/away")
    folder.write_text("in the way")
    life.save("b.md", "late")
    assert life.vault.index.history_problem
    folder.unlink()
    (life.root / ".kb/away").rename(folder)
    life.save("c.md", "later")
    assert [("seen", "b.md"), ("seen", "c.md")] == life.lines()[2:]
    assert not life.vault.index.history_problem


def test_a_note_of_the_owners_own_may_take_the_place_of_a_captured_one(life: _Life) -> None:
    (life.root / "w.md").unlink()
    life.vault.apply(["w.md"])
    life.save("w.md", "the owner's own words")
    assert not life.vault.index.is_untrusted("w.md")
    assert not life.restart().index.is_untrusted("w.md")
    life.save("x.md", WEB.replace("origin: web", "title: x"))
    assert not life.vault.index.is_untrusted("x.md")


def test_what_is_restored_after_a_loss_is_what_it_was(life: _Life) -> None:
    life.save("w.md", "no property any more")
    (life.root / "w.md").unlink()
    life.vault.apply(["w.md"])
    life.save("back.md", "no property any more")
    assert life.vault.index.is_untrusted("back.md")
    assert life.restart().index.is_untrusted("back.md")


def test_a_captured_note_that_is_moved_and_edited_at_once_stays_material(life: _Life) -> None:
    life.save("w.md", "no property any more")
    (life.root / "sub").mkdir()
    (life.root / "w.md").unlink()
    (life.root / "sub/w.md").write_text("no property, and other words")
    life.vault.apply(["w.md", "sub/w.md"])
    assert life.vault.index.is_untrusted("sub/w.md")
    assert life.restart().index.is_untrusted("sub/w.md")
