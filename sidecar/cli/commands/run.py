"""``kb run``: fetch the subscriptions now."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from sidecar.cli.context import Context, faint
from sidecar.cli.exit_codes import OK, exit_code_of_name

_POLL_S = 0.3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="this subscription only; may be repeated")
    parser.add_argument("--dry-run", action="store_true", help="fetch and sift, and keep nothing")


def run(args: argparse.Namespace, context: Context) -> int:
    job = finished(context, "/api/kb/runs", only=args.only, dry_run=args.dry_run)
    if job["error"]:
        return fail(context, job)
    result = job["result"]
    lines = [f"{name}: {_said(one)}" for name, one in sorted(result["per_sub"].items())]
    if result["status"] != "dry-run":
        lines.append(f"{result['new']} new, {result['candidates']} candidates, {result['offered']} offered, {result['judged']} judged.")
        if result.get("judge_problem"):
            lines.append(f"Not judged: {result['judge_problem']}")
        if result["brief"].get("path"):
            lines.append(f"Brief: {result['brief']['path']}")
    context.print(result, lines)
    return OK if result["status"] in ("done", "partial", "dry-run") else 6


def finished(context: Context, path: str, **parameters: Any) -> dict[str, Any]:
    """Start a job and wait for its end, with a line of progress on a terminal."""
    client = context.client()
    if not client.is_running:
        return client.call("POST", path, wait=True, **parameters)
    job = client.call("POST", path, wait=False, **parameters)
    shows = sys.stderr.isatty() and not context.is_json
    try:
        while job["state"] == "running":
            time.sleep(_POLL_S)
            job = client.call("GET", "/api/kb/jobs/{id}", id=job["id"])
            if shows and job["steps"]:
                step = job["steps"][-1]
                sys.stderr.write(f"\r\x1b[K{step.get('done', '')}/{step.get('total', '')} {step.get('sub', step['step'])}"[:78])
    except KeyboardInterrupt:
        client.call("DELETE", "/api/kb/jobs/{id}", id=job["id"])
        raise
    if shows:
        sys.stderr.write("\r\x1b[K")
    return job


def fail(context: Context, job: dict[str, Any]) -> int:
    """Say why a job failed."""
    error = job["error"]
    if context.is_json:
        context.print(
            {"error": {"code": error["code"], "message": error["detail"], "fix": error["fix"], "params": error.get("params", {})}}, []
        )
    else:
        sys.stderr.write(f"kb: {error['detail']}\n    {error['fix']}\n")
    return exit_code_of_name(error["code"])


def _said(one: dict[str, Any]) -> str:
    if one["status"] in ("ok", "unchanged"):
        return f"{one['new']} new" if one["new"] else faint("nothing new")
    return f"{one['status']}. {one['reason']}"
