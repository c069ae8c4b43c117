"""``kb graph``: the whole graph."""

from __future__ import annotations

import argparse
from collections import Counter

from sidecar.cli.context import Context


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace, context: Context) -> int:
    del args
    graph = context.client().call("GET", "/api/kb/graph")
    kinds = Counter(node["kind"] for node in graph["nodes"])
    edges = Counter(edge["kind"] for edge in graph["edges"])
    dangling = sum(not edge["resolved"] for edge in graph["edges"])
    lines = [
        f"{sum(kinds.values()):,} nodes: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common()),
        f"{len(graph['edges']):,} links: " + ", ".join(f"{count:,} {kind}" for kind, count in edges.most_common()),
        f"{dangling:,} of them lead to notes not written yet (kb list unresolved)",
        "The whole graph, for programs: kb graph --json",
    ]
    context.print(graph, lines)
    return 0
