"""``kb resolve``: where a link leads."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("link", help="a link, with or without brackets")
    parser.add_argument("--from", dest="source", default="", metavar="NOTE", help="the note that holds it (default: the vault's root)")


def run(args: argparse.Namespace, context: Context) -> int:
    found = context.client().call("GET", "/api/kb/resolve", link=args.link, source=args.source)
    context.print(found, [found["target"] or "not written yet"])
    return 0
