"""Questions about items and what people do with them. Everything here runs on the items' own thread."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from sidecar.clock import Clock
from sidecar.errors import ItemNotFound
from sidecar.items.item import PREFILTER_REASONS, Tier
from sidecar.items.store import ItemStore
from sidecar.store import Journal

_FACETS = ("sub", "kind", "tier", "theme", "status")
_SORTS = {
    "new": "published DESC, id",
    "weight": "score DESC, published DESC, id",
    "tier": "CASE tier WHEN 'worth' THEN 0 WHEN 'okay' THEN 1 WHEN '' THEN 2 ELSE 3 END, score DESC, published DESC, id",
}
WAITING = ("new", "queued")
_PLAIN = (
    "id", "sub", "kind", "title", "url", "author", "published", "fetched", "thumb", "duration_s", "lang", "body_state", "theme", "score",
    "tier", "why", "category", "one_line", "verified", "judged_by", "status", "reason", "feedback", "note",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ItemQuery:
    """Which items are wanted; empty means any.

    Attributes:
        q: Words that title, author or tags hold.
        since, until: Days of publication, both included.
    """

    q: str = ""
    sub: str = ""
    kind: str = ""
    tier: str = ""
    theme: str = ""
    status: str = ""
    since: str = ""
    until: str = ""
    sort: str = "new"
    limit: int = 50
    offset: int = 0
    archived: bool = False
    """Whether archived items are among the answers although no status is asked for."""
    reason: str = ""
    """Why they are archived; the part before a colon counts."""


@dataclass(frozen=True, slots=True)
class ItemPage:
    total: int
    items: list[dict[str, Any]]
    facets: dict[str, dict[str, int]]


class ItemService:
    """The items of one vault; the database is opened when first asked."""

    def __init__(self, path: Path | None, journal: Journal, clock: Clock, day_of: Callable[[datetime], date]) -> None:
        self._path = path
        self._journal = journal
        self._clock = clock
        self._day_of = day_of
        self._store: ItemStore | None = None
        self._facets: tuple[tuple[object, ...], dict[str, dict[str, int]]] | None = None
        self._changes = 0

    def store(self) -> ItemStore:
        if self._store is None:
            self._store = ItemStore(self._path, self._journal)
        return self._store

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def today(self) -> str:
        return self._day_of(self._clock()).isoformat()

    def write(self, kind: str, records: Iterable[dict[str, Any]]) -> None:
        """Journal and apply changes."""
        self._changes += 1
        self.store().write(kind, records)

    def rebuild(self) -> int:
        """Make the database anew from the journals; give how many lines there were."""
        self._changes += 1
        return self.store().rebuild()

    # ── questions ─────────────────────────────────────────────────────────────────────────────

    def page(self, query: ItemQuery) -> ItemPage:
        """Give a page of items with the number of all, and how many there are by each facet."""
        where, values = _where(query)
        db = self.store().db
        facets = self._counted(query)
        if (query.q, query.since, query.until) == ("", "", "") and not any((query.sub, query.kind, query.tier, query.theme, query.reason)):
            counts = facets["status"]
            total = (
                counts.get(query.status, 0)
                if query.status
                else sum(n for name, n in counts.items() if query.archived or name != "archived")
            )
        else:
            total = int(db.execute(f"SELECT count(*) FROM items WHERE {where}", values).fetchone()[0])  # noqa: S608
        order = _SORTS.get(query.sort, _SORTS["new"])
        # The ids first, out of an index that holds all that is asked for: rows are wide.
        by_words = query.sort == "new" and bool(query.q) and not any((query.sub, query.kind, query.tier, query.theme))
        table = "items INDEXED BY items_by_words" if by_words else "items"
        sql = f"SELECT id FROM {table} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608
        names = [row[0] for row in db.execute(sql, (*values, query.limit, query.offset))]
        found = {row["id"]: row for row in db.execute(f"SELECT * FROM items WHERE id IN ({', '.join('?' * len(names))})", names)}  # noqa: S608
        rows = [found[name] for name in names]
        return ItemPage(total, [as_item(row) for row in rows], facets)

    def get(self, item_id: str) -> dict[str, Any]:
        """Give an item with its body.

        Raises:
            ItemNotFound: There is none.
        """
        row = self.store().db.execute("SELECT items.*, body FROM items LEFT JOIN bodies USING (id) WHERE id = ?", (item_id,)).fetchone()
        if row is None:
            raise ItemNotFound(f"There is no item {item_id[:40]!r}.", fix="Look for it with: kb items", id=item_id[:40])
        return {**as_item(row), "body": row["body"] or ""}

    def ids(self, query: ItemQuery, limit: int = 10_000) -> Sequence[str]:
        """Give the ids that a query selects."""
        where, values = _where(query)
        sql = f"SELECT id FROM items WHERE {where} ORDER BY published DESC, id LIMIT ?"  # noqa: S608
        return [row[0] for row in self.store().db.execute(sql, (*values, limit))]

    def waiting(self, limit: int, *, statuses: Sequence[str] = WAITING) -> Sequence[dict[str, Any]]:
        """Give the candidates that nobody has judged, with their bodies, the best first."""
        marks = ", ".join("?" * len(statuses))
        rows = self.store().db.execute(
            f"SELECT items.*, body FROM items LEFT JOIN bodies USING (id) WHERE status IN ({marks}) AND tier = ''"  # noqa: S608
            " ORDER BY status = 'new', score DESC, published DESC, id LIMIT ?",
            (*statuses, limit),
        )
        return [{**as_item(row), "body": row["body"] or ""} for row in rows]

    def counts(self) -> dict[str, int]:
        """Give how many items there are in each state, and how many were judged today."""
        db = self.store().db
        found: dict[str, int] = dict(db.execute("SELECT status, count(*) FROM items GROUP BY status").fetchall())
        found["judged_today"] = self.judged_on(self.today())
        return found

    def judged_on(self, day: str) -> int:
        """Give how many verdicts of judges a local day had; the owner's own are not counted."""
        rows = self.store().db.execute("SELECT judged_at FROM items WHERE judged_at >= ? AND judged_by <> 'owner'", (_day_before(day),))
        return sum(self._day_of(datetime.fromisoformat(row[0])).isoformat() == day for row in rows)

    def of_day(self, day: str) -> dict[str, Any]:
        """Give what a local day's brief is made of."""
        db = self.store().db
        rows = db.execute("SELECT * FROM items WHERE offered_day = ? ORDER BY score DESC, published DESC, id", (day,))
        offered = [as_item(row) for row in rows]
        counted = db.execute("SELECT status, reason, count(*) FROM items WHERE day = ? GROUP BY status, reason", (day,)).fetchall()
        reasons: dict[str, int] = {}
        for _, reason, number in counted:
            name = reason.partition(":")[0]
            if name in PREFILTER_REASONS:
                reasons[name] = reasons.get(name, 0) + number
        runs = [as_run(row) for row in db.execute("SELECT * FROM runs WHERE day = ? ORDER BY started, id", (day,))]
        left = db.execute("SELECT count(*) FROM items WHERE status = 'new'").fetchone()[0]
        return {"day": day, "offered": offered, "seen": sum(row[2] for row in counted), "reasons": reasons, "runs": runs, "left": int(left)}

    def runs(self, limit: int = 20) -> Sequence[dict[str, Any]]:
        """Give the last runs, the newest first."""
        return [as_run(row) for row in self.store().db.execute("SELECT * FROM runs ORDER BY started DESC, id DESC LIMIT ?", (limit,))]

    def run(self, run_id: str) -> dict[str, Any]:
        """Give one run that there is."""
        return as_run(self.store().db.execute("SELECT * FROM runs WHERE id = ?", (run_id,)).fetchone())

    def cursors(self) -> dict[str, sqlite3.Row]:
        """Give how each subscription stands."""
        return {row["sub"]: row for row in self.store().db.execute("SELECT * FROM cursors")}

    def digests(self, limit: int = 60) -> Sequence[dict[str, Any]]:
        """Give the briefs that were written, the newest day first."""
        return [dict(row) for row in self.store().db.execute("SELECT * FROM digests ORDER BY day DESC LIMIT ?", (limit,))]

    # ── what people do ────────────────────────────────────────────────────────────────────────

    def archive(self, ids: Sequence[str], reason: str = "owner") -> int:
        """Put items away; give how many of them were not there yet."""
        before = self._in_state(ids, archived=False)
        self.write("feedback", [{"op": "archive", "ids": before, "reason": reason}] if before else [])
        return len(before)

    def unarchive(self, ids: Sequence[str]) -> int:
        """Bring items back to where they were."""
        before = self._in_state(ids, archived=True)
        self.write("feedback", [{"op": "unarchive", "ids": before}] if before else [])
        return len(before)

    def mark_seen(self, ids: Sequence[str]) -> None:
        """Remember that items were looked at; that is no use and renews nothing."""
        self.write("feedback", [{"op": "looked", "ids": list(ids)}])

    def give_feedback(self, item_id: str, value: str) -> None:
        self.get(item_id)
        self.write("feedback", [{"op": "feedback", "id": item_id, "value": value}])

    def overrule(self, item_id: str, tier: Tier, why: str = "") -> None:
        """Set the owner's own verdict, which wins over any other, before and after."""
        self.get(item_id)
        record = {"op": "verdict", "id": item_id, "tier": tier, "why": why, "category": "", "one_line": "", "by": "owner"}
        self.write("verdicts", [record])

    def clear(self, ids: Sequence[str]) -> int:
        """Take items out for good; their lines stay in the journal until it is compacted."""
        self.write("items", [{"op": "cleared", "ids": list(ids)}])
        return len(ids)

    def _in_state(self, ids: Sequence[str], *, archived: bool) -> list[str]:
        db = self.store().db
        sign = "=" if archived else "<>"
        sql = f"SELECT id FROM items WHERE id = ? AND status {sign} 'archived'"  # noqa: S608
        return [row[0] for name in dict.fromkeys(ids) if (row := db.execute(sql, (name,)).fetchone())]

    def _counted(self, query: ItemQuery) -> dict[str, dict[str, int]]:
        """Count by facet, each over all items not archived but for ``status``; kept until something changes."""
        key = (self._changes, query.archived)
        if self._facets is None or self._facets[0] != key:
            db = self.store().db
            hidden = "1" if query.archived else "status <> 'archived'"
            found: dict[str, dict[str, int]] = {}
            for name in _FACETS:
                rule = "1" if name == "status" else hidden
                sql = f"SELECT {name}, count(*) FROM items WHERE {name} <> '' AND {rule} GROUP BY {name} ORDER BY 2 DESC, 1 LIMIT 200"  # noqa: S608
                found[name] = dict(db.execute(sql).fetchall())
            self._facets = (key, found)
        return self._facets[1]


