"""Judging: offering candidates, taking verdicts, and asking an endpoint where the owner named one."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sidecar.errors import EndpointError, SidecarError
from sidecar.feeds.preference import Preference
from sidecar.items.service import ItemService
from sidecar.jobs import VaultThread
from sidecar.judge.prompt import SCHEMA, count_tokens, instructions, present
from sidecar.judge.verdict import Refused, Verdict, parse_answer, read_verdicts

log = logging.getLogger("sidecar.judge")

BATCH = 5
_ANSWER_TOKENS = 300
_MAX_FAILS = 2


class Chat(Protocol):
    """A language model behind an endpoint: answers instructions and a text with a text, and tells what it cost in tokens."""

    async def ask(self, system: str, text: str, schema: Any) -> tuple[str, int]: ...


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of an endpoint's judging."""

    taken: int = 0
    refused: int = 0
    skipped: int = 0
    tokens: int = 0
    problem: str = ""
    over_budget: int = 0


class JudgeService:
    """Takes verdicts from whoever judges.

    Args:
        on_verdicts: Told the local days whose briefs changed.
    """

    def __init__(
        self, items: ItemService, thread: VaultThread, preference: Callable[[], Preference | None], make_chat: Callable[[], Chat | None]
    ) -> None:
        self._items = items
        self._thread = thread
        self._preference = preference
        self._make_chat = make_chat
        self.on_verdicts: Callable[[set[str]], None] = lambda days: None

    def left_today(self) -> int:
        """Give how many verdicts the day still takes."""
        preference = self._preference() or Preference()
        return max(preference.schedule.max_per_day - self._items.judged_on(self._items.today()), 0)

    async def candidates(self, limit: int) -> dict[str, Any]:
        """Give the best candidates that wait, each in a fence, with what the judge is told."""
        preference = self._preference() or Preference()

        def look() -> tuple[Sequence[dict[str, Any]], int, int]:
            left = self.left_today()
            waiting = self._items.waiting(min(limit, left, preference.schedule.max_per_run), statuses=("queued", "new"))
            counts = self._items.counts()
            return waiting, counts.get("new", 0) + counts.get("queued", 0), left

        found, waiting, left = await self._thread.run(look)
        text = present(found, secrets.token_hex(8)) if found else ""
        return {"instructions": instructions(preference.charter), "items": found, "text": text, "waiting": waiting, "left_today": left}

    async def save(self, given: Sequence[Any], by: str) -> tuple[list[Verdict], list[Refused]]:
        """Take verdicts, each for itself; past the day's limit the rest is refused."""

        def store() -> tuple[list[Verdict], list[Refused], set[str]]:
            names = [str(one.get("id")) for one in given if isinstance(one, dict)]
            known: dict[str, dict[str, Any]] = {}
            for name in names:
                try:
                    known[name] = self._items.get(name)
                except SidecarError:
                    continue
            judged = {name for name, item in known.items() if item["judged_by"]}
            open_ids = {name for name, item in known.items() if not item["judged_by"] and item["status"] in ("new", "queued")}
            taken, refused = read_verdicts(given, open_ids, judged)
            left = self.left_today()
            for verdict in taken[left:]:
                refused.append(Refused(verdict.id, "day-is-full", "The day's limit of verdicts is reached; the item waits until tomorrow."))
            taken = taken[:left]
            run_less = [verdict.id for verdict in taken if known[verdict.id]["status"] == "new"]
            today = self._items.today()
            if run_less:
                self._items.write("items", [{"op": "queued", "ids": run_less, "day": today, "run": known[run_less[0]]["run"]}])
            self._items.write("verdicts", [_record(verdict, by) for verdict in taken])
            days = {today if verdict.id in run_less else known[verdict.id]["day"] for verdict in taken}
            return taken, refused, days

        taken, refused, days = await self._thread.run(store)
        if days:
            self.on_verdicts(days)
        return taken, refused

    async def ask_endpoint(self, run: str) -> Judged:
        """Let the endpoint judge what waits, in batches, within the day's tokens. What it fails at twice is not asked again."""
        preference = self._preference() or Preference()
        try:
            chat = await asyncio.to_thread(self._make_chat)
        except SidecarError as error:
            return Judged(problem=f"{error.message} {error.fix}")
        if chat is None:
            return Judged(problem="No endpoint is set.")
        system = instructions(preference.charter)
        total, refused_count, skipped, tokens, problem, over = 0, 0, 0, 0, "", 0
        spent = await self._thread.run(self._spent_today)
        tried: set[str] = set()
        while True:
            waiting = await self._thread.run(self._next_batch, tried, preference.schedule.max_per_run)
            if not waiting:
                break
            text = present(waiting, secrets.token_hex(8))
            cost = count_tokens(system) + count_tokens(text) + _ANSWER_TOKENS * len(waiting)
            if spent + tokens + cost > preference.budget_tokens:
                over = await self._thread.run(lambda: len(self._items.waiting(10_000)))
                log.warning("the day's token budget is used up; %d items wait", over)
                break
            tried.update(item["id"] for item in waiting)
            try:
                answer, used = await chat.ask(system, text, SCHEMA)
                verdicts = parse_answer(answer)
            except EndpointError as error:
                problem = f"{error.message} {error.fix}"
                await self._spend(run, count_tokens(text) if error.params.get("status") == 200 else 0)
                break  # an endpoint that does not answer is not asked again in this run; nothing is lost
            except ValueError:
                problem = "The endpoint's answer held no verdicts."
                tokens += cost
                await self._spend(run, cost)
                skipped += await self._fail(waiting)
                continue
            tokens += used or cost
            await self._spend(run, used or cost)
            offered = {item["id"] for item in waiting}
            own = [one for one in verdicts if isinstance(one, dict) and str(one.get("id")) in offered]
            taken, refused = await self.save(own, "endpoint")
            total += len(taken)
            refused_count += len(refused) + len(verdicts) - len(own)
            missed = [item for item in waiting if item["id"] not in {verdict.id for verdict in taken}]
            skipped += await self._fail(missed)
        return Judged(total, refused_count, skipped, tokens, problem, over)

    def _next_batch(self, tried: set[str], limit: int) -> list[dict[str, Any]]:
        room = min(self.left_today(), max(limit - len(tried), 0))
        found = [item for item in self._items.waiting(len(tried) + BATCH, statuses=("queued",)) if item["id"] not in tried]
        return found[: min(BATCH, room)]

    def _spent_today(self) -> int:
        row = self._items.store().db.execute("SELECT coalesce(sum(tokens), 0) FROM runs WHERE day = ?", (self._items.today(),)).fetchone()
        return int(row[0])

    async def _spend(self, run: str, tokens: int) -> None:
        if tokens:
            await self._thread.run(self._items.write, "runs", [{"op": "spent", "run": run, "tokens": tokens}])

    async def _fail(self, items: Sequence[dict[str, Any]]) -> int:
        """Count a failure of each item; the second one puts it away. Give how many were."""

        def note() -> int:
            self._items.write("items", [{"op": "failed", "id": item["id"]} for item in items])
            marks = ", ".join("?" * len(items))
            sql = f"SELECT id FROM items WHERE id IN ({marks}) AND fails >= ?"  # noqa: S608
            given_up = [row[0] for row in self._items.store().db.execute(sql, (*[item["id"] for item in items], _MAX_FAILS))]
            return self._items.archive(given_up, "skipped (tool)") if given_up else 0

        return await self._thread.run(note) if items else 0


def _record(verdict: Verdict, by: str) -> dict[str, Any]:
    return {
        "op": "verdict", "id": verdict.id, "tier": verdict.tier, "why": verdict.why, "category": verdict.category,
        "one_line": verdict.one_line, "verified": verdict.verified, "by": by,
    }  # fmt: skip
