"""``kb plugin``: into a vault and out again, and nothing of the owner's is touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sidecar.daemon.plugin_files import plugin_path
from tests.interfaces.near_kb import Kb, bytes_of, kb, vault

__all__ = ["kb", "vault"]

APP = {"app.json": '{"alwaysUpdateLinks": true}', "community-plugins.json": '[\n  "dataview"\n]', "plugins/dataview/main.js": "x"}


@pytest.fixture
def obsidian(vault: Path) -> Path:
    for name, text in APP.items():
        path = vault / ".obsidian" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return vault


def test_installed_and_taken_out_the_vault_is_byte_for_byte_as_before(kb: Kb, obsidian: Path) -> None:
    before = bytes_of(obsidian)
    first = kb("plugin", "install", "--vault", obsidian, "--json").json
    assert {"main.js", "manifest.json", "styles.css"} == set(first["changed"])
    assert (True, True, False) == (first["installed"], first["current"], first["enabled"])
    assert [] == kb("plugin", "update", "--vault", obsidian, "--json").json["changed"], "twice is once"
    # Obsidian's own doing once the owner switches it on and changes a setting:
    listed = obsidian / ".obsidian" / "community-plugins.json"
    listed.write_text('[\n  "dataview",\n  "vault-sidecar"\n]')
    (plugin_path(obsidian) / "data.json").write_text("{}")
    assert kb("plugin", "status", "--vault", obsidian, "--json").json["enabled"]
    assert not kb("plugin", "uninstall", "--vault", obsidian, "--json").json["installed"]
    assert before == bytes_of(obsidian)
    assert not plugin_path(obsidian).exists()
    assert "not in this vault" in kb("plugin", "uninstall", "--vault", obsidian).out


def test_an_old_version_is_seen_and_brought_up_with_its_settings_kept(kb: Kb, obsidian: Path) -> None:
    kb("plugin", "install", "--vault", obsidian)
    folder = plugin_path(obsidian)
    (folder / "main.js").write_text("old")
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "version": "0.0.1"}))
    (folder / "data.json").write_text('{"mine": 1}')
    assert "kb plugin update" in kb("plugin", "status", "--vault", obsidian).out
    assert "kb plugin update" in kb("doctor", "--vault", obsidian).out
    assert "from 0.0.1 to" in kb("plugin", "update", "--vault", obsidian).out
    assert '{"mine": 1}' == (folder / "data.json").read_text()
    kb("plugin", "uninstall", "--keep-settings", "--vault", obsidian)
    assert ["data.json"] == [path.name for path in folder.iterdir()]


def test_files_of_others_in_its_folder_and_a_developers_link_stay(kb: Kb, obsidian: Path, tmp_path: Path) -> None:
    kb("plugin", "install", "--vault", obsidian)
    (plugin_path(obsidian) / "mine.txt").write_text("x")
    kb("plugin", "uninstall", "--vault", obsidian)
    assert ["mine.txt"] == [path.name for path in plugin_path(obsidian).iterdir()]
    (plugin_path(obsidian) / "mine.txt").unlink()
    plugin_path(obsidian).rmdir()
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "main.js").write_text("built here")
    plugin_path(obsidian).symlink_to(checkout)
    kb("plugin", "uninstall", "--vault", obsidian)
    assert not plugin_path(obsidian).exists()
    assert "built here" == (checkout / "main.js").read_text()


@pytest.mark.parametrize("text", ["", "{}", "[", '["vault-sidecar", 3]'])
def test_a_list_of_plugins_that_is_odd_stops_nothing(kb: Kb, obsidian: Path, text: str) -> None:
    (obsidian / ".obsidian" / "community-plugins.json").write_text(text)
    assert 0 == kb("plugin", "install", "--vault", obsidian).code
    assert 0 == kb("plugin", "uninstall", "--vault", obsidian).code
    kept = (obsidian / ".obsidian" / "community-plugins.json").read_text()
    assert kept == text or [3] == json.loads(kept)
