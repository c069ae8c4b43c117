"""``kb moc``: the map of content."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--adopt", action="store_true", help="add the markers at the end of the map's file, making it if need be")
    parser.add_argument("--write", action="store_true", help="write the map now instead of showing it")


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    if not args.adopt and not args.write:
        shown = client.call("GET", "/api/kb/moc")
        note = [f"({shown['problem']})"] if shown["problem"] else []
        context.print(shown, [shown["markdown"].rstrip("\n"), *note])
        return 0
    done = client.call("POST", "/api/kb/moc", adopt=args.adopt)
    if done["problem"]:
        context.print(done, [done["problem"]])
        return 10
    context.print(done, [f"Wrote the map into {done['path']}." if done["written"] else f"The map in {done['path']} is up to date."])
    return 0
