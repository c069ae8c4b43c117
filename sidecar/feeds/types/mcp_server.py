"""A stdio MCP server that the owner installed: for Bilibili, for Xiaohongshu, or any other by configuration.

Each fetch starts the server, asks one tool, and ends it. It is given no more of the environment than it needs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sidecar.feeds.mapping import PRESETS, is_risk_control, read_items, wants_login
from sidecar.feeds.subscription import Fetched, ItemKind, Subscription, ToolMapping
from sidecar.feeds.types.base import NotFetched, Tools, Type

_PASSED_ON = ("PATH", "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG", "LC_ALL")
_CALL_S = 18.0
_MAX_ANSWER = 5_000_000


async def fetch(subscription: Subscription, cursor: Mapping[str, str], tools: Tools) -> Fetched:
    """Ask the subscription's server for its items."""
    mapping, kind, package = _mapping_of(subscription)
    answer = await _ask(mapping, mapping.tool, dict(mapping.arguments), package, tools)
    items = read_items(answer, mapping, kind, tools.clock())
    if items is None:
        raise NotFetched(
            f"{mapping.command[0]} answered with no list of items.", "failed", fix="Check `items` of its `tool` in preference.yaml."
        )
    if not items and subscription.type in PRESETS:
        raise NotFetched("The site gave nothing, as it does when it keeps programs off.", "rate_limited", fix="It is tried again later.")
    return Fetched("ok", items[: subscription.max])


async def login(subscription: Subscription, tools: Tools) -> NotFetched:
    """Ask the server for the picture of its login code; give what it said.

    Raises:
        NotFetched: It has no tool for that, or could not be asked.
    """
    mapping, _, package = _mapping_of(subscription)
    if not mapping.login_tool:
        raise NotFetched(f"{subscription.id} names no login tool.", "failed", fix="Name one as `login_tool` in its `tool`.")
    try:
        answer = await _ask(mapping, mapping.login_tool, {}, package, tools)
    except NotFetched as said:
        if said.image:
            return said
        raise
    return NotFetched(str(answer)[:500], "needs_login")


async def self_check(subscription: Subscription, tools: Tools) -> tuple[str, ...]:
    """Start the server and give the names of its tools.

    Raises:
        NotFetched: It cannot be started, or does not answer.
    """
    mapping, _, package = _mapping_of(subscription)
    async with asyncio.timeout(_CALL_S), _connected(mapping, package, tools) as client:
        listed = await client.list_tools()
        return tuple(tool.name for tool in listed.tools)


def _mapping_of(subscription: Subscription) -> tuple[ToolMapping, ItemKind, str]:
    """Give how the server is asked: the preset's way, changed by what the owner wrote."""
    preset = PRESETS.get(subscription.type)
    wish = subscription.tool
    if preset is None:
        return wish or ToolMapping(), "article", ""
    account = subscription.url.removeprefix("uid:")
    arguments = {**preset.mapping.arguments, preset.account: account}
    mapping = replace(preset.mapping, arguments=arguments)
    if wish is not None:
        mapping = replace(
            mapping,
            command=wish.command or mapping.command,
            login_tool=wish.login_tool,
            env=wish.env,
            fields={**mapping.fields, **wish.fields},
        )
    return mapping, preset.kind, preset.package


@contextlib.asynccontextmanager
async def _connected(mapping: ToolMapping, package: str, tools: Tools) -> AsyncIterator[Any]:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    program = mapping.command[0]
    found = shutil.which(program)
    if found is None:
        fix = (
            f"Install it, for instance with: uv tool install '{package}' --with 'mcp<2'"
            if package
            else "Install it, or give its whole path."
        )
        raise NotFetched(f"The program {program} is not there.", "unavailable", fix=fix)
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    for variable, secret in mapping.env.items():
        value = tools.secret_of(secret)
        if value is None:
            raise NotFetched(f"The secret {secret} is not set.", "unavailable", fix=f"Set it: kb secrets set {secret}")
        environment[variable] = value
    server = StdioServerParameters(command=found, args=list(mapping.command[1:]), env=environment)
    nowhere = await asyncio.to_thread(Path(os.devnull).open, "w", encoding="utf-8")
    with nowhere:
        async with Client(stdio_client(server, errlog=nowhere), mode="legacy", read_timeout_seconds=_CALL_S) as client:
            yield client


async def _ask(mapping: ToolMapping, tool: str, arguments: dict[str, Any], package: str, tools: Tools) -> Any:
    from mcp import MCPError

    try:
        async with asyncio.timeout(_CALL_S), _connected(mapping, package, tools) as client:
            result = await client.call_tool(tool, arguments)
    except NotFetched:
        raise
    except TimeoutError as error:
        raise NotFetched(f"{mapping.command[0]} did not answer within {_CALL_S:g} s.", "failed", fix="It is tried again later.") from error
    except MCPError as error:
        raise _told(mapping, str(error), "") from error
    except BaseExceptionGroup as error:
        if (inner := _first_of(error, NotFetched)) is not None:
            raise inner from error
        raise NotFetched(f"{mapping.command[0]} ended before it answered.", "unavailable", fix="Start it by hand to see why.") from error
    except (OSError, ValueError, RuntimeError) as error:
        raise NotFetched(f"{mapping.command[0]} cannot be started: {error}.", "unavailable", fix="Start it by hand to see why.") from error
    texts = [part.text for part in result.content if part.type == "text"]
    image = next((f"data:{part.mime_type};base64,{part.data}" for part in result.content if part.type == "image"), "")
    if result.is_error or image:
        raise _told(mapping, " ".join(texts), image)
    if result.structured_content is not None:
        return result.structured_content
    text = "\n".join(texts)
    try:
        return json.loads(text[:_MAX_ANSWER])
    except (ValueError, RecursionError) as error:
        raise _told(mapping, text or "nothing", "") from error


def _told(mapping: ToolMapping, message: str, image: str) -> NotFetched:
    """Sort a server's refusal by what it says."""
    said = " ".join(message.split())[:300] or "nothing"
    if image or wants_login(said):
        return NotFetched(f"{mapping.command[0]} wants a login: {said}", "needs_login", fix="Log in with: kb feeds login ID", image=image)
    if is_risk_control(said):
        return NotFetched(f"The site keeps programs off for now: {said}", "rate_limited", fix="It is tried again later.")
    return NotFetched(f"{mapping.command[0]} said: {said}", "failed", fix="Check its arguments in preference.yaml.")


def _first_of(group: BaseExceptionGroup[BaseException], kind: type[NotFetched]) -> NotFetched | None:
    found = group.subgroup(kind)
    while found is not None:
        inner = found.exceptions[0]
        if isinstance(inner, kind):
            return inner
        found = inner if isinstance(inner, BaseExceptionGroup) else None
    return None


TYPE = Type(("mcp", "bilibili", "xiaohongshu"), fetch)
