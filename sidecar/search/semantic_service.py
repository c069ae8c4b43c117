"""The semantic channel of the open vault: vectors made in the background, rankings by them.

No question waits for vectors to be made: until they are there, search answers by words. A note that changed is found by its old
vector until the next refresh.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Literal, Protocol

from sidecar.clock import Clock, local_day
from sidecar.config import Config, SearchSettings
from sidecar.errors import EndpointError, VaultError
from sidecar.jobs import Job, Jobs, Settler, Step, VaultThread
from sidecar.search.document import unpack_document
from sidecar.search.fuse import DenseRanking, Mode
from sidecar.search.lsa import LsaModel, fit_lsa
from sidecar.search.vectors import PASSAGES_VERSION, Matrix, VectorTable, pack_vector, passages_of, unpack_vectors
from sidecar.store import NoteCache, VectorStore
from sidecar.vault.changes import IndexDelta
from sidecar.vault.files import VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.layers import layer_of
from sidecar.vault.note import NotePath

SourceKind = Literal["lsa", "installed", "endpoint"]
Parts = dict[NotePath, list[tuple[str, str]]]
"""Each note's passages, as part and hash."""

LIMIT = 1_000
"""How many of the nearest notes search may look through for those that pass its filters."""
_REFRESH_AFTER_S = 5.0
_READ_AT_ONCE = 100
_QUERIES_KEPT = 256
_REFIT_SHARE = 0.1
_MAX_QUERY_CHARS = 1_000


class Source(Protocol):
    """Something outside that turns texts into vectors."""

    model: str
    crosses_languages: bool
    default_weight: float

    async def embed(self, texts: list[str], *, is_query: bool, tries: int = ...) -> Matrix:
        """Give a vector of length 1 for each text."""


