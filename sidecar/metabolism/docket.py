"""The docket: notes that meet all five conditions of death at once, each with its reasons. It decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal

from sidecar.metabolism.age import Age
from sidecar.metabolism.signals import WINDOWS, Use

STALE = timedelta(days=90)
INBOX_DAYS = 30
State = Literal["met", "not-met", "not-yet-known"]
NAMES = ("no-read", "no-cite", "no-inject", "no-living-link", "unchanged")


@dataclass(frozen=True, slots=True)
class Linker:
    """A note whose link counts. ``always``: it lies in a folder of outputs."""

    path: str
    always: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What the docket looks at for one note."""

    path: str
    layer: str
    title: str
    gist: str
    age: Age
    use: Use
    linkers: tuple[Linker, ...] = ()
    expires: date | None = None
    """For a note in the inbox."""
    spared_until: date | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: whether it is met, and by which figures and dates."""

    state: State
    why: str
    last: str = ""
    window_days: int = 0
    known_from: str = ""
    """From which day on an absence could be known."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a note is on the docket, and every condition with its figures."""

    path: str
    layer: str
    title: str
    gist: str
    is_listed: bool
    reasons: Mapping[str, Condition]
    changed: str
    spared_until: str = ""
    linked_from: tuple[str, ...] = ()
    since: str = ""
    """The day from which all conditions hold; by it the oldest comes first."""

    def as_json(self) -> dict[str, Any]:
        return {
            "path": self.path, "layer": self.layer, "title": self.title, "gist": self.gist, "is_listed": self.is_listed,
            "changed": self.changed, "spared_until": self.spared_until, "linked_from": list(self.linked_from), "since": self.since,
            "reasons": {
                name: {"state": c.state, "why": c.why, "last": c.last, "window_days": c.window_days, "known_from": c.known_from}
                for name, c in self.reasons.items()
            },
        }  # fmt: skip


@dataclass(slots=True)
class Living:
    """Whether notes live by themselves: one level, no more; a cluster that only holds itself goes together."""

    now: datetime
    uses: Mapping[str, Use]
    ages: Mapping[str, Age]
    _known: dict[str, str] = field(default_factory=dict)

    def why(self, path: str) -> str:
        """Give why a note lives: a signal in its window, or a change within 90 days; empty if it does not."""
        if path not in self._known:
            use, age = self.uses.get(path) or Use(), self.ages.get(path)
            kind = use.lives(self.now)
            if not kind and age is not None and age.changed is not None and self.now - age.changed <= STALE:
                kind = "changed"
            self._known[path] = kind
        return self._known[path]


def judge(facts: Facts, living: Living, observed_since: datetime | None) -> Judgement | None:
    """Judge one note; ``None`` for those that are never judged: core notes, buried ones, notes outside the configured folders."""
    now = living.now
    if facts.layer == "inbox":
        return _judge_inbox(facts, now)
    if facts.layer not in ("wiki", "sources"):
        return None
    reasons: dict[str, Condition] = {}
    for name, kind in (("no-read", "read"), ("no-cite", "cite"), ("no-inject", "inject")):
        reasons[name] = _absence(kind, facts.use.last(kind), now, observed_since)
    reasons["no-living-link"] = _links(facts.linkers, living)
    reasons["unchanged"] = _unchanged(facts.age, now)
    is_dead = all(condition.state == "met" for condition in reasons.values())
    is_spared = facts.spared_until is not None and now.date() < facts.spared_until
    return Judgement(
        facts.path, facts.layer, facts.title, facts.gist, is_dead and not is_spared, reasons, _day(facts.age.changed),
        facts.spared_until.isoformat() if is_spared and facts.spared_until else "", tuple(one.path for one in facts.linkers),
        _since(facts, now) if is_dead else "",
    )  # fmt: skip


def _judge_inbox(facts: Facts, now: datetime) -> Judgement:
    is_past = facts.expires is not None and now.date() > facts.expires
    is_spared = facts.spared_until is not None and now.date() < facts.spared_until
    day = facts.expires.isoformat() if facts.expires else ""
    why = f"expired on {day}" if is_past else f"expires on {day}" if day else "no day of expiry is known yet"
    state: State = "met" if is_past else "not-met" if day else "not-yet-known"
    return Judgement(
        facts.path, facts.layer, facts.title, facts.gist, is_past and not is_spared, {"expired": Condition(state, why, day, INBOX_DAYS)},
        _day(facts.age.changed), facts.spared_until.isoformat() if is_spared and facts.spared_until else "",
        tuple(one.path for one in facts.linkers), day if is_past else "",
    )  # fmt: skip


def _absence(kind: str, last: datetime | None, now: datetime, since: datetime | None) -> Condition:
    window = WINDOWS[kind]
    days = window.days
    if last is not None and now - last <= window:
        return Condition("not-met", f"{_WORDS[kind]} on {_day(last)}", _day(last), days)
    if since is None or now - since < window:
        known = _day(since + window) if since is not None else ""
        return Condition(
            "not-yet-known", f"signals are kept since {_day(since) or 'never'}, {days} days are needed", _day(last), days, known
        )
    return Condition("met", f"not {_WORDS[kind]} in {days} days" + (f", last on {_day(last)}" if last else ""), _day(last), days)


_WORDS = {"read": "read", "cite": "cited", "inject": "injected"}


def _links(linkers: Iterable[Linker], living: Living) -> Condition:
    names = list(linkers)
    for one in names:
        if one.always:
            return Condition("not-met", f"linked from {one.path}, which lies in a folder of outputs")
        why = living.why(one.path)
        if why:
            return Condition("not-met", f"linked from {one.path}, which lives ({why})")
    return Condition("met", f"{len(names)} linking notes, none of which lives" if names else "nothing links to it")


def _unchanged(age: Age, now: datetime) -> Condition:
    if age.changed is None:
        return Condition("not-yet-known", "nothing tells when it was changed", "", STALE.days)
    days = (now - age.changed).days
    said = f"unchanged for {days} days, since {_day(age.changed)} ({age.evidence})"
    return Condition("met" if now - age.changed > STALE else "not-met", said, _day(age.changed), STALE.days)


def _since(facts: Facts, now: datetime) -> str:
    moments = [facts.age.changed + STALE] if facts.age.changed else []
    moments += [last + WINDOWS[kind] for kind in WINDOWS if (last := facts.use.last(kind)) is not None]
    return _day(max(moments, default=now))


def _day(moment: datetime | None) -> str:
    return moment.date().isoformat() if moment is not None else ""


def in_order(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Put those on the docket in order: expired inbox notes first, then the longest dead."""
    return sorted((one for one in judgements if one.is_listed), key=lambda one: (one.layer != "inbox", one.since, one.path))
