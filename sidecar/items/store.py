"""Items, runs and briefs in SQLite: projected from the journals, and made anew from them whenever that file is missing or not theirs.

Each change is a line in a journal first and then applied here by the same code that a rebuild uses, so that both give the same rows.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sidecar.errors import StoreError
from sidecar.items.item import Twin, title_key, url_key
from sidecar.store import Journal

KINDS = ("items", "verdicts", "feedback", "runs", "cursors")
_FORMAT = "4"
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE items (
  id TEXT PRIMARY KEY, sub TEXT NOT NULL, ext TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, url TEXT NOT NULL,
  url_key TEXT NOT NULL, title_key TEXT NOT NULL, author TEXT NOT NULL, published TEXT NOT NULL, estimated INTEGER NOT NULL,
  fetched TEXT NOT NULL, day TEXT NOT NULL, thumb TEXT NOT NULL, duration_s INTEGER, stats TEXT NOT NULL,
  tags TEXT NOT NULL, lang TEXT NOT NULL,
  body_state TEXT NOT NULL, match TEXT NOT NULL, theme TEXT NOT NULL, score REAL NOT NULL, tier TEXT NOT NULL DEFAULT '',
  why TEXT NOT NULL DEFAULT '',
  category TEXT NOT NULL DEFAULT '', one_line TEXT NOT NULL DEFAULT '', verified TEXT NOT NULL DEFAULT '',
  judged_by TEXT NOT NULL DEFAULT '',
  judged_at TEXT NOT NULL DEFAULT '', status TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', was TEXT NOT NULL DEFAULT '',
  feedback TEXT NOT NULL DEFAULT '', seen_at TEXT NOT NULL DEFAULT '', run TEXT NOT NULL,
  offered_day TEXT NOT NULL DEFAULT '',
  offered_run TEXT NOT NULL DEFAULT '', also TEXT NOT NULL DEFAULT '[]', note TEXT NOT NULL DEFAULT '',
  fails INTEGER NOT NULL DEFAULT 0,
  find TEXT NOT NULL, UNIQUE (sub, ext)
) WITHOUT ROWID;
CREATE TABLE bodies (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX items_by_time ON items (published DESC, id);
CREATE INDEX items_by_state ON items (status, score DESC, published DESC);
CREATE INDEX items_by_url ON items (url_key) WHERE url_key <> '';
CREATE INDEX items_by_title ON items (title_key) WHERE title_key <> '';
CREATE INDEX items_by_offer ON items (offered_day) WHERE offered_day <> '';
CREATE INDEX items_by_day ON items (day);
CREATE INDEX items_by_words ON items (published DESC, id, status, find);
CREATE INDEX items_by_theme ON items (theme, score DESC, published DESC, status);
CREATE INDEX items_by_sub ON items (sub, published DESC, status, kind);
CREATE TABLE runs (
  id TEXT PRIMARY KEY, started TEXT NOT NULL, finished TEXT NOT NULL DEFAULT '', day TEXT NOT NULL,
  trigger TEXT NOT NULL, status TEXT NOT NULL,
  per_sub TEXT NOT NULL DEFAULT '{}', new INTEGER NOT NULL DEFAULT 0, candidates INTEGER NOT NULL DEFAULT 0,
  offered INTEGER NOT NULL DEFAULT 0,
  judged INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '', tokens INTEGER NOT NULL DEFAULT 0,
  judge TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE cursors (
  sub TEXT PRIMARY KEY, cursor TEXT NOT NULL DEFAULT '{}', success TEXT NOT NULL DEFAULT '',
  tried TEXT NOT NULL DEFAULT '', status TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '', title TEXT NOT NULL DEFAULT '', fails INTEGER NOT NULL DEFAULT 0,
  items INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE digests (
  day TEXT PRIMARY KEY, written TEXT NOT NULL, note TEXT NOT NULL DEFAULT '', headline TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
"""
_FROM_RECORD = (
    "id", "sub", "ext", "kind", "title", "url", "author", "published", "fetched", "thumb", "duration_s", "lang", "body_state", "run", "day",
)  # fmt: skip


