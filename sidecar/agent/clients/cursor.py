"""Cursor: the server in ``~/.cursor/mcp.json``."""

from __future__ import annotations

from sidecar.agent.clients.base import Client, File
from sidecar.agent.registration import NAME, remove_member, set_member


def _server(text: str, command: tuple[str, ...]) -> str:
    return set_member(text, ("mcpServers", NAME), {"command": command[0], "args": ["mcp", *command[1:]]})


def _out(text: str) -> str:
    return remove_member(text, ("mcpServers", NAME))


CLIENT = Client("cursor", "Cursor", (File(lambda env: f"{env['HOME']}/.cursor/mcp.json", _server, _out),))
