"""Entry point: ``python -m benchmarks vault PATH`` or ``python -m benchmarks extraction FOLDER``; ``--help`` tells the options."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks import extraction, vault


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    vaults = commands.add_parser("vault", help="cold start, warm start, one save, one search")
    vaults.add_argument("path", type=Path, help="a vault; it is copied, never written to")
    vaults.add_argument("--runs", type=int, default=5)
    pages = commands.add_parser("extraction", help="what is kept of saved pages, beside other readers")
    pages.add_argument("path", type=Path, help="a folder with html/ and ground-truth/")
    pages.add_argument("--no-peers", action="store_true", help="measure our own reader only; installs nothing")
    for command in (vaults, pages):
        command.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.name == "extraction":
        found = extraction.measure(args.path, peers=not args.no_peers)
        print(json.dumps(found) if args.json else extraction.table(found))
        return 0
    figures = vault.measure(args.path, args.runs)
    if args.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<28} {value:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
