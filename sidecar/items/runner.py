"""Runs: one round of fetching all due subscriptions, judging what is new, and writing the brief. One at a time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import filelock

from sidecar.brief.service import BriefService
from sidecar.clock import Clock
from sidecar.config import Config
from sidecar.errors import NotSetUp, RunInProgress, SidecarError
from sidecar.feeds.preference import Preference
from sidecar.feeds.private import redacted
from sidecar.feeds.subscription import Subscription
from sidecar.feeds.watchlist import LastResult, WatchlistService
from sidecar.items.prefilter import Likeness
from sidecar.items.schedule import (
    CATCH_UP_S,
    MAX_RUN_S,
    TICK_S,
    in_windows,
    is_brief_due,
    is_due,
    may_judge,
    missed_window,
    next_window,
)
from sidecar.items.service import ItemService
from sidecar.items.sift import Sifter
from sidecar.jobs import VaultThread
from sidecar.judge.service import Judged, JudgeService
from sidecar.vault.files import VaultFiles

log = logging.getLogger("sidecar.runs")

Step = Callable[[str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run works with."""

    items: ItemService
    thread: VaultThread
    watchlist: WatchlistService
    judge: JudgeService
    brief: BriefService
    files: VaultFiles
    config: Callable[[], Config]
    clock: Clock
    local: Callable[[datetime], datetime]
    publish: Callable[..., object]
    likeness: Callable[[str], Likeness]


