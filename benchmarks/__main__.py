"""Entry point: ``python -m benchmarks vault PATH`` or ``python -m benchmarks ingest``, each with ``[--runs N] [--json]``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks import ingest, vault


def main() -> int:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--runs", type=int, default=0, help="how often (default: enough for a stable median)")
    common.add_argument("--json", action="store_true")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    of_vault = commands.add_parser("vault", parents=[common], help="cold start, warm start, one save, one search")
    of_vault.add_argument("path", type=Path, help="a vault; it is copied, never written to")
    commands.add_parser("ingest", parents=[common], help="a 200 kB article from this machine, from request to indexed note")
    args = parser.parse_args()
    figures = vault.measure(args.path, args.runs or 5) if args.name == "vault" else ingest.measure(args.runs or 40)
    if args.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<28} {value:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
