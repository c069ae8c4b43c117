"""Claude Code: the server in ``~/.claude.json``, the hooks in ``~/.claude/settings.json``."""

from __future__ import annotations

import json
import shlex
from typing import Any

from sidecar.agent.clients.base import Client, File
from sidecar.agent.registration import NAME, remove_member, set_member

_EVENTS = {"UserPromptSubmit": "prompt", "SessionStart": "session-start"}


def _server(text: str, command: tuple[str, ...]) -> str:
    return set_member(text, ("mcpServers", NAME), {"type": "stdio", "command": command[0], "args": ["mcp", *command[1:]], "env": {}})


def _hooks(text: str, command: tuple[str, ...]) -> str:
    for event, kind in _EVENTS.items():
        line = shlex.join([command[0], "hook", kind, *command[1:]])
        ours = {"hooks": [{"type": "command", "command": line, "timeout": 5}]}
        text = set_member(text, ("hooks", event), [*_others(text, event), ours])
    return text


def _without_hooks(text: str) -> str:
    for event in _EVENTS:
        others = _others(text, event)
        known = (json.loads(text).get("hooks") or {}).get(event) if text.strip() else None
        if known is not None and others != known:
            text = set_member(text, ("hooks", event), others) if others else remove_member(text, ("hooks", event))
    return text


def _others(text: str, event: str) -> list[Any]:
    data = json.loads(text) if text.strip() else {}
    known = (data.get("hooks") or {}).get(event) or []
    return [one for one in known if " hook " not in str(one) or "kb" not in str(one)]


CLIENT = Client(
    "claude-code",
    "Claude Code",
    (
        File(lambda env: f"{env['HOME']}/.claude.json", _server, lambda text: remove_member(text, ("mcpServers", NAME))),
        File(lambda env: f"{env['HOME']}/.claude/settings.json", _hooks, _without_hooks),
    ),
)
