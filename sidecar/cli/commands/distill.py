"""``kb distill``: what an agent is asked to make of new sources."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("notes", nargs="*", metavar="NOTE", help="sources (default: those that no wiki page names yet)")
    parser.add_argument("--limit", type=int, default=5, metavar="N", help="how many at once")


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    if args.notes:
        found = client.call("GET", "/api/kb/distill", notes=args.notes, limit=args.limit)
    else:
        found = client.call("GET", "/api/kb/distill", limit=args.limit)
    context.print(found, found["prompt"].splitlines() if found["prompt"] else ["There is nothing new to distil."])
    return OK
