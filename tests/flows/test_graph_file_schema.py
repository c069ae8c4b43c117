"""``.kb/index.json`` is what its page and its schema say."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from sidecar.api.models.graph import EdgeAnswer, GraphFile, HubAnswer, NodeAnswer, TagAnswer
from sidecar.daemon.open_vault import OpenVault
from sidecar.graph.service import GRAPH_VERSION
from sidecar.vault.note import LinkKind
from tests.conftest import FIXTURES, ROOT

PAGE = (ROOT / "docs" / "index-json.md").read_text("utf-8")
OpenVaultAt = Callable[..., OpenVault]


def _first_column(heading: str) -> set[str]:
    """Give the names in the first column of the table with this head."""
    table = PAGE.split(f"| {heading} | what |\n")[1].split("\n\n")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE))


def _fields_under(title: str) -> set[str]:
    section = PAGE.split(title)[1].split("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", section.split("| field | what |")[1].split("\n\n")[0], re.MULTILINE))


def test_the_file_of_the_small_vault_fits_the_schema(open_vault: OpenVaultAt, tmp_path: Path) -> None:
    root = tmp_path / "vault"
    shutil.copytree(FIXTURES / "vaults/small", root)
    vault = open_vault(root)
    vault.open()
    assert vault.graph.write_file()
    data = (root / ".kb/index.json").read_bytes()
    read = GraphFile.model_validate_json(data, strict=True)
    assert (GRAPH_VERSION, True, True, True) == (read.version, bool(read.nodes), bool(read.edges), bool(read.hubs))
    assert {"note", "canvas", "attachment", "unresolved"} == {node.kind for node in read.nodes}
    assert {"version", "nodes", "edges"} == vault.graph.as_json().keys()
    assert json.loads(data) == read.model_dump(mode="json")
    places = {(node.path, node.kind != "unresolved") for node in read.nodes}
    assert all((edge.source, True) in places and (edge.target, edge.resolved) in places for edge in read.edges)
    broken = json.loads(data)
    broken["edges"][0]["kind"] = "guess"
    with pytest.raises(ValidationError):
        GraphFile.model_validate(broken)


def test_the_recorded_schema_is_that_of_the_model() -> None:
    recorded = json.loads((ROOT / "docs/index.schema.json").read_text("utf-8"))
    assert recorded == GraphFile.model_json_schema(), "write it anew with: python .ci/openapi.py"


def test_the_page_names_every_field_and_kind_and_no_other() -> None:
    assert GraphFile.model_fields.keys() == _fields_under("skip what you do not know")
    assert NodeAnswer.model_fields.keys() == _fields_under("## A node")
    assert EdgeAnswer.model_fields.keys() == _fields_under("## An edge")
    rows = {f"hubs[].{name}" for name in HubAnswer.model_fields} | {f"tags[].{name}" for name in TagAnswer.model_fields}
    assert rows == _fields_under("## A hub and a tag")
    assert set(get_args(NodeAnswer.model_fields["kind"].annotation)) == _first_column("`kind` of a node")
    assert set(get_args(LinkKind)) == _first_column("`kind` of an edge")
    assert f"**Version {GRAPH_VERSION}.**" in PAGE
