"""After any sequence of edits the vault that was kept current equals one read from scratch."""

from __future__ import annotations

import os
import random
import shutil
import sys
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sidecar.daemon.open_vault import OpenVault

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]

_FOLDERS = ["", "a/", "b/", "a/deep/", "sources/", "wiki/", "_graveyard/"]
_NAMES = ["Note.md", "note.md", "笔记.md", unicodedata.normalize("NFD", "Résumé.md"), unicodedata.normalize("NFC", "Résumé.md"), "v1.2.md"]
_NAMES += ["p.png", "board.canvas", "x#y.md", "a.md", "brief-2026-01-01.md"]
_LINKS = [
    "[[Note]]",
    "[[a/Note]]",
    "[[笔记|看]]",
    "[[Résumé]]",
    "![[p.png]]",
    "[t](../Note.md)",
    "[[./a]]",
    "[[/a/Note]]",
    "[[gone]]",
    "[[#h]]",
    "[[v1.2]]",
]
_LINKS += ["[[board.canvas]]", "[t](x%23y.md)", "[[NOTE.MD]]", "`[[a]]`", "%%\n[[a]]\n%%", "#tag/sub", "# heading", "中文知识库 words"]
_HEADS = [
    "",
    "---\ntags: [t]\nupdated: 2026-0{n}-01\n---\n",
    '---\nup: "[[a]]"\nsources: ["笔记"]\n---\n',
    "---\norigin: web\n---\n",
    "---\nbroken: [\n---\n",
]
_INDEX = "before\n\n%% kb:moc:begin %%\n%% kb:moc:end %%\n\nafter\n"


