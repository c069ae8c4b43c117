"""``kb list``: notes and what can be said of them."""

from __future__ import annotations

import argparse
from typing import Any

from sidecar.cli.context import Context, faint

_KINDS = ("notes", "hubs", "orphans", "dead-ends", "unresolved", "tags", "problems")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", choices=_KINDS, default="notes")
    parser.add_argument("--limit", type=int, default=100, metavar="N", help="how many at most (default 100)")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="how many to skip")


def run(args: argparse.Namespace, context: Context) -> int:
    found = context.client().call("GET", "/api/kb/list", kind=args.kind, limit=args.limit, offset=args.offset)
    lines = [_line(found["kind"], item) for item in found["items"]]
    shown = args.offset + len(found["items"])
    if shown < found["total"]:
        lines.append(faint(context.words.list_more.format(shown=shown, total=found["total"])))
    elif not found["items"]:
        lines.append(context.words.list_none)
    context.print(found, lines)
    return 0


def _line(kind: str, item: dict[str, Any]) -> str:
    match kind:
        case "hubs" | "dead-ends":
            return f"{item['in_links']:>5}  {item['path']}"
        case "unresolved":
            known = ", ".join(item["known_otherwise"])
            hint = f"  matches an alias or title of {known}" + (f"; write {item['repair']}" if item["repair"] else "") if known else ""
            return f"{len(item['wanted_by']):>5}  {item['link']}{faint(hint)}"
        case "tags":
            return f"{item['count']:>5}  #{item['tag']}"
        case "problems":
            return f"{item['path']}: {item['problem']}"
        case _:
            return str(item["path"])
