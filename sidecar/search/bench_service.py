"""Running the self-benchmark: on the owner's notes, or on a test set in a folder. Reads; leaves no trace."""

from __future__ import annotations

import asyncio
import gzip
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from sidecar.config import Folders
from sidecar.errors import RequestInvalid, VaultError
from sidecar.jobs import VaultThread
from sidecar.search.beir import pack_judged, read_set
from sidecar.search.bench import Case, Channel, conclude
from sidecar.search.document import PackedDocument, pack_note, unpack_document
from sidecar.search.evaluate import Grades, QrelsSet
from sidecar.search.fuse import DEPTH, coverage_of, fuse
from sidecar.search.index import SearchIndex
from sidecar.search.lsa import fit_lsa
from sidecar.search.query import parse_query
from sidecar.search.ranking import score_documents
from sidecar.search.semantic_service import SemanticService, SourceKind
from sidecar.store import NoteCache
from sidecar.vault.files import VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.layers import layer_of
from sidecar.vault.note import NotePath

Tell = Callable[[str, int, int], None]
"""Told the step (``read``, ``fit``, ``ask``), how much of it is done, and how much there is."""
Nearest = Callable[[str], list[tuple[str, float]]]
"""Ranks by vectors: names and cosines for the text of a query."""

_MAX_QUERY_CHARS = 1_000
_READ_AT_ONCE = 100


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

    report = ask_all(bench, nearest, Channel("lsa", 0.0, crosses_languages=False), tell)
    return report | {"fit_s": fit_s, "stopped": "" if fitted else "too-few-notes"}


def ask_all(bench: BenchSet, nearest: Nearest, channel: Channel, tell: Tell, encode_ms: float = 0.0) -> dict[str, Any]:
    """Put every query to both channels, time them, and conclude.

    Args:
        encode_ms: What it took to turn a query into a vector, where that was done beforehand.
    """
    cases: list[Case] = []
    times: dict[str, list[float]] = {"lexical": [], "semantic": [], "hybrid": []}
    for n, (name, text) in enumerate(sorted(bench.queries.items())):  # in one order, whoever lists them
        if n % 50 == 0:
            tell("ask", n, len(bench.queries))
        query = parse_query(text[:_MAX_QUERY_CHARS])
        started = time.perf_counter()
        lexical = rank_lexical(bench.index, text)
        ranked = time.perf_counter()
        semantic = tuple(name for name, _ in nearest(text))
        found = time.perf_counter()
        best = bench.index.number(lexical[0]) if lexical else None
        coverage = coverage_of(bench.index, query.runs, best)
        fuse(lexical, semantic, 1.0)
        times["lexical"].append((ranked - started) * 1000)
        times["semantic"].append((found - ranked) * 1000 + encode_ms)
        times["hybrid"].append((time.perf_counter() - started) * 1000 + encode_ms)
        right = [bench.index.number(name) for name in bench.relevant[name]]
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


