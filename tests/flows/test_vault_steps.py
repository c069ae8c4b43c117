"""Invariant 3 by random steps: whatever a person, an editor, git or a sync program does to the files, the vault that was kept
current equals one read from scratch: graph, lists, search index, the map's bytes and those of ``.kb/index.json``.
"""

from __future__ import annotations

import json
import os
import random
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sidecar.daemon.open_vault import OpenVault
from sidecar.vault.excluded import EXCLUDED_PATH

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]

IS_SLOW = os.environ.get("KB_HYPOTHESIS") == "slow"
SEEDS, STEPS = (range(10, 18), 300) if IS_SLOW else (range(10, 12), 100)

_NFC, _NFD = (unicodedata.normalize(form, "Résumé") for form in ("NFC", "NFD"))
_FOLDERS = ["", "a/", "A/", "b/", "a/deep/", "b/a/", "资料/", "sources/", "wiki/", "_graveyard/", "x.y/", f"{_NFD}/", "emoji 🎉/"]
_STEMS = [
    "Note",
    "note",
    "NOTE",
    "笔记",
    _NFC,
    _NFD,
    "v1.2",
    "a.b.c",
    "x#y",
    "🎉",
    "Ｎｏｔｅ",
    "a",
    "Note (conflict)",
    "Note.md",
    "100% & co",
    "空 格",
    "İ",
]
_FILES = ["p.png", "P.PNG", "board.canvas", "笔记.canvas", "doc.pdf", "Test.tmp", "Note.sync-conflict-20260101.md"]
_LINKS = [
    "[[Note]]", "[[note]]", "[[a/Note]]", "[[A/note]]", "[[b/a/Note]]", "[[笔记|看]]", f"[[{_NFC}]]", f"[[{_NFD}#h]]", "[[v1.2]]",
    "[[a.b.c]]",
    "![[p.png]]", "![[P.PNG]]", "[t](../Note.md)", "[t](./a.md)", "[t](x%23y.md)", "[t](<空 格.md>)", "[[./a]]", "[[../Note]]",
    "[[/a/Note]]",
    "[[gone]]", "[[gone/too]]", "[[#h]]", "[[board.canvas]]", "[[NOTE.MD]]", "[[Note.md]]", "[[Note.md.md]]", "[[Ｎｏｔｅ]]", "[[🎉]]",
    "[[i̇]]",
    "`[[a]]`", "%%\n[[a]]\n%%", "%%[[a]]%%", "#tag/sub", "#标签", "# heading", "text ^block", "中文知识库 words", "别名 and alias",
    "[[deep/]]",
]  # fmt: skip
_HEADS = [
    "",
    "",
    "---\ntags: [t, T, 标签/子]\nupdated: 2026-0{n}-01\n---\n",
    '---\nup: "[[a]]"\nsources: ["笔记", "Note"]\naliases: [别名, alias]\n---\n',
    "---\norigin: web\nurl: https://example.org/{n}\ntitle: Page {n}\n---\n",
    "---\nbroken: [\n---\n",
    "\ufeff---\ntitle: with a mark {n}\n---\r\n",
]
_FILTERS = ["a/", "A", "资料", "/deep/", "/[/", "_graveyard/", "/\\.canvas$/", "emoji"]
_QUERIES = ["知识库", "words", "heading tag:t", "笔记", "-words note", '"alias"', "note", "别名"]
_INDEX = "before\n\n%% kb:moc:begin %%\n%% kb:moc:end %%\n\nafter\n"


