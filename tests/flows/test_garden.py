"""The main promises on a real Chinese vault of 2,858 notes, held against counts that share no code with the product."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from sidecar.daemon.init import init_vault
from tests.conftest import OpenVaultAt

FENCE = re.compile(r"^([ \t>]*)(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*\2[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)*?(?<!`)\1(?!`)", re.DOTALL)
COMMENTS = re.compile(r"^%%[ \t]*\n.*?^%%[ \t]*$|<!--.*?-->", re.DOTALL | re.MULTILINE)
INDENTED_CODE = re.compile(r"\n\n\t(?![-*+\d\t])[^\n]*")
WIKILINK = re.compile(r"(?<!\\)\[\[(?!\])[^\[\]\n]+\]\]")
MARKDOWN_LINK = re.compile(r"\]\(\s*<?([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
PROPERTY_LINK = re.compile(r"^\s*(?:-|[\w -]+:)\s*[\"']!?\[\[[^\]\n]+\]\][\"']\s*$", re.MULTILINE)
FRONTMATTER = re.compile(r"\ufeff?---[ \t]*\n(.*?)^---[ \t]*$\n?", re.DOTALL | re.MULTILINE)


def count_links(text: str) -> int:
    """Count the links of a note by plain patterns, after taking out what is no text."""
    text = text.replace("\r\n", "\n")
    head = FRONTMATTER.match(text)
    body = text[head.end() :] if head else text
    for pattern in (COMMENTS, FENCE, INLINE_CODE, INDENTED_CODE):
        body = pattern.sub("", body)
    paths = [path for path in MARKDOWN_LINK.findall(body) if path and not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", path)]
    return len(WIKILINK.findall(body)) + len(paths) + len(PROPERTY_LINK.findall(head[1] if head else ""))


@pytest.fixture
def garden(shared: Path, tmp_path: Path) -> Path:
    root = tmp_path / "garden"
    shutil.copytree(shared / "data/vaults/knowledge-garden-oldwinter/vault", root, copy_function=shutil.copyfile)
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return root


def visible(root: Path) -> list[Path]:
    return [p for p in sorted(root.rglob("*")) if p.is_file() and not any(part.startswith(".") for part in p.relative_to(root).parts)]


def test_the_graph_holds_every_file_and_every_link(garden: Path, open_vault: OpenVaultAt) -> None:
    vault = open_vault(garden)
    vault.open()
    graph = vault.graph.as_json()
    files = {path.relative_to(garden).as_posix() for path in visible(garden)}
    assert {node["path"] for node in graph["nodes"] if node["kind"] != "unresolved"} == files
    counted = {
        name: count
        for name in files
        if name.endswith(".md") and (count := count_links((garden / name).read_text("utf-8", errors="replace")))
    }
    edges: dict[str, int] = {}
    for edge in graph["edges"]:
        if edge["source"].endswith(".md"):
            edges[edge["source"]] = edges.get(edge["source"], 0) + 1
    assert edges == counted
    assert sum(counted.values()) > 6000


def test_a_word_is_found_in_the_middle_of_sentences(garden: Path, open_vault: OpenVaultAt) -> None:
    vault = open_vault(garden)
    vault.open()
    result = vault.search.search("知识库", limit=200)
    found = {hit.path for hit in result.hits}
    texts = {
        p.relative_to(garden).as_posix(): FRONTMATTER.sub("", p.read_text("utf-8"), count=1) for p in visible(garden) if p.suffix == ".md"
    }
    inside = {name for name, text in texts.items() if re.search(r"[\u4e00-\u9fff]知识库[\u4e00-\u9fff]", text)}
    assert len(inside) >= 5
    assert inside - found == set()
    for hit in result.hits:
        for snippet in hit.snippets:
            assert all("知识库" in snippet.text[start:end] for start, end in snippet.highlights)


def test_a_restart_parses_nothing_and_a_lost_cache_changes_no_byte(garden: Path, open_vault: OpenVaultAt) -> None:
    init_vault(garden, "zh-CN")
    first = open_vault(garden, keep=True)
    assert first.open().parsed == len([p for p in visible(garden) if p.suffix in (".md", ".canvas")])
    first.settle()
    first.close()
    again = open_vault(garden, keep=True)
    assert again.open().parsed == 0
    again.settle()
    written = {name: (garden / name).read_bytes() for name in ("index.md", ".kb/index.json")}
    graph = again.graph.as_json()
    again.close()
    shutil.rmtree(garden / ".kb" / "cache")
    anew = open_vault(garden, keep=True)
    anew.open()
    anew.settle()
    assert anew.graph.as_json() == graph
    assert {name: (garden / name).read_bytes() for name in written} == written


def test_setting_up_and_mapping_touch_no_note(garden: Path, open_vault: OpenVaultAt) -> None:
    before = {path: path.read_bytes() for path in visible(garden)}
    init_vault(garden, "en")
    vault = open_vault(garden, keep=True)
    vault.open()
    vault.settle()
    assert {path: path.read_bytes() for path in before} == before
    assert [path.name for path in visible(garden) if path not in before] == ["index.md"]
