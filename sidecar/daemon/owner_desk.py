"""The vault opened in this process for the owner's own decisions; nothing of it is reachable over the API."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import TracebackType

from sidecar.clock import clock_from_environment
from sidecar.config import Config
from sidecar.daemon.container import open_container
from sidecar.daemon.wire_metabolism import wire_owner
from sidecar.metabolism.docket import Judgement
from sidecar.metabolism.owner import Owner
from sidecar.metabolism.promotion import Promoted


class OwnerDesk:
    """Opens a vault, and closes it at the end of a ``with``."""

    owner: Owner

    def __init__(self, root: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._container = open_container(root)
        self.config: Config = self._container.config()
        self.name = root.resolve().name

    def __enter__(self) -> OwnerDesk:
        parts = self._container
        parts.vault.open()
        parts.services.metabolism.look_at_git()
        self.owner = wire_owner(parts.vault, parts.services.files, parts.services.metabolism, parts.config, clock_from_environment())
        return self

    def docket(self) -> list[Judgement]:
        """Give the notes that wait for a decision, in order."""
        return self._container.services.metabolism.docket()[1]

    def exists(self, path: str) -> bool:
        return self._container.services.files.stat(path) is not None

    def promote(self, path: str, use_when: str) -> Promoted:
        return self._container.services.promotion.promote(path, use_when, door="trial")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._loop.run_until_complete(self._container.commits.flush())
        self._loop.run_until_complete(self._container.close())
        self._loop.close()
