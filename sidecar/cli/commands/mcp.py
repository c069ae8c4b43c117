"""``kb mcp``: the vault's tools for agents, over standard input and output."""

from __future__ import annotations

import argparse
import logging
import sys

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK

PROFILES = ("full", "autonomous", "readonly")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--profile", choices=PROFILES, default="full", help="which tools there are: docs/agents.md")
    parser.add_argument("--list", action="store_true", help="list the tools of the profile, and end")


def run(args: argparse.Namespace, context: Context) -> int:
    if args.list:
        from sidecar.agent.profiles import tools_of

        tools = tools_of(args.profile)
        value = [{"name": one.name, "reads_only": one.reads_only, "leaves": one.leaves, "open_world": one.open_world} for one in tools]
        context.print(value, [f"{one.name:18} {'reads' if one.reads_only else one.leaves}" for one in tools])
        return OK
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    from sidecar.agent.server import make_server
    from sidecar.cli.agent_vault import AgentVault

    vault = AgentVault(context.vault())
    try:
        make_server(vault, args.profile).run("stdio")
    finally:
        vault.close()
    return OK
