"""``kb token``: the key of the running sidecar, for a script that asks it over HTTP."""

from __future__ import annotations

import argparse
import sys

from sidecar.cli.client import RunningSidecar
from sidecar.cli.context import Context
from sidecar.errors import SidecarUnreachable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace, context: Context) -> int:
    del args
    client = context.client()
    if not isinstance(client, RunningSidecar):
        raise SidecarUnreachable("No sidecar runs for this vault.", fix="Start one with: kb serve")
    endpoint = client.endpoint
    context.print({"url": endpoint.url, "token": endpoint.token}, [endpoint.token])
    if sys.stdout.isatty() and not context.is_json:
        sys.stderr.write(f"Good for {endpoint.url} until the sidecar stops. Send it as: Authorization: Bearer …\n")
    return 0
