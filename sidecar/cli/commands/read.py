"""``kb read``: a note's text; a sign that it was used."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("note", help="name or path of the note")
    parser.add_argument("--no-signal", action="store_true", help="look only: leave no sign of use")


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    found = client.call("GET", "/api/kb/entry", note=args.note)
    if not args.no_signal:
        found |= client.call("POST", "/api/kb/signals", kind="read", notes=[found["path"]], door="cli")
    context.print(found, found["text"].splitlines())
    return OK
