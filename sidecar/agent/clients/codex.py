"""Codex: the server as a table in ``~/.codex/config.toml``."""

from __future__ import annotations

import json

from sidecar.agent.clients.base import Client, File
from sidecar.agent.registration import NAME, remove_table, set_table

_TABLE = f"mcp_servers.{NAME}"


def _server(text: str, command: tuple[str, ...]) -> str:
    args = ", ".join(json.dumps(word) for word in ("mcp", *command[1:]))
    return set_table(text, _TABLE, [f"command = {json.dumps(command[0])}", f"args = [{args}]", "startup_timeout_sec = 20"])


CLIENT = Client(
    "codex",
    "Codex",
    (File(lambda env: f"{env['HOME']}/.codex/config.toml", _server, lambda text: remove_table(text, _TABLE)),),
    "Hooks of Codex are approved by you: add `kb hook prompt` under hooks there, and approve it with /hooks.",
)
