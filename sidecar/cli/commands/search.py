"""``kb search``: find notes."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from sidecar.cli.context import Context, bold, faint, marked
from sidecar.cli.parsing import Parser
from sidecar.cli.words import Words
from sidecar.errors import RequestInvalid

_MAX_TEXT = 200_000


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
    words = context.words
    lines: list[str] = []
    for wrong, right in found["corrections"].items():
        lines.append(faint(words.search_corrected.format(wrong=wrong, right=right)))
    for hit in found["hits"]:
        lines.append(f"{bold(hit['title'])}  {faint(hit['path'])}")
        lines += ["  " + marked(snippet["text"].strip(), snippet["highlights"]) for snippet in hit["snippets"][:1]]
    lines.append(_summary(found, args.offset, words))
    if found["mode_reason"]:
        lines.append(faint(words.search_why[found["mode_reason"]]))
    context.print(found, lines)
    return 0


def _like(args: argparse.Namespace, context: Context) -> int:
    what = {"text": sys.stdin.read(_MAX_TEXT)} if args.like == "-" else {"note": args.like}
    found = context.client().call("POST", "/api/kb/similar", limit=args.limit, **what)
    lines = [f"{bold(one['title'])}  {faint(one['path'])}  {' · '.join(one['terms'])}" for one in found["similar"]]
    context.print(found, lines or [context.words.search_like_nothing])
    return 0


def _summary(found: dict[str, Any], offset: int, words: Words) -> str:
    total, searched, count = found["total"], found["searched"], len(found["hits"])
    if total:
        template = words.search_beyond if not count else words.search_shown_one if total == 1 else words.search_shown
        return faint(template.format(first=offset + 1, last=offset + count, total=total, searched=searched))
    templates = {
        "no-term": words.search_no_term,
        "empty-query": words.search_no_term,
        "filtered-out": words.search_filtered,
        "only-buried": words.search_buried,
    }
    return templates.get(found["reason"], words.search_nothing).format(searched=searched)