class _Disk:
    """Changes files as a person does, with times that always move on, whatever the disk's clock ticks in."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.now = 1_700_000_000

    def step(self) -> list[str]:
        there = sorted(
            path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file() and ".kb" not in path.parts
        )
        there = [path for path in there if path != "index.md"]
        match self.random.choice(["create", "create", "edit", "edit", "rename", "delete"]) if there else "create":
            case "create" | "edit" as action:
                path = self.random.choice(there) if action == "edit" else self._path()
                self._write(path)
                return [path]
            case "rename":
                old, new = self.random.choice(there), self._path()
                (self.root / new).parent.mkdir(parents=True, exist_ok=True)
                (self.root / old).rename(self.root / new)
                self._touch(new)
                return [old, new]
            case _:
                old = self.random.choice(there)
                (self.root / old).unlink()
                return [old]

    def _path(self) -> str:
        return self.random.choice(_FOLDERS) + self.random.choice(_NAMES)

    def _write(self, path: str) -> None:
        links = self.random.sample(_LINKS, self.random.randint(0, 5))
        text = self.random.choice(_HEADS).format(n=self.random.randint(1, 9)) + "\n\n".join(links)
        if path.endswith(".canvas"):
            text = '{"nodes": [{"type": "file", "file": "a/Note.md"}, {"type": "text", "text": "[[笔记]]"}]}'
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)
        self._touch(path)

    def _touch(self, path: str) -> None:
        self.now += 1
        os.utime(self.root / path, (self.now, self.now))


def _state(vault: OpenVault) -> dict[str, Any]:
    index, graph = vault.index, vault.graph
    return {
        "files": sorted(index.files),
        "notes": dict(sorted(index.notes.items())),
        "problems": index.problems,
        "graph": graph.as_json(),
        "unresolved": graph.unresolved(),
        "hubs": graph.hubs(),
        "orphans": graph.orphans(),
        "tags": graph.tags(),
        "backlinks": {path: graph.backlinks(path) for path in index.notes},
        "map": vault.moc.render(),
        "found": {query: vault.search.search(query, limit=200) for query in ("知识库", "words", "heading tag:tag", "笔记", "-words note")},
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_graph_search_and_map_equal_those_of_a_fresh_start(seed: int, make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"index.md": _INDEX})
    disk = _Disk(root, seed)
    vault = open_vault(root, keep=True)
    vault.open()
    vault.search.loaded()
    for n in range(120):
        changed = [path for _ in range(disk.random.randint(1, 3)) for path in disk.step()]
        vault.apply(changed)
        if n % 8 == 7:
            fresh = open_vault(root)
            fresh.open()
            assert _state(fresh) == _state(vault), f"after step {n}"


def test_written_files_equal_those_of_a_fresh_start_without_a_cache(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"index.md": _INDEX})
    disk = _Disk(root, 4)
    vault = open_vault(root, keep=True)
    vault.open()
    for n in range(200):
        vault.apply(disk.step())
        if n % 20 == 19:
            vault.settle()
            kept = [(root / name).read_bytes() for name in (".kb/index.json", "index.md")]
            bare = root.with_name(f"copy{n}")
            shutil.copytree(root, bare)
            shutil.rmtree(bare / ".kb")
            (bare / "index.md").write_text(_INDEX)
            fresh = open_vault(bare, keep=True)
            fresh.open()
            fresh.settle()
            assert kept == [(bare / name).read_bytes() for name in (".kb/index.json", "index.md")], f"after step {n}"


def test_a_warm_start_after_changes_while_away_equals_a_fresh_one(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"index.md": _INDEX})
    disk = _Disk(root, 5)
    for _ in range(12):
        vault = open_vault(root, keep=True)
        vault.open()
        fresh = open_vault(root)
        fresh.open()
        assert _state(fresh) == _state(vault)
        for _ in range(6):
            disk.step()
        if disk.random.random() < 0.5:
            vault.apply(vault.index.rescan())
            vault.settle()


def test_order_of_a_burst_does_not_matter(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"index.md": _INDEX, "Note.md": "[[笔记]]"})
    vaults = [open_vault(root) for _ in range(3)]
    for vault in vaults:
        vault.open()
    disk = _Disk(root, 6)
    paths = [path for _ in range(30) for path in disk.step()]
    vaults[0].apply(paths)
    vaults[1].apply(reversed(paths))
    for path in paths:
        vaults[2].apply([path])
    assert _state(vaults[0]) == _state(vaults[1]) == _state(vaults[2])


# ── what one change does to others ───────────────────────────────────────────────────────────────


def _resolved(vault: OpenVault, path: str) -> list[str]:
    return [edge.target if edge.resolved else f"?{edge.target}" for edge in vault.graph.forward(path)]


def test_a_new_note_takes_the_links_that_waited_for_it(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"s.md": "[[New]] [[x/New]]", "y/New.md": ""})
    vault = open_vault(root)
    vault.open()
    assert ["y/New.md", "?x/New"] == _resolved(vault, "s.md")
    (root / "x").mkdir()
    (root / "x/New.md").write_text("")
    delta = vault.apply(["x/New.md"])
    assert ["x/New.md", "x/New.md"] == _resolved(vault, "s.md")
    assert ({"x/New.md"}, {"s.md"}) == (delta.added, delta.relinked)
    (root / "New.md").write_text("")
    vault.apply(["New.md"])
    assert ["New.md", "x/New.md"] == _resolved(vault, "s.md")


def test_a_case_only_rename_keeps_the_backlinks(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:  # W7
    root = make_vault({"s.md": "[[Foo]]", "Foo.md": "text"})
    vault = open_vault(root)
    vault.open()
    (root / "Foo.md").rename(root / "foo.md")
    vault.apply(["Foo.md", "foo.md"])
    assert ["foo.md", "s.md"] == sorted(vault.index.notes)
    assert ["foo.md"] == _resolved(vault, "s.md")


def test_an_editors_temporary_file_leaves_no_trace(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:  # W1, W2
    root = make_vault({"n.md": "old", "s.md": "[[n]]"})
    vault = open_vault(root)
    vault.open()
    vault.search.loaded()
    (root / "n.tmp").write_text("brandnew [[s]]")
    (root / "n.tmp").replace(root / "n.md")
    vault.apply(["n.tmp", "n.md"])
    assert (["n.md", "s.md"], ["s.md"]) == (sorted(vault.index.files), _resolved(vault, "n.md"))
    assert ["n.md"] == [hit.path for hit in vault.search.search("brandnew").hits]


def test_a_saved_note_without_a_change_is_no_news(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"n.md": "same"})
    vault = open_vault(root)
    vault.open()
    (root / "n.md").write_text("same")
    os.utime(root / "n.md", (5, 5))
    assert not vault.apply(["n.md"])


def test_own_writing_of_the_map_is_no_news(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"index.md": _INDEX, "a.md": "[[b]]", "b.md": ""})
    vault = open_vault(root)
    vault.open()
    assert vault.refresh_moc()
    assert not vault.apply(["index.md"])
    assert [] == vault.index.rescan()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a name be any bytes")
def test_one_note_with_a_name_that_is_no_text_does_not_stop_the_rest(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"a.md": "[[b]]", "b.md": ""})
    Path(os.fsdecode(os.fsencode(root) + b"/bad\xff.md")).write_text("[[a]]")
    vault = open_vault(root)
    vault.open()
    vault.apply([os.fsdecode(b"bad\xff.md"), "b.md"])
    assert ["a.md", "b.md"] == sorted(vault.index.notes)


@pytest.mark.skipif(os.name == "nt", reason="symbolic links of POSIX")
def test_an_edit_shows_under_every_name_that_links_give_a_note(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"real/a.md": "[[old]]", "b.md": ""})
    (root / "folder").symlink_to("real")
    (root / "twin.md").symlink_to("real/a.md")
    vault = open_vault(root)
    vault.open()
    (root / "real/a.md").write_text("[[b]] and more")
    vault.apply(["real/a.md"])
    fresh = open_vault(root)
    fresh.open()
    assert fresh.graph.as_json() == vault.graph.as_json()
    (root / "real/a.md").unlink()
    vault.apply(["real/a.md"])
    assert ["b.md"] == sorted(vault.index.notes)
