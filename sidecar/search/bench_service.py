"""Running the self-benchmark: on the owner's notes, or on a test set in a folder. Reads; leaves no trace."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from sidecar.errors import RequestInvalid
from sidecar.search.beir import pack_judged, read_set
from sidecar.search.bench import Case, Channel, conclude
from sidecar.search.document import PackedDocument
from sidecar.search.evaluate import Grades, QrelsSet
from sidecar.search.fuse import DEPTH, coverage_of, fuse
from sidecar.search.index import SearchIndex
from sidecar.search.lsa import fit_lsa
from sidecar.search.query import parse_query
from sidecar.search.ranking import score_documents

Tell = Callable[[str, int, int], None]
"""Told the step (``read``, ``fit``, ``ask``), how much of it is done, and how much there is."""
Nearest = Callable[[str], list[tuple[str, float]]]
"""Ranks by vectors: names and cosines for the text of a query."""

_MAX_QUERY_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class BenchSet:
    """What is benchmarked: an index without the queries' own sentences, the queries, and their right answers."""

    index: SearchIndex
    queries: Mapping[str, str]
    relevant: Mapping[str, Grades]
    index_s: float


def read_folder(folder: Path) -> QrelsSet:
    """Read a test set from ``corpus.jsonl``, ``queries.jsonl`` and ``qrels.tsv`` in a folder, each also as ``.gz``.

    Raises:
        RequestInvalid: A file is missing, damaged or not what it should be; ``field`` names it.
    """
    names = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
    corpus, queries, qrels = (_lines(folder, name) for name in names)
    return read_set(corpus, queries, qrels)


def _lines(folder: Path, name: str) -> Iterator[str]:
    path = next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)
    if path is None:
        raise RequestInvalid(f"{folder} has no {name}.", fix="Give a folder with corpus.jsonl, queries.jsonl and qrels.tsv.", field=name)
    try:
        with _opened(path) as lines:
            yield from lines
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise RequestInvalid(f"{path.name} cannot be read: {error}.", fix="Fetch or write the file anew.", field=name) from error


def _opened(path: Path) -> AbstractContextManager[IO[str]]:
    if path.suffix == ".gz":
        return cast("IO[str]", gzip.open(path, "rt", encoding="utf-8-sig", newline="\n"))
    return path.open(encoding="utf-8-sig", newline="\n")


def bench_folder(folder: Path, tell: Tell = lambda step, done, total: None) -> dict[str, Any]:
    """Benchmark a test set: its documents go the way of notes. Vectors are those of LSA, for they cost nothing.

    Raises:
        RequestInvalid: See :func:`read_folder`.
    """
    found = read_folder(folder)
    started = time.perf_counter()
    index = SearchIndex()

    def documents() -> Iterator[tuple[str, PackedDocument]]:
        for n, document in enumerate(found.documents):
            if n % 500 == 0:
                tell("read", n, len(found.documents))
            yield document.name, pack_judged(document)

    pairs = list(documents())
    index.load(pairs)
    bench = BenchSet(index, found.queries, found.relevant, time.perf_counter() - started)
    return bench_lsa(bench, lambda: pairs, tell)


def bench_lsa(bench: BenchSet, documents: Callable[[], Iterable[tuple[str, PackedDocument]]], tell: Tell) -> dict[str, Any]:
    """Judge the three systems with vectors out of the documents' own terms."""
    tell("fit", 0, 1)
    started = time.perf_counter()
    fitted = fit_lsa(documents)
    fit_s = round(time.perf_counter() - started, 2)

    def nearest(text: str) -> list[tuple[str, float]]:
        return fitted[1].nearest(fitted[0].query(text), DEPTH) if fitted else []

    return ask_all(bench, nearest, Channel("lsa", 0.0, crosses_languages=False), tell) | {"fit_s": fit_s}


def ask_all(bench: BenchSet, nearest: Nearest, channel: Channel, tell: Tell, encode_ms: float = 0.0) -> dict[str, Any]:
    """Put every query to both channels, time them, and conclude.

    Args:
        encode_ms: What it took to turn a query into a vector, where that was done beforehand.
    """
    cases: list[Case] = []
    times: dict[str, list[float]] = {"lexical": [], "semantic": [], "hybrid": []}
    numbers = {bench.index.name(n): n for n in range(bench.index.size)}
    for n, (name, text) in enumerate(bench.queries.items()):
        if n % 50 == 0:
            tell("ask", n, len(bench.queries))
        query = parse_query(text[:_MAX_QUERY_CHARS])
        started = time.perf_counter()
        lexical = rank_lexical(bench.index, text)
        ranked = time.perf_counter()
        semantic = tuple(name for name, _ in nearest(text))
        found = time.perf_counter()
        best = numbers[lexical[0]] if lexical else -1
        coverage = coverage_of(bench.index, query.runs, best)
        fuse(lexical, semantic, 1.0)
        times["lexical"].append((ranked - started) * 1000)
        times["semantic"].append((found - ranked) * 1000 + encode_ms)
        times["hybrid"].append((time.perf_counter() - started) * 1000 + encode_ms)
        right = [numbers[name] for name in bench.relevant[name] if name in numbers]
        shared = max((coverage_of(bench.index, query.runs, document) for document in right[:20]), default=0.0)
        cases.append(Case(name, text, bench.relevant[name], lexical, semantic, coverage, shared))
    tell("ask", len(cases), len(cases))
    report = conclude(cases, channel)
    for system, spent in times.items():
        p50, p95 = np.percentile(spent, [50, 95]) if spent else (0.0, 0.0)
        report["systems"][system] |= {"p50_ms": round(float(p50), 3), "p95_ms": round(float(p95), 3)}
    return report | {"index_s": round(bench.index_s, 2), "docs": len(bench.index)}


def rank_lexical(index: SearchIndex, text: str) -> tuple[str, ...]:
    """Give the first hundred documents by terms, as search ranks them: by score, then by name."""
    query = parse_query(text[:_MAX_QUERY_CHARS])
    if not query.runs:
        return ()
    scores = score_documents(index, query.runs, is_typing=False)
    found = scores.nonzero()[0]
    if len(found) > 4 * DEPTH:  # ties at the edge stay in, so that names decide among all of them
        edge = np.partition(scores[found], -DEPTH)[-DEPTH]
        found = found[scores[found] >= edge - 1e-6]
    ranked = sorted((-round(float(scores[n]), 6), index.name(int(n))) for n in found)
    return tuple(name for _, name in ranked[:DEPTH])
