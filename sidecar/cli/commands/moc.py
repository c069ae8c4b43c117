"""``kb moc``: the map of content and those beside it."""

from __future__ import annotations

import argparse
from typing import Any

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK

_REFUSED = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("map", nargs="?", default="", metavar="MAP", help="the map to show, like maps/Topic.md (default: the main one)")
    parser.add_argument(
        "--adopt", nargs="?", const="", metavar="MAP", help="add the markers at the end of the map's file, making it if need be"
    )
    parser.add_argument("--all", action="store_true", help="with --adopt: all maps of config.toml")
    parser.add_argument("--write", "--refresh", action="store_true", help="look at all notes again and write all maps now")
    parser.add_argument("--list", action="store_true", help="list the maps and how it stands with each")


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    if args.adopt is None and not args.write:
        shown = client.call("GET", "/api/kb/moc", map=args.map)
        context.print(shown, [_line(one) for one in shown["maps"]] if args.list else _shown(shown, args.map))
        return OK
    wanted = args.adopt or args.map
    done = client.call("POST", "/api/kb/moc", adopt=args.adopt is not None, map=wanted, all=args.all)
    context.print(done, [_outcome(one) for one in done["maps"]])
    minded = [one for one in done["maps"] if args.adopt is None or args.all or one["path"] == (wanted or done["path"])]
    return _REFUSED if any(one["problem"] and not one["frozen"] for one in minded) else OK


def _shown(answer: dict[str, Any], path: str) -> list[str]:
    problem = next((one["problem"] for one in answer["maps"] if one["path"] == (path or answer["path"])), "")
    return [answer["markdown"].rstrip("\n"), *([f"({problem})"] if problem else [])]


def _outcome(one: dict[str, Any]) -> str:
    if one["problem"]:
        return str(one["problem"])
    return f"Wrote the map into {one['path']}." if one["written"] else f"The map in {one['path']} is up to date."


def _line(one: dict[str, Any]) -> str:
    state = "frozen" if one["frozen"] else one["problem"] or "kept current"
    what = f"{one['query']}, by {one['sort']}" if one["query"] else "the main map"
    return f"{one['path']}: {what}; {one['notes']:,} notes; {state}"
