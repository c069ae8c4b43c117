"""Entry point: ``python -m benchmarks vault PATH [--runs N] [--json]``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.semantic import measure_lsa
from benchmarks.vault import measure


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    vault = commands.add_parser("vault", help="cold start, warm start, one save, one search")
    vault.add_argument("path", type=Path, help="a vault; it is copied, never written to")
    vault.add_argument("--runs", type=int, default=5)
    vault.add_argument("--json", action="store_true")
    lsa = commands.add_parser("lsa", help="time and memory of fitting vectors out of the notes' own words")
    lsa.add_argument("notes", type=int)
    lsa.add_argument("--json", action="store_true")
    args = parser.parse_args()
    figures = measure_lsa(args.notes) if args.name == "lsa" else measure(args.path, args.runs)
    if args.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<28} {value:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