class RunService:
    """Runs by hand and on schedule.

    Args:
        lock: File that one run at a time holds; the system lets go of it when a process dies.
    """

    def __init__(self, parts: Parts, lock: Path) -> None:
        self._p = parts
        self._sifter = Sifter(parts.items, parts.clock, parts.likeness)
        self._lock = lock
        self._running = ""
        self._last_tick: datetime | None = None
        self._days: set[str] = set()
        self._rendering: asyncio.Task[None] | None = None
        parts.judge.on_verdicts = self._render_later

    @property
    def running(self) -> str:
        """The id of the run that is going on, or empty."""
        return self._running

    # ── one run ───────────────────────────────────────────────────────────────────────────────

    async def run(
        self, trigger: str, step: Step, *, only: Sequence[str] = (), dry_run: bool = False, scheduled: bool = False
    ) -> dict[str, Any]:
        """Fetch what is due (by hand: all that is enabled), judge it, write the brief; give the run's figures.

        Raises:
            RunInProgress: Another run is going on.
            NotSetUp: There is no watchlist.
            PreferenceError: The preference is invalid; a failed run is recorded.
        """
        preference = await self._preference()
        wanted = await self._wanted(preference, only, scheduled=scheduled)
        if dry_run:
            return await self._tried_dry(wanted, preference, step)
        if self._running:
            raise RunInProgress("A run is going on.", fix="Wait for it: kb status", run=self._running)
        lock = filelock.FileLock(self._lock)
        try:
            await asyncio.to_thread(self._lock.parent.mkdir, parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except filelock.Timeout as error:
            raise RunInProgress("A run is going on in another process.", fix="Wait for it.") from error
        self._running = await self._p.thread.run(self._new_id)
        try:
            return await self._do(self._running, trigger, wanted, preference, step)
        finally:
            self._running = ""
            lock.release()

    async def _preference(self) -> Preference:
        state = await asyncio.to_thread(self._p.watchlist.state)
        if state.problem is not None:
            await self._record_failed(state.problem.message)
            raise state.problem
        if state.preference is None or not state.preference.subscriptions():
            raise NotSetUp("No subscriptions are set up.", fix="Add one: kb feeds add URL")
        return state.preference

    async def _record_failed(self, why: str) -> None:
        day = self._today().isoformat()

        def write() -> None:
            run = self._new_id()
            last = self._p.items.runs(1)
            if last and last[0]["error"] == why:
                return
            self._p.items.write("runs", [{"op": "start", "run": run, "day": day, "trigger": "refused"}])
            end = {"op": "end", "run": run, "status": "failed", "per_sub": {}, "new": 0, "candidates": 0, "offered": 0, "error": why}
            self._p.items.write("runs", [end])

        await self._p.thread.run(write)

    async def _wanted(self, preference: Preference, only: Sequence[str], *, scheduled: bool) -> list[Subscription]:
        subscriptions = preference.subscriptions()
        if only:
            return [self._p.watchlist.get(name) for name in dict.fromkeys(only)]
        if not scheduled:
            return [one for one in subscriptions if one.enabled]
        cursors = await self._p.thread.run(self._p.items.cursors)
        now = self._p.clock()

        def due(one: Subscription) -> bool:
            row = cursors.get(one.id)
            if row is None:
                return is_due(one, None, 0, None, now)
            return is_due(one, _moment(row["success"]), row["fails"], _moment(row["tried"]), now)

        return [one for one in subscriptions if due(one)]

    async def _tried_dry(self, wanted: Sequence[Subscription], preference: Preference, step: Step) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for subscription in wanted:
            fetched = await self._p.watchlist.fetcher.fetch(subscription, {})
            step("fetched", {"sub": subscription.id, "status": fetched.status})
            records = await self._p.thread.run(self._sifter.sort, subscription, fetched.items, preference, "dry", True)
            reasons: dict[str, int] = {}
            for record in records:
                name = record["reason"].partition(":")[0] or "candidate"
                reasons[name] = reasons.get(name, 0) + 1
            found[subscription.id] = {"status": fetched.status, "reason": redacted(fetched.reason), "new": len(records), "reasons": reasons}
        return {"run": "", "status": "dry-run", "per_sub": found}

    async def _do(self, run: str, trigger: str, wanted: Sequence[Subscription], preference: Preference, step: Step) -> dict[str, Any]:
        parts, day = self._p, self._today().isoformat()
        per_sub: dict[str, dict[str, Any]] = {}
        await parts.thread.run(self._begin, run, day, trigger)
        parts.publish("run", id=run, state="running", done=0, total=len(wanted))

        async def one(subscription: Subscription) -> None:
            row = (await parts.thread.run(parts.items.cursors)).get(subscription.id)
            cursor = json.loads(row["cursor"]) if row else {}
            fetched = await parts.watchlist.fetcher.fetch(subscription, cursor)
            is_first = row is None or not row["success"]
            new = await parts.thread.run(self._sifter.take_in, run, day, subscription, fetched, preference, is_first)
            per_sub[subscription.id] = {
                "status": fetched.status,
                "reason": redacted(fetched.reason),
                "new": new,
                "seen": len(fetched.items),
            }
            step("fetched", {"sub": subscription.id, "status": fetched.status, "new": new, "done": len(per_sub), "total": len(wanted)})
            parts.publish("run", id=run, state="running", done=len(per_sub), total=len(wanted))

        error = ""
        try:
            async with asyncio.timeout(MAX_RUN_S):
                await asyncio.gather(*map(one, wanted))
        except TimeoutError:
            error = "The run took longer than 30 minutes and ended with what it had."
        offered = await parts.thread.run(self._sifter.offer, run, day, preference)
        step("offered", {"count": offered})
        judged = await self._judge(run, preference, step, always=trigger != "schedule")
        bad = [name for name, result in per_sub.items() if result["status"] not in ("ok", "unchanged")]
        status = "partial" if bad or error or len(per_sub) < len(wanted) else "done"
        if wanted and len(bad) == len(wanted):
            status = "failed"
        await parts.thread.run(self._end, run, status, per_sub, offered, error)
        written: dict[str, Any] = {}
        if trigger != "schedule" or await self._brief_is_due(preference):
            written = await self._write_brief(day)
        figures = await parts.thread.run(parts.items.run, run)
        report = await self._report(figures) if figures["new"] or bad else ""
        parts.publish("run", id=run, state=status, done=len(per_sub), total=len(wanted))
        return {
            "run": run, "status": status, "per_sub": per_sub, "new": figures["new"], "candidates": figures["candidates"],
            "offered": offered, "judged": judged.taken, "judge_problem": judged.problem, "brief": written, "report": report, "error": error,
        }  # fmt: skip

    def _new_id(self) -> str:
        """Make the id of a run; later runs sort after earlier ones, also within a second."""
        return f"{self._p.clock():%Y%m%d%H%M%S}-{self._p.items.store().next_number():06d}-{secrets.token_hex(2)}"

    def _begin(self, run: str, day: str, trigger: str) -> None:
        """Record the run; one that a crash cut off is ended first."""
        for old in self._p.items.runs(5):
            if old["status"] == "running":
                end = {"op": "end", "run": old["id"], "status": "failed", "per_sub": {}, "new": 0, "candidates": 0, "offered": 0}
                self._p.items.write("runs", [{**end, "error": "It was cut off."}])
        self._p.items.write("runs", [{"op": "start", "run": run, "day": day, "trigger": trigger}])

    def _end(self, run: str, status: str, per_sub: Mapping[str, Any], offered: int, error: str) -> None:
        items = self._p.items
        db = items.store().db
        new = db.execute("SELECT count(*) FROM items WHERE run = ?", (run,)).fetchone()[0]
        candidates = db.execute("SELECT count(*) FROM items WHERE run = ? AND reason = ''", (run,)).fetchone()[0]
        end = {"op": "end", "run": run, "status": status, "per_sub": dict(sorted(per_sub.items())), "new": new, "candidates": candidates}
        items.write("runs", [{**end, "offered": offered, "error": error, "judge": self._p.config().judge.channel}])

    async def _judge(self, run: str, preference: Preference, step: Step, *, always: bool = False) -> Judged:
        if self._p.config().judge.channel != "endpoint":
            self._p.brief.last_judge_problem, self._p.brief.over_budget = "", 0
            return Judged()
        if not always and not may_judge(self._now(), preference):
            return Judged()
        judged = await self._p.judge.ask_endpoint(run)
        self._p.brief.last_judge_problem, self._p.brief.over_budget = judged.problem, judged.over_budget
        step("judged", {"count": judged.taken, "problem": judged.problem})
        return judged

    async def judge_now(self, step: Step) -> Judged:
        """Let the endpoint judge what waits, now.

        Raises:
            NotSetUp: There is no endpoint, or nothing was ever fetched.
        """
        if self._p.config().judge.channel != "endpoint":
            raise NotSetUp("No endpoint judges here.", fix="Set channel, endpoint and model under [judge] in .kb/config.toml.")
        last = await self._p.thread.run(self._p.items.runs, 1)
        if not last:
            raise NotSetUp("There was no run yet.", fix="Fetch first: kb run")
        return await self._judge(last[0]["id"], await self._preference(), step, always=True)

    async def _write_brief(self, day: str) -> dict[str, Any]:
        try:
            written = await self._p.brief.write(day)
        except SidecarError as error:
            log.warning("the brief could not be written: %s", error.message)
            return {"day": day, "problem": error.message}
        self._p.publish("brief", day=day, path=written["path"])
        return written

    async def _report(self, figures: Mapping[str, Any]) -> str:
        """Leave a report of a run that brought something; its figures are the database's."""
        name = f"reports/{figures['day']}-{figures['id']}.md"
        lines = [f"# Run {figures['id']}", "", f"- started {figures['started']}, {figures['trigger']}, {figures['status']}"]
        lines += [f"- new {figures['new']}, candidates {figures['candidates']}, offered {figures['offered']}", ""]
        lines += ["| subscription | status | new | reason |", "| --- | --- | --- | --- |"]
        for sub, one in figures["per_sub"].items():
            cells = (sub, one["status"], str(one["new"]), one["reason"])
            lines.append("| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |")
        try:
            await asyncio.to_thread(self._p.files.write_own, name, ("\n".join(lines) + "\n").encode("utf-8"))
        except SidecarError as error:
            log.warning("%s", error.message)
            return ""
        return name

    # ── in the background ─────────────────────────────────────────────────────────────────────

    async def follow(self, first_s: float = CATCH_UP_S, tick_s: float = TICK_S) -> None:
        """Look every half an hour what is due; the first time soon after the start, for what was missed."""
        pause = first_s
        while True:
            # Asked of the event loop's own clock, which stands still while the machine sleeps: after it, the tick comes late, not twice.
            await asyncio.sleep(pause)
            pause = tick_s
            try:
                await self.tick()
            except (RunInProgress, NotSetUp):
                continue
            except SidecarError as error:
                log.warning("%s", error.message)
            except Exception:
                log.exception("a tick broke")

    async def tick(self) -> str:
        """Do what the schedule wants now; tell what that was: ``run``, ``brief``, ``judge`` or nothing."""
        state = await asyncio.to_thread(self._p.watchlist.state)
        if state.state != "ready" or state.preference is None:
            if state.problem is not None:
                await self._record_failed(state.problem.message)
            return ""
        preference = state.preference
        runs = await self._p.thread.run(self._p.items.runs, 1)
        last = self._p.local(datetime.fromisoformat(runs[0]["started"])) if runs else None
        now = self._now()
        windows = preference.schedule.windows
        is_time = in_windows(now, windows) or missed_window(last, now, windows)
        if is_time and await self._wanted(preference, (), scheduled=True):
            await self.run("schedule", lambda name, details: None, scheduled=True)
            return "run"
        did = ""
        if runs and self._p.config().judge.channel == "endpoint" and may_judge(now, preference):
            judged = await self._judge(runs[0]["id"], preference, lambda name, details: None, always=True)
            did = "judge" if judged.taken else ""
        if await self._brief_is_due(preference):
            await self._write_brief(now.date().isoformat())
            return "brief"
        return did

    async def _brief_is_due(self, preference: Preference) -> bool:
        digests = await self._p.thread.run(self._p.items.digests, 1)
        last = datetime.combine(date.fromisoformat(digests[0]["day"]), datetime.min.time()) if digests else None
        now = self._now().replace(tzinfo=None)
        return is_brief_due(last, now, preference.schedule.brief_hour) or (last is not None and last.date() == now.date())

    def _render_later(self, days: set[str]) -> None:
        """Render the briefs of these days again, once, soon: verdicts come in batches."""
        self._days |= days
        if self._rendering is None or self._rendering.done():
            self._rendering = asyncio.create_task(self._render())

    async def _render(self) -> None:
        while self._days:
            await asyncio.sleep(0.05)
            days, self._days = sorted(self._days), set()
            for day in days:
                await self._write_brief(day)

    async def settle(self) -> None:
        """Wait until the briefs that are to be rendered again are."""
        if self._rendering is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._rendering

    # ── how it stands ─────────────────────────────────────────────────────────────────────────

    async def state(self) -> dict[str, Any]:
        """Tell how runs stand: the last one, when the next begins, what waits, what is left of today."""
        found = await asyncio.to_thread(self._p.watchlist.state)
        preference = found.preference or Preference()
        runs = await self._p.thread.run(self._p.items.runs, 20)
        counts = await self._p.thread.run(self._p.items.counts)
        left = await self._p.thread.run(self._p.judge.left_today)
        following = next_window(self._now(), preference) if found.state == "ready" else None
        return {
            "state": found.state, "running": self._running, "last": runs[0] if runs else None, "runs": list(runs),
            "next": following.astimezone(UTC).isoformat(timespec="seconds") if following else "", "counts": counts,
            "waiting": counts.get("new", 0) + counts.get("queued", 0), "left_today": left, "channel": self._p.config().judge.channel,
            "brief_hour": preference.schedule.brief_hour, "subscriptions": len(preference.subscriptions()),
        }  # fmt: skip

    def last_results(self) -> dict[str, LastResult]:
        """Give how each subscription did last; runs on the items' thread or any other, reading only."""
        found = self._p.items.cursors()
        return {name: LastResult(row["status"], row["reason"], row["tried"], row["items"], row["title"]) for name, row in found.items()}

    def _now(self) -> datetime:
        return self._p.local(self._p.clock())

    def _today(self) -> date:
        return self._now().date()


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
