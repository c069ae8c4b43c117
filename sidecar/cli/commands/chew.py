"""``kb chew``: turn much-used notes into a judgement of your own."""

from __future__ import annotations

import argparse
import sys

from sidecar.cli.context import Context, bold, faint
from sidecar.cli.exit_codes import OK
from sidecar.errors import RequestInvalid


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("notes", nargs="*", metavar="NOTE", help="what the judgement is built on; none lists what is due")
    parser.add_argument("--title", default="", help="name of the core note")
    parser.add_argument("--sentence", default="", help="the judgement, in your own words (asked for at a terminal)")
    parser.add_argument("--use-when", default="", help="when it will be used again (asked for at a terminal)")
    parser.add_argument("--displace", default="", metavar="NOTE", help="core note that makes room where the core is full")


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    if not args.notes:
        found = client.call("GET", "/api/kb/chew")
        lines = [f"{one['title']}  {faint(one['path'])}  used on {one['days']} days" for one in found["entries"]]
        lines = lines or ["Nothing is used so much that a judgement is due."]
        context.print(found, [*lines, f"Core: {found['core']} of {found['cap']}."])
        return OK
    if not args.sentence and not context.is_json and sys.stdin.isatty():
        for name in args.notes:
            entry = client.call("GET", "/api/kb/entry", note=name)
            sys.stdout.write(f"{bold(entry['title'])}\n{entry['text'][:3000]}\n\n")
        args.sentence = input("Your judgement, in one sentence: ")
        args.use_when = args.use_when or input("When will you use it: ")
        args.title = args.title or input("Title: ")
    if not (args.sentence and args.use_when and args.title):
        raise RequestInvalid("A judgement needs its words from you.", fix="Give --title, --sentence and --use-when.", field="sentence")
    done = client.call(
        "POST", "/api/kb/chew", notes=args.notes, title=args.title, sentence=args.sentence, use_when=args.use_when, displace=args.displace
    )
    context.print(done, [f"Wrote {done['path']}.", *([f"{done['displaced']} made room."] if done["displaced"] else [])])
    return OK
