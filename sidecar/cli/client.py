"""Asking the running sidecar over loopback, or this process itself. Standard library only, for a quick start."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlencode, urlsplit

from sidecar.daemon.endpoint import Endpoint, find_endpoint
from sidecar.errors import SidecarError, SidecarUnreachable

if TYPE_CHECKING:
    from sidecar.daemon.in_process import InProcess

_CONNECT_S, _ANSWER_S = 2.0, 600.0


class Client(Protocol):
    """Something that answers operations of the API."""

    is_running: bool

    def call(self, method: str, path: str, **parameters: Any) -> dict[str, Any]:
        """Call an operation and give its answer.

        Raises:
            SidecarError: What the operation raises.
        """

    def close(self) -> None:
        """Let go of what calls left open."""


class RemoteError(SidecarError):
    """A problem that the sidecar reported; carries its code."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(str(problem.get("detail", "The sidecar refused.")), fix=str(problem.get("fix", "")))
        self.params = dict(problem.get("params") or {})
        self.code = str(problem.get("code", "unexpected"))


class RunningSidecar:
    """The sidecar behind an endpoint file."""

    is_running = True

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    def close(self) -> None:
        """Nothing is held between calls."""

    def call(self, method: str, path: str, **parameters: Any) -> dict[str, Any]:
        for key in [key for key in parameters if f"{{{key}}}" in path]:
            path = path.replace(f"{{{key}}}", quote(str(parameters.pop(key)), safe=""))
        headers = {"Authorization": f"Bearer {self.endpoint.token}", "Content-Type": "application/json"}
        body = json.dumps(parameters).encode() if method == "POST" else None
        if method != "POST" and parameters:
            flat = {key: str(value).lower() if isinstance(value, bool) else value for key, value in parameters.items()}
            path += "?" + urlencode(flat)
        status, answer = _request(self.endpoint.url, method, path, headers, body, _ANSWER_S)
        if status >= 400:
            raise RemoteError(answer)
        return answer


class ThisProcess:
    """No sidecar runs: the vault is opened here for one answer."""

    is_running = False

    def __init__(self, root: Path, *, show_progress: bool) -> None:
        self._root = root
        self._show_progress = show_progress
        self._vault: InProcess | None = None

    def call(self, method: str, path: str, **parameters: Any) -> dict[str, Any]:
        if self._vault is None:
            from sidecar.daemon.in_process import InProcess

            self._vault = InProcess(self._root, self._tell if self._show_progress else None)
        if method == "POST" and path in ("/api/kb/ingest", "/api/kb/bench", "/api/kb/vectors"):
            parameters["wait"] = True
        return self._vault.call(method, path, parameters)

    def close(self) -> None:
        """Close the vault, if it was opened. Must come before the interpreter ends: its exit hooks find no threads any more."""
        if self._vault is not None:
            self._vault.close()
            self._vault = None

    def _tell(self, done: int, total: int) -> None:
        end = "\r\x1b[K" if done >= total else ""
        sys.stderr.write(f"\rReading notes: {done:,} of {total:,}{end}")
        sys.stderr.flush()


def connect(root: Path, *, show_progress: bool = False) -> Client:
    """Find the vault's running sidecar; without one, work in this process."""
    endpoint = find_running(root)
    return RunningSidecar(endpoint) if endpoint else ThisProcess(root, show_progress=show_progress)


def find_running(root: Path) -> Endpoint | None:
    """Give the endpoint of the vault's sidecar, once the process behind it has shown that it knows the token."""
    try:
        vault_id = str(json.loads((root / ".kb" / "protocol.json").read_text(encoding="utf-8"))["vault_id"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    endpoint = find_endpoint(vault_id)
    return endpoint if endpoint and _proves_itself(endpoint) else None


def _proves_itself(endpoint: Endpoint) -> bool:
    """Challenge the process on the port: another one may have taken it, and must not be handed the token."""
    nonce = secrets.token_hex(16)
    try:
        _, answer = _request(endpoint.url, "GET", f"/health?nonce={nonce}", {}, None, _CONNECT_S)
    except SidecarUnreachable:
        return False
    wanted = hmac.new(endpoint.token.encode(), f"{endpoint.vault_id}:{nonce}".encode(), hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted, str(answer.get("proof", "")))


def _request(url: str, method: str, path: str, headers: dict[str, str], body: bytes | None, timeout_s: float) -> tuple[int, dict[str, Any]]:
    from http.client import HTTPConnection, HTTPException  # a tenth of the start, for commands that ask nobody

    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "127.0.0.1", parts.port, timeout=timeout_s)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        answer = json.loads(response.read() or b"{}")
        return response.status, answer if isinstance(answer, dict) else {}
    except (OSError, HTTPException, ValueError) as error:
        raise SidecarUnreachable("The sidecar does not answer.", fix="Look at it with: kb doctor") from error
    finally:
        connection.close()
