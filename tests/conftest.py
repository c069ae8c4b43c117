"""What all tests share: no network but loopback, a stopped clock where one is asked for, small vaults made in view."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
SHARED = ROOT.parent / "shared"

MakeVault = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test that would leave this machine."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(("127.", "::1")):
            pytest.fail(f"a test tried to reach {address}")
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture(autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep endpoint files and settings of this machine's user out of the tests."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    for name in ("KB_VAULT", "KB_NOW", "KB_ALLOW_LOOPBACK"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def make_vault(tmp_path: Path) -> MakeVault:
    """Give a call that writes files into a new folder and returns it."""

    def make(files: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / "vault"
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return root

    return make


@pytest.fixture
def shared() -> Path:
    """Give the folder of shared data; skip where the checkout stands alone."""
    if not SHARED.is_dir():
        pytest.skip("the shared data does not lie beside this checkout; the small cases in fixtures/ are tested all the same")
    return SHARED
