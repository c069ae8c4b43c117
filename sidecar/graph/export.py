"""The graph in the formats of other programs: GraphML and DOT (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx

Graph = Mapping[str, Any]
"""A graph in the shape of ``kb graph --json``."""

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NODE_FIELDS = ("path", "kind", "title", "layer")
_EDGE_FIELDS = ("kind", "raw", "subpath", "display", "resolved")


def to_graphml(graph: Graph) -> str:
    """Write GraphML that networkx, Gephi and yEd read. Characters that XML has not become ``\ufffd``."""
    ids = _ids(graph)
    made: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node in graph["nodes"]:
        made.add_node(ids[_key(node)], **{field: _xml(node[field]) for field in _NODE_FIELDS})
    for source, target, edge in _ends(graph, ids):
        made.add_edge(source, target, **{field: _xml(edge[field]) for field in _EDGE_FIELDS})
    return "\n".join(nx.generate_graphml(made, named_key_ids=True)) + "\n"


def to_dot(graph: Graph) -> str:
    """Write a digraph for Graphviz."""
    ids = _ids(graph)
    lines = ["digraph vault {", "  node [shape=box];"]
    for node in graph["nodes"]:
        style = ', style="dashed"' if node["kind"] == "unresolved" else ""
        lines.append(f"  {ids[_key(node)]} [label={_quoted(node['title'])}, tooltip={_quoted(node['path'])}{style}];")
    lines += [f"  {source} -> {target} [class={_quoted(edge['kind'])}];" for source, target, edge in _ends(graph, ids)]
    return "\n".join([*lines, "}", ""])


def _key(node: Mapping[str, Any]) -> tuple[str, bool]:
    """Tell a file from an unwritten note of the same name."""
    return node["path"], node["kind"] != "unresolved"


def _ids(graph: Graph) -> dict[tuple[str, bool], str]:
    return {_key(node): f"n{n}" for n, node in enumerate(graph["nodes"])}


def _ends(graph: Graph, ids: Mapping[tuple[str, bool], str]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for edge in graph["edges"]:
        source, target = ids.get((edge["source"], True)), ids.get((edge["target"], edge["resolved"]))
        if source and target:
            yield source, target, edge


def _xml(value: Any) -> Any:
    return _NO_XML.sub("\ufffd", value) if isinstance(value, str) else value


def _quoted(text: str) -> str:
    flat = " ".join(_NO_XML.sub("\ufffd", text).split())
    return '"' + flat.replace("\\", "\\\\").replace('"', '\\"') + '"'
