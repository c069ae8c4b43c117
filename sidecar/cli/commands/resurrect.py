"""``kb resurrect``: bring a buried note back to where it was."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("note", help="name or former path of the buried note")


def run(args: argparse.Namespace, context: Context) -> int:
    from sidecar.daemon.owner_desk import OwnerDesk

    with OwnerDesk(context.vault()) as desk:
        target = desk.owner.resurrect(args.note)
    context.print({"path": target}, [f"{target} is back."])
    return OK
