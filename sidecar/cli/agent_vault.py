"""The vault behind an agent's tools: the running sidecar's, or, while none runs, one opened here under the same lock."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import filelock

from sidecar.cli.client import RunningSidecar, ThisProcess, find_running
from sidecar.daemon.endpoint import prepare_state_folder
from sidecar.daemon.protocol import read_vault_id
from sidecar.errors import SidecarError, SidecarUnreachable
from sidecar.vault.files import VaultFiles

_AGAIN_S = 1.0


class AgentVault:
    """Asks whoever has the vault open. Hands over as soon as a sidecar starts; without the lock it only reads, and says so."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._own: ThisProcess | None = None
        self._lock: filelock.FileLock | None = None
        self._turn = threading.Lock()
        self._why = ""

    def call(self, method: str, path: str, **parameters: Any) -> dict[str, Any]:
        """Call an operation of the API; one at a time."""
        with self._turn:
            for attempt in range(2):
                endpoint = find_running(self._root)
                try:
                    if endpoint is not None:
                        self._let_go()
                        return RunningSidecar(endpoint).call(method, path, **parameters)
                    return self._opened().call(method, path, **parameters)
                except SidecarUnreachable:
                    if attempt:
                        raise
                    time.sleep(_AGAIN_S)  # it may be starting again
            raise AssertionError("two attempts return or raise")

    def state(self) -> str:
        """Give why nothing can be written now; empty if it can."""
        if find_running(self._root) is not None:
            return ""
        with self._turn:
            self._opened()
        return self._why

    def close(self) -> None:
        with self._turn:
            self._let_go()

    def _opened(self) -> ThisProcess:
        if self._own is None:
            self._why = self._take_lock()
            self._own = ThisProcess(self._root, show_progress=False)
        return self._own

    def _take_lock(self) -> str:
        try:
            folder = prepare_state_folder(read_vault_id(VaultFiles(self._root)))
            lock = filelock.FileLock(folder / "lock", thread_local=False)
            lock.acquire(timeout=0)
        except filelock.Timeout:
            return "Another process has the vault open, so it can only be read now. Start the sidecar: kb serve"
        except SidecarError as error:
            return f"{error.message} {error.fix}"
        self._lock = lock
        return ""

    def _let_go(self) -> None:
        if self._own is not None:
            self._own.close()
            self._own = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None
