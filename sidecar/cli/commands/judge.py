"""``kb judge``: candidates and verdicts by hand, or by the endpoint."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from sidecar.cli.commands.run import fail, finished
from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK
from sidecar.errors import RequestInvalid

_REFUSED = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--candidates", type=int, metavar="N", help="show N candidates that wait, as a judge sees them")
    parser.add_argument("--save", metavar="FILE|-", help="take verdicts from a JSON list: id, tier, why, category, one_line")


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    if args.save:
        text = sys.stdin.read() if args.save == "-" else Path(args.save).expanduser().read_text(encoding="utf-8")
        try:
            verdicts = json.loads(text)
        except ValueError as error:
            fix = 'Give a list: [{"id": …, "tier": …, "why": …}].'
            raise RequestInvalid("The verdicts are no JSON.", fix=fix, field="verdicts") from error
        verdicts = verdicts.get("verdicts") if isinstance(verdicts, dict) else verdicts
        done = client.call("POST", "/api/kb/verdicts", verdicts=verdicts)
        lines = [f"Took {len(done['taken'])}; the day takes {done['left_today']} more."]
        context.print(done, lines + [f"  ! {one['id']}: {one['message']}" for one in done["refused"]])
        return _REFUSED if done["refused"] else OK
    if args.candidates is not None:
        found = client.call("GET", "/api/kb/verdicts", limit=args.candidates)
        context.print(found, [found["instructions"], "", found["text"] or "Nothing waits."])
        return OK
    job = finished(context, "/api/kb/judge")
    if job["error"]:
        return fail(context, job)
    result = job["result"]
    lines = [f"{result['taken']} judged, {result['refused']} refused, {result['skipped']} given up."]
    lines += [result["problem"]] if result["problem"] else []
    context.print(result, lines)
    return 6 if result["problem"] else OK