class SemanticService:
    """Ranks by vectors.

    Args:
        make_source: Builds the source that settings name; may wait for the system's keyring, so it is called off the loop.
        has_model: Whether the installed extra is there.
    """

    def __init__(
        self,
        index: VaultIndex,
        files: VaultFiles,
        cache: NoteCache,
        store: VectorStore,
        thread: VaultThread,
        jobs: Jobs,
        config: Callable[[], Config],
        clock: Clock,
        make_source: Callable[[SourceKind, SearchSettings], Source],
        has_model: Callable[[], bool],
    ) -> None:
        self._index, self._files, self._cache, self._store = index, files, cache, store
        self._thread, self._jobs, self._config, self._clock = thread, jobs, config, clock
        self._make_source, self._has_model = make_source, has_model
        self._source: tuple[tuple[SourceKind, SearchSettings], Source] | None = None
        self._lsa: LsaModel | None = None
        self._table: VectorTable | None = None
        self._of = ""
        """Which model ``_table`` is of: vectors of two models are never compared."""
        self._changed = 0
        self._asked: OrderedDict[tuple[str, str], Matrix] = OrderedDict()
        self._settler = Settler(lambda: _REFRESH_AFTER_S, self._refresh_settled)
        self._is_used = False
        self.is_alone = False
        """Whether this process answers one question and ends: then it waits for vectors, for there is no later."""

    def kind(self, wanted: str = "auto") -> SourceKind:
        """Say where vectors come from: as ``wanted``, else as the settings say; an endpoint only if the owner named one."""
        settings = self._config().search
        choice = wanted if wanted != "auto" else settings.source
        if choice == "auto":
            return "endpoint" if settings.endpoint else "installed" if self._has_model() else "lsa"
        return "endpoint" if choice == "endpoint" else "installed" if choice == "installed" else "lsa"

    async def source(self, kind: SourceKind) -> Source:
        """Give the source of that kind, built anew when the settings have changed.

        Raises:
            ConfigError: The settings of the endpoint are wrong.
        """
        wanted = (kind, self._config().search)
        if self._source is None or self._source[0] != wanted:
            self._source = (wanted, await asyncio.to_thread(self._make_source, kind, wanted[1]))
        return self._source[1]

    async def rank(self, text: str, mode: Mode) -> tuple[DenseRanking | None, str]:
        """Rank the notes by nearness to a query.

        Returns:
            The ranking, or ``None`` and why there is none now: ``vectors-not-ready``, ``too-few-notes``, ``budget-spent`` or
            ``endpoint-failed``.
        """
        if not text.strip():
            return None, ""
        kind = self.kind()
        model = "lsa" if kind == "lsa" else (await self.source(kind)).model
        self._is_used = True
        if self._table is None or self._of != model:
            if not self.is_alone:
                self._settler.touch()
                return None, "vectors-not-ready"
            await self._load_now(kind)
        table, weight = self._table or VectorTable({}), self._config().search.weight
        if kind == "lsa":
            if self._lsa is None:
                return None, "too-few-notes"
            vector: Matrix | None = self._lsa.query(text[:_MAX_QUERY_CHARS])
            default, crosses = 0.0, False
        else:
            source = await self.source(kind)
            default, crosses = source.default_weight, source.crosses_languages
            try:
                vector = await self._embed_query(source, text[:_MAX_QUERY_CHARS], is_paid=kind == "endpoint")
            except (EndpointError, TimeoutError):
                return None, "endpoint-failed"
        if vector is None:
            return None, "budget-spent"
        found = await asyncio.to_thread(table.nearest, vector, LIMIT)
        names, scores = tuple(name for name, _ in found), tuple(score for _, score in found)
        return DenseRanking(mode, kind, names, scores, default if weight == "auto" else weight, crosses), ""

    def apply(self, delta: IndexDelta) -> None:
        """Take in changed notes: fold them in, where that costs nothing. Runs on the vault's thread."""
        self._changed += len(delta.parsed) + len(delta.removed)
        lsa, table = self._lsa, self._table
        if lsa is None or table is None or self._of != "lsa":
            return
        changed: dict[str, Matrix | None] = dict.fromkeys(delta.removed)
        for path, packed in delta.packed.items():
            document = unpack_document(packed)
            changed[path] = lsa.fold_in(zip(document.terms, document.weights, strict=True))[None, :]
        self._table = table.replaced(changed)

    def touch(self) -> None:
        """Ask for a refresh once it is quiet; nothing happens for a vault that never asked for vectors. Called on the event loop."""
        if self._is_used or self._config().search.mode != "lexical":
            self._settler.touch()

    async def close(self) -> None:
        """Ask for nothing more; a refresh that runs is a job, and ends with the jobs."""
        await self._settler.drop()

    def close_store(self) -> None:
        """Close the file of vectors, once no job uses it any more."""
        self._store.close()

    def refresh(self) -> Job:
        """Start making the vectors that are missing, as a job that tells how far it is, can be cancelled, and goes on where it ended."""
        return self._jobs.start("vectors", self.make_vectors)

    async def make_vectors(self, step: Step, result: dict[str, Any], kind: SourceKind | None = None) -> None:
        """Make what is missing and take it in; ``result`` says what there was to do.

        Args:
            kind: The source, if not that of the settings.

        Raises:
            EndpointError: The source failed; what was made until then is kept and used.
        """
        is_current = kind in (None, self.kind())
        kind = kind or self.kind()
        if kind == "lsa":
            await self._fit(step, result)
            return
        source = await self.source(kind)
        parts = await self.passages()
        try:
            await self._embed_missing(source, parts, step, result, is_paid=kind == "endpoint")
        finally:
            if is_current:
                self._table, self._of = await asyncio.to_thread(self.table, source.model, parts), source.model

    async def passages(self) -> Parts:
        """List all notes' passages; only notes that were never cut before are read, a few at a time."""
        known = await asyncio.to_thread(self._store.load_passages)
        parts: Parts = {}
        paths = await self._thread.run(lambda: sorted(self._index.notes))
        for n in range(0, len(paths), _READ_AT_ONCE):
            parts |= await self._thread.run(self._cut, paths[n : n + _READ_AT_ONCE], known)
        return parts

    def table(self, model: str, parts: Parts, *, with_needs: bool = True) -> VectorTable:
        """Put the vectors of a model together that are there; may take a while, so not for the event loop."""
        hashes = sorted({name for passages in parts.values() for part, name in passages if with_needs or part != "need"})
        blobs = self._store.load(model, hashes)
        lengths = [len(blob) for blob in blobs.values()]
        usual = max(set(lengths), key=lengths.count, default=0)  # a model that changed behind its name
        rows: dict[str, Matrix] = {}
        for path, passages in parts.items():
            found = [blobs[name] for part, name in passages if (with_needs or part != "need") and len(blobs.get(name, b"")) == usual > 0]
            if found:
                rows[path] = unpack_vectors(found)
        return VectorTable(rows)

    async def embed_queries(self, source: Source, texts: list[str], tell: Callable[[int], None], *, is_paid: bool) -> Matrix | None:
        """Give the vectors of many queries, or ``None`` once the day's budget is spent."""
        rows: list[Matrix] = []
        for n in range(0, len(texts), self._batch()):
            batch = texts[n : n + self._batch()]
            if is_paid and not self._may_spend(len(batch)):
                return None
            vectors = await source.embed(batch, is_query=True)
            if is_paid:
                self._store.spend(self._day(), 1, len(batch))
            rows += list(vectors)
            tell(len(rows))
        return unpack_vectors([pack_vector(row) for row in rows])

    async def _refresh_settled(self) -> None:
        if self._table is not None and self._of == "lsa" == self.kind() and self._changed < _REFIT_SHARE * max(len(self._table), 1):
            return  # folded in already
        await self._jobs.wait(self.refresh())

    async def _load_now(self, kind: SourceKind) -> None:
        if kind == "lsa":
            await self._fit(lambda name, details: None, {})
            return
        model = (await self.source(kind)).model
        self._table, self._of = await asyncio.to_thread(self.table, model, await self.passages()), model

    async def _fit(self, step: Step, result: dict[str, Any]) -> None:
        step("fit", {"done": 0, "of": 1})
        packed = await self._thread.run(lambda: [(path, terms) for path, terms in self._cache.load_terms() if self._is_searched(path)])
        self._changed = 0
        fitted = await asyncio.to_thread(fit_lsa, lambda: ((path, unpack_document(terms)) for path, terms in packed))
        self._lsa, self._table = fitted or (None, VectorTable({}))
        self._of = "lsa"
        result |= {"notes": len(self._table or ()), "made": len(packed)}

    async def _embed_missing(self, source: Source, parts: Parts, step: Step, result: dict[str, Any], *, is_paid: bool) -> None:
        names = sorted({name for passages in parts.values() for _, name in passages})
        have = set(await asyncio.to_thread(self._store.load, source.model, names))
        lacking = [path for path, passages in parts.items() if any(name not in have for _, name in passages)]
        result |= {"notes": len(parts), "made": 0, "missing": len(names) - len(have), "stopped": ""}
        for n in range(0, len(lacking), self._batch()):
            some = lacking[n : n + self._batch()]
            texts = {name: text for name, text in (await self._thread.run(self._texts, some)).items() if name not in have}
            waiting = list(texts.items())
            for at in range(0, len(waiting), self._batch()):
                batch = waiting[at : at + self._batch()]
                if is_paid and not self._may_spend(len(batch)):
                    result["stopped"] = "budget-spent"
                    return
                vectors = await self._embed(source, [text for _, text in batch], is_paid=is_paid)
                rows = [(name, pack_vector(vector)) for (name, _), vector in zip(batch, vectors, strict=True)]
                await asyncio.to_thread(self._store.save, source.model, rows, self._day())
                have.update(name for name, _ in rows)
                result["made"] += len(rows)
            step("embed", {"done": min(n + len(some), len(lacking)), "of": len(lacking)})

    async def _embed(self, source: Source, texts: list[str], *, is_paid: bool) -> Matrix:
        try:
            return await source.embed(texts, is_query=False)
        except EndpointError:
            if is_paid:  # a refused request counts, or a broken endpoint would be asked without end
                self._store.spend(self._day(), 1, 0)
            raise

    async def _embed_query(self, source: Source, text: str, *, is_paid: bool) -> Matrix | None:
        asked = (source.model, text)
        if asked not in self._asked:
            if is_paid and not self._may_spend(1):
                return None
            async with asyncio.timeout(min(self._config().search.timeout_s, 5.0)):
                vectors = await source.embed([text], is_query=True, tries=1)
            if is_paid:
                self._store.spend(self._day(), 1, 1)
            self._asked[asked] = vectors[0]
            if len(self._asked) > _QUERIES_KEPT:
                self._asked.popitem(last=False)
        return self._asked[asked]

    def _cut(self, paths: list[NotePath], known: dict[str, list[tuple[str, str]]]) -> Parts:
        parts: Parts = {}
        fresh: list[tuple[str, list[tuple[str, str]]]] = []
        for path in paths:
            note = self._index.notes.get(path)
            if note is None or not self._is_searched(path):
                continue
            key = f"{PASSAGES_VERSION}|{self._index.content_hash(path)}|{note.title}"
            if key not in known:
                known[key] = [(passage.part, passage.hash) for passage in passages_of(note, self._text(path))]
                fresh.append((key, known[key]))
            parts[path] = known[key]
        if fresh:
            self._store.save_passages(fresh)
        return parts

    def _texts(self, paths: list[NotePath]) -> dict[str, str]:
        notes = [(self._index.notes[path], self._text(path)) for path in paths if path in self._index.notes]
        return {passage.hash: passage.text for note, text in notes for passage in passages_of(note, text)}

    def _text(self, path: NotePath) -> str:
        try:
            return self._files.read(path).text
        except VaultError:
            return ""

    def _is_searched(self, path: NotePath) -> bool:
        return path in self._index.notes and layer_of(path, self._config().folders) != "graveyard"

    def _batch(self) -> int:
        return max(self._config().search.batch, 1)

    def _day(self) -> str:
        return local_day(self._clock()).isoformat()

    def _may_spend(self, texts: int) -> bool:
        requests, spent = self._store.spent(self._day())
        settings = self._config().search
        return requests < settings.daily_requests and spent + texts <= settings.daily_texts
