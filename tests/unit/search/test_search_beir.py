"""Test sets in BEIR's files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sidecar.errors import RequestInvalid
from sidecar.search.bench_service import bench_folder, read_folder

CORPUS = '{"_id": "a/1 x", "title": "Tea", "text": "green"}\n{"_id": 7, "text": "black coffee"}\n\n'
QUERIES = '{"_id": "q1", "text": "green tea"}\n{"_id": "q2", "text": "nobody judged this"}\n'
QRELS = "query-id\tcorpus-id\tscore\nq1\ta/1 x\t2\nq1\t7\t0\nother\tunknown\t1\n"


def write(folder: Path, corpus: str = CORPUS, queries: str = QUERIES, qrels: str = QRELS) -> Path:
    for name, text in (("corpus.jsonl", corpus), ("queries.jsonl", queries), ("qrels.tsv", qrels)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_set_is_read_with_ids_of_any_kind_and_grades(tmp_path: Path) -> None:
    found = read_folder(write(tmp_path))
    assert ["a/1 x", "7"] == [document.name for document in found.documents]
    assert ({"q1": "green tea"}, {"q1": {"a/1 x": 2.0}}) == (found.queries, found.relevant)


def test_packed_files_windows_line_ends_and_trec_columns_are_read(tmp_path: Path) -> None:
    write(tmp_path, QUERIES, QUERIES.replace("\n", "\r\n"), "q1 \t0\tq1\t1\r\nq1\t0\tq2\t1\r\n")
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(("\ufeff" + QUERIES).encode()))
    (tmp_path / "corpus.jsonl").unlink()
    assert {"q1": {"q2": 1.0}} == read_folder(tmp_path).relevant


@pytest.mark.parametrize(
    ("broken", "where"),
    [
        ({"corpus": '{"_id": "a"'}, "corpus.jsonl, line 1"),
        ({"corpus": "[1]"}, "corpus.jsonl, line 1"),
        ({"corpus": CORPUS + '{"_id": 7, "text": ""}'}, "corpus.jsonl, line 4"),
        ({"corpus": '{"_id": "a", "text": 5}'}, "corpus.jsonl, line 1"),
        ({"queries": '{"_id": "q"}'}, "queries.jsonl, line 1"),
        ({"qrels": "q1 a 1\n"}, "qrels.tsv, line 1"),
        ({"qrels": "h\th\th\nq1\t7\tmuch\n"}, "qrels.tsv, line 2"),
        ({"qrels": "q1\t7\tnan\n"}, "qrels.tsv, line 1"),
        ({"qrels": ""}, "qrels.tsv"),
    ],
)
def test_a_garbled_file_is_named_with_its_line(tmp_path: Path, broken: dict[str, str], where: str) -> None:
    with pytest.raises(RequestInvalid) as caught:
        read_folder(write(tmp_path, **broken))
    assert where == caught.value.params["field"]


@pytest.mark.parametrize(
    "content",
    [b"no gzip", gzip.compress(CORPUS.encode(), mtime=0)[:-9], gzip.compress(b"x" * 999, mtime=0)[:12] + b"\0" * 40],
    ids=["none", "cut off", "garbled"],
)
def test_a_damaged_archive_is_said(tmp_path: Path, content: bytes) -> None:
    write(tmp_path)
    (tmp_path / "corpus.jsonl").unlink()
    (tmp_path / "corpus.jsonl.gz").write_bytes(content)
    with pytest.raises(RequestInvalid, match=r"corpus\.jsonl"):
        read_folder(tmp_path)


def test_a_right_answer_that_the_corpus_has_not_counts_as_missed(tmp_path: Path) -> None:
    whole = bench_folder(write(tmp_path))["systems"]["lexical"]["recall@10"]
    qrels = (tmp_path / "qrels.tsv").read_text("utf-8")
    (tmp_path / "qrels.tsv").write_text(qrels.rstrip("\n") + "\nq1\tnobody\t1\n", "utf-8")
    assert bench_folder(tmp_path)["systems"]["lexical"]["recall@10"] < whole


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "qrels.tsv").unlink()
    with pytest.raises(RequestInvalid, match=r"has no qrels\.tsv"):
        read_folder(tmp_path)


def test_an_id_is_no_text_that_is_searched(tmp_path: Path) -> None:
    report = bench_folder(write(tmp_path, queries='{"_id": "q1", "text": "x 1"}'))
    assert 0.0 == report["systems"]["lexical"]["recall@10"]
    assert "too-few-notes" == report["stopped"]
