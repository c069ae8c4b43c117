"""Keys that the owner keeps are in no log, no answer of the API, no report, no export and no commit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from pydantic import ValidationError

from sidecar.api.operations import OPERATIONS
from sidecar.cli.client import RemoteError, RunningSidecar
from sidecar.daemon.endpoint import Endpoint
from tests.interfaces.near_kb import Kb, eventually, kb, vault

__all__ = ["kb", "vault"]

COOKIE, FEED_KEY, QUERY_KEY, PASSWORD, NAMED = "c00kieVal9Zq7", "f33dPrivate8Xw2Lm4Qr6", "qu3ryKey5Tt1Yp", "pa55word7Hj3", "nam3dSecret4Kd8"
PREFERENCE = f"""sources:
  - id: private
    type: rss
    url: https://feeds.example.com/u/{FEED_KEY}/private.xml?key={QUERY_KEY}
  - id: with-password
    type: rss
    url: https://ann:{PASSWORD}@feeds.example.org/feed
  - id: named
    type: rss
    url: https://feeds.example.net/${{secret:mine}}/feed
schedule:
  windows: ["03:00-03:01"]
"""


def test_no_secret_of_the_owner_leaves_its_place(kb: Kb, vault: Path) -> None:
    kb.environment |= {"KB_SECRETS": "file", "KB_NOW": "2026-03-05T12:00:00+00:00", "GIT_CONFIG_GLOBAL": "/dev/null"}
    for name, value in (("cookie:example.com", f"SESSDATA={COOKIE}"), ("mine", NAMED)):
        command = [sys.executable, "-m", "sidecar.cli.main", "secrets", "set", name]
        subprocess.run(command, input=value + "\n", text=True, env=kb.environment, check=True, capture_output=True)
    (vault / ".kb" / "preference.yaml").write_text(PREFERENCE)
    process = subprocess.Popen(
        [sys.executable, "-m", "sidecar.cli.main", "serve", "--service", "--vault", str(vault)],
        env=kb.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    kb.serving.append(process)
    eventually(lambda: kb.endpoint(vault).exists(), "it serves", 30)
    endpoint = Endpoint(**json.loads(kb.endpoint(vault).read_text()))
    client = RunningSidecar(endpoint)
    eventually(lambda: client.call("GET", "/api/kb/status")["state"] == "ready", "it is ready", 30)
    seen: dict[str, str] = {}
    for operation in OPERATIONS:
        try:
            operation.request.model_validate({})
        except ValidationError:
            continue  # it wants more than nothing
        if operation.method == "GET" and "{" not in operation.path:
            try:
                seen[operation.path] = json.dumps(client.call("GET", operation.path))
            except RemoteError as error:
                seen[operation.path] = f"{error.message} {error.fix} {error.params}"
    assert {"/api/kb/feeds", "/api/kb/preference", "/api/kb/doctor", "/api/kb/status"} <= seen.keys()
    for args in (
        ("doctor",),
        ("doctor", "--report"),
        ("feeds",),
        ("feeds", "export"),
        ("secrets", "list"),
        ("status",),
        ("service", "logs"),
    ):
        done = kb(*args, "--vault", vault)
        seen[" ".join(args)] = done.out + done.err
    assert "${secret:NAME}" in seen["doctor"], "what stands in the file is pointed out"
    kb("export", kb.cwd / "copy", "--vault", vault)
    process.terminate()
    seen["output"] = "".join(process.communicate(timeout=30))
    state = kb.endpoint(vault).parent
    for path in [*state.rglob("*"), *(kb.cwd / "copy").rglob("*"), *(vault / ".kb" / "journal").rglob("*"), vault / ".kb" / "index.json"]:
        if path.is_file():
            seen[str(path.relative_to(kb.cwd))] = path.read_text("utf-8", errors="replace")
    for value in (COOKIE, FEED_KEY, QUERY_KEY, PASSWORD, NAMED, endpoint.token):
        assert [] == [where for where, text in seen.items() if value in text], value