def _where(query: ItemQuery) -> tuple[str, tuple[Any, ...]]:
    rules: list[str] = []
    values: list[Any] = []
    for name in ("sub", "kind", "tier", "theme", "status"):
        wanted = getattr(query, name)
        if wanted:
            rules.append(f"{name} = ?")
            values.append(wanted)
    if query.reason:
        rules.append("(reason = ? OR substr(reason, 1, ?) = ?)")
        values += [query.reason, len(query.reason) + 1, query.reason + ":"]
    if not query.status and not query.archived:
        rules.append("status <> 'archived'")
    for word in query.q.casefold().split()[:10]:
        rules.append("instr(find, ?) > 0")
        values.append(word)
    if query.since:
        rules.append("published >= ?")
        values.append(query.since)
    if query.until:
        rules.append("published < ?")
        values.append(query.until + "T99")
    return " AND ".join(rules) or "1", tuple(values)


def _day_before(day: str) -> str:
    """Give a moment that is surely before a local day begins, in any zone."""
    return date.fromordinal(date.fromisoformat(day).toordinal() - 1).isoformat()


def as_item(row: sqlite3.Row) -> dict[str, Any]:
    """Give a row as others see it."""
    plain = {name: row[name] for name in _PLAIN}
    lists = {name: json.loads(row[name]) for name in ("stats", "tags", "match", "also")}
    place = {"day": row["offered_day"] or row["day"], "run": row["offered_run"] or row["run"]}
    return {**plain, **lists, **place, "time_estimated": bool(row["estimated"]), "seen": bool(row["seen_at"])}


def as_run(row: sqlite3.Row) -> dict[str, Any]:
    """Give a run as others see it."""
    return {
        "id": row["id"], "started": row["started"], "finished": row["finished"], "day": row["day"], "trigger": row["trigger"],
        "status": row["status"], "per_sub": json.loads(row["per_sub"]), "new": row["new"], "candidates": row["candidates"],
        "offered": row["offered"], "error": row["error"], "tokens": row["tokens"], "judge": row["judge"],
    }  # fmt: skip
