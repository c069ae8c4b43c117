"""A stdio MCP server that behaves as told by its first argument: what a server of the owner's may do on a bad day."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

from mcp.server import MCPServer
from mcp.types import CallToolResult, ImageContent, TextContent

MODE = sys.argv[1] if len(sys.argv) > 1 else "good"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

server = MCPServer("fake")


@server.tool(name="list_notes", structured_output=False)
def list_notes(limit: int = 20) -> Any:
    if MODE == "delay":
        time.sleep(60)
    if MODE == "crash":
        sys.stdout.flush()
        import os

        os._exit(3)
    if MODE == "flood":
        return CallToolResult(content=[TextContent(type="text", text="x" * 20_000_000)])
    if MODE == "nonsense":
        return CallToolResult(content=[TextContent(type="text", text="here you are")])
    if MODE == "login":
        return CallToolResult(content=[TextContent(type="text", text="please log in")], is_error=True)
    if MODE == "risk":
        return CallToolResult(content=[TextContent(type="text", text="error 412")], is_error=True)
    entries = (
        []
        if MODE == "empty"
        else [{"key": "n1", "name": "One [[x]]", "link": "https://example.org/1", "when": 1767225600, "text": "字幕by某人"}]
    )
    return {"data": {"notes": entries}}


@server.tool(name="login_code", structured_output=False)
def login_code() -> Any:
    return CallToolResult(
        content=[TextContent(type="text", text="scan this"), ImageContent(type="image", data=PIXEL, mime_type="image/png")]
    )


if __name__ == "__main__":
    asyncio.run(server.run_stdio_async())
