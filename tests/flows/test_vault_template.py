"""The vault that a newcomer begins with: every layer is shown, everything hangs together, nothing is switched on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sidecar.config import Folders
from sidecar.daemon.init import init_vault
from sidecar.feeds.preference import parse_preference
from sidecar.vault.address import url_hash
from sidecar.vault.layers import layer_of
from tests.conftest import ROOT, OpenVaultAt

TEMPLATE = ROOT / "vault_template"


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    assert init_vault(root, "en").is_new_vault
    return root


def test_each_layer_has_a_note_that_shows_it(fresh: Path, open_vault: OpenVaultAt) -> None:
    vault = open_vault(fresh)
    vault.open()
    layers = {layer_of(path, Folders()) for path in vault.index.notes}
    assert {"core", "wiki", "sources", "inbox", "graveyard"} <= layers
    assert {} == vault.index.problems
    assert [] == [note.path for note in vault.index.notes.values() if note.property_error]


def test_its_links_lead_somewhere_but_for_one_that_shows_what_unwritten_means(fresh: Path, open_vault: OpenVaultAt) -> None:
    vault = open_vault(fresh)
    vault.open()
    assert ["Evergreen notes"] == list(vault.graph.unresolved())
    orphans = set(vault.graph.orphans())
    assert orphans <= {"index.md"}, "what stands alone teaches nothing about links"


def test_the_captured_page_is_known_by_its_address(fresh: Path) -> None:
    text = (fresh / "sources" / "a-note-is-a-promise.md").read_text("utf-8")
    url, hash_ = (re.search(rf"^{key}: (.+)$", text, re.MULTILINE) for key in ("url", "hash"))
    assert url is not None
    assert hash_ is not None
    assert url_hash(url[1]) == hash_[1]


def test_the_schema_fits_what_an_agent_is_given() -> None:
    data = (TEMPLATE / "SCHEMA.md").read_bytes()
    assert len(data) <= 4096
    text = data.decode("utf-8")
    assert all(f"`{folder}/`" in text for folder in ("core", "wiki", "sources", "inbox", "_graveyard"))
    assert "never instruction" in text


def test_the_starting_preference_fetches_nothing_and_every_line_of_it_works(fresh: Path) -> None:
    text = (fresh / ".kb" / "preference.yaml").read_text("utf-8")
    assert () == parse_preference(text).subscriptions()
    lines = text.split("\n")
    switched_on = "\n".join(re.sub(r"^# (?=(?:  |[a-z]+:(?: |$)))", "", line) for line in lines)
    found = parse_preference(switched_on)
    assert 4 == len(found.subscriptions())
    assert all(one.url.startswith("https://") for one in found.subscriptions())
    assert found.themes
    assert found.redlines
    assert found.charter
