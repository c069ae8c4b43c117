"""Entry point: ``python -m benchmarks vault PATH | idle | checkout [--json]``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.idle import measure_checkout, measure_idle
from benchmarks.vault import measure


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    vault = commands.add_parser("vault", help="cold start, warm start, one save, one search")
    vault.add_argument("path", type=Path, help="a vault; it is copied, never written to")
    vault.add_argument("--runs", type=int, default=5)
    vault.add_argument("--json", action="store_true")
    idle = commands.add_parser("idle", help="CPU and memory of a sidecar that nobody asks and whose vault nobody touches")
    idle.add_argument("--notes", type=int, default=10_000)
    idle.add_argument("--seconds", type=float, default=60)
    idle.add_argument("--json", action="store_true")
    checkout = commands.add_parser("checkout", help="half of the notes change at once: time to settled, answers meanwhile")
    checkout.add_argument("--notes", type=int, default=10_000)
    checkout.add_argument("--json", action="store_true")
    args = parser.parse_args()
    match args.name:
        case "vault":
            figures = measure(args.path, args.runs)
        case "idle":
            figures = measure_idle(args.notes, args.seconds)
        case _:
            figures = measure_checkout(args.notes)
    if args.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<28} {value:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
