"""``kb set``: properties of a note."""

from __future__ import annotations

import argparse
from typing import Any

from sidecar.cli.context import Context
from sidecar.errors import RequestInvalid


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("note", metavar="NOTE", help="path or name of the note")
    parser.add_argument("properties", nargs="*", metavar="KEY=VALUE", help="text, a number, true, false, or a list: tags=[a, b]")
    parser.add_argument("--remove", action="append", default=[], metavar="KEY", help="a property to remove; may be repeated")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and write nothing")


def run(args: argparse.Namespace, context: Context) -> int:
    wanted = dict(map(_pair, args.properties))
    if not wanted and not args.remove:
        raise RequestInvalid("No property was given.", fix="Type: kb set NOTE key=value")
    done = context.client().call("POST", "/api/kb/entry/properties", note=args.note, set=wanted, remove=args.remove, dry_run=args.dry_run)
    lines = done["diff"].splitlines()[2:] or [f"{done['path']} is so already."]
    context.print(done, lines if args.dry_run or not done["written"] else [f"Changed {done['path']}.", *lines])
    return 0


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise RequestInvalid(f"{text!r} is no property.", fix="Write it as key=value.")
    return key.strip(), _value(value)


def _value(text: str) -> Any:
    """Take what YAML reads as a number, true, false or a list of such for that, and anything else as the text it is."""
    from sidecar.vault.frontmatter import load_properties

    if not text.strip():
        return None
    try:
        value = load_properties(f"v: {text}")["v"]
    except ValueError:
        return text
    is_plain_list = isinstance(value, list) and not any(isinstance(item, (list, dict)) for item in value)
    return value if isinstance(value, (bool, int, float)) or is_plain_list else text
