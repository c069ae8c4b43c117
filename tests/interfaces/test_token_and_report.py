"""``kb token`` and ``kb doctor --report``, as processes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.interfaces.near_kb import Kb, kb, vault

__all__ = ["kb", "vault"]


def test_the_key_is_printed_alone_and_only_of_a_running_sidecar(kb: Kb, vault: Path) -> None:
    assert 8 == kb("token", "--vault", vault).code
    kb.serve(vault)
    token = json.loads(kb.endpoint(vault).read_text())["token"]
    done = kb("token", "--vault", vault)
    assert (token + "\n", "") == (done.out, done.err)
    assert {"url", "token"} == kb("token", "--vault", vault, "--json").json.keys()
    report = kb("doctor", "--report", "--vault", vault)
    assert 0 == report.code, report.err
    assert token not in report.out
    assert str(kb.cwd) not in report.out
    assert "- ok: Sidecar: running" in report.out
