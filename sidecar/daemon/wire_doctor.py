"""The doctor as an operation of the API: the checks ask the services as a client would, on a thread of their own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from sidecar import PROTOCOL_VERSION, __version__
from sidecar.api.operations import find_operation
from sidecar.api.services import Services
from sidecar.daemon.doctor import check_vault
from sidecar.daemon.endpoint import Endpoint, find_endpoint
from sidecar.daemon.report import write_report


class _OnLoop:
    """Answers the checks, which run on another thread, from the event loop of the services."""

    def __init__(self, services: Services, loop: asyncio.AbstractEventLoop) -> None:
        self._services = services
        self._loop = loop

    def call(self, method: str, path: str, **parameters: Any) -> dict[str, Any]:
        operation = find_operation(method, path)
        assert operation is not None, f"{method} {path} is not an operation"
        request = operation.request.model_validate(parameters)
        answer = asyncio.run_coroutine_threadsafe(self._ask(operation.run, request), self._loop).result()
        value: dict[str, Any] = answer.model_dump(mode="json")
        return value

    async def _ask(self, run: Callable[[Services, Any], Awaitable[Any]], request: Any) -> Any:
        return await run(self._services, request)


def make_doctor(root: Path, services: Callable[[], Services]) -> Callable[[], Awaitable[tuple[list[dict[str, Any]], str]]]:
    """Make the call that checks the vault; it gives the findings, and the report for others."""

    async def check() -> tuple[list[dict[str, Any]], str]:
        here = services()
        client = _OnLoop(here, asyncio.get_running_loop())
        endpoint = find_endpoint(here.vault_id) or Endpoint("", "", here.vault_id, str(root), os.getpid(), __version__, PROTOCOL_VERSION)
        findings = await asyncio.to_thread(check_vault, root, client, endpoint)
        report = await asyncio.to_thread(write_report, root, findings, endpoint, here.vault_id)
        return [finding.as_json() for finding in findings], report

    return check
