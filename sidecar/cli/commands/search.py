"""``kb search``: find notes."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from sidecar.cli.context import Context, bold, faint, marked
from sidecar.cli.parsing import Parser
from sidecar.errors import RequestInvalid

_MAX_TEXT = 200_000

_WHY_WORDS = {
    "vectors-not-ready": "Ranked by words: vectors are being made.",
    "too-few-notes": "Ranked by words: vectors need some twenty notes.",
    "budget-spent": "Ranked by words: the day's budget for the endpoint is spent.",
    "endpoint-failed": "Ranked by words: the source of vectors does not answer.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query",
        nargs="*",
        help='words, "phrases", -not, tag:x, path:folder/, layer:L1, in:graveyard, origin:web, has:orphan, after:2026-01-31, before:2026',
    )
    if isinstance(parser, Parser):
        parser.takes_dashed_words = True
    parser.add_argument("--like", metavar="NOTE", help="find notes that use the words of this one; - reads a text from standard input")
    parser.add_argument("--limit", type=int, default=10, metavar="N", help="how many at most (default 10)")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="how many to skip")
    parser.add_argument("--mode", choices=("lexical", "semantic", "hybrid"), help="by words, by vectors or both (default: the setting)")


def run(args: argparse.Namespace, context: Context) -> int:
    if bool(args.query) == (args.like is not None):
        raise RequestInvalid("Give a query or --like, one of the two.", fix="For example: kb search garden", field="query")
    if args.like is not None:
        return _like(args, context)
    mode = {"mode": args.mode} if args.mode else {}
    found = context.client().call("GET", "/api/kb/search", q=" ".join(args.query), limit=args.limit, offset=args.offset, **mode)
    lines: list[str] = []
    for wrong, right in found["corrections"].items():
        lines.append(faint(f"No note contains {wrong!r}; these are for {right!r}."))
    for hit in found["hits"]:
        lines.append(f"{bold(hit['title'])}  {faint(hit['path'])}")
        lines += ["  " + marked(snippet["text"].strip(), snippet["highlights"]) for snippet in hit["snippets"][:1]]
    lines.append(_summary(found, args.offset))
    if found["mode_reason"]:
        lines.append(faint(_WHY_WORDS[found["mode_reason"]]))
    context.print(found, lines)
    return 0


def _like(args: argparse.Namespace, context: Context) -> int:
    what = {"text": sys.stdin.read(_MAX_TEXT)} if args.like == "-" else {"note": args.like}
    found = context.client().call("POST", "/api/kb/similar", limit=args.limit, **what)
    lines = [f"{bold(one['title'])}  {faint(one['path'])}  {' · '.join(one['terms'])}" for one in found["similar"]]
    context.print(found, lines or ["No other note uses these words."])
    return 0


def _summary(found: dict[str, Any], offset: int) -> str:
    searched = found["searched"]
    if found["total"]:
        shown = f"{offset + 1}–{offset + len(found['hits'])} of" if found["hits"] else "No more than"
        return faint(f"{shown} {found['total']:,} {'note' if found['total'] == 1 else 'notes'}, {searched:,} searched")
    if found["reason"] in ("no-term", "empty-query"):
        return "The query holds no indexable term: no word to look for."
    if found["reason"] == "filtered-out":
        return f"Notes contain this, but none passes the filters. All {searched:,} notes were searched."
    if found["reason"] == "only-buried":
        return "Only buried notes contain this. Add in:graveyard to see them."
    return f"No note contains this. All {searched:,} notes were searched."
