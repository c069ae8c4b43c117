"""Vectors by the hash of their text, in SQLite under ``.kb/cache/``: made once, kept when notes move, and deleted with the cache.

Vectors of different models never meet: each is kept under its model's name. A file of its own, because the note cache starts
anew with each version of the parser, and vectors may have cost money.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sidecar.errors import StoreError

_SCHEMA = """
create table if not exists vectors (model text not null, hash text not null, vector blob not null, primary key (model, hash)) without rowid;
create table if not exists passages (note text primary key, parts text not null) without rowid;
create table if not exists spent (day text primary key, requests integer not null, texts integer not null) without rowid;
pragma user_version = 1;
"""


class VectorStore:
    """The file of vectors. Opened when first used, so that a vault without them gets no file. Safe for several threads.

    Args:
        path: Where it lies, or ``None`` for one in memory.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def load(self, model: str, hashes: Sequence[str]) -> dict[str, bytes]:
        """Give the vectors of a model that are there."""
        found: dict[str, bytes] = {}
        with self._opened() as db:
            for n in range(0, len(hashes), 500):
                part = list(hashes[n : n + 500])
                marks = ",".join("?" * len(part))
                rows = db.execute(f"select hash, vector from vectors where model = ? and hash in ({marks})", [model, *part])  # noqa: S608
                found.update(rows.fetchall())
        return found

    def save(self, model: str, vectors: Iterable[tuple[str, bytes]], day: str) -> None:
        """Keep vectors, and count the request that made them, in one transaction: a crash loses one request at most."""
        rows = [(model, name, vector) for name, vector in vectors]
        with self._opened() as db, _transaction(db):
            db.executemany("insert or replace into vectors values (?, ?, ?)", rows)
            _spend(db, day, 1, len(rows))

    def load_passages(self) -> dict[str, list[tuple[str, str]]]:
        """Give, for each note's key, its passages as part and hash."""
        with self._opened() as db:
            return {note: [(part, name) for part, name in json.loads(parts)] for note, parts in db.execute("select * from passages")}

    def save_passages(self, notes: Iterable[tuple[str, list[tuple[str, str]]]]) -> None:
        with self._opened() as db, _transaction(db):
            db.executemany("insert or replace into passages values (?, ?)", [(note, json.dumps(parts)) for note, parts in notes])

    def spent(self, day: str) -> tuple[int, int]:
        """Give requests and texts of a day."""
        with self._opened() as db:
            row = db.execute("select requests, texts from spent where day = ?", (day,)).fetchone()
        return (int(row[0]), int(row[1])) if row else (0, 0)

    def spend(self, day: str, requests: int, texts: int) -> None:
        """Count what was asked and brought nothing to keep: a refused request, or the vector of a query."""
        with self._opened() as db, _transaction(db):
            _spend(db, day, requests, texts)

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._db is None:
                    self._db = self._open()
                yield self._db
            except sqlite3.Error as error:
                raise StoreError(f"The vectors cannot be kept: {error}.", fix="Check free space; vectors.sqlite may be deleted.") from error

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.OperationalError:  # locked or not to be opened, which says nothing about its content
            raise
        except sqlite3.DatabaseError:
            assert self._path is not None, "a database in memory is never damaged"
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        if self._path is not None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"{self._path.parent} cannot be made: {error.strerror}.", fix="Check its permissions.") from error
        db = sqlite3.connect(self._path or ":memory:", check_same_thread=False, isolation_level=None)
        try:
            db.execute("pragma journal_mode=wal")
            db.execute("pragma synchronous=normal")
            db.executescript(_SCHEMA)
            db.execute("select count(*) from vectors").fetchone()
        except sqlite3.Error:
            db.close()
            raise
        return db


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("begin immediate")
    try:
        yield
    except BaseException:
        db.execute("rollback")
        raise
    db.execute("commit")


def _spend(db: sqlite3.Connection, day: str, requests: int, texts: int) -> None:
    db.execute(
        "insert into spent values (?, ?, ?) on conflict (day) do update set requests = requests + ?, texts = texts + ?",
        (day, requests, texts, requests, texts),
    )
