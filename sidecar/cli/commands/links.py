"""``kb links``: the surroundings of a note."""

from __future__ import annotations

import argparse
from typing import Any

from sidecar.cli.context import Context, bold, faint, marked
from sidecar.cli.words import Words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("note", help="path or name of a note")
    parser.add_argument("--limit", type=int, default=1000, metavar="N", help="how many back-links at most (default 1000)")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="how many back-links to skip")


def run(args: argparse.Namespace, context: Context) -> int:
    found = context.client().call("GET", "/api/kb/links", note=args.note, limit=args.limit, offset=args.offset)
    words = context.words
    lines = [f"{bold(found['title'])}  {faint(found['note'])}"]
    lines += _section(words.links_in, [back for back in found["back"] if not back["generated"]])
    shown = args.offset + len(found["back"])
    if shown < found["back_total"]:
        lines.append(faint("  " + words.links_more.format(shown=shown, total=found["back_total"])))
    lines += _section(words.links_unlinked, found["mentions"])
    lines.append(bold(f"{words.links_out} ({len(found['forward'])})"))
    lines += [line for link in found["forward"] for line in _outgoing(link, words)]
    lines.append(bold(f"{words.links_related} ({len(found['related'])})"))
    lines += [f"  {related['title']}  {faint(_reasons(related['reasons']))}" for related in found["related"]]
    generated = sorted({back["source"] for back in found["back"] if back["generated"]})
    if generated:
        lines.append(faint(words.links_on_map.format(names=", ".join(generated))))
    context.print(found, lines)
    return 0


def _outgoing(link: dict[str, Any], words: Words) -> list[str]:
    """Show a link out; one to an unwritten note whose name another goes by gets the link that would lead there."""
    lines = [f"  {link['raw']} → {link['target'] if link['resolved'] else words.not_written}"]
    if link["known_otherwise"]:
        hint = f"matches an alias or title of {', '.join(link['known_otherwise'])}"
        lines.append(faint(f"      {hint}" + (f"; write {link['repair']}" if link["repair"] else "")))
    return lines


def _section(title: str, mentions: list[dict[str, Any]]) -> list[str]:
    shown = (f"  {m['title']}:{m['line']}  {marked(m['context'], m['highlights'])}" for m in mentions)
    return [bold(f"{title} ({len(mentions)})"), *shown]


def _reasons(reasons: dict[str, list[str]]) -> str:
    words = {
        "tags": ("tag in common", "tags in common"),
        "neighbours": ("shared neighbour", "shared neighbours"),
    }
    counted = [f"{len(shared)} {words[reason][len(shared) != 1]}" for reason, shared in reasons.items() if reason in words]
    return " · ".join([*counted, *([f"words: {', '.join(reasons['text'])}"] if "text" in reasons else [])])
