"""``kb cite``: say that notes were really used."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("notes", nargs="+", metavar="NOTE", help="name or path of a note")
    parser.add_argument("--context", default="", help="for what it was used")


def run(args: argparse.Namespace, context: Context) -> int:
    done = context.client().call("POST", "/api/kb/signals", kind="cite", notes=args.notes, door="cli", context=args.context)
    context.print(done, [f"{path}: renewed for {done['renews_days']} days." for path in done["recorded"]])
    return OK
