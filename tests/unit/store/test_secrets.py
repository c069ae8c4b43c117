"""Secrets stay out of the vault, out of other users' sight and out of what is printed."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sidecar.errors import SecretInvalid
from sidecar.llm import find_key
from sidecar.store import Secrets


def test_a_secret_kept_in_a_file_is_only_its_owners(tmp_path: Path) -> None:
    store = Secrets(tmp_path / "state", "file")
    assert "file" == store.put("cookie:example.com", "SESSDATA=1; x=2")
    path = tmp_path / "state" / "secrets.json"
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)
    again = Secrets(tmp_path / "state", "file")
    assert "SESSDATA=1; x=2" == again.find("cookie:example.com")
    assert ["cookie:example.com"] == again.names()
    assert again.remove("cookie:example.com")
    assert not again.remove("cookie:example.com")
    assert again.find("cookie:example.com") is None


@pytest.mark.parametrize(
    ("host", "expected"),
    [("example.com", "c=1"), ("www.example.com", "c=1"), ("EXAMPLE.com.", "c=1"), ("badexample.com", ""), ("example.com.evil.net", ""),
     ("com", ""), ("", ""), ("own.example.com", "c=2")],
)  # fmt: skip
def test_a_cookie_belongs_to_its_domain_and_those_below(tmp_path: Path, host: str, expected: str) -> None:
    store = Secrets(tmp_path, "file")
    store.put("cookie:example.com", "c=1")
    store.put("cookie:own.example.com", "c=2")
    store.put("cookie:com", "never")
    assert expected == store.cookie_of(host)


@pytest.mark.parametrize(
    ("name", "value"), [("", "x"), ("A", "x"), ("../x", "x"), ("a b", "x"), ("a", ""), ("a", "x\r\nSet: y"), ("a", "\0")]
)
def test_what_cannot_be_a_secret_is_refused(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(SecretInvalid):
        Secrets(tmp_path, "file").put(name, value)
    assert [] == list(tmp_path.iterdir())


def test_a_damaged_file_is_no_secret_and_no_crash(tmp_path: Path) -> None:
    for text in ("{", "[]", '{"a": {"b": 1}}', ""):
        (tmp_path / "secrets.json").write_text(text, encoding="utf-8")
        assert Secrets(tmp_path, "file").find("a") is None


class Ring:
    """A keyring of the protocol that the system's have."""

    priority = 5

    def __init__(self, *, locked: bool = False) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = locked

    def set_password(self, service: str, name: str, value: str) -> None:
        if self.locked:
            raise RuntimeError("locked")
        self.kept[service, name] = value

    def get_password(self, service: str, name: str) -> str | None:
        if self.locked:
            raise RuntimeError("locked")
        return self.kept.get((service, name))

    def delete_password(self, service: str, name: str) -> None:
        del self.kept[service, name]


def ring_store(folder: Path, ring: Ring, monkeypatch: pytest.MonkeyPatch) -> Secrets:
    import keyring

    def get() -> Any:
        return ring

    monkeypatch.setattr(keyring, "get_keyring", get)
    return Secrets(folder)


def test_the_systems_keyring_holds_the_value_and_the_file_only_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring()
    store = ring_store(tmp_path, ring, monkeypatch)
    assert "keyring" == store.put("key:llm", "very-secret")
    assert {("vault-sidecar", "key:llm"): "very-secret"} == ring.kept
    assert "very-secret" not in (tmp_path / "secrets.json").read_text("utf-8")
    assert "very-secret" == store.find("key:llm")
    assert store.remove("key:llm")
    assert {} == ring.kept


def test_a_locked_keyring_never_loses_a_new_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ring_store(tmp_path, Ring(locked=True), monkeypatch)
    assert "file" == store.put("key:llm", "very-secret")
    assert "very-secret" == store.find("key:llm")


def test_the_command_takes_a_secret_from_a_pipe_and_never_prints_it(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "KB_SECRETS": "file"}
    kb = [sys.executable, "-m", "sidecar.cli.main"]
    put = subprocess.run(
        [*kb, "secrets", "set", "cookie:example.com"], input="c=very-secret\n", capture_output=True, text=True, env=environment
    )
    assert (0, True) == (put.returncode, "very-secret" not in put.stdout + put.stderr)
    listed = subprocess.run([*kb, "secrets", "list", "--json"], capture_output=True, text=True, env=environment)
    entry = {"name": "cookie:example.com", "place": "file", "wanted_by": ""}
    assert {"place": "file", "names": ["cookie:example.com"], "entries": [entry]} == json.loads(listed.stdout)
    removed = subprocess.run([*kb, "secrets", "rm", "cookie:example.com"], capture_output=True, text=True, env=environment)
    assert 0 == removed.returncode
    assert [] == Secrets(tmp_path / "vault-sidecar", "file").names()


def test_what_the_watchlist_names_and_nobody_set_is_listed_and_never_a_value(tmp_path: Path) -> None:
    (tmp_path / "vault" / ".kb").mkdir(parents=True)
    text = "# url: ${secret:old}\nsources:\n  - url: https://example.com/${secret:mine}/feed\n  - url: https://example.org/${secret:set}\n"
    (tmp_path / "vault" / ".kb" / "preference.yaml").write_text(text)
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "KB_SECRETS": "file", "KB_VAULT": str(tmp_path / "vault")}
    Secrets(tmp_path / "vault-sidecar", "file").put("set", "very-secret")
    kb = [sys.executable, "-m", "sidecar.cli.main", "secrets", "list"]
    listed = subprocess.run(kb, capture_output=True, text=True, env=environment)
    assert [["set"], ["mine", "kb secrets set mine"]] == [
        [line.split()[0], *(["kb secrets set mine"] if line.endswith("kb secrets set mine") else [])] for line in listed.stdout.splitlines()
    ]
    assert "very-secret" not in listed.stdout


def test_a_key_in_the_file_is_found_for_an_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Secrets(tmp_path, "file")
    store.put("embedding:models.example.com", "very-secret")
    monkeypatch.delenv("KB_EMBEDDING_KEY", raising=False)
    assert "very-secret" == find_key("models.example.com", kept=store.find)
    monkeypatch.setenv("KB_EMBEDDING_KEY", "of-the-terminal")
    assert "of-the-terminal" == find_key("models.example.com", kept=store.find)