class BenchService:
    """Benchmarks the owner's vault: each ``kb_use_when`` is a query whose right answer is its note.

    All these sentences are left out of the indexed text, or every note would find itself by its own. Nothing is written: neither the
    notes nor a signal tell that their sentences were asked.
    """

    def __init__(
        self,
        index: VaultIndex,
        files: VaultFiles,
        cache: NoteCache,
        semantic: SemanticService,
        thread: VaultThread,
        folders: Callable[[], Folders],
    ) -> None:
        self._index, self._files, self._cache = index, files, cache
        self._semantic, self._thread, self._folders = semantic, thread, folders

    async def run(self, wanted: str, tell: Tell) -> dict[str, Any]:
        """Judge the three systems on the vault, with vectors of the source that is ``wanted`` (``auto``: as the settings say).

        Raises:
            EndpointError: The source failed.
            RequestInvalid: The day's budget does not reach for the queries.
        """
        stopped = threading.Event()

        def heed(step: str, done: int, total: int) -> None:
            if stopped.is_set():
                raise _StoppedError
            tell(step, done, total)

        try:
            packed, needs = await self._collect(heed)
            kind = self._semantic.kind(wanted)
            if kind == "lsa":
                return await asyncio.to_thread(_judge_lsa, packed, needs, heed)
            return await self._judge_model(kind, packed, needs, heed)
        except asyncio.CancelledError:
            stopped.set()
            raise

    async def _collect(self, tell: Tell) -> tuple[list[tuple[str, bytes]], dict[str, str]]:
        """Give all notes' terms without the sentences that will be asked, and those sentences."""
        terms = await self._thread.run(lambda: [(path, row) for path, row in self._cache.load_terms() if self._is_searched(path)])
        needs = await self._thread.run(self._needs)
        fresh: dict[str, bytes] = {}
        asked = sorted(needs)
        for n in range(0, len(asked), _READ_AT_ONCE):
            tell("read", n, len(asked))
            fresh |= await self._thread.run(self._pack_without_need, asked[n : n + _READ_AT_ONCE])
        return [(path, fresh.get(path, row)) for path, row in terms], needs

    def _needs(self) -> dict[str, str]:
        notes = ((path, note.text_property("kb_use_when")) for path, note in sorted(self._index.notes.items()) if self._is_searched(path))
        return {path: need for path, need in notes if need}

    def _is_searched(self, path: NotePath) -> bool:
        return path in self._index.notes and layer_of(path, self._folders()) != "graveyard"

    def _pack_without_need(self, paths: list[NotePath]) -> dict[str, bytes]:
        packed: dict[str, bytes] = {}
        for path in paths:
            note = self._index.notes.get(path)
            if note is None:
                continue
            bare = replace(note, properties={key: value for key, value in note.properties.items() if key != "kb_use_when"})
            try:
                packed[path] = pack_note(bare, self._files.read(path).text)
            except VaultError:  # gone or shut: an empty note, as search takes it
                packed[path] = pack_note(bare, "")
        return packed

    async def _judge_model(self, kind: SourceKind, packed: list[tuple[str, bytes]], needs: dict[str, str], tell: Tell) -> dict[str, Any]:
        semantic = self._semantic
        source = await semantic.source(kind)
        made: dict[str, Any] = {}
        await semantic.make_vectors(lambda step, details: tell(step, int(details["done"]), int(details["of"])), made, kind)
        parts = await semantic.passages()
        table = await asyncio.to_thread(lambda: semantic.table(source.model, parts, with_needs=False))
        started = time.perf_counter()
        texts = [text[:_MAX_QUERY_CHARS] for text in needs.values()]
        rows = await semantic.embed_queries(source, texts, lambda done: tell("encode", done, len(texts)), is_paid=kind == "endpoint")
        if rows is None:
            raise RequestInvalid("The day's budget for the endpoint is spent.", fix="Raise [search] daily_texts, or wait.", field="source")
        encode_ms = (time.perf_counter() - started) * 1000 / max(len(texts), 1)
        vectors = dict(zip(needs.values(), rows, strict=True))
        channel = Channel(kind, source.default_weight, source.crosses_languages)
        report = await asyncio.to_thread(
            lambda: ask_all(_bench_set(packed, needs), lambda text: table.nearest(vectors[text], DEPTH), channel, tell, encode_ms)
        )
        return report | {"notes_with_vectors": len(table), "stopped": made.get("stopped", "")}


class _StoppedError(Exception):
    """The benchmark was cancelled while a thread worked for it."""


def _judge_lsa(packed: list[tuple[str, bytes]], needs: dict[str, str], tell: Tell) -> dict[str, Any]:
    return bench_lsa(_bench_set(packed, needs), lambda: ((path, unpack_document(row)) for path, row in packed), tell)


def _bench_set(packed: list[tuple[str, bytes]], needs: dict[str, str]) -> BenchSet:
    started = time.perf_counter()
    index = SearchIndex()
    index.load((path, unpack_document(row)) for path, row in packed)
    return BenchSet(index, needs, {path: {path: 1.0} for path in needs}, time.perf_counter() - started)
