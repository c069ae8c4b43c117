"""``kb status``: the running sidecar at a glance."""

from __future__ import annotations

import argparse

from sidecar.cli.client import RunningSidecar
from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace, context: Context) -> int:
    del args
    client = context.client()
    if not isinstance(client, RunningSidecar):
        root = context.vault().resolve()
        context.print({"running": False, "vault": str(root)}, [f"No sidecar runs for {root}.", "Start one with: kb serve"])
        return OK
    status = client.call("GET", "/api/kb/status")
    if status["state"] == "starting":
        first = f"Reading notes: {status['done']:,} of {status['total']:,}"
    else:
        first = f"Ready: {status['notes']:,} notes, {status['files']:,} files"
    lines = [
        f"{status['vault_name']} – {first}",
        f"  console    {client.endpoint.url}  (kb open)",
        f"  watching   {status['watching']}",
        f"  map        {status['moc_path']}" + (f": {status['moc_problem']}" if status["moc_problem"] else ""),
    ]
    if status["problem"]:
        lines.append(f"  attention  {status['problem']}")
    if status["problems"]:
        lines.append(f"  problems   {status['problems']} notes; see: kb list problems")
    context.print({"running": True, "url": client.endpoint.url, "pid": client.endpoint.pid, **status}, lines)
    return OK
