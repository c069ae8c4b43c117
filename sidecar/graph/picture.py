"""The graph as one page that needs nothing else: no network, no other file (pure)."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

_LAYERS = ("core", "wiki", "sources", "inbox", "graveyard", "")


def to_html(graph: Mapping[str, Any]) -> str:
    """Draw a graph in the shape of ``kb graph --json``.

    Titles are hostile text: they reach the page as JSON in which no tag can begin, and are drawn or set as text only. The
    page's policy allows its own script and style, by hash, and nothing else.
    """
    template = resources.files("sidecar.graph").joinpath("picture.html").read_text("utf-8")
    style, script = _between(template, "<style>", "</style>"), _between(template, "<script>", "</script>")
    policy = f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    return template.replace("@POLICY@", policy, 1).replace("@DATA@", _data(graph), 1)


def _data(graph: Mapping[str, Any]) -> str:
    nodes = [node for node in graph["nodes"] if node["kind"] in ("note", "canvas", "unresolved", "attachment")]
    places = {(node["path"], node["kind"] != "unresolved"): n for n, node in enumerate(nodes)}
    pairs = {
        (places[edge["source"], True], places[edge["target"], edge["resolved"]])
        for edge in graph["edges"]
        if (edge["target"], edge["resolved"]) in places and (edge["source"], True) in places and edge["source"] != edge["target"]
    }
    rows = [[node["title"], node["path"], _colour(node)] for node in nodes]
    text = json.dumps({"nodes": rows, "links": sorted(pairs)}, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _colour(node: Mapping[str, Any]) -> int:
    """Give the place of a node's colour: by layer, then unwritten notes, then other files."""
    if node["kind"] == "unresolved":
        return len(_LAYERS)
    return len(_LAYERS) + 1 if node["kind"] == "attachment" else _LAYERS.index(node["layer"])


def _between(text: str, begin: str, end: str) -> str:
    return text.split(begin, 1)[1].split(end, 1)[0]


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
