"""A link leads where Obsidian would lead it after every coming, going and renaming of files."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from sidecar.daemon.open_vault import OpenVault

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]


def _opened(root: Path, open_vault: OpenVaultAt) -> OpenVault:
    vault = open_vault(root)
    vault.open()
    return vault


def _targets(vault: OpenVault, source: str) -> list[str]:
    return [edge.target if edge.resolved else f"?{edge.target}" for edge in vault.graph.forward(source)]


def test_rule_1_23_links_of_excluded_files_count(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    settings = '{"userIgnoreFilters": ["old/"]}'
    root = make_vault({".obsidian/app.json": settings, "a.md": "[[x]]", "old/x.md": "[[a]]"})
    vault = _opened(root, open_vault)
    assert (["old/x.md"], ["a.md"]) == (_targets(vault, "a.md"), _targets(vault, "old/x.md"))


def test_rule_1_24_hidden_folders_hold_no_target(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({".trash/x.md": "", ".obsidian/y.md": "", "a/.hidden/z.md": "", "a.md": "[[x]] [[y]] [[z]] [[.trash/x]]"})
    assert ["?x", "?y", "?z", "?.trash/x"] == _targets(_opened(root, open_vault), "a.md")


def test_rule_2_25_every_occurrence_counts(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"x.md": "", "p.png": b"", "a.md": "[[x]] [[x]] ![[x]] [t](x.md) [[a]] [[#h]] ![[p.png]] [[no]] [[no#h]]"})
    vault = _opened(root, open_vault)
    assert {"x.md": 4, "a.md": 2, "p.png": 1, "?no": 2} == Counter(_targets(vault, "a.md"))


def test_a_second_note_of_the_name_shadows_the_first_and_goes_again(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"far/Note.md": "", "dir/s.md": "[[Note]] ![[note#h]] [t](Note.md)"})
    vault = _opened(root, open_vault)
    assert ["far/Note.md"] * 3 == _targets(vault, "dir/s.md")
    (root / "dir/Note.md").write_text("")
    vault.apply(["dir/Note.md"])
    assert ["dir/Note.md"] * 3 == _targets(vault, "dir/s.md")
    (root / "dir/Note.md").unlink()
    vault.apply(["dir/Note.md"])
    assert ["far/Note.md"] * 3 == _targets(vault, "dir/s.md")


def test_a_vault_kept_current_links_as_one_opened_anew(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    dice = random.Random(7)
    names = ["N.md", "a/N.md", "a/b/N.md", "cc/n.md", "a/P.png", "cc/P.png", "V. 2.md", "a/V. 2.md", "cc/caf\u00e9.md", "cafe\u0301.md"]
    text = "[[N]] ![[n.md]] [t](./N.md) [t](../N.md) [[a/N]] [[b/N|x]] ![[P.png]] [[V. 2]] [[caf\u00e9]] [[/N]] [t](V.%202.md)"
    root = make_vault({"s.md": text, "a/s.md": text, "a/b/s.md": text, "cc/s.md": f"---\nrel: '[[N]]'\n---\n{text}"})
    vault = _opened(root, open_vault)
    for _ in range(60):
        path = root / dice.choice(names)
        if path.exists():
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text if path.suffix == ".md" else "", encoding="utf-8")
        vault.apply([path.relative_to(root).as_posix()])
        fresh = _opened(root, open_vault)
        assert vault.index.notes.keys() == fresh.index.notes.keys()
        assert {p: _targets(fresh, p) for p in fresh.index.notes} == {p: _targets(vault, p) for p in vault.index.notes}
