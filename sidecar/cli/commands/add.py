"""``kb add``: links become notes."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from sidecar.cli.client import Client, RemoteError
from sidecar.cli.context import Context
from sidecar.cli.exit_codes import exit_code_of_name
from sidecar.errors import RequestInvalid

_POLL_S = 0.15
_STEPS = {"fetch": "fetching", "read": "reading", "write": "writing"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("urls", nargs="*", metavar="URL", help="addresses; - reads them from standard input, one a line")
    parser.add_argument("--file", metavar="LIST", help="read addresses from a file, one a line; # begins a comment")
    parser.add_argument("--tag", action="append", default=[], dest="tags", metavar="TAG", help="a tag for the notes; may be repeated")
    parser.add_argument("--use-when", default="", metavar="TEXT", help="when you will want these notes again")
    parser.add_argument("--via", choices=("paste", "brief", "share", "agent"), default="paste", help="how the links came in")
    parser.add_argument("--force", action="store_true", help="write a new version even if the page is in the vault")


def run(args: argparse.Namespace, context: Context) -> int:
    urls = _addresses(args)
    client = context.client()
    tags = [tag.lstrip("#") for tag in args.tags]
    job = client.call("POST", "/api/kb/ingest", urls=urls, tags=tags, use_when=args.use_when, via=args.via, force=args.force)
    job = _follow(client, job)
    if job["state"] != "done":
        raise RemoteError(
            job["error"] or {"detail": f"The job was {job['state']}.", "fix": "Add the links again.", "code": "job-cancelled"}
        )
    results: list[dict[str, Any]] = job["result"]["results"]
    failed = [result for result in results if result["status"] == "failed"]
    context.print({"results": results}, [_line(result) for result in results])
    for result in failed:
        sys.stderr.write(f"kb: {result['error']['detail']}\n    {result['error']['fix']}\n")
    return exit_code_of_name(failed[0]["error"]["code"]) if failed else 0


def _addresses(args: argparse.Namespace) -> list[str]:
    lines: list[str] = []
    for url in args.urls:
        lines += sys.stdin.read().splitlines() if url == "-" else [url]
    if args.file:
        try:
            lines += Path(args.file).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise RequestInvalid(f"{args.file} cannot be read: {error}.", fix="Give a text file with one address a line.") from error
    urls = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not urls:
        raise RequestInvalid("No address was given.", fix="Type: kb add https://example.com/page")
    return urls


def _follow(client: Client, job: dict[str, Any]) -> dict[str, Any]:
    shown = ""
    while job["state"] == "running":
        time.sleep(_POLL_S)
        job = client.call("GET", "/api/kb/jobs/{id}", id=job["id"])
        if sys.stderr.isatty() and job["steps"]:
            step = job["steps"][-1]
            line = f"{step['number']} of {step['of']}: {_STEPS.get(step['step'], step['step'])} {step['url']}"[:78]
            if line != shown:
                sys.stderr.write(f"\r\x1b[K{line}")
                shown = line
    if shown:
        sys.stderr.write("\r\x1b[K")
    return job


def _line(result: dict[str, Any]) -> str:
    match result["status"]:
        case "created":
            notice = f"\n           {result['warnings'][0]}" if result["warnings"] else ""
            return f"saved      {result['path']}{notice}"
        case "duplicate":
            return f"is there   {result['path']}  (--force writes a new version)"
        case "buried":
            return f"buried     {result['path']}; nothing was written"
        case _:
            return f"failed     {result['url']}"
