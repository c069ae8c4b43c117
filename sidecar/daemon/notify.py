"""What systemd is told: that the sidecar is ready, alive, or stopping. Without systemd every call does nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import MutableMapping


class Notifier:
    """Sends datagrams to the socket that systemd names.

    The variables are taken out of ``environment``, so that child processes cannot speak for this one.
    """

    def __init__(self, environment: MutableMapping[str, str]) -> None:
        self._address = environment.pop("NOTIFY_SOCKET", "")
        wanted_of = environment.pop("WATCHDOG_PID", "")
        period = environment.pop("WATCHDOG_USEC", "")
        is_ours = not wanted_of or wanted_of == str(os.getpid())
        self._period_s = int(period) / 1e6 if is_ours and period.isascii() and period.isdigit() else 0.0

    @property
    def is_listened_to(self) -> bool:
        return bool(self._address)

    def ready(self) -> None:
        """Tell that clients are answered. A program that ends without this has failed, whatever its exit code."""
        self._send("READY=1")

    def say(self, status: str) -> None:
        """Tell in a few words what goes on, for ``systemctl status``."""
        self._send("STATUS=" + " ".join(status.split()))

    def ask_for_time(self, seconds: float) -> None:
        """Ask that the start may take so much longer from now on."""
        self._send(f"EXTEND_TIMEOUT_USEC={int(seconds * 1e6)}")

    def stopping(self) -> None:
        self._send("STOPPING=1")

    async def keep_alive(self) -> None:
        """Tell again and again that the event loop runs, twice as often as is wanted; ends only when cancelled."""
        while self._address and self._period_s:
            self._send("WATCHDOG=1")
            await asyncio.sleep(self._period_s / 2)

    def _send(self, message: str) -> None:
        if not self._address or not hasattr(socket, "AF_UNIX"):
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        # Nobody may listen any more, or not take it at the moment: that must never hold the sidecar up.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.setblocking(False)
            out.connect(address)
            out.send(message.encode("utf-8"))
