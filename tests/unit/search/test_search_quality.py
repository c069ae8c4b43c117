"""How well search ranks, pinned: one setting for all sets. Lowering a pin is a commit of its own."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from sidecar.search.bench_service import read_folder
from sidecar.search.document import PackedDocument, pack_note, unpack_document
from sidecar.search.evaluate import Judged, QrelsSet, mean, ndcg_at
from sidecar.search.index import SearchIndex
from sidecar.search.query import parse_query
from sidecar.search.ranking import score_documents
from sidecar.vault.parse import parse_note

_SAMPLE_QUERIES, _SAMPLE_DOCUMENTS = 60, 900
_NOISE = 0.003
"""What another order of equal scores may change."""

WHOLE = {
    "zh-cmrc-dev": 0.9713,
    "zh-csl-dev": 0.9780,
    "ja-jaquad-dev": 0.9239,
    "en-cranfield-dev": 0.3923,
    "en-vaswani-dev": 0.4371,
    "mixed-dev": 0.8445,
}
SAMPLE = {"zh-cmrc-dev": 1.0, "ja-jaquad-dev": 0.9421, "en-cranfield-dev": 0.3517}


def _packed(document: Judged) -> PackedDocument:
    note = parse_note("n.md", document.text)
    title = document.title.replace("/", " ")
    note = replace(note, path=f"{title}.md", title=title) if title else replace(note, path=".md", title="")
    return unpack_document(pack_note(note, document.text))


def _ranked(index: SearchIndex, query: str) -> list[str]:
    scores = np.round(score_documents(index, parse_query(query[:1000]).runs, is_typing=False), 6)
    best = np.argsort(-scores, kind="stable")[:50]
    return [name for _, name in sorted((-float(scores[n]), index.name(int(n))) for n in best if scores[n] > 0)]


def _ndcg(judged: QrelsSet) -> float:
    index = SearchIndex()
    index.load((document.name, _packed(document)) for document in judged.documents)
    return mean([ndcg_at(_ranked(index, text), judged.relevant[name], 10) for name, text in judged.queries.items()])


def _sample(judged: QrelsSet) -> QrelsSet:
    queries = dict(islice(judged.queries.items(), _SAMPLE_QUERIES))
    right = {name for query in queries for name in judged.relevant[query]}
    others = islice((d for d in judged.documents if d.name not in right), 0, None, max(1, len(judged.documents) // _SAMPLE_DOCUMENTS))
    return QrelsSet((*(d for d in judged.documents if d.name in right), *others), queries, judged.relevant)


@pytest.mark.parametrize("name", SAMPLE)
def test_quality_of_a_sample_does_not_fall(name: str, shared: Path) -> None:
    assert _ndcg(_sample(read_folder(shared / "data/retrieval" / name))) >= SAMPLE[name] - _NOISE


@pytest.mark.skipif(os.environ.get("KB_HYPOTHESIS") != "slow", reason="takes a minute; ./test --slow")
@pytest.mark.parametrize("name", WHOLE)
def test_quality_of_the_whole_set_does_not_fall(name: str, shared: Path) -> None:
    assert _ndcg(read_folder(shared / "data/retrieval" / name)) >= WHOLE[name] - _NOISE
