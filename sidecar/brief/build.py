"""From a day's items and runs to its brief: what stands in it, and how honest its heading must be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

State = Literal["judged", "partly", "waiting", "ranked", "nothing-new"]
"""``judged`` all that was offered has a verdict · ``partly`` some · ``waiting`` none yet, a judge is expected · ``ranked`` there is no
judge · ``nothing-new`` the day brought no item."""
_TOP_UNJUDGED = 25


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the brief. ``url`` is the one that the subscription gave; ``note`` the note that holds the full text, or empty."""

    id: str
    title: str
    url: str
    sub: str
    author: str
    kind: str
    tier: str
    why: str
    one_line: str
    theme: str
    score: float
    note: str
    body_state: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    sub: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class Brief:
    """One local day's brief. The figures are the database's."""

    day: str
    state: State
    seen: int
    candidates: int
    judged: int
    worth: tuple[Entry, ...]
    rest: tuple[tuple[str, tuple[Entry, ...]], ...]
    skip_tier: int
    waiting: int
    reasons: Mapping[str, int]
    failures: tuple[Failure, ...]
    over_budget: int = 0
    judge_problem: str = ""
    not_ingested: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Give it as ``.kb/briefs/<day>.json`` holds it."""
        value = asdict(self)
        value["rest"] = [{"theme": name, "items": [asdict(entry) for entry in group]} for name, group in self.rest]
        return {"version": 1, **value}


def build_brief(
    day: Mapping[str, Any], *, has_judge: bool, over_budget: int = 0, judge_problem: str = "", not_ingested: Mapping[str, str] | None = None
) -> Brief:
    """Build the brief of a day.

    Args:
        day: As :meth:`sidecar.items.service.ItemService.of_day` gives it.
        has_judge: Whether anybody judges; without, the items are ranked and no tier is made up.
    """
    offered = [item for item in day["offered"] if item["reason"] not in ("dismissed",)]
    judged = [item for item in offered if item["tier"]]
    open_items = [item for item in offered if not item["tier"] and item["status"] != "archived"]
    worth = [item for item in judged if item["tier"] == "worth"]
    rest = [item for item in judged if item["tier"] == "okay"]
    if not judged:  # a day without a verdict shows what there is, and says that nobody has judged it
        rest = open_items[:_TOP_UNJUDGED]
    worth.sort(key=lambda item: (-item["score"], item["published"], item["id"]))
    waiting = len(open_items) if has_judge or judged else 0
    state: State = (
        "nothing-new" if not day["seen"] and not offered
        else "ranked" if not has_judge and not judged
        else "waiting" if not judged and open_items
        else "partly" if open_items and judged
        else "judged"
    )  # fmt: skip
    return Brief(
        day=day["day"],
        state=state,
        seen=day["seen"],
        candidates=len(offered),
        judged=len(judged),
        worth=tuple(map(_entry, worth)),
        rest=_by_theme(rest),
        skip_tier=sum(item["tier"] == "skip" for item in judged),
        waiting=waiting,
        reasons=dict(sorted(day["reasons"].items())),
        failures=_failures(day["runs"]),
        over_budget=over_budget,
        judge_problem=judge_problem,
        not_ingested=dict(not_ingested or {}),
    )


def top_to_ingest(brief: Brief, limit: int) -> tuple[Entry, ...]:
    """Give the entries whose full text is to be brought: the worth ones, or the best ranked where nobody judges."""
    ranked = sorted((entry for _, group in brief.rest for entry in group), key=lambda entry: (-entry.score, entry.id))
    entries = brief.worth if brief.state != "ranked" else tuple(ranked)
    have = sum(1 for entry in entries if entry.note)
    return tuple(entry for entry in entries if not entry.note and entry.url and entry.id not in brief.not_ingested)[: max(limit - have, 0)]


def _entry(item: Mapping[str, Any]) -> Entry:
    also = tuple(dict.fromkeys(str(one["sub"]) for one in item["also"]))
    return Entry(
        item["id"], item["title"], item["url"], item["sub"], item["author"], item["kind"], item["tier"], item["why"], item["one_line"],
        item["theme"] or item["category"], item["score"], item["note"], item["body_state"], also,
    )  # fmt: skip


def _by_theme(items: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, tuple[Entry, ...]], ...]:
    groups: dict[str, list[Entry]] = {}
    for item in sorted(items, key=lambda item: (-item["score"], item["published"], item["id"])):
        entry = _entry(item)
        groups.setdefault(entry.theme, []).append(entry)
    return tuple(
        (name, tuple(entries)) for name, entries in sorted(groups.items(), key=lambda pair: (pair[0] == "", -pair[1][0].score, pair[0]))
    )


def _failures(runs: Sequence[Mapping[str, Any]]) -> tuple[Failure, ...]:
    """Give the subscriptions that did not work in their last try of the day."""
    last: dict[str, Mapping[str, Any]] = {}
    for run in runs:
        last.update(run["per_sub"])
    bad = {name: one for name, one in sorted(last.items()) if one["status"] not in ("ok", "unchanged")}
    return tuple(Failure(name, str(one["status"]), str(one.get("reason", ""))) for name, one in bad.items())