class _Disk:
    """Changes files as people and programs do; each step gives the paths that a watcher would name."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.now = 1_700_000_000
        self.deleted: list[tuple[str, bytes]] = []
        self.counts: dict[str, int] = {}

    def step(self) -> list[str]:
        there = self._files()
        kinds = ["create"] * 4 + ["edit"] * 4 + ["rename"] * 2 + ["delete"] * 2
        kinds += ["restore", "case", "form", "folder", "folder", "canvas", "excluded", "swap", "touch", "old", "write_rename", "copy"]
        kind = self.random.choice(kinds) if there else "create"
        self.counts[kind] = self.counts.get(kind, 0) + 1
        named: list[str] = getattr(self, "_" + kind)(there)
        return named

    def _files(self) -> list[str]:
        found = (p.relative_to(self.root).as_posix() for p in self.root.rglob("*") if p.is_file())
        return sorted(path for path in found if path != "index.md" and not path.startswith("."))

    def _path(self) -> str:
        name = self.random.choice(_FILES) if self.random.random() < 0.15 else self.random.choice(_STEMS) + ".md"
        return self.random.choice(_FOLDERS) + name

    def _text(self) -> bytes:
        links = self.random.sample(_LINKS, self.random.randint(0, 6))
        return (self.random.choice(_HEADS).replace("{n}", str(self.random.randint(1, 9))) + "\n\n".join(links)).encode()

    def _put(self, path: str, data: bytes) -> list[str]:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(data)
        return self._touched(path)

    def _touched(self, path: str) -> list[str]:
        self.now += 1
        os.utime(self.root / path, (self.now, self.now))
        return [path]

    def _create(self, there: list[str]) -> list[str]:
        path = self._path()
        return self._canvas([path]) if path.endswith(".canvas") else self._put(path, self._text())

    def _edit(self, there: list[str]) -> list[str]:
        return self._put(self.random.choice(there), self._text())

    def _canvas(self, there: list[str]) -> list[str]:
        path = next((path for path in there if path.endswith(".canvas")), "board.canvas")
        cards = [{"type": "file", "file": self._path()}, {"type": "text", "text": self.random.choice(_LINKS)}, {"type": "link"}]
        whole = json.dumps({"nodes": self.random.sample(cards, self.random.randint(0, 3))})
        return self._put(path, self.random.choice([whole, whole, whole[:-5]]).encode())

    def _move(self, old: str, new: str) -> list[str]:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)  # its time moves with it, as on a real disk
        return [old, new]

    def _rename(self, there: list[str]) -> list[str]:
        return self._move(self.random.choice(there), self._path())

    def _case(self, there: list[str]) -> list[str]:
        old = self.random.choice(there)
        folder, slash, name = old.rpartition("/")
        return self._move(old, folder + slash + name.swapcase())

    def _form(self, there: list[str]) -> list[str]:
        old = self.random.choice(there)
        is_nfc = unicodedata.is_normalized("NFC", old)
        return self._move(old, unicodedata.normalize("NFD" if is_nfc else "NFC", old))

    def _delete(self, there: list[str]) -> list[str]:
        path = self.random.choice(there)
        self.deleted.append((path, (self.root / path).read_bytes()))
        (self.root / path).unlink()
        return [path]

    def _restore(self, there: list[str]) -> list[str]:
        if not self.deleted:
            return []
        path, data = self.deleted.pop(self.random.randrange(len(self.deleted)))
        return self._put(path, data)

    def _folder(self, there: list[str]) -> list[str]:
        inner = [path for path in there if "/" in path]
        if not inner:
            return []
        folder = self.random.choice(inner).rpartition("/")[0]
        new = self.random.choice(["moved", "b/moved", "资料/内", folder.swapcase()])
        if (self.root / new).exists() or (new + "/").startswith(folder + "/"):
            return []
        moved = [path for path in there if path.startswith(folder + "/")]
        self._move(folder, new)
        return [*moved, *(new + path[len(folder) :] for path in moved)]

    def _excluded(self, there: list[str]) -> list[str]:
        filters = self.random.sample(_FILTERS, self.random.randint(0, 3))
        text = self.random.choice([json.dumps({"userIgnoreFilters": filters}), "{", "[]"])
        return self._put(EXCLUDED_PATH, text.encode())

    def _swap(self, there: list[str]) -> list[str]:
        """Two notes change names, as a sorting plugin does."""
        if len(there) < 2:
            return []
        one, other = self.random.sample(there, 2)
        return [*self._move(one, "swap.tmp"), *self._move(other, one), *self._move("swap.tmp", other)]

    def _touch(self, there: list[str]) -> list[str]:
        return self._touched(self.random.choice(there))

    def _old(self, there: list[str]) -> list[str]:
        """An older version comes back with a time of long ago, or one ahead of the clock."""
        path = self._edit(there)[0]
        moment = self.random.choice([1_000_000_000, 4_000_000_000]) + self.now % 1_000_000
        os.utime(self.root / path, (moment, moment))
        return [path]

    def _write_rename(self, there: list[str]) -> list[str]:
        path = self.random.choice(there)
        self._put(path + ".tmp", self._text())
        return self._move(path + ".tmp", path)

    def _copy(self, there: list[str]) -> list[str]:
        return self._put(self._path(), (self.root / self.random.choice(there)).read_bytes())


def _postings(vault: OpenVault) -> dict[str, list[tuple[str, float]]]:
    """Give the search index's own content in one form, whatever way it came about."""
    index = vault.search.loaded()
    found = {}
    for term in index.terms_with_prefix("", 10_000_000):
        docs, weights = index.postings(term)
        found[term] = sorted((index.name(int(n)), float(weight)) for n, weight in zip(docs, weights, strict=True))
    return dict(sorted(found.items()))


