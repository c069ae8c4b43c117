"""``kb context``: what an agent's session begins with."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fingerprint", action="store_true", help="print what changes when anything of it does")


def run(args: argparse.Namespace, context: Context) -> int:
    found = context.client().call("GET", "/api/kb/context")
    context.print(found, [found["fingerprint"]] if args.fingerprint else found["text"].splitlines())
    return OK
