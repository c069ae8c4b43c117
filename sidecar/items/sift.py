"""Takes in what subscriptions brought: what is new, what is left out and why, and what is offered to a judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sidecar.clock import Clock
from sidecar.feeds.preference import Preference
from sidecar.feeds.private import redacted
from sidecar.feeds.subscription import Fetched, RawItem, Subscription
from sidecar.items.item import as_record, duplicate_of, item_id, url_key
from sidecar.items.prefilter import Likeness, match_item, reject_reason
from sidecar.items.service import ItemService
from sidecar.items.store import find_twins

_MAX_COMPARED = 300
"""Candidates of one run that are held against the owner's notes: a first run of many subscriptions brings thousands."""


class Sifter:
    """Everything here runs on the items' thread.

    Args:
        likeness: Tells how close a text is to what the owner has written.
    """

    def __init__(self, items: ItemService, clock: Clock, likeness: Callable[[str], Likeness]) -> None:
        self._items = items
        self._clock = clock
        self._likeness = likeness
        self._compared_in, self._compared = "", 0

    def take_in(self, run: str, day: str, subscription: Subscription, fetched: Fetched, preference: Preference, is_first: bool) -> int:
        """Journal what a fetch brought; its cursor moves only after its items are safe, and only if it worked."""
        items = self._items
        if fetched.status not in ("ok", "unchanged"):
            record = {"op": "failed", "sub": subscription.id, "status": fetched.status, "reason": redacted(fetched.reason)[:500]}
            items.write("cursors", [record])
            return 0
        records = self.sort(subscription, fetched.items, preference, run, is_first, day)
        items.write("items", records)
        items.write("items", [{"op": "also", "id": r["first"], "sub": subscription.id, "url": r["url"]} for r in records if r.get("first")])
        cursor = {"op": "fetched", "sub": subscription.id, "status": fetched.status, "cursor": dict(fetched.cursor), "title": fetched.title}
        items.write("cursors", [{**cursor, "items": len(records)}])
        return len(records)

    def sort(
        self, subscription: Subscription, raw: Sequence[RawItem], preference: Preference, run: str, is_first: bool, day: str = ""
    ) -> list[dict[str, Any]]:
        """Give the new ones among entries, each with its score and, if it is left out, why."""
        db, now = self._items.store().db, self._clock()
        records: dict[str, dict[str, Any]] = {}
        if run != self._compared_in:
            self._compared_in, self._compared = run, 0
        by_url: set[str] = set()
        for one in raw:
            name, address = item_id(subscription.id, one.external_id), url_key(one.url)
            if name in records or (address and address in by_url):
                continue
            rule = "id = ? OR (sub = ? AND url_key = ? AND url_key <> '')"
            if db.execute(f"SELECT 1 FROM items WHERE {rule}", (name, subscription.id, address)).fetchone():  # noqa: S608
                continue  # a changed id with the same address is the same item
            by_url.add(address)
            record = {"op": "seen", **as_record(one, subscription.id, now), "run": run, "day": day}
            record["tags"] = list(dict.fromkeys([*record["tags"], *subscription.tags]))
            match = match_item(record, subscription, preference)
            reason = reject_reason(record, match, subscription, preference, now, is_first_run=is_first)
            if not reason:
                found = duplicate_of(record, find_twins(db, record))
                if found is not None:
                    reason, record["first"] = found[1], found[0].id
                elif self._compared < _MAX_COMPARED:
                    self._compared += 1
                    likeness = self._likeness(f"{record['title']}\n{record['body'][:2000]}")
                    match = match_item(record, subscription, preference, likeness)
            record |= {"match": match.as_json(), "score": match.score, "reason": reason, "status": "archived" if reason else "new"}
            records[name] = record
        return list(records.values())

    def offer(self, run: str, day: str, preference: Preference) -> int:
        """Queue the best candidates, within the limits of a run and of a day."""
        items = self._items
        queued = items.store().db.execute("SELECT count(*) FROM items WHERE offered_day = ?", (day,)).fetchone()[0]
        room = min(preference.schedule.max_per_run, max(preference.schedule.max_per_day - int(queued), 0))
        best = [item["id"] for item in items.waiting(room, statuses=("new",))]
        if best:
            items.write("items", [{"op": "queued", "ids": best, "day": day, "run": run}])
        return len(best)
