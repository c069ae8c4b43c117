"""``kb serve``: run the sidecar in the foreground."""

from __future__ import annotations

import argparse
import logging
import sys

from sidecar.cli.context import Context


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="port to listen on; 0 takes any free one (default: the vault's setting)")
    parser.add_argument("--service", action="store_true", help="run as a login item: no test settings, quiet output")
    parser.add_argument("--verbose", action="store_true", help="log what is taken in")


def run(args: argparse.Namespace, context: Context) -> int:
    import asyncio

    from sidecar.daemon.process import SidecarProcess

    level = logging.INFO if args.verbose or args.service else logging.WARNING
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    root = context.vault()

    def ready(url: str) -> None:
        if not args.service:
            sys.stdout.write(f"Serving {root.resolve().name} at {url} – open the console with: kb open\n")
            sys.stdout.flush()

    return asyncio.run(SidecarProcess(root, args.port, ready, is_service=args.service).run())
