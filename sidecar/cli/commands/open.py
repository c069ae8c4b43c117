"""``kb open``: the console in a browser."""

from __future__ import annotations

import argparse

from sidecar.cli.client import RunningSidecar
from sidecar.cli.context import Context
from sidecar.errors import SidecarUnreachable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--print", action="store_true", dest="only_print", help="print the link instead; it works once, for a minute")


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    if not isinstance(client, RunningSidecar):
        raise SidecarUnreachable("No sidecar runs for this vault.", fix="Start one with: kb serve")
    code = client.call("POST", "/api/kb/console-code")["code"]
    link = f"{client.endpoint.url}/#code={code}"
    if not args.only_print and not context.is_json:
        import webbrowser

        if webbrowser.open(link):
            context.print({"url": link}, [context.words.opened.format(url=client.endpoint.url)])
            return 0
    context.print({"url": link}, [link])
    return 0
