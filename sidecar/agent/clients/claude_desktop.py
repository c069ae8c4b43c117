"""Claude Desktop: the server in ``claude_desktop_config.json``."""

from __future__ import annotations

from collections.abc import Mapping

from sidecar.agent.clients.base import Client, File
from sidecar.agent.registration import NAME, remove_member, set_member


def _place(env: Mapping[str, str]) -> str:
    if env.get("platform") == "darwin":
        return f"{env['HOME']}/Library/Application Support/Claude/claude_desktop_config.json"
    if env.get("platform") == "win32":
        return f"{env.get('APPDATA') or env['HOME'] + '/AppData/Roaming'}/Claude/claude_desktop_config.json"
    return f"{env['HOME']}/.config/Claude/claude_desktop_config.json"


def _server(text: str, command: tuple[str, ...]) -> str:
    return set_member(text, ("mcpServers", NAME), {"command": command[0], "args": ["mcp", *command[1:]]})


CLIENT = Client(
    "claude-desktop",
    "Claude Desktop",
    (File(_place, _server, lambda text: remove_member(text, ("mcpServers", NAME))),),
    "Quit it wholly and start it again.",
)
