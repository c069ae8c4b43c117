"""Serving a vault as a login item: a log of its own, word to systemd, and exit codes that service managers understand.

0: it was asked to stop, or another sidecar serves the vault. 75: start it again, as was asked. 78: a setting or the vault's own
files are wrong, so that starting again is no use. 1: anything else, which may pass.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from pathlib import Path

from sidecar.config import KB_FOLDER
from sidecar.daemon.endpoint import user_folder
from sidecar.daemon.hints import access_hint
from sidecar.daemon.logs import log_path, open_log
from sidecar.daemon.notify import Notifier
from sidecar.daemon.process import SidecarProcess
from sidecar.daemon.protocol import read_vault_id
from sidecar.daemon.supervise import EXIT_CONFIG, EXIT_RESTART, Supervisor
from sidecar.errors import ConfigError, ProtocolError, SidecarError, SidecarRunning, VaultNotInitialised, VaultUnreadable
from sidecar.vault.files import VaultFiles

log = logging.getLogger("sidecar")

_LOOK_AGAIN_S = 5.0
_MORE_TIME_S = 60.0


def exit_code_for(error: SidecarError) -> int:
    """Give the exit code that makes a service manager do the right thing after this error."""
    if isinstance(error, SidecarRunning):
        return 0
    return EXIT_CONFIG if isinstance(error, ConfigError | ProtocolError | VaultNotInitialised) else 1


def code_for_manager(code: int, manager: str) -> int:
    """Give the exit code as ``manager`` needs it: launchd has none that forbids another start but 0."""
    return 0 if manager == "launchd" and code == EXIT_CONFIG else code


def serve_as_service(root: Path, port: int | None, manager: str) -> int:
    """Serve ``root`` until told to stop; give the exit code."""
    to_manager = logging.StreamHandler(sys.stderr)
    to_manager.setLevel(logging.WARNING)  # the rest is in the log
    logging.basicConfig(format="%(levelname)s %(message)s", handlers=[to_manager])
    notifier = Notifier(os.environ)
    try:
        _wait_for(root, notifier)
        open_log(log_path(read_vault_id(VaultFiles(root))))
        log.info("starting for %s", root)
        process = SidecarProcess(root, port, lambda _: None, is_service=True, notifier=notifier)
        code = asyncio.run(process.run())
        log.info("asked to start anew" if code == EXIT_RESTART else "stopped")
    except SidecarError as error:
        code = exit_code_for(error)
        if not logging.getLogger().handlers[1:]:
            open_log(user_folder() / "logs" / "service.jsonl")
        log.log(
            logging.INFO if code == 0 else logging.ERROR,
            "%s %s %s",
            error.message,
            error.fix,
            access_hint() if isinstance(error, VaultUnreadable) else "",
        )
        notifier.say(error.message)
        if code == 0:  # systemd takes an end before this for a failure, and would start it for ever
            notifier.ready()
    notifier.stopping()
    return code_for_manager(code, manager)


def supervise(root: Path, port: int | None) -> int:
    """Serve ``root`` in a child process that is started again when it fails."""
    open_log(user_folder() / "logs" / "supervisor.jsonl")
    options = ["--port", str(port)] if port is not None else []
    module = [sys.executable, "-m", "sidecar.cli.main", "serve", "--service", *options, "--vault", str(root)]
    return Supervisor(module, cwd=Path.home()).run()


def _wait_for(root: Path, notifier: Notifier) -> None:
    """Wait for a vault on a drive that comes later than the login."""
    told = False
    while not (root / KB_FOLDER).is_dir():
        if root.is_dir() and any(root.iterdir()):
            return  # a folder that is no vault: reading it says so
        if not told:
            log.warning("There is no vault at %s yet; waiting for it.", root)
            told = True
        notifier.say(f"waiting for {root}")
        notifier.ask_for_time(_MORE_TIME_S)
        time.sleep(_LOOK_AGAIN_S)
