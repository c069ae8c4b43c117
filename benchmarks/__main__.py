"""Entry point: ``python -m benchmarks NAME … [--json]``; ``--help`` lists them. Each is a module here with ``SUMMARY``,
``add_arguments(parser)`` and ``run(args) -> figures``, and, if a list of figures does not do, ``table(figures) -> str``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys

NAMES = ("vault", "graph", "search", "semantic", "extraction", "ingest", "idle", "checkout", "start", "feeds", "age", "hook")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measurements, as ratios within one run or medians.")
    commands = parser.add_subparsers(dest="name", required=True)
    modules = {name: importlib.import_module(f"benchmarks.{name}") for name in NAMES}
    for name, module in modules.items():
        command = commands.add_parser(name, help=module.SUMMARY, description=module.__doc__)
        command.add_argument("--json", action="store_true")
        module.add_arguments(command)
    args = parser.parse_args()
    module = modules[args.name]
    figures = module.run(args)
    if args.json:
        print(json.dumps(figures))
    elif hasattr(module, "table"):
        print(module.table(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<28} {value:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
