"""``kb serve``: run the sidecar in the foreground."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from sidecar.cli.context import Context
from sidecar.errors import VaultMissing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="port to listen on; 0 takes any free one (default: the vault's setting)")
    parser.add_argument("--verbose", action="store_true", help="log what is taken in")
    parser.add_argument("--supervise", action="store_true", help="start it again when it fails, for where no service manager does")
    parser.add_argument("--service", action="store_true", help="run as a login item: log to a file, no test settings (see kb service)")
    parser.add_argument("--manager", choices=("launchd",), help="whose exit codes a login item keeps to, if it has its own")


def run(args: argparse.Namespace, context: Context) -> int:
    if args.supervise or args.service:
        from sidecar.daemon.as_service import serve_as_service, supervise

        root = _vault_of_service(args, context)
        return supervise(root, args.port) if args.supervise else serve_as_service(root, args.port, args.manager or "")
    import asyncio

    from sidecar.daemon.process import SidecarProcess

    level = logging.INFO if args.verbose else logging.WARNING
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    root = context.vault()

    def ready(url: str) -> None:
        sys.stdout.write(context.words.serving.format(name=root.resolve().name, url=url) + "\n")
        sys.stdout.flush()

    return asyncio.run(SidecarProcess(root, args.port, ready, is_service=False).run())


def _vault_of_service(args: argparse.Namespace, context: Context) -> Path:
    """Give the vault, also one on a drive that is not there yet: a login item waits for it."""
    try:
        return context.vault().resolve()
    except VaultMissing:
        named = getattr(args, "vault", None)
        if not named:
            raise
        return Path(named).expanduser().absolute()
