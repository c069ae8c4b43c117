"""``kb confirm``: take a distilled page for your own."""

from __future__ import annotations

import argparse

from sidecar.cli.commands.trial import refuse_without_person
from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("note", help="name or path of the page")


def run(args: argparse.Namespace, context: Context) -> int:
    refuse_without_person()
    done = context.client().call("POST", "/api/kb/confirm", note=args.note)
    own, outside = "counts as your own.", "says itself that it came from outside; it stays material."
    said = f"{done['path']} {own if done['is_trusted'] else outside}"
    context.print(done, [said])
    return OK
