"""``kb token`` and ``kb doctor --report``, as processes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.interfaces.near_kb import Kb, kb, vault

__all__ = ["kb", "vault"]


def test_status_tells_when_subscriptions_were_and_will_be_fetched(kb: Kb, vault: Path) -> None:
    (vault / ".kb" / "preference.yaml").write_text(
        "sources:\n  - {id: a, url: 'https://example.com/feed'}\nschedule: {windows: ['03:00-03:01']}\n"
    )
    kb.serve(vault)
    line = next(line for line in kb("status", "--vault", vault).out.splitlines() if "feeds" in line)
    assert "last run never" in line
    assert "03:00" in line
    assert "0 wait" in line


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
