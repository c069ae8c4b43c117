"""``kb brief``: the day's brief."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("date", nargs="?", default="", metavar="DATE", help="like 2026-07-23 (default: today)")
    parser.add_argument("--write", action="store_true", help="write it, or render it again")
    parser.add_argument("--week", action="store_true", help="write the note of the seven days up to that day")
    parser.add_argument("--month", action="store_true", help="write the note of the thirty days up to that day")


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    if args.write or args.week or args.month:
        done = client.call("POST", "/api/kb/brief", date=args.date, roll_up="week" if args.week else "month" if args.month else "")
        context.print(done, [f"{'Wrote' if done['written'] else 'Up to date:'} {done['path']}"])
        return OK
    found = client.call("GET", "/api/kb/brief", date=args.date)
    if found["text"]:
        body = found["text"].split("---\n", 2)[-1]
        lines = [line for line in body.splitlines() if not line.startswith("%%")]
    else:
        brief = found["brief"]
        lines = [f"{found['day']} has no brief yet: {brief['seen']} items seen, {found['waiting']} wait.", "    Write it with: kb run"]
    context.print(found, lines)
    return OK
