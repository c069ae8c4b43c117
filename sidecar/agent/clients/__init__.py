"""The agents that can be given the vault's tools: a new one is a module here and a line in :data:`CLIENTS`."""

from __future__ import annotations

from sidecar.agent.clients import claude_code, claude_desktop, codex, cursor
from sidecar.agent.clients.base import Client

CLIENTS: dict[str, Client] = {client.name: client for client in (claude_code.CLIENT, codex.CLIENT, claude_desktop.CLIENT, cursor.CLIENT)}