def _state(vault: OpenVault) -> dict[str, Any]:
    index, graph = vault.index, vault.graph
    return {
        "files": sorted(index.files),
        "notes": dict(sorted(index.notes.items())),
        "problems": index.problems,
        "excluded": [path for path in sorted(index.files) if index.is_excluded(path)],
        "graph": graph.as_json(),
        "unresolved": graph.unresolved(),
        "hubs": graph.hubs(),
        "orphans": graph.orphans(),
        "tags": graph.tags(),
        "backlinks": {path: graph.backlinks(path) for path in index.notes},
        "map": vault.moc.render(),
        "found": {query: vault.search.search(query, limit=200) for query in _QUERIES},
        "postings": _postings(vault),
    }


def _take(vault: OpenVault, disk: _Disk, named: list[str]) -> None:
    """Let the vault hear of a burst: mostly of all of it, at times in another order, twice, piecemeal, or in part and a scan."""
    match disk.random.randrange(6):
        case 0:  # the system dropped events: what is left is named, then a scan follows
            vault.apply([path for path in named if disk.random.random() < 0.5])
            vault.apply(vault.index.rescan())
        case 1:
            vault.apply(vault.index.rescan())
        case 2:
            for path in named:
                vault.apply([path])
        case 3:
            vault.apply(reversed([*named, *named]))
        case _:
            vault.apply(named)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_steps_end_as_a_fresh_start_does(seed: int, make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"index.md": _INDEX, "Note.md": "[[笔记]]", ".obsidian/app.json": "{}"})
    disk = _Disk(root, seed)
    vault = open_vault(root, keep=True)
    vault.open()
    vault.search.loaded()
    done = checked = 0
    while done < STEPS:
        size = disk.random.choice([1, 1, 1, 2, 5, 12])
        _take(vault, disk, [path for _ in range(size) for path in disk.step()])
        done += size
        if done - checked < 10 and done < STEPS:
            continue
        checked = done
        vault.settle()
        written = [(root / name).read_bytes() for name in (".kb/index.json", "index.md")]
        fresh = open_vault(root)
        fresh.open()
        expected, found = _state(fresh), _state(vault)
        assert expected == found, f"after {done} steps: {[key for key in expected if expected[key] != found[key]]}"
        (root / "index.md").write_text(_INDEX)
        (root / ".kb/index.json").unlink()
        fresh.apply(["index.md"])
        fresh.settle()
        assert written == [(root / name).read_bytes() for name in (".kb/index.json", "index.md")], f"after {done} steps"
        vault.apply(["index.md"])
    assert len(disk.counts) >= 12, "every kind of step was taken"
