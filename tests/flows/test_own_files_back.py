"""The sidecar's own files in a vault, deleted by hand while it is served."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from sidecar.cli.client import RunningSidecar, find_running
from sidecar.daemon.init import init_vault
from tests.conftest import MakeVault


def until(check: Callable[[], bool], timeout_s: float = 20.0) -> None:
    end = time.monotonic() + timeout_s
    while not check():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.skipif(os.name == "nt", reason="a folder in use cannot be deleted there")
def test_a_deleted_folder_of_ours_comes_back_under_the_same_id_and_no_note_is_touched(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "Words with [[b]].\n", "b.md": "More.\n"})
    init_vault(root, "en")
    protocol = root / ".kb/protocol.json"
    before = json.loads(protocol.read_text())
    command = [sys.executable, "-m", "sidecar.cli.entry", "serve", "--vault", str(root)]
    serving = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        assert serving.stdout.readline()
        (root / ".kb").rename(root.parent / "gone")  # at one stroke: the sidecar may be writing into it
        until(lambda: protocol.is_file() and (root / ".kb/.gitignore").is_file() and (root / ".kb/index.json").is_file())
        assert before == json.loads(protocol.read_text())
        endpoint = find_running(root)
        assert endpoint is not None
        client = RunningSidecar(endpoint)
        (root / "c.md").write_text("A zeppelin.\n")
        until(lambda: client.call("GET", "/api/kb/search", q="zeppelin")["total"] == 1)
        assert "a.md" in [one["source"] for one in client.call("GET", "/api/kb/links", note="b")["back"]]
    finally:
        serving.terminate()
        serving.wait(20)
        if serving.stdout is not None:
            serving.stdout.close()
    assert "Words with [[b]].\n" == (root / "a.md").read_text()
