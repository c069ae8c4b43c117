"""The warm-start cache: what each file was parsed into, in SQLite under ``.kb/cache/``.

Delete it and the next start rebuilds the same answers. A damaged or foreign file is thrown away, never repaired.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sidecar.errors import StoreError

_VERSION = 1
_SCHEMA = """
create table notes (
  path text primary key, mtime_ns integer not null, size integer not null, inode integer not null,
  hash text not null, note text not null, terms blob not null
) without rowid;
"""


@dataclass(frozen=True, slots=True)
class CachedNote:
    """One row: the state of a file when it was read, and what came of it: ``note`` as JSON, ``terms`` packed."""

    path: str
    mtime_ns: int
    size: int
    inode: int
    hash: str
    note: str
    terms: bytes


class NoteCache:
    """The cache file.

    Args:
        path: Where it lies, or ``None`` for one in memory (nothing is kept).
        reading: A text that changes whenever notes would be parsed or cut into terms differently.
    Raises:
        StoreError: The disk or another process refuses; the file is left as it is.
    """

    def __init__(self, path: Path | None, reading: str) -> None:
        self._path = path
        self._reading = f"{_VERSION}/{reading}"
        self.rebuilt_because = ""
        """Why the cache was started anew, or empty."""
        self.problem = ""
        """Why what was last given to it is only in memory, or empty."""
        self._unsaved: dict[str, CachedNote | None] = {}
        """Rows that the disk refused, and removals as ``None``; they go with the next that it takes."""
        try:
            self._db = self._open()
        except sqlite3.OperationalError as error:  # locked or not to be opened, which says nothing about its content
            raise StoreError(f"The cache {path} cannot be opened: {error}.", fix="Stop other sidecars; check its permissions.") from error
        except sqlite3.DatabaseError:
            self.rebuilt_because = "the cache was damaged"
            self._throw_away()
            self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        if self._path is not None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"{self._path.parent} cannot be made: {error.strerror}.", fix="Give this user write access to the vault."
                ) from error
        # The connection lives on the one thread that owns the vault's state, which is not the one that opens it.
        db = sqlite3.connect(self._path or ":memory:", check_same_thread=False, isolation_level=None)
        try:
            db.execute("pragma journal_mode=wal")
            db.execute("pragma synchronous=normal")
            known = db.execute("select 1 from sqlite_master where name = 'meta'").fetchone()
            version = db.execute("select reading from meta").fetchone() if known else None
            if version != (self._reading,):
                if version is not None:
                    self.rebuilt_because = "it was written by another version"
                for (table,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
                    db.execute(f'drop table "{table}"')
                db.executescript(_SCHEMA + "create table meta (reading text not null);")
                db.execute("insert into meta values (?)", (self._reading,))
            db.execute("select count(*), max(length(note)) from notes").fetchone()
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _throw_away(self) -> None:
        assert self._path is not None, "a database in memory is never damaged"
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                self._path.with_name(self._path.name + suffix).unlink()

    def load(self) -> Iterator[CachedNote]:
        """Give all rows but for their terms, which only search needs."""
        for row in self._db.execute("select path, mtime_ns, size, inode, hash, note from notes"):
            path, mtime_ns, size, inode, content, note = row
            yield CachedNote(path, mtime_ns, size, inode, content, note, b"")

    def load_terms(self) -> Iterator[tuple[str, bytes]]:
        """Give path and packed terms of every note, in path order."""
        for path, terms in self._db.execute("select path, terms from notes order by path"):
            if path not in self._unsaved:
                yield path, terms
        for path, row in sorted(self._unsaved.items()):
            if row is not None:
                yield path, row.terms

    def replace(self, rows: Iterable[CachedNote], removed: Iterable[str] = ()) -> None:
        """Write and remove rows in one transaction.

        Where the disk refuses, they are kept in memory: a full disk must not keep the graph from following the notes.
        """
        self._unsaved |= dict.fromkeys(removed) | {row.path: row for row in rows}
        try:
            self._db.execute("begin immediate")
            self._db.executemany("delete from notes where path = ?", [(path,) for path in self._unsaved])
            self._db.executemany(
                "insert into notes values (?, ?, ?, ?, ?, ?, ?)",
                [(r.path, r.mtime_ns, r.size, r.inode, r.hash, r.note, r.terms) for r in self._unsaved.values() if r is not None],
            )
            self._db.execute("commit")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("rollback")
            self.problem = f"The cache could not be written: {error}. Check free space; until then each start reads more notes anew."
        else:
            self._unsaved.clear()
            self.problem = ""

    def close(self) -> None:
        self._db.close()
