"""``kb search``: find notes."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context, bold, faint, marked

_WHY_WORDS = {
    "vectors-not-ready": "Ranked by words: vectors are being made.",
    "too-few-notes": "Ranked by words: vectors need some twenty notes.",
    "budget-spent": "Ranked by words: the day's budget for the endpoint is spent.",
    "endpoint-failed": "Ranked by words: the source of vectors does not answer.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", help='words, "phrases", -not, tag:x, path:folder/')
    parser.add_argument("--limit", type=int, default=10, metavar="N", help="how many at most (default 10)")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="how many to skip")
    parser.add_argument("--mode", choices=("lexical", "semantic", "hybrid"), help="by words, by vectors or both (default: the setting)")


def run(args: argparse.Namespace, context: Context) -> int:
    query = " ".join(args.query)
    mode = {"mode": args.mode} if args.mode else {}
    found = context.client().call("GET", "/api/kb/search", q=query, limit=args.limit, offset=args.offset, **mode)
    lines: list[str] = []
    for hit in found["hits"]:
        lines.append(f"{bold(hit['title'])}  {faint(hit['path'])}")
        lines += ["  " + marked(snippet["text"].strip(), snippet["highlights"]) for snippet in hit["snippets"][:1]]
    searched = found["searched"]
    if found["total"]:
        first = args.offset + 1
        shown = f"{first}–{args.offset + len(found['hits'])} of {found['total']:,} {'note' if found['total'] == 1 else 'notes'}"
        lines.append(faint(f"{shown}, {searched:,} searched"))
    elif found["reason"] == "no-term":
        lines.append("The query holds no word to look for.")
    else:
        lines.append(f"No note contains this. All {searched:,} notes were searched.")
    if found["mode_reason"]:
        lines.append(faint(_WHY_WORDS[found["mode_reason"]]))
    context.print(found, lines)
    return 0
