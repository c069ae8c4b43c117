"""The map of the small vault, against a file that a person has read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.config import Config, Language
from sidecar.daemon.open_vault import OpenVault

SMALL = Path(__file__).resolve().parents[2] / "fixtures/vaults/small"


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_map_of_the_small_vault(language: Language, open_vault: Callable[..., OpenVault], check_golden: Callable[[str, str], None]) -> None:
    vault = open_vault(SMALL, config=Config(language=language))
    vault.open()
    check_golden(f"moc--small-{language}.md", vault.moc.render())
