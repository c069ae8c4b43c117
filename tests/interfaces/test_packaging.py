"""What is handed on: a wheel with all that runs, installed into an environment of its own, without network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from sidecar import __version__
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build wheel and sdist as a release does."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(out)], cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist


@pytest.fixture(scope="module")
def installed(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel alone into a new environment that sees the other packages of this one; give its ``kb``."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--no-deps", "--quiet", str(built[0])]
    subprocess.run([*command, "--disable-pip-version-check"], check=True, capture_output=True, timeout=120)
    (site,) = folder.glob("lib/python*/site-packages")
    # A line of a .pth file adds the folder, but not what that folder's own .pth files name: this checkout stays out.
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "kb"


def kb_of(installed: Path, tmp_path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.defpath, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "LANG": "C.UTF-8"}
    return subprocess.run([str(installed), *args], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_the_wheel_holds_every_file_of_the_package_the_plugin_and_the_template(built: tuple[Path, Path]) -> None:
    listed = subprocess.run(
        ["git", "-c", "core.quotepath=off", "ls-files", "-z", "sidecar", "obsidian-plugin/dist", "vault_template"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("this is no checkout of git")
    names = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    wanted = {
        name.replace("obsidian-plugin/dist/", "sidecar/bundle/").replace("vault_template/", "sidecar/vault_template/", 1) for name in names
    }
    with zipfile.ZipFile(built[0]) as wheel:
        held = set(wheel.namelist())
    assert wanted - held == set()
    assert {name for name in held if not name.startswith(("sidecar/", "vault_sidecar-"))} == set()
    assert not [name for name in held if name.endswith((".pyc", ".map")) or "/tests/" in name or "node_modules" in name]
    with tarfile.open(built[1]) as sdist:
        packed = {name.partition("/")[2] for name in sdist.getnames()}
    assert names - packed == set(), "the source archive builds the same wheel"


def test_the_version_is_one(built: tuple[Path, Path]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert __version__ == project["version"]
    assert f"-{__version__}-" in built[0].name


def test_installed_from_the_wheel_alone_it_sets_a_vault_up_with_its_plugin(installed: Path, tmp_path: Path) -> None:
    version = kb_of(installed, tmp_path, "--version")
    assert (0, f"kb {__version__}\n") == (version.returncode, version.stdout), version.stderr
    ask = [str(installed.parent / "python"), "-c", "import sidecar; print(sidecar.__file__)"]
    where = subprocess.run(ask, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert where.stdout.startswith(str(installed.parent.parent)), "it is the wheel's, not this checkout's"
    made = kb_of(installed, tmp_path, "init", "vault", "--no-plugin", "--json")
    assert 0 == made.returncode, made.stderr
    assert json.loads(made.stdout)["new"]
    assert (tmp_path / "vault" / "SCHEMA.md").is_file()
    put = kb_of(installed, tmp_path, "plugin", "install", "--vault", "vault", "--json")
    assert 0 == put.returncode, put.stderr
    folder = tmp_path / "vault" / ".obsidian" / "plugins" / "vault-sidecar"
    assert {"main.js", "manifest.json", "styles.css"} == {path.name for path in folder.iterdir()}
    found = kb_of(installed, tmp_path, "list", "--vault", "vault", "--json")
    assert "SCHEMA.md" in found.stdout
    unit = kb_of(installed, tmp_path, "service", "install", "--dry-run", "--platform", "linux", "--vault", "vault")
    assert f'ExecStart="{installed}" "serve"' in unit.stdout, "the login item starts the command that was typed"
