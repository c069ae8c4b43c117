"""What Obsidian itself recorded about a vault of 202 files is what we read from the same files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.daemon.open_vault import OpenVault
from sidecar.vault.files import VaultFiles
from sidecar.vault.frontmatter import body_offset
from sidecar.vault.markdown import scan_markdown
from sidecar.vault.note import Link, Note

COMMA_TAGS = "Test Data/yaml_tags_with_two_values_on_one_line.md"
OpenVaultAt = Callable[..., OpenVault]


@pytest.fixture
def truth(shared: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((shared / "data/obsidian-truth/tasks-demo/truth.json").read_text("utf-8"))
    return loaded


@pytest.fixture
def demo_root(shared: Path) -> Path:
    return shared / "data/obsidian-truth/tasks-demo/vault"


@pytest.fixture
def demo(demo_root: Path, open_vault: OpenVaultAt) -> OpenVault:
    vault = open_vault(demo_root)
    vault.open()
    return vault


def _counts(vault: OpenVault, *, resolved: bool) -> dict[str, dict[str, int]]:
    return {
        path: dict(Counter(edge.target for edge in vault.graph.forward(path) if edge.resolved is resolved)) for path in vault.index.notes
    }


@pytest.mark.parametrize("kind", ["resolved", "unresolved"])
def test_every_file_links_to_what_obsidian_counted(kind: str, demo: OpenVault, truth: dict[str, Any]) -> None:
    assert truth[kind] == _counts(demo, resolved=kind == "resolved")


@pytest.mark.parametrize("field", ["links", "embeds", "frontmatterLinks", "headings", "tags", "all_tags", "blocks", "resolve"])
def test_every_detailed_note_is_parsed_as_obsidian_did(field: str, demo: OpenVault, demo_root: Path, truth: dict[str, Any]) -> None:
    expected = {path: detail[field] for path, detail in truth["notes_detail"].items() if detail.get(field)}
    if field == "all_tags":
        # `tags: a, b` is one broken tag to Obsidian 1.12, which shows none; we read two, as older ones did and the vault means.
        expected[COMMA_TAGS] = ["#value-1-of-2-on-one-line", "#value-2-of-2-on-one-line", "#task"]
    files = VaultFiles(demo_root)
    read: dict[str, Any] = {}
    for path in truth["notes_detail"]:
        found = _detail(field, demo, demo.index.notes[path], files.read(path).text)
        if found:
            read[path] = found
    assert expected == read


def _detail(field: str, vault: OpenVault, note: Note, text: str) -> Any:
    match field:
        case "links":
            return [_placed(link, text) for link in note.links if link.kind in ("wikilink", "markdown")]
        case "embeds":
            return [_placed(link, text) for link in note.links if link.kind == "embed"]
        case "frontmatterLinks":
            return [{"key": link.key, **_shown(link)} for link in note.links if link.kind == "property"]
        case "headings":
            return [[heading.level, heading.text] for heading in note.headings]
        case "blocks":
            return list(note.blocks)
        case "all_tags":
            return [f"#{tag}" for tag in note.tags]
        case "tags":
            return [f"#{tag}" for tag in scan_markdown(text, body_offset(text)).tags]
        case "resolve":
            links = [link for link in note.links if link.kind != "embed"]
            return {link.path + link.subpath: vault.index.resolve(link.path, note.path) for link in links}
    return None


def _shown(link: Link) -> dict[str, Any]:
    return {"link": link.path + link.subpath, "original": link.raw, "displayText": link.display}


def _placed(link: Link, text: str) -> dict[str, Any]:
    return {**_shown(link), "offset": [_utf16(text[: link.start]), _utf16(text[: link.start + len(link.raw)])]}


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
