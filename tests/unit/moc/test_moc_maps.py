"""Several maps, frozen ones, adoption beside sync programs, and plans that equal those made from scratch."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.config import Config, parse_config
from sidecar.daemon.container import open_cache, wire_vault
from sidecar.daemon.open_vault import OpenVault
from sidecar.errors import ConfigError, MocNotAdopted
from sidecar.moc.plan import HubEntry, MocPlan
from sidecar.moc.render import render_moc
from sidecar.moc.text import unsettled_sibling
from sidecar.moc.words import MOC_WORDS
from sidecar.vault.files import VaultFiles
from sidecar.vault.generated import BEGIN, END
from sidecar.vault.links import NameIndex, render_link, resolve_link
from sidecar.vault.markdown import scan_markdown

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]
EMPTY = f"{BEGIN}\n{END}\n"

SEVERAL = """
[[moc]]
hubs = 2
[[moc]]
path = "maps/Wiki.md"
query = "path:wiki/ -tag:#draft"
[[moc]]
path = "maps/Method.md"
query = "tag:方法"
sort = "newest"
language = "zh-CN"
"""
NOTES = {
    "index.md": EMPTY,
    "maps/Wiki.md": EMPTY,
    "maps/Method.md": EMPTY,
    "wiki/A.md": "",
    "wiki/B.md": "#方法/细节 [[A]]",
    "wiki/C.md": "---\nupdated: 2026-01-02\n---\n#方法",
    "wiki/Draft.md": "#draft/early [[C]] [[A]]",
    "Other.md": "[[Other]]",
}


def _opened(open_vault: OpenVaultAt, root: Path, config: str = "") -> OpenVault:
    vault = open_vault(root, config=parse_config(config))
    vault.open()
    return vault


def _list(root: Path, name: str) -> list[str]:
    return (root / name).read_text().partition(BEGIN)[2].partition(END)[0].strip().split("\n")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[[moc]]\npath = "a.md"\n[[moc]]\npath = "b.md"\n', "moc[2].query"),
        ('[[moc]]\npath = "a.md"\nquery = "words"\n', "moc[1].query"),
        ('[[moc]]\npath = "a.md"\nquery = ""\n', "moc[1].query"),
        ('[[moc]]\nquery = "tag:a"\n', "moc[1].path"),
        ('[[moc]]\nquery = "tag:a"\npath = "INDEX.md"\n', "moc[1].path"),
        ('[[moc]]\nquery = "tag:a"\npath = "_Graveyard/a.md"\n', "moc[1].path"),
        ('[[moc]]\nquery = "tag:a"\npath = ".kb/a.md"\n', "moc[1].path"),
        ('[[moc]]\nquery = "tag:a"\npath = "../a.md"\n', "moc[1].path"),
        ('[[moc]]\nquery = "tag:a"\npath = "a.md"\nsort = "best"\n', "moc[1].sort"),
        ('[[moc]]\nquery = "tag:a"\npath = "a.md"\nhubs = 3\n', "moc[1].hubs"),
        ('[moc]\nsort = "title"\n', "moc.sort"),
        ('[moc]\nsections = ["hub"]\n', "moc.sections"),
        ("moc = 3\n", "moc"),
    ],
)
def test_a_wrong_map_setting_is_named_with_its_fix(text: str, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(text)
    assert key == caught.value.params["key"]
    assert caught.value.fix


def test_further_maps_list_what_they_select_and_nothing_is_made(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({path: text for path, text in NOTES.items() if path != "maps/Method.md"})
    vault = _opened(open_vault, root, SEVERAL)
    vault.refresh_moc()
    assert ["3 notes", "", "- [[A]] · 2", "- [[C]] · 1", "- [[B]]"] == _list(root, "maps/Wiki.md")
    assert not (root / "maps/Method.md").exists()
    assert 'kb moc --adopt "maps/Method.md"' in vault.moc.problem
    assert vault.adopt_moc("maps/Method.md")
    assert ["2 篇笔记", "", "- 2026-01-02 [[C]]", "- [[B]]"] == _list(root, "maps/Method.md")
    assert ("", False) == (vault.moc.problem, vault.refresh_moc())
    assert {"wiki/A.md": 2, "wiki/C.md": 1} == {hub.path: hub.in_links for hub in vault.graph.hubs()}, "links of maps count for nobody"
    assert "maps/" not in vault.moc.render()


def test_what_is_left_out_of_a_further_map_is_counted(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:  # M8
    files = {f"笔记/第{n}章：概要（{n % 7}）２ {n}.md": "" for n in range(300)}
    config = '[[moc]]\npath = "笔记/目录.md"\nquery = "path:笔记/"\nsort = "title"\nnotes = 120\n'
    root = make_vault({"笔记/目录.md": EMPTY, **files})
    vault = _opened(open_vault, root, config)
    vault.refresh_moc()
    lines = _list(root, "笔记/目录.md")
    assert ("300 notes", "*and 180 more*", 120) == (lines[0], lines[-1], sum(line.startswith("- ") for line in lines))


@pytest.mark.parametrize("head", ["kb_moc: frozen", "kb_moc: Frozen", 'broken: [\n"kb_moc": "frozen"'])
def test_a_map_frozen_by_its_property_is_never_touched(head: str, make_vault: MakeVault, open_vault: OpenVaultAt) -> None:  # M7
    text = f"---\n{head}\n---\n{BEGIN}\n- [[gone]]\n{END}\n"
    root = make_vault({"index.md": text, "a.md": "[[b]]", "b.md": ""})
    vault = _opened(open_vault, root)
    assert not vault.refresh_moc()
    assert (text, True) == ((root / "index.md").read_text(), "frozen" in vault.moc.problem)
    assert vault.moc.report()[0].is_frozen
    (root / "index.md").write_text(EMPTY)
    vault.apply(["index.md"])
    assert vault.refresh_moc(), "thawed"
    assert "" == vault.moc.problem


def test_a_map_frozen_by_the_settings_is_never_touched(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:  # M7
    root = make_vault({"index.md": EMPTY, "a.md": "[[b]]", "b.md": ""})
    vault = _opened(open_vault, root, "[moc]\nfrozen = true\n")
    assert not vault.refresh_moc()
    assert (EMPTY, True) == ((root / "index.md").read_text(), "config.toml" in vault.moc.problem)


@pytest.mark.parametrize(
    "sibling",
    [
        ".index.md.icloud",
        "index.sync-conflict-20260101-101010-ABCDEFG.md",
        "index (Ana's conflicted copy 2026-01-01).md",
        "index_conflict-20260101.md",
        "index.md.nextcloud",
        ".syncthing.index.md.tmp",
        "index（冲突）.md",
    ],
)
def test_beside_a_file_of_a_sync_program_no_map_is_adopted(sibling: str, make_vault: MakeVault, open_vault: OpenVaultAt) -> None:  # M3
    root = make_vault({sibling: "theirs", "a.md": ""})
    vault = _opened(open_vault, root)
    with pytest.raises(MocNotAdopted, match=re.escape(sibling)):
        vault.adopt_moc()
    assert not (root / "index.md").exists()


@pytest.mark.parametrize("name", ["indexes conflict.md", "index.md.bak", "index 2.md", "conflict.md", "reindex.md"])
def test_other_names_beside_the_map_do_not_matter(name: str) -> None:
    assert "" == unsettled_sibling("index.md", [name])


def test_an_edit_that_comes_between_reading_and_writing_is_kept(  # M4
    make_vault: MakeVault, open_vault: OpenVaultAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault({"index.md": f"mine\n{BEGIN}\n- [[old]] · 1\n{END}\n", "a.md": "[[new]]", "new.md": ""})
    vault = _opened(open_vault, root)
    files = vault.moc._files
    real, edits = files.read_bytes, iter(["mine [[new]] 1\n", "mine [[new]] 2\n"])

    def read_and_race(path: str) -> bytes:
        data = real(path)
        words = next(edits, None)
        if words is not None and path == "index.md":
            (root / path).write_text(f"{words}{BEGIN}\n- [[new]] · 1\n{END}\n")
        return data

    monkeypatch.setattr(files, "read_bytes", read_and_race)
    assert vault.refresh_moc()
    text = (root / "index.md").read_text()
    assert text.startswith(f"mine [[new]] 2\n{BEGIN}\n")
    assert (1, 0) == (text.partition(BEGIN)[2].count("[[new]]"), text.count("old"))


def test_files_that_no_event_told_of_are_on_the_map_after_a_renewal(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:  # M5
    root = make_vault({"index.md": EMPTY, "a.md": ""})
    vault = _opened(open_vault, root)
    (root / "pulled.md").write_text("[[a]]")
    assert vault.renew_moc()
    assert "- [[a]] · 1" in (root / "index.md").read_text()


def test_excluded_notes_come_last(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    filters = '{"userIgnoreFilters": ["old/"]}'
    links = {"s.md": "[[old/h]] [[h2]]", "t.md": "[[old/h]]", "old/h.md": "", "h2.md": "", "old/alone.md": "", "z.md": ""}
    vault = _opened(open_vault, make_vault({"index.md": EMPTY, ".obsidian/app.json": filters, **links}))
    plan = vault.moc.plan()
    assert ["h2.md", "old/h.md"] == [hub.path for hub in plan.hubs]
    assert ["z.md", "old/alone.md"] == [path for path, _ in plan.orphans]


NAMES = ["a", "wiki/b", "sources/c", "sources/d", "_graveyard/e", "core/f"]
CHANGES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from([None, "2025-01-01", "2026-02-02", ""]), st.sampled_from(NAMES), st.booleans()),
    max_size=12,
)


@given(CHANGES)
def test_after_any_changes_the_maps_equal_those_of_a_new_start(changes: list[tuple[str, str | None, str, bool]]) -> None:
    config = parse_config('[[moc]]\npath = "m.md"\nquery = "-path:a tag:t"\nsort = "newest"\n')

    def opened(root: Path) -> OpenVault:
        vault = wire_vault(VaultFiles(root), open_cache(None), lambda: config)
        vault.open()
        return vault

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "stays.txt").write_text("")  # an empty folder would be taken for a vault that is away
        (root / "a.md").write_text("#t")
        vault = opened(root)
        vault.moc.plan()
        for name, day, target, tagged in changes:
            file = root / f"{name}.md"
            file.parent.mkdir(exist_ok=True)
            if day is None:
                file.unlink(missing_ok=True)
            else:
                file.write_text(f"---\nupdated: {day}\n---\n[[{target}]]{' #t' if tagged else ''} {len(changes)}")
            vault.apply([f"{name}.md"])
        fresh = opened(root)
        assert (fresh.moc.plan(), fresh.moc.render_map("m.md")) == (vault.moc.plan(), vault.moc.render_map("m.md"))
        vault.close()
        fresh.close()


HOSTILE = st.text(alphabet=st.sampled_from("ab 中文#^[]|%$`<>\\!():=&;*_~-.😀é\u0301\n"), min_size=1, max_size=24)
LONG = st.one_of(HOSTILE, st.integers(1, 400).map(lambda n: "长" * n), st.integers(1, 200).map(lambda n: "😀" * n))
ENTRIES = st.lists(st.tuples(LONG, st.lists(st.sampled_from(["t", "长" * 200]), max_size=3, unique=True), LONG), min_size=1, max_size=30)


@given(ENTRIES, st.sampled_from([0, 100, 700, 2600]))
def test_counts_and_kept_hubs_lie_within_the_budget_whatever_titles_say(entries: list[tuple[str, list[str], str]], budget: int) -> None:
    hubs = tuple(HubEntry(f"n{n}.md", title, 1, tuple(tags), gist) for n, (title, tags, gist) in enumerate(entries))
    counts = {"notes": 40, "wiki": 1, "sources": 2, "core": 3, "inbox": 4}
    plan = MocPlan(counts, None, hubs, len(hubs) + 2, (), 0, (), (), 0)
    names = NameIndex(hub.path for hub in hubs)
    text = render_moc(plan, MOC_WORDS["en"], lambda path, title: render_link(path, title, "index.md", names), budget)
    lines = re.findall(r"^- .*$", text, re.MULTILINE)
    left_out = re.search(r"^\*and (\d+) more\*$", text, re.MULTILINE)
    assert len(lines) + (int(left_out[1]) if left_out else 0) == plan.hubs_total
    head = text.encode()[: max(budget, len(text.partition("\n")[0]))].decode(errors="ignore")
    assert text.startswith("40 notes · ")
    assert all(line in head for line in lines)
    if budget == 2600 and len(hubs) <= 6:
        assert len(lines) == len(hubs), "tags and gists go before a hub does"
    found = scan_markdown(text)
    shown = [resolve_link(link.path, "index.md", names) for link in found.links]
    assert len(shown) == len(lines)
    assert shown == [hub.path for hub in hubs if hub.path in shown], "each line leads to its own hub, in their order"
    assert {tag.lower() for tag in found.tags} <= {"t", "长" * 200}
    assert all(link.kind == "wikilink" for link in found.links)
    assert not re.search(r"`|<|%%|\$|::|\^[A-Za-z0-9-]+$", text, re.MULTILINE)


ODD = [
    "a#b", "a^b", "a[b", "a]b", "a[[b]]", "a|b", "a%%b", "a\\", "a\\b", "a.", "a..", "😀", "cafe\u0301", "长" * 80, "a&b", "a%20b",
    "-a", "a<b", "(a)", "a(b", "=a", "!a", "a`b", "$a$", "kb:moc:end", "x.md", "a?b",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_links_to_odd_file_names_lead_back_to_the_note(name: str, make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"index.md": EMPTY, f"{name}.md": '---\ntitle: "T ]( $x$"\n---\n', f"sub/{name}.md": "---\ntitle: U\n---\n"})
    vault = _opened(open_vault, root)
    vault.refresh_moc()
    links = vault.index.notes["index.md"].links
    assert {f"{name}.md", f"sub/{name}.md"} == {vault.index.resolve(link.path, "index.md") for link in links}


def test_templates_and_lines_without_words_are_no_titles_and_gists(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    files = {
        "Week.md": "---\ntitle: <% tp.date.now() %>\n---\n[[Rule]]",
        "Rule.md": "---\ngist: '>'\n---\n[[Week]] [[Call]]",
        "Call.md": "---\ngist: '[!info] Read me.'\n---\n",
    }
    vault = _opened(open_vault, make_vault({"index.md": EMPTY, **files}))
    assert [("Call", "Read me."), ("Rule", ""), ("Week", "Rule")] == [(hub.title, hub.gist) for hub in vault.moc.plan().hubs]


def test_the_default_settings_are_those_of_no_table_at_all() -> None:
    assert Config() == parse_config("") == parse_config("[moc]\n") == parse_config("[[moc]]\n")
