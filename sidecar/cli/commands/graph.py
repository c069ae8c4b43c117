"""``kb graph``: the whole graph, a part of it, or a file for another program."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from sidecar.cli.context import Context, bold, faint
from sidecar.errors import RequestInvalid, WriteFailed

_FORMATS = ("json", "graphml", "dot", "html")
_ENDINGS = {".json": "json", ".graphml": "graphml", ".dot": "dot", ".gv": "dot", ".html": "html", ".htm": "html"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--around", metavar="NOTE", help="what lies around a note")
    what.add_argument("--path", nargs=2, metavar=("FROM", "TO"), help="a shortest way from note to note")
    what.add_argument("--components", action="store_true", help="groups of notes that links join")
    what.add_argument("--format", choices=_FORMATS, metavar="KIND", help=f"write the whole graph as {', '.join(_FORMATS)} (a picture)")
    parser.add_argument("--depth", type=int, default=1, metavar="N", help="steps for --around (default 1)")
    parser.add_argument("--tags", action="store_true", help="also tags as nodes")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file; without --format its name tells the format")


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    if args.around:
        found = client.call("GET", "/api/kb/graph/neighbourhood", note=args.around, depth=args.depth)
        context.print(found, _around(found))
    elif args.path:
        found = client.call("GET", "/api/kb/graph/path", start=args.path[0], goal=args.path[1])
        context.print(found, [node["path"] for node in found["path"]] or ["No links lead from one to the other."])
    elif args.components:
        found = client.call("GET", "/api/kb/graph/components")
        context.print(found, _components(found))
    else:
        kind = _format(args, context)
        graph = client.call("GET", "/api/kb/graph", tags=args.tags)
        if kind:
            return _export(graph, kind, args.output, context)
        context.print(graph, _figures(graph))
    return 0


def _format(args: argparse.Namespace, context: Context) -> str:
    """Give the format to write, empty for none.

    Raises:
        RequestInvalid: A file whose format nobody tells, or ``--json`` for what is no JSON.
    """
    kind: str = args.format or (_ENDINGS.get(Path(args.output).suffix.lower(), "") if args.output else "")
    if args.output and not kind:
        raise RequestInvalid(f"{args.output!r} does not tell its format.", fix=f"Add --format with one of: {', '.join(_FORMATS)}.")
    if context.is_json and not args.output and kind not in ("", "json"):
        raise RequestInvalid(f"{kind} is no JSON.", fix="Leave out --json, or add -o FILE.")
    return kind


def _export(graph: dict[str, Any], kind: str, output: str | None, context: Context) -> int:
    text = _encoded(graph, kind)
    if output is None:
        sys.stdout.write(text)
        return 0
    try:
        Path(output).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise WriteFailed(f"{output} cannot be written: {error.strerror}.", fix="Name a file in a folder that you may write to.") from error
    context.print({"written": output, "format": kind}, [f"Written to {output}."])
    return 0


def _encoded(graph: dict[str, Any], kind: str) -> str:
    if kind == "json":
        import json

        return json.dumps(graph, ensure_ascii=False) + "\n"
    if kind == "html":
        from sidecar.graph.picture import to_html

        return to_html(graph)
    from sidecar.graph.export import to_dot, to_graphml

    return to_dot(graph) if kind == "dot" else to_graphml(graph)


def _figures(graph: dict[str, Any]) -> list[str]:
    kinds = Counter(node["kind"] for node in graph["nodes"])
    edges = Counter(edge["kind"] for edge in graph["edges"])
    dangling = sum(not edge["resolved"] for edge in graph["edges"])
    return [
        f"{sum(kinds.values()):,} nodes: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common()),
        f"{len(graph['edges']):,} links: " + ", ".join(f"{count:,} {kind}" for kind, count in edges.most_common()),
        f"{dangling:,} of them lead to notes not written yet (kb list unresolved)",
        "For programs: kb graph --json · as a picture: kb graph --format html -o FILE",
    ]


def _around(found: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for distance in range(found["depth"] + 1):
        nodes = [node for node in found["nodes"] if node["distance"] == distance]
        if distance and nodes:
            lines.append(bold(f"{distance} step{'s' if distance > 1 else ''} away ({len(nodes)})"))
        lines += [f"  {node['path']}" + (faint("  not written yet") if node["kind"] == "unresolved" else "") for node in nodes]
    if found["truncated"]:
        lines.append(faint(f"{found['truncated']} more were left out"))
    return lines


def _components(found: dict[str, Any]) -> list[str]:
    joined = [group for group in found["components"] if group["size"] > 1]
    lines = [f"{group['size']:>7,}  {', '.join(group['notes'][:2])}{' …' if group['size'] > 2 else ''}" for group in joined[:50]]
    return [f"{found['total']:,} groups, {found['total'] - len(joined):,} of one note or beyond the first 1,000", *lines]
