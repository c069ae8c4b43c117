"""``kb promote``: move a note up a layer."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("note", help="name or path of the note")
    parser.add_argument("--use-when", required=True, metavar="TEXT", help="when it will be used again")
    parser.add_argument("--to", default="", choices=("sources", "wiki", "core"), help="default: sources for captures, wiki for own text")
    parser.add_argument("--sentence", default="", metavar="TEXT", help="for the core: the judgement in your own words")
    parser.add_argument("--displace", default="", metavar="NOTE", help="core note that makes room where the core is full")


def run(args: argparse.Namespace, context: Context) -> int:
    done = context.client().call(
        "POST", "/api/kb/promote", note=args.note, use_when=args.use_when, to=args.to, sentence=args.sentence, displace=args.displace
    )
    lines = [f"{done['path']} → {done['target']}"]
    lines += [f"{done['displaced']} made room."] if done["displaced"] else []
    context.print(done, lines)
    return OK
