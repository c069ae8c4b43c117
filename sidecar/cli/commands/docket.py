"""``kb docket``: the notes that wait for the owner's decision, each with its reasons."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context, faint
from sidecar.cli.exit_codes import OK

_LINE = 78
_MARKS = {"met": "✓", "not-met": "·", "not-yet-known": "?"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("note", nargs="?", default="", help="one note, on the docket or not, with every condition")
    parser.add_argument("--why", action="store_true", help="show every condition of each note")
    parser.add_argument("--all", action="store_true", help="every note that can be judged")


def run(args: argparse.Namespace, context: Context) -> int:
    found = context.client().call("GET", "/api/kb/docket", note=args.note, all=args.all)
    lines: list[str] = []
    for one in found["entries"]:
        lines.append(f"{one['title']}  {faint(one['path'])}"[: _LINE + 20])
        if args.why or args.note:
            lines += [f"    {_MARKS[reason['state']]} {name}: {reason['why']}" for name, reason in one["reasons"].items()]
        elif one["layer"] == "inbox":
            lines.append(faint("    " + one["reasons"]["expired"]["why"]))
        else:
            lines.append(faint("    " + one["reasons"]["unchanged"]["why"]))
    if not found["entries"]:
        lines.append("Nothing waits." if not args.note else "That note is never judged: it is core, buried, or outside the folders.")
        if not found["observed_since"]:
            lines.append("    Signals are not kept yet; they are from the sidecar's next start.")
    elif not (args.note or args.all):
        room = f"{found['room_this_week']} of {found['budget']} can be shown this week"
        lines.append(f"{len(found['entries'])} wait; {room}. Decide: kb trial")
    context.print(found, lines)
    return OK
