"""Measures of a ranking, against values worked out by hand."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from sidecar.errors import RequestInvalid
from sidecar.search.bench_service import read_folder
from sidecar.search.evaluate import Judged, QrelsSet, mean, ndcg_at, recall_at, reciprocal_rank_at


def test_ndcg_of_a_right_answer_falls_with_its_place() -> None:
    assert [1.0, 1 / math.log2(3), 0.5, 0.0] == [
        pytest.approx(ndcg_at(ranked, {"a": 1}, 3)) for ranked in (["a"], ["x", "a"], ["x", "y", "a"], ["x", "y", "z", "a"])
    ]


def test_ndcg_prefers_the_better_grade_first() -> None:
    grades = {"best": 2.0, "good": 1.0}
    assert 1.0 == ndcg_at(["best", "good"], grades, 10)
    assert ndcg_at(["good", "best"], grades, 10) == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))


def test_recall_and_rank() -> None:
    assert (0.5, 0.0) == (recall_at(["x", "a", "y"], {"a": 1, "b": 1}, 2), recall_at(["x", "a"], {"a": 1}, 1))
    assert (0.5, 0.0) == (reciprocal_rank_at(["x", "a"], {"a": 1, "b": 1}, 10), reciprocal_rank_at(["x", "a"], {"a": 1}, 1))


def test_nothing_judged_is_nothing_won() -> None:
    assert [0.0] * 4 == [ndcg_at(["a"], {}, 10), recall_at(["a"], {}, 10), reciprocal_rank_at(["a"], {}, 10), mean([])]


def _write(folder: Path, corpus: str, qrels: str = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n") -> Path:
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(corpus.encode()))
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "一"}\n\n{"_id": "q2", "text": "unjudged"}\n', encoding="utf-8")
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return folder


def test_a_set_is_loaded_plain_or_packed(tmp_path: Path) -> None:
    folder = _write(tmp_path, '{"_id": "d1", "title": "T", "text": "x"}\n{"_id": "d2", "text": "y"}\n')
    assert QrelsSet((Judged("d1", "T", "x"), Judged("d2", "", "y")), {"q1": "一"}, {"q1": {"d1": 2.0}}) == read_folder(folder)


@pytest.mark.parametrize(
    ("corpus", "qrels", "names"),
    [
        ("{", None, "corpus.jsonl, line 1"),
        ("[]", None, "corpus.jsonl, line 1"),
        ('{"_id": "d1", "text": ""}', "q1\td1\t1\nq1\td1\tmuch\n", "qrels.tsv, line 2"),
        ('{"_id": "d1", "text": ""}', "query\tdoc\tscore\nq1\n", "qrels.tsv, line 2"),
    ],
)
def test_a_broken_set_names_file_and_line(corpus: str, qrels: str | None, names: str, tmp_path: Path) -> None:
    with pytest.raises(RequestInvalid, match=names):
        read_folder(_write(tmp_path, corpus, *([qrels] if qrels else [])))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestInvalid, match=r"no corpus\.jsonl"):
        read_folder(tmp_path)
