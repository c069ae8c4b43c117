"""Answering operations without a running sidecar: the vault is opened in this process, once, when first asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sidecar.api.operations import find_operation
from sidecar.api.problems import request_error
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.protocol import read_vault_id
from sidecar.errors import VaultNotInitialised
from sidecar.vault.files import VaultFiles

Told = Callable[[int, int], None]


class InProcess:
    """Answers as the API would.

    A vault that is not set up can be looked at, and nothing is left in it; what would write needs ``kb init`` first.

    Args:
        progress: Told how many of how many notes are read.
    """

    def __init__(self, root: Path, progress: Told | None = None) -> None:
        self._root = root
        self._progress = progress
        self._loop = asyncio.new_event_loop()
        self._container: Container | None = None

    def call(self, method: str, path: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Answer one operation."""
        operation = find_operation(method, path)
        assert operation is not None, f"{method} {path} is not an operation"
        try:
            request = operation.request.model_validate(parameters)
        except ValidationError as error:
            raise request_error(error) from error
        writes = method != "GET" and not operation.only_reads
        if writes:
            read_vault_id(VaultFiles(self._root))
        return self._loop.run_until_complete(self._answer(operation.run, request, writes=writes))

    async def _answer(self, run: Callable[..., Any], request: Any, *, writes: bool) -> dict[str, Any]:
        container = await self._opened()
        result = await run(container.services, request)
        if writes:
            await container.services.thread.run(container.vault.settle)
            await container.commits.flush()
        value: dict[str, Any] = result.model_dump(mode="json")
        return value

    async def _opened(self) -> Container:
        if self._container is None:
            self._container = open_container(self._root, is_guest=not self._is_set_up())
            services = self._container.services
            services.semantic.is_alone = True
            report = await services.thread.run(self._container.vault.open, self._progress)
            services.progress.parsed, services.progress.reused = report.parsed, report.reused
            services.progress.is_ready = True
        return self._container

    def _is_set_up(self) -> bool:
        try:
            return bool(read_vault_id(VaultFiles(self._root)))
        except VaultNotInitialised:
            return False

    def close(self) -> None:
        """Close the vault, if it was opened."""
        container, self._container = self._container, None
        if container is not None:
            self._loop.run_until_complete(container.close())
        self._loop.close()
