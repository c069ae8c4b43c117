"""What other programs are given holds any title there may be."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import networkx as nx
import pytest

from sidecar.graph.export import to_dot, to_graphml
from sidecar.graph.picture import to_html

HOSTILE = [
    "</script><script>alert(1)</script>",
    'q"uo\'te \\" ]]> &amp;',
    "%% kb:moc:begin %%",
    "nul\0 bell\x07 \ud83d \ufffe",
    "line\u2028two\nthree",
    "<!--",
    "@DATA@ 中文 😀",
]


def _graph() -> dict[str, Any]:
    nodes = [{"path": f"{n}.md", "kind": "note", "title": title, "layer": "wiki"} for n, title in enumerate(HOSTILE)]
    nodes += [
        {"path": "1.md", "kind": "unresolved", "title": "1", "layer": ""},
        {"path": "p.png", "kind": "attachment", "title": "p", "layer": ""},
    ]
    edge = {"source": "0.md", "kind": "wikilink", "raw": HOSTILE[1], "subpath": "", "display": HOSTILE[0], "resolved": True}
    edges = [
        {**edge, "target": "1.md"},
        {**edge, "target": "1.md"},
        {**edge, "target": "1.md", "resolved": False},
        {**edge, "target": "0.md"},
    ]
    return {"version": 1, "nodes": nodes, "edges": edges}


def test_graphml_loads_again_with_every_node_and_occurrence() -> None:
    graph = _graph()
    loaded = nx.read_graphml(io.BytesIO(to_graphml(graph).encode("utf-8")), force_multigraph=True)
    assert (len(graph["nodes"]), 4) == (loaded.number_of_nodes(), loaded.number_of_edges())
    titles = [data["title"] for _, data in loaded.nodes(data=True)]
    for n in (0, 1, 2, 6):
        assert HOSTILE[n] == titles[n]
    assert "nul\ufffd bell\ufffd \ufffd \ufffd" == titles[3]
    assert {"note", "unresolved", "attachment"} == {data["kind"] for _, data in loaded.nodes(data=True)}


def test_dot_quotes_whatever_a_title_holds() -> None:
    lines = to_dot(_graph()).splitlines()
    pattern = re.compile(r'  n\d+ \[label="(?:[^"\\]|\\.)*", tooltip="(?:[^"\\]|\\.)*"(?:, style="dashed")?\];')
    assert len(HOSTILE) + 2 == sum(bool(pattern.fullmatch(line)) for line in lines)
    assert 4 == sum(bool(re.fullmatch(r'  n\d+ -> n\d+ \[class="wikilink"\];', line)) for line in lines)


def test_the_picture_is_one_page_in_which_no_title_becomes_markup() -> None:
    page = to_html(_graph())
    assert (2, 2) == (page.count("<script"), page.count("</script>")), "its data and its code"
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert HOSTILE == [node[0] for node in data["nodes"][: len(HOSTILE)]]
    assert [[0, 1], [0, len(HOSTILE)]] == data["links"], "one line a pair, none to itself"
    assert not re.search(r"innerHTML|insertAdjacent|document\.write|https?:|src=|@import|eval\(", page.replace(json.dumps(HOSTILE), ""))
    assert "default-src 'none'; script-src 'sha256-" in page


@pytest.mark.parametrize("tag", ["style", "script"])
def test_the_policy_allows_the_pages_own_code_by_its_hash(tag: str) -> None:
    import base64
    import hashlib

    page = to_html(_graph())
    own = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[1]  # type: ignore[index]
    digest = base64.b64encode(hashlib.sha256(own.encode("utf-8")).digest()).decode()
    assert f"{tag}-src 'sha256-{digest}'" in page
