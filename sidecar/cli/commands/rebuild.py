"""``kb rebuild``: make what was projected from the journals anew."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(args: argparse.Namespace, context: Context) -> int:
    done = context.client().call("POST", "/api/kb/rebuild")
    total = sum(number for name, number in done["counts"].items() if name != "judged_today")
    context.print(done, [f"Read {done['lines']:,} lines of the journals; {total:,} items."])
    return OK