class ItemStore:
    """The database of one vault. Used on one thread at a time.

    Args:
        path: ``None`` for one in memory.
    """

    def __init__(self, path: Path | None, journal: Journal) -> None:
        self._path = path
        self._journal = journal
        self._db = self._opened()
        self._numbers: dict[str, int] = {}

    @property
    def db(self) -> sqlite3.Connection:
        return self._db

    def write(self, kind: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Put lines into a journal and apply them.

        Raises:
            WriteFailed: The journal could not be written; nothing is applied then.
        """
        stamped = [dict(record) for record in records]
        if not stamped:
            return
        number = self.next_number()
        at = self._journal.now().isoformat(timespec="seconds")
        for n, record in enumerate(stamped):
            record.update(n=number + n)
        self._journal.append_all(kind, stamped)
        with self._db:
            for record in stamped:
                apply(self._db, kind, {"at": at, **record})
            self._note_state(number + len(stamped))

    def rebuild(self) -> int:
        """Make everything anew from the journals; give how many lines there were."""
        lines: list[tuple[int, str, int, str, dict[str, Any]]] = []
        for rank, kind in enumerate(KINDS):
            for record in self._journal.read(kind):
                number = record.get("n")
                lines.append((number if isinstance(number, int) else 0, str(record.get("at", "")), rank, kind, record))
        lines.sort(key=lambda line: line[:3])
        with self._db:
            for table in ("items", "bodies", "runs", "cursors", "digests", "meta"):
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608
            for *_, kind, record in lines:
                apply(self._db, kind, record)
            self._note_state(max((line[0] for line in lines), default=-1) + 1)
        return len(lines)

    def close(self) -> None:
        self._db.close()

    def next_number(self) -> int:
        """Give the number that the next line will bear; lines are numbered in the order in which they were written."""
        found = self._db.execute("SELECT value FROM meta WHERE key = 'next'").fetchone()
        return int(found[0]) if found else 0

    def _note_state(self, number: int) -> None:
        values = (("next", str(number)), ("journals", self._journals_state()), ("format", _FORMAT))
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values)

    def _journals_state(self) -> str:
        """Give names and sizes of the journals: other ones than the database knows came from another machine."""
        return json.dumps(self._journal.sizes(KINDS), sort_keys=True)

    def _opened(self) -> sqlite3.Connection:
        for attempt in range(2):
            try:
                if self._path is not None:
                    self._path.parent.mkdir(parents=True, exist_ok=True)
                db = sqlite3.connect(self._path or ":memory:", check_same_thread=False)
                try:
                    return self._ready(db)
                except sqlite3.DatabaseError:
                    db.close()
                    raise
            except sqlite3.DatabaseError as error:
                if attempt or self._path is None:
                    raise StoreError(
                        "The items' database cannot be used.", fix="Delete .kb/cache/items.sqlite; it is made anew."
                    ) from error
                for suffix in ("", "-wal", "-shm"):
                    self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        raise AssertionError("two tries give a database or an error")

    def _ready(self, db: sqlite3.Connection) -> sqlite3.Connection:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")  # the journal holds the truth
        known = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        meta = dict(db.execute("SELECT key, value FROM meta").fetchall()) if "meta" in known else {}
        if meta.get("format") == _FORMAT and meta.get("journals") == self._journals_state():
            return db
        for table in known:
            db.execute(f"DROP TABLE {table}")
        db.executescript(_SCHEMA)
        self._db = db
        self.rebuild()
        return db


def apply(db: sqlite3.Connection, kind: str, line: Mapping[str, Any]) -> None:
    """Apply one line of a journal; a line of a later version, or one that makes no sense here, changes nothing."""
    change = _CHANGES.get((kind, str(line.get("op", ""))))
    if change is None:
        return
    try:
        change(db, line)
    except (KeyError, TypeError, ValueError, sqlite3.IntegrityError):
        return


def _seen(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    values: dict[str, Any] = {name: line[name] for name in _FROM_RECORD}
    match = line.get("match") or {}
    themes = [str(theme["theme"]) for theme in match.get("themes", ())]
    values |= {
        "url_key": url_key(line["url"]), "title_key": title_key(line["title"]), "estimated": int(bool(line["estimated"])),
        "stats": json.dumps(line["stats"], sort_keys=True), "tags": json.dumps(line["tags"], ensure_ascii=False),
        "match": json.dumps(match, ensure_ascii=False, sort_keys=True), "theme": themes[0] if themes else "", "score": float(line["score"]),
        "status": line["status"], "reason": line.get("reason", ""), "was": "new" if line["status"] == "archived" else "",
        "find": f"{line['title']}\n{line['author']}\n{' '.join(line['tags'])}".casefold(),
    }  # fmt: skip
    names = ", ".join(values)
    cursor = db.execute(f"INSERT OR IGNORE INTO items ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values()))  # noqa: S608
    if cursor.rowcount:
        db.execute("INSERT OR REPLACE INTO bodies VALUES (?, ?)", (line["id"], line["body"]))


def _also(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    found = db.execute("SELECT also FROM items WHERE id = ?", (line["id"],)).fetchone()
    if found:
        also = [*json.loads(found[0]), {"sub": line["sub"], "url": line.get("url", "")}]
        db.execute("UPDATE items SET also = ? WHERE id = ?", (json.dumps(also, ensure_ascii=False), line["id"]))


def _queued(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    sql = "UPDATE items SET status = 'queued', offered_day = ?, offered_run = ? WHERE id = ? AND status = 'new'"
    db.executemany(sql, [(line["day"], line["run"], name) for name in line["ids"]])


def _briefed(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    db.executemany("UPDATE items SET status = 'digest' WHERE id = ? AND status = 'judged'", [(name,) for name in line["ids"]])
    sql = (
        "INSERT INTO digests VALUES (?, ?, ?, ?) ON CONFLICT (day)"
        " DO UPDATE SET written = excluded.written, note = excluded.note, headline = excluded.headline"
    )
    db.execute(sql, (line["day"], line["at"], line.get("note", ""), line.get("headline", "")))


def _noted(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    db.execute("UPDATE items SET note = ? WHERE id = ?", (line["note"], line["id"]))


def _failed(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    db.execute("UPDATE items SET fails = fails + 1 WHERE id = ?", (line["id"],))


def _cleared(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    """Take items out for good: a rebuild meets this line after theirs."""
    for name in line["ids"]:
        db.execute("DELETE FROM items WHERE id = ?", (name,))
        db.execute("DELETE FROM bodies WHERE id = ?", (name,))


def _verdict(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    if line["by"] != "owner":
        known = db.execute("SELECT judged_by FROM items WHERE id = ?", (line["id"],)).fetchone()
        if known is None or known[0]:  # judged items are never judged again; the owner's word wins over later ones
            return
    db.execute(
        "UPDATE items SET tier = ?, why = CASE WHEN ? = '' THEN why ELSE ? END, category = CASE WHEN ? = '' THEN category ELSE ? END,"
        " one_line = CASE WHEN ? = '' THEN one_line ELSE ? END, verified = ?, judged_by = ?, judged_at = ?,"
        " status = CASE WHEN status IN ('new', 'queued') THEN 'judged' ELSE status END,"
        " was = CASE WHEN status = 'archived' AND was IN ('new', 'queued') THEN 'judged' ELSE was END WHERE id = ?",
        (
            line["tier"], line["why"], line["why"], line["category"], line["category"], line["one_line"], line["one_line"],
            line.get("verified", ""), line["by"], line["at"], line["id"],
        ),
    )  # fmt: skip


def _archive(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    sql = "UPDATE items SET was = status, status = 'archived', reason = ? WHERE id = ? AND status <> 'archived'"
    db.executemany(sql, [(line["reason"], name) for name in line["ids"]])


def _unarchive(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    sql = "UPDATE items SET status = CASE WHEN was = '' THEN 'new' ELSE was END, was = '', reason = '' WHERE id = ? AND status = 'archived'"
    db.executemany(sql, [(name,) for name in line["ids"]])


def _feedback(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    db.execute("UPDATE items SET feedback = ? WHERE id = ?", (line["value"], line["id"]))


def _looked(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    db.executemany("UPDATE items SET seen_at = ? WHERE id = ? AND seen_at = ''", [(line["at"], name) for name in line["ids"]])


def _run_start(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    values = (line["run"], line["at"], line["day"], line["trigger"], "running")
    db.execute("INSERT OR IGNORE INTO runs (id, started, day, trigger, status) VALUES (?, ?, ?, ?, ?)", values)


def _run_end(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    db.execute(
        "UPDATE runs SET finished = ?, status = ?, per_sub = ?, new = ?, candidates = ?, offered = ?, error = ?, judge = ? WHERE id = ?",
        (
            line["at"], line["status"], json.dumps(line["per_sub"], ensure_ascii=False, sort_keys=True), line["new"], line["candidates"],
            line["offered"], line.get("error", ""), line.get("judge", ""), line["run"],
        ),
    )  # fmt: skip


def _run_spent(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    db.execute("UPDATE runs SET tokens = tokens + ? WHERE id = ?", (line["tokens"], line["run"]))


def _fetched(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    db.execute(
        "INSERT INTO cursors (sub, cursor, success, tried, status, reason, title, fails, items) VALUES (?, ?, ?, ?, ?, '', ?, 0, ?)"
        " ON CONFLICT (sub) DO UPDATE SET cursor = excluded.cursor, success = excluded.success, tried = excluded.tried,"
        " status = excluded.status,"
        " reason = '', title = CASE WHEN excluded.title = '' THEN title ELSE excluded.title END, fails = 0, items = excluded.items",
        (line["sub"], json.dumps(line["cursor"], sort_keys=True), line["at"], line["at"], line["status"], line["title"], line["items"]),
    )


def _not_fetched(db: sqlite3.Connection, line: Mapping[str, Any]) -> None:
    db.execute(
        "INSERT INTO cursors (sub, tried, status, reason, fails) VALUES (?, ?, ?, ?, 1)"
        " ON CONFLICT (sub) DO UPDATE SET tried = excluded.tried, status = excluded.status, reason = excluded.reason,"
        " fails = fails + 1, items = 0",
        (line["sub"], line["at"], line["status"], line["reason"]),
    )


_CHANGES = {
    ("items", "seen"): _seen,
    ("items", "also"): _also,
    ("items", "queued"): _queued,
    ("items", "briefed"): _briefed,
    ("items", "noted"): _noted,
    ("items", "cleared"): _cleared,
    ("items", "failed"): _failed,
    ("verdicts", "verdict"): _verdict,
    ("feedback", "archive"): _archive,
    ("feedback", "unarchive"): _unarchive,
    ("feedback", "feedback"): _feedback,
    ("feedback", "looked"): _looked,
    ("runs", "start"): _run_start,
    ("runs", "end"): _run_end,
    ("runs", "spent"): _run_spent,
    ("cursors", "fetched"): _fetched,
    ("cursors", "failed"): _not_fetched,
}


def find_twins(db: sqlite3.Connection, record: Mapping[str, Any]) -> list[Twin]:
    """Give items that may be the same as a new one, the oldest first; archived duplicates are no first."""
    found = db.execute(
        "SELECT id, url_key, title_key, author, published, sub FROM items"
        " WHERE (url_key = ? AND url_key <> '' OR title_key = ? AND title_key <> '')"
        " AND reason NOT LIKE 'duplicate:%' ORDER BY published, id LIMIT 20",
        (url_key(record["url"]), title_key(record["title"])),
    )
    return [Twin(*row) for row in found]
