"""``kb completion``: a script that lets the shell complete commands and options."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context

SHELLS = ("bash", "zsh", "fish", "powershell")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS)


def run(args: argparse.Namespace, context: Context) -> int:
    import shtab

    from sidecar.cli.main import whole_parser

    script = shtab.complete(whole_parser(), args.shell)
    context.print({"shell": args.shell, "script": script}, script.rstrip("\n").split("\n"))
    return 0
