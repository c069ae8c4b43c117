"""``kb bench``: how well search answers the owner's own needs."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from sidecar.cli.client import Client, RemoteError
from sidecar.cli.context import Context, bold, faint
from sidecar.errors import RequestInvalid

_POLL_S = 0.2
_MEASURES = ("ndcg@10", "recall@1", "recall@5", "recall@10", "mrr@10")
_STEPS = {"read": "Reading", "fit": "Finding what words keep company", "embed": "Making vectors", "encode": "Encoding", "ask": "Asking"}
_REASONS = {
    "no-shared-word": "shares no word with its note: likely too abstract; name what is in it",
    "others-fit-better": "its words stand in other notes as well: say what only this one answers",
}
_STOPPED = {
    "too-few-notes": "Too few notes for vectors out of their own words: semantic found nothing.",
    "budget-spent": "The day's budget for the endpoint is spent: some notes have no vector yet. Go on tomorrow.",
}
_SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--qrels", metavar="DIR", help="judge a test set: corpus.jsonl, queries.jsonl, qrels.tsv (or .gz)")
    parser.add_argument("--source", choices=("auto", "lsa", "installed", "endpoint"), default="auto", help="where vectors come from")
    parser.add_argument("--apply", action="store_true", help="write the better mode and its weight into .kb/config.toml")


def run(args: argparse.Namespace, context: Context) -> int:
    if args.qrels is not None:
        if args.apply or args.source not in ("auto", "lsa"):
            raise RequestInvalid("A test set is judged with LSA only and changes no setting.", fix="Leave out --apply and --source.")
        from sidecar.search.bench_service import bench_folder

        report = bench_folder(Path(args.qrels), _tell if sys.stderr.isatty() else lambda step, done, total: None)
        _clear()
    else:
        report = _bench_vault(context.client(), args)
    context.print(report, _lines(report, is_vault=args.qrels is None))
    return 0


def _bench_vault(client: Client, args: argparse.Namespace) -> dict[str, Any]:
    if sys.stderr.isatty() and not client.is_running:
        sys.stderr.write("Judging your notes…")
    job = client.call("POST", "/api/kb/bench", source=args.source, apply=args.apply)
    try:
        while job["state"] == "running":
            time.sleep(_POLL_S)
            job = client.call("GET", "/api/kb/jobs/{id}", id=job["id"])
            if sys.stderr.isatty() and job["steps"]:
                _tell(job["steps"][-1]["step"], job["steps"][-1]["done"], job["steps"][-1]["of"])
    except KeyboardInterrupt:
        client.call("DELETE", "/api/kb/jobs/{id}", id=job["id"])
        raise
    finally:
        _clear()
    if job["state"] != "done":
        raise RemoteError(job["error"] or {"detail": f"The job was {job['state']}.", "fix": "Start it again.", "code": "job-cancelled"})
    report: dict[str, Any] = job["result"]
    return report


def _tell(step: str, done: int, total: int) -> None:
    sys.stderr.write(f"\r\x1b[K{_STEPS.get(step, step)}: {done:,} of {total:,}")
    sys.stderr.flush()


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def _lines(report: dict[str, Any], *, is_vault: bool) -> list[str]:
    """Lay the report out for 80 columns."""
    what = "needs (kb_use_when)" if is_vault else "queries"
    lines = [f"{report['cases']:,} {what}, {report['docs']:,} notes, indexed in {report['index_s']:g} s", ""]
    if not report["cases"]:
        return [*lines, "Nothing to judge: no note has a kb_use_when yet. It says when you will want it again."]
    lines.append(bold(f"{'':<9}" + "".join(f"{measure:>11}" for measure in _MEASURES) + f"{'p95 ms':>9}"))
    for system, figures in report["systems"].items():
        lines.append(f"{system:<9}" + "".join(f"{figures[measure]:>11.3f}" for measure in _MEASURES) + f"{figures['p95_ms']:>9.1f}")
        lines.append(faint(f"{'':<9}" + "".join(f"{_span(figures['intervals'][measure]):>11}" for measure in _MEASURES)))
    lines += ["", *_verdict(report, is_vault=is_vault)]
    if is_vault:
        lines += [*_changes(report), *_failures(report)]
    if report.get("applied"):
        lines += ["", "Written to config.toml: " + ", ".join(f"{key} = {value}" for key, value in report["applied"].items())]
    return lines


def _verdict(report: dict[str, Any], *, is_vault: bool) -> list[str]:
    lines = [f"Vectors: {report['source']}. The second line of each is the 95 % interval."]
    if report["stopped"]:
        lines.append(_STOPPED[report["stopped"]])
    for system, change in report["against_lexical"].items():
        span = f"{change['interval'][0]:+.3f} to {change['interval'][1]:+.3f}"
        lines.append(f"{system} against lexical: {change['mean']:+.3f} ({span}), {change['wins']} better, {change['losses']} worse")
    if not report["enough_cases"]:
        return [*lines, f"Too few cases to name a winner: {report['min_cases']} are needed. Take the figures as a hint."]
    if report["winner"] == "lexical":
        return [*lines, "Plain search stays: vectors do not beat it beyond chance here."]
    weight = f" with weight {report['chosen_weight']:g}" if report["winner"] == "hybrid" else ""
    return [*lines, f"Best here: {report['winner']}{weight}." + (" To use it: kb bench --apply" if is_vault else "")]


def _changes(report: dict[str, Any]) -> list[str]:
    rows = report["changes"][:_SHOWN]
    if not rows:
        return []
    lines = ["", bold(f"{'place of the right note':<40}{'lexical':>9}{'semantic':>9}{'hybrid':>9}")]
    for row in rows:
        places = (str(row["places"][system] or "-") for system in ("lexical", "semantic", "hybrid"))
        lines.append(_fit(row["name"], 40) + "".join(f"{place:>9}" for place in places))
    return [*lines, *_more(len(report["changes"]))]


def _failures(report: dict[str, Any]) -> list[str]:
    rows = report["all_fail"]
    if not rows:
        return []
    lines = ["", bold(f"{len(rows)} that none of the three finds within ten:")]
    for row in rows[:_SHOWN]:
        lines += [f"{_fit(row['name'], 78).rstrip()}", f"  {_fit(row['query'], 76).rstrip()}", f"  {_REASONS[row['reason']]}"]
    return [*lines, *_more(len(rows))]


def _more(count: int) -> list[str]:
    return [faint(f"and {count - _SHOWN} more; --json lists all")] if count > _SHOWN else []


def _span(bounds: list[float]) -> str:
    return "-".join(f"{bound:.3f}"[1:] if bound < 1 else "1.0" for bound in bounds)


def _fit(text: str, width: int) -> str:
    """Cut or fill a text to so many columns of a terminal; Chinese characters take two."""
    from unicodedata import east_asian_width

    kept, used = "", 0
    for char in " ".join(text.split()):
        size = 2 if east_asian_width(char) in "WF" else 1
        if used + size > width - 1:
            kept, used = kept + "…", used + 1
            break
        kept, used = kept + char, used + size
    return kept + " " * max(width - used, 0)
