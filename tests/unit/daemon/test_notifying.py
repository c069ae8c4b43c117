"""What systemd is told, on sockets of both kinds, and what happens if it does not listen."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from sidecar.daemon.as_service import code_for_manager, exit_code_for
from sidecar.daemon.notify import Notifier
from sidecar.errors import ConfigError, PortTaken, ProtocolError, SidecarError, SidecarRunning, VaultNotInitialised, VaultUnreadable

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="sockets of POSIX")


@pytest.mark.parametrize("is_abstract", [False, True], ids=["path", "abstract"])
async def test_words_reach_the_socket_and_signs_of_life_come_twice_as_often_as_wanted(tmp_path: Path, is_abstract: bool) -> None:
    name = f"@vault-sidecar-test-{os.getpid()}" if is_abstract else str(tmp_path / "notify")
    environment = {"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "40000", "WATCHDOG_PID": str(os.getpid()), "OTHER": "x"}
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind("\0" + name[1:] if is_abstract else name)
        heard.setblocking(False)
        notifier = Notifier(environment)
        assert {"OTHER": "x"} == environment, "a child must not speak for this process"
        notifier.ready()
        notifier.say("two\nlines")
        alive = asyncio.create_task(notifier.keep_alive())
        await asyncio.sleep(0.1)
        alive.cancel()
        notifier.stopping()
        told = []
        while True:
            try:
                told.append(heard.recv(4096).decode())
            except BlockingIOError:
                break
    assert ["READY=1", "STATUS=two lines"] == told[:2]
    assert "STOPPING=1" == told[-1]
    assert 3 <= told.count("WATCHDOG=1") <= 6


async def test_without_systemd_or_with_one_that_is_deaf_nothing_happens(tmp_path: Path) -> None:
    for environment in ({}, {"NOTIFY_SOCKET": str(tmp_path / "nobody"), "WATCHDOG_USEC": "soon"}, {"NOTIFY_SOCKET": "x" * 200}):
        notifier = Notifier(environment)
        notifier.ready()
        notifier.ask_for_time(5)
        await asyncio.wait_for(notifier.keep_alive(), 1)
        notifier.stopping()


def test_another_process_is_watched_and_not_this_one() -> None:
    notifier = Notifier({"NOTIFY_SOCKET": "@x", "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"})
    asyncio.run(asyncio.wait_for(notifier.keep_alive(), 1))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SidecarRunning("x"), 0),
        (ConfigError("x"), 78),
        (ProtocolError("x"), 78),
        (VaultNotInitialised("x"), 78),
        (VaultUnreadable("x"), 1),
        (PortTaken("x"), 1),
    ],
)
def test_each_error_ends_so_that_the_manager_does_the_right_thing(error: SidecarError, code: int) -> None:
    assert code == exit_code_for(error)
    assert (0 if code == 78 else code) == code_for_manager(code, "launchd"), "launchd starts all others again, for ever"
    assert code == code_for_manager(code, "")
