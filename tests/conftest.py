"""What all tests share: no network but loopback, a stopped clock where one is asked for, small vaults made in view."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from sidecar.config import KB_FOLDER, Config, load_config
from sidecar.daemon.container import open_cache, wire_vault
from sidecar.daemon.open_vault import OpenVault
from sidecar.vault.files import VaultFiles

# The same examples every time: a run that fails fails again. `./test --slow` looks further.
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("slow", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("KB_HYPOTHESIS", "repeatable"))

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


OpenVaultAt = Callable[..., OpenVault]


@pytest.fixture
def open_vault() -> Iterator[OpenVaultAt]:
    """Give a call that opens the vault at a folder, wired as the daemon does it; with ``keep``, its cache stays on disk."""
    opened: list[OpenVault] = []

    def open_at(root: Path, *, keep: bool = False, config: Config | None = None) -> OpenVault:
        files = VaultFiles(root)
        settings = config or load_config(root)
        cache = open_cache(root / KB_FOLDER / "cache" / "index.sqlite" if keep else None)
        vault = wire_vault(files, cache, lambda: settings)
        opened.append(vault)
        return vault

    yield open_at
    for vault in opened:
        vault.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the expected files anew; read them before committing")


@pytest.fixture
def check_golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Give a call that compares a text with a file in ``tests/golden/``; only ``--update-golden`` writes one."""

    def check(name: str, text: str) -> None:
        path = ROOT / "tests" / "golden" / name
        if request.config.getoption("--update-golden"):
            path.write_bytes(text.encode("utf-8"))
        assert path.is_file(), f"there is no {name}; read what --update-golden writes, then commit it"
        assert path.read_bytes().decode("utf-8") == text

    return check
