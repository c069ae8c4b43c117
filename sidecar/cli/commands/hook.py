"""``kb hook``: what an agent's hook prints; the work is done by :mod:`sidecar.cli.quick_hook`."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context
from sidecar.cli.quick_hook import main


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=("prompt", "session-start"), help="for a prompt on standard input, or for a new session")
    parser.add_argument("--plain", action="store_true", help="plain text instead of the client's JSON")


def run(args: argparse.Namespace, context: Context) -> int:
    plain = ["--plain"] if args.plain else []
    return main([args.kind, *plain, "--vault", str(context.vault())])
