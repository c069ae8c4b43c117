"""``kb status``: the running sidecar at a glance."""

from __future__ import annotations

import argparse
from datetime import datetime

from sidecar.cli.client import RunningSidecar
from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK
from sidecar.cli.words import Words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace, context: Context) -> int:
    del args
    words, client = context.words, context.client()
    if not isinstance(client, RunningSidecar):
        root = context.vault().resolve()
        context.print({"running": False, "vault": str(root)}, [words.not_running.format(vault=root), words.start_it])
        return OK
    status = client.call("GET", "/api/kb/status")
    first = (words.reading if status["state"] == "starting" else words.ready).format_map(status)
    rows = {
        words.console: f"{client.endpoint.url}  (kb open)",
        words.watching: status["watching"],
        words.map: status["moc_path"] + (f": {status['moc_problem']}" if status["moc_problem"] else ""),
        words.feeds: _runs(client, words) if status["state"] == "ready" else "",
        words.attention: status["problem"],
        "problems": words.problems.format(count=status["problems"]) if status["problems"] else "",
    }
    lines = [f"{status['vault_name']} – {first}", *(f"  {name:<10} {text}" for name, text in rows.items() if text)]
    context.print({"running": True, "url": client.endpoint.url, "pid": client.endpoint.pid, **status}, lines)
    return OK


def _runs(client: RunningSidecar, words: Words) -> str:
    """Say when the subscriptions were and will be fetched; empty if there are none."""
    runs = client.call("GET", "/api/kb/runs")
    if not runs["subscriptions"]:
        return ""
    last = _local(runs["last"]["finished"] or runs["last"]["started"]) if runs["last"] else ""
    return words.runs.format(last=last or words.never, next=_local(runs["next"]) or words.never, waiting=runs["waiting"])


def _local(moment: str) -> str:
    return f"{datetime.fromisoformat(moment).astimezone():%m-%d %H:%M}" if moment else ""
