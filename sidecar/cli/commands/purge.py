"""``kb purge``: delete a buried note that git holds."""

from __future__ import annotations

import argparse
import sys

from sidecar.cli.commands.trial import refuse_without_person
from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK
from sidecar.errors import TrialRefused


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("note", help="name or former path of the buried note")


def run(args: argparse.Namespace, context: Context) -> int:
    refuse_without_person()
    from sidecar.daemon.owner_desk import OwnerDesk

    with OwnerDesk(context.vault()) as desk:
        grave = desk.owner.check_purge(args.note)
        name = grave.rsplit("/", 1)[-1].removesuffix(".md")
        sys.stdout.write(f"{grave} will be deleted; git keeps its history.\nType its name to confirm ({name}): ")
        sys.stdout.flush()
        if sys.stdin.readline().strip() != name:
            raise TrialRefused("Not confirmed; nothing was deleted.", fix="Type the name as it is shown.")
        desk.owner.purge(args.note)
    context.print({"path": grave}, [f"Purged {grave}."])
    return OK
