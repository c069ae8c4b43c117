"""Obsidian's link rules, row by row: each case is named for the row of the rules it stands for.

A target is the path of the file that a link leads to, or ``?`` and the name of the note that is not written yet.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from sidecar.vault.links import NameIndex, resolve_link
from sidecar.vault.note import Note
from sidecar.vault.parse import parse_canvas, parse_note

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"

Case = tuple[str, list[str], str, str, list[str]]

NFD_NAME = unicodedata.normalize("NFD", "Résumé")
NFC_NAME = unicodedata.normalize("NFC", "Résumé")

# row, files of the vault, path of the source, its text, where its links lead
CASES: list[Case] = [
    ("1.1 path ends at the first hash", ["pa.md"], "s.md", "[[pa#th/path/x]]", ["pa.md"]),
    ("1.1 unresolved is counted under the path alone", [], "s.md", "[[gone#h]] [[gone#i]]", ["?gone", "?gone"]),
    ("1.2 empty path is the note itself", ["s.md"], "s.md", "[[#H]] [t](#h) [[#^id]]", ["s.md", "s.md", "s.md"]),
    ("1.3 a name is found anywhere", ["a/b/Deep.md"], "s.md", "[[Deep]]", ["a/b/Deep.md"]),
    ("1.3 a path is a suffix", ["x/a/Note.md"], "s.md", "[[a/Note]]", ["x/a/Note.md"]),
    ("1.3 a suffix begins at a folder", ["xa/Note.md"], "s.md", "[[a/Note]]", ["?a/Note"]),
    ("1.4.1 whole path wins over own folder", ["Note.md", "z/Note.md"], "z/s.md", "[[Note]]", ["Note.md"]),
    ("1.4.2 own folder wins over a shorter path", ["longer/Note.md", "b/Note.md"], "longer/s.md", "[[Note]]", ["longer/Note.md"]),
    ("1.4.3 then the shortest string", ["zzzz/Note.md", "a/b/Note.md"], "s/s.md", "[[Note]]", ["a/b/Note.md"]),
    ("1.4 a folder above gains nothing", ["zz/Note.md", "b/Note.md"], "zz/deep/s.md", "[[Note]]", ["b/Note.md"]),
    ("1.7 NFD link, NFC file", [f"{NFC_NAME}.md"], "s.md", f"[[{NFD_NAME}]]", [f"{NFC_NAME}.md"]),
    ("1.7 NFC link, NFD file", [f"{NFD_NAME}.md"], "s.md", f"[[{NFC_NAME}]]", [f"{NFD_NAME}.md"]),
    ("1.7 full-width stays distinct", ["ABC.md"], "s.md", "[[ＡＢＣ]]", ["?ＡＢＣ"]),
    ("1.7 Cyrillic look-alike stays distinct", ["a.md"], "s.md", "[[а]]", ["?а"]),
    ("1.8 case is ignored in names and folders", ["Folder/Log.md"], "s.md", "[[LOG]] [[folder/log]]", ["Folder/Log.md"] * 2),
    ("1.8 case is ignored in .MD", ["Ext.md"], "s.md", "[[Ext.MD]]", ["Ext.md"]),
    ("1.10 with and without .md", ["x.md"], "s.md", "[[x.md]] [[x]] [t](x) [t](x.md)", ["x.md"] * 4),
    ("1.11 dots in names", ["v1.2 plan.md", "Vol. 2.md"], "s.md", "[[v1.2 plan]] [[Vol. 2]]", ["v1.2 plan.md", "Vol. 2.md"]),
    ("1.12 attachments need their extension", ["p/pic.png"], "s.md", "[[pic]] ![[pic.png]]", ["?pic", "p/pic.png"]),
    ("1.12 canvas needs its extension", ["c.canvas"], "s.md", "[[c]] [[c.canvas]]", ["?c", "c.canvas"]),
    ("1.13 relative", ["a/b/s.md", "a/b/x.md", "a/y.md"], "a/b/s.md", "[t](./x.md) [t](../y.md)", ["a/b/x.md", "a/y.md"]),
    ("1.13 out of the vault", ["y.md"], "s.md", "[t](../../y.md)", ["?../../y.md"]),
    ("1.16 an alias is no target", ["n.md"], "n.md", "---\naliases: [AI]\n---\n[[AI]]", ["?AI"]),
    ("1.17 a title is no target", ["n.md"], "n.md", "---\ntitle: My Title\n---\n# My Title\n\n[[My Title]]", ["?My Title"]),
    ("1.18 markdown links are looked up vault-wide", ["Sub/My Note.md"], "s.md", "[y](My%20Note.md)", ["Sub/My Note.md"]),
    ("1.18 percent in Chinese", ["中文 笔记.md"], "s.md", "[t](%E4%B8%AD%E6%96%87%20%E7%AC%94%E8%AE%B0.md)", ["中文 笔记.md"]),
    ("1.18 angle brackets", ["My Note.md"], "s.md", "[t](<My Note.md>)", ["My Note.md"]),
    ("1.19 percent in a wikilink is literal", ["My Note.md"], "s.md", "[[100%x]] [[My%20Note]]", ["?100%x", "?My%20Note"]),
    ("1.20 outer spaces", ["OLTP.md", "x.md"], "s.md", "[[OLTP ]] [[ x |y]]", ["OLTP.md", "x.md"]),
    ("1.21 URL in a wikilink", [], "s.md", "[[https://example.org/a]]", ["?https://example.org/a"]),
    ("1.22 scheme", [], "s.md", "[t](https://example.org) [t](mailto:a@b.c) [t](obsidian://open)", []),
    ("1.22 no scheme", [], "s.md", "[t](publish.obsidian.md/x)", ["?publish.obsidian.md/x"]),
    ("2.1 headings, lists, tasks", ["x.md"], "s.md", "# [[x]]\n- [[x]]\n- [ ] [[x]]\n", ["x.md"] * 3),
    ("2.2 callouts and quotes", ["x.md"], "s.md", "> [!note] [[x]]\n> [[x]]\n\n> > [[x]]", ["x.md"] * 3),
    ("2.3 table, escaped bar", ["x.md"], "s.md", "| a | b |\n|---|---|\n| [[x\\|y]] | [[x]] |\n", ["x.md", "x.md"]),
    ("2.3 table, bare bar", ["x.md"], "s.md", "| a | b |\n|---|---|\n| [[x|y]] | z |\n", []),
    ("2.4 fences of any language", ["x.md"], "s.md", "```dataview\n[[x]]\n```\n~~~\n[[x]]\n~~~\n[[x]]", ["x.md"]),
    ("2.5 inline code", ["x.md"], "s.md", "`[[x]]` ``a`[[x]]`` [[x]]", ["x.md"]),
    ("2.5 a lone backtick hides nothing", ["x.md"], "s.md", "it's ` odd [[x]]\n\nand ` again", ["x.md"]),
    ("2.6 indented code", ["x.md"], "s.md", "text\n\n    [[x]]\n", []),
    ("2.6 four spaces in a list", ["x.md"], "s.md", "- a\n    - [[x]]\n\n        [[x]]\n", ["x.md", "x.md"]),
    ("2.7 inline comment", ["x.md"], "s.md", "a %%[[x]]%% b", ["x.md"]),
    ("2.8 block comment", ["x.md", "y.md"], "s.md", "%%\n[[x]]\n%%\n[[y]]", ["y.md"]),
    ("2.8 no partner", ["x.md"], "s.md", "%% open\n[[x]]\n", ["x.md"]),
    ("2.9 HTML comment", ["x.md", "y.md"], "s.md", "a <!-- [[x]] --> [[y]]\n\n<!--\n[[x]]\n-->\n", ["y.md"]),
    ("2.10 inline HTML", ["x.md"], "s.md", '<font color="red">[[x]]</font> and [[x]]', ["x.md", "x.md"]),
    ("2.12 dollar within a wikilink", ["a$b.md", "c$d.md"], "s.md", "[[a$b]] [[c$d]]", ["a$b.md", "c$d.md"]),
    ("2.13 footnote", ["x.md"], "s.md", "a[^1]\n\n[^1]: see [[x]]\n", ["x.md"]),
    ("2.14 properties", ["x.md"], "s.md", '---\na: "[[x]]"\nb: ["[[x|y]]", plain]\n---\n', ["x.md", "x.md"]),
    ("2.14 bare brackets in YAML", ["x.md"], "s.md", "---\na: [[x]]\n---\n", []),
    ("2.14 own heading in a property", ["s.md"], "s.md", '---\na: "[[#h]]"\n---\n', ["s.md"]),
    ("2.15 markdown link in a property", ["my x.md"], "s.md", '---\na: "[t](my%20x.md)"\n---\n', ["my x.md"]),
    ("2.16 embeds", ["x.md", "p.png"], "s.md", "![[x]] ![t](p.png)", ["x.md", "p.png"]),
    ("2.18 nested", [], "s.md", "[[a [[b]] c]]", ["?b"]),
    ("2.19 single bracket", [], "s.md", "[[Sq]uare]]", ["?Sq]uare"]),
    ("2.20 line break", ["x.md"], "s.md", "[[x\ny]]", []),
    ("2.21 empty forms", [], "s.md", "[[]] [t]() [[|]] [[|x]]", ["?|", "?|x"]),
    ("2.22 ## and ^^", ["s.md"], "s.md", "[[##word]] [[^^word]]", ["s.md", "?^^word"]),
    ("2.26 document order", ["a.md", "b.md"], "s.md", "[[b]] [t](a.md)\n\n[[b]]", ["b.md", "a.md", "b.md"]),
    ("3.1 missing heading", ["x.md"], "s.md", "[[x#nowhere]]", ["x.md"]),
    ("3.3 PDF page", ["x.pdf"], "s.md", "![[x.pdf#page=3]]", ["x.pdf"]),
    (
        "G1 bash tests are no links",
        ["x.md"],
        "s.md",
        "```bash\nif [[ -f y ]]; then tr '[[:space:]]' x; fi\n```\n`[[slug]]` [[x]]",
        ["x.md"],
    ),
    ("G3 block in a table", ["note.md"], "s.md", "| a |\n|---|\n| [[note#^abc\\|alias]] |\n", ["note.md"]),
    ("G9 double hash", ["Controllers.md"], "s.md", "[[Controllers##ReplicaSet|x]]", ["Controllers.md"]),
    ("G9 slash in heading", ["Pronouns.md"], "s.md", "[[Pronouns#she/her|she/her pronouns]]", ["Pronouns.md"]),
    # neighbours of the rows: other doors and spellings
    ("1.1 in an embed and a property", ["pa.md"], "s.md", '---\na: "[[pa#th/x]]"\n---\n![[pa#th/path/x]]', ["pa.md", "pa.md"]),
    ("1.3 an embedded suffix", ["x/a/p.png"], "s.md", "![[a/p.png]] ![t](a/p.png)", ["x/a/p.png"] * 2),
    ("1.4.2 own folder, any door", ["z/N.md", "b/N.md"], "z/s.md", '---\na: "[[N]]"\n---\n![[N]] [t](N.md)', ["z/N.md"] * 3),
    ("1.4.2 own folder of an attachment", ["zz/p.png", "b/p.png"], "zz/s.md", "![[p.png]]", ["zz/p.png"]),
    ("1.7 NFD in a percent-encoded link", [f"{NFC_NAME}.md"], "s.md", "[t](Re%CC%81sume%CC%81.md)", [f"{NFC_NAME}.md"]),
    ("1.7 full-width in a folder", ["Ａ/N.md"], "s.md", "[[A/N]] [[Ａ/N]]", ["?A/N", "Ａ/N.md"]),
    ("1.8 case in embeds and extensions", ["p/Pic.PNG"], "s.md", "![[pic.png]] [t](PIC.png)", ["p/Pic.PNG"] * 2),
    ("1.11 a name that ends like a file", ["a.png.md", "b.js.md"], "s.md", "[[a.png]] [[b.js]]", ["a.png.md", "b.js.md"]),
    ("1.13 relative embed", ["a/s.md", "a/img/p.png"], "a/s.md", "![t](./img/p.png)", ["a/img/p.png"]),
    ("1.18 a percent that encodes nothing", ["100% x.md"], "s.md", "[t](<100% x.md>)", ["100% x.md"]),
    ("1.20 spaces before the hash", ["x.md"], "s.md", "[[ x #h]]", ["x.md"]),
    ("1.22 scheme in any case", [], "s.md", "[t](HTTPS://e.org) ![t](https://e.org/p.png)", []),
    ("2.3 bare bar in an embed's size", ["p.png"], "s.md", "| a | b |\n|---|---|\n| ![[p.png|9]] | ![[p.png\\|9]] |\n", ["p.png"]),
    ("2.3 table without outer bars", ["x.md"], "s.md", "a | b\n:--|--:\n[[x|y]] | [[x]]\n", ["x.md"]),
    ("2.4 a fence in a list and a quote", ["x.md"], "s.md", "- ```\n  [[x]]\n  ```\n\n> ~~~\n> [[x]]\n\n[[x]]", ["x.md"]),
    ("2.14 nested and in lists", ["x.md"], "s.md", '---\na: {b: ["[[x]]"]}\nc:\n  - "[[x#h]]"\n---\n', ["x.md"] * 2),
    ("2.15 URL in a property", [], "s.md", '---\na: "[t](https://example.org)"\n---\n', []),
    ("2.16 an embed in an inline comment", ["x.md"], "s.md", "a %%![[x]]%%", ["x.md"]),
    ("2.18 nested embed", [], "s.md", "[[a ![[b]] c]]", ["?b"]),
]

# Rows without evidence: what we chose, so that a change is one on purpose.
CHOICES: list[Case] = [
    ("1.5 below the source's folder first", ["p/sub/deep/N.md", "q/N.md"], "p/s.md", "[[N]]", ["p/sub/deep/N.md"]),
    ("1.6 equal length: the first by name", ["bb/Tie.md", "aa/Tie.md"], "s/s.md", "[[Tie]]", ["aa/Tie.md"]),
    ("1.9 twins: the exact spelling", ["Foo.md", "foo.md"], "s.md", "[[foo]] [[Foo]]", ["foo.md", "Foo.md"]),
    ("1.9 twins: else the first by name", ["Foo.md", "foo.md"], "s.md", "[[FOO]]", ["Foo.md"]),
    ("1.13 relative wikilink", ["a/x.md", "x.md"], "a/s.md", "[[./x]] [[../x]]", ["a/x.md", "x.md"]),
    ("1.14 leading slash", ["x.md", "a/x.md"], "a/s.md", "[[/x]] [[/a/x]]", ["x.md", "a/x.md"]),
    ("1.15 a folder is no target", ["a/a.md"], "s.md", "[[a/]]", ["?a/"]),
    ("2.11 block HTML counts", ["x.md"], "s.md", "<div>\n[[x]]\n</div>\n", ["x.md"]),
    ("2.12 math does not count", ["x.md"], "s.md", "$a[[x]]b$\n\n$$\n[[x]]\n$$\n", []),
    ("2.27 reference links do not count", ["x.md"], "s.md", "[t][r]\n\n[r]: x.md\n", []),
]


def _targets(files: list[str], source: str, note: Note) -> list[str]:
    names = NameIndex(files)
    return [resolve_link(link.path, source, names) or f"?{link.path}" for link in note.links]


@pytest.mark.parametrize("case", [*CASES, *CHOICES], ids=lambda case: case[0])
def test_rule(case: Case) -> None:
    _, files, source, text, expected = case
    assert expected == _targets(files, source, parse_note(source, text))


@pytest.mark.parametrize("case", [*CASES, *CHOICES], ids=lambda case: case[0])
def test_order_of_files_does_not_matter(case: Case) -> None:
    _, files, source, text, expected = case
    assert expected == _targets(files[::-1], source, parse_note(source, text))


def test_rule_2_17_files_and_text_cards_of_a_canvas_are_links() -> None:
    nodes = [{"type": "file", "file": "a/x.md"}, {"type": "text", "text": "see [[y]]"}, {"type": "link", "url": "https://example.org"}]
    canvas = parse_canvas("c.canvas", json.dumps({"nodes": nodes}))
    assert ["a/x.md", "y.md"] == _targets(["x.md", "a/x.md", "y.md"], "c.canvas", canvas)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[#a#b||t]]", [("", "#a#b", "|t")]),  # 2.23
        ("[[x|a|b]]", [("x", "", "a|b")]),  # 2.23
        ("[[a#b]] [[#b]]", [("a", "#b", "a > b"), ("", "#b", "b")]),  # 2.24
        ("![[i.png|100x145]]", [("i.png", "", "100x145")]),  # 3.3
        ("[t](x.md#a%20b)", [("x.md", "#a b", "t")]),  # 1.18
        ("| a |\n|---|\n| [[n#^b\\|c]] |\n", [("n", "#^b", "c")]),  # G3
    ],
    ids=["2.23-bars", "2.23-second-bar", "2.24", "3.3", "1.18-subpath", "G3"],
)
def test_parts_of_a_link(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert expected == [(link.path, link.subpath, link.display) for link in parse_note("s.md", text).links]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#a %% #b %% <!-- #c --> d", ("a", "b")),  # 3.5
        ("---\ntags: [x, y/z]\n---\n#X", ("x", "y/z", "X")),
        ("---\ntags: x, y\n---\n", ("x", "y")),
        ("---\ntags: '#x'\n---\n", ("x",)),
        ("#123 #1a a#b `#c` #中文标签。后 #a/b,c", ("1a", "中文标签", "a/b")),
        ("# Heading\n##not a heading", ()),
    ],
    ids=["3.5-comments", "list", "one-line", "hash", "shapes", "headings"],
)
def test_tags(text: str, tags: tuple[str, ...]) -> None:
    assert tags == parse_note("s.md", text).tags


@pytest.mark.parametrize(
    ("text", "aliases"),
    [("aliases: [A, 'B C']", ("A", "B C")), ("aliases: A, B", ("A", "B")), ("alias: A", ()), ("aliases: [1, 二]", ("1", "二"))],
    ids=["list", "text", "3.4-singular", "numbers"],
)
def test_aliases(text: str, aliases: tuple[str, ...]) -> None:
    assert aliases == parse_note("s.md", f"---\n{text}\n---\n").aliases


def test_rule_3_2_block_ids() -> None:
    text = "para ^one\n\n- item ^Two-2\n\n| a |\n|---|\n| b |\n\n^table\n\nno ^bad_id\n\n```\ncode ^no\n```\n"
    assert ("one", "Two-2", "table") == parse_note("s.md", text).blocks


# ── which rows the tests of this room stand for ─────────────────────────────────────────────

OTHER_TESTS = {
    "1.23": "tests/flows/test_links_follow_names.py::test_rule_1_23",
    "1.24": "tests/flows/test_links_follow_names.py::test_rule_1_24",
    "2.17": "tests/unit/vault/test_link_rules.py::test_rule_2_17",
    "2.23": "tests/unit/vault/test_link_rules.py::test_parts_of_a_link",
    "2.24": "tests/unit/vault/test_link_rules.py::test_parts_of_a_link",
    "2.25": "tests/flows/test_links_follow_names.py::test_rule_2_25",
    "3.2": "tests/unit/vault/test_link_rules.py::test_rule_3_2",
    "3.4": "tests/unit/vault/test_link_rules.py::test_aliases",
    "3.5": "tests/unit/vault/test_link_rules.py::test_tags",
    "3.6": "tests/unit/vault/test_link_rules.py::test_choice_3_6",
}


def test_choice_3_6_offsets_count_code_points() -> None:
    (link,) = parse_note("s.md", "😀 [[x]]").links
    assert link.start == 2


def test_every_row_of_the_rules_has_a_test(shared: Path) -> None:
    rows = re.findall(r"^\| (\d\.\d+) \|", (shared / "data/obsidian-links.md").read_text("utf-8"), re.MULTILINE)
    tested = {".".join(case[0].split()[0].split(".")[:2]) for case in [*CASES, *CHOICES]} | OTHER_TESTS.keys()
    assert len(rows) >= 57
    assert [] == [row for row in rows if row not in tested]


@pytest.mark.parametrize("row", OTHER_TESTS)
def test_a_row_tested_elsewhere_is_tested(row: str) -> None:
    file, _, name = OTHER_TESTS[row].partition("::")
    assert f"def {name}" in (FIXTURES.parent / file).read_text("utf-8")


# ── what a maintainer read off Obsidian 1.13.7's console ─────────────────────────────────────────

CONSOLE: list[dict[str, Any]] = json.loads((FIXTURES / "links/console-1.13.7.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", CONSOLE, ids=lambda case: case["id"])
def test_console_case(case: dict[str, Any]) -> None:
    links = parse_note(case.get("source", "src.md"), case.get("text") or case["link"]).links
    if "parsed_list" in case:
        assert case["parsed_list"] == [link.path for link in links]
        return
    (link,) = links
    assert case.get("parsed", link.path) == link.path
    assert case["target"] == resolve_link(link.path, case["source"], NameIndex(case["files"]))


def test_console_cases_are_those_of_the_shared_data(shared: Path) -> None:
    there = json.loads((shared / "data/obsidian-truth/console-1.13.7.json").read_text("utf-8"))
    assert there["cases"] == CONSOLE
