"""What is left out before anybody judges, and how the rest is ranked; each with a reason that can be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sidecar.feeds.keywords import find_keywords, holds
from sidecar.feeds.preference import Preference
from sidecar.feeds.subscription import Subscription

_LIKENESS_WEIGHT = 1.0
_INTEREST_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Match:
    """Why an item may be wanted.

    Attributes:
        themes: Name of each theme it hits, the keywords found, and where: ``title``, ``tags`` or ``body``.
        parts: What the score is the sum of, by name.
    """

    themes: tuple[tuple[str, tuple[str, ...], str], ...] = ()
    parts: Mapping[str, float] = None  # type: ignore[assignment]
    rejected_by: str = ""

    @property
    def score(self) -> float:
        return round(sum((self.parts or {}).values()), 3)

    def as_json(self) -> dict[str, Any]:
        """Give it as it is kept and shown."""
        return {
            "themes": [{"theme": name, "keywords": list(words), "where": where} for name, words, where in self.themes],
            "parts": {name: round(value, 3) for name, value in (self.parts or {}).items()},
        }


@dataclass(frozen=True, slots=True)
class Likeness:
    """How close an item is to what the owner has written: 0 to 1, and to which note; and which interests of his memory it names."""

    share: float = 0.0
    note: str = ""
    interests: tuple[str, ...] = ()


def match_item(record: Mapping[str, Any], subscription: Subscription, preference: Preference, likeness: Likeness = Likeness()) -> Match:
    """Hold an item against the themes, and add up its score: themes' weights, subscription's weight with what the buttons added,
    likeness to the owner's own notes, interests named in his memory files."""
    places = (("title", record["title"]), ("tags", " ".join(record["tags"])), ("body", record["body"]))
    found: list[tuple[str, tuple[str, ...], str]] = []
    parts: dict[str, float] = {}
    rejected = ""
    whole = "\n".join(text for _, text in places)
    for theme in preference.themes:
        hits = find_keywords(whole, (*theme.must, *theme.any))
        if not all(word in hits for word in theme.must) or (theme.any and not any(word in hits for word in theme.any)):
            continue
        banned = find_keywords(whole, theme.never)
        if banned:
            rejected = rejected or f"{theme.group}: {banned[0]}"
            continue
        where = next(name for name, text in places if find_keywords(text, hits))
        found.append((theme.group, hits, where))
        parts[f"theme {theme.group}"] = theme.weight
    weight = subscription.weight + preference.delta_of(subscription.id)
    if weight:
        parts["subscription"] = weight
    if likeness.share:
        parts[f"like {likeness.note}"] = _LIKENESS_WEIGHT * likeness.share
    if likeness.interests:
        parts["interests " + ", ".join(likeness.interests)] = _INTEREST_WEIGHT
    return Match(tuple(found), parts, rejected)


def reject_reason(
    record: Mapping[str, Any], match: Match, subscription: Subscription, preference: Preference, now: datetime, *, is_first_run: bool
) -> str:
    """Give why an item is left out, or nothing for a candidate. The first rule that holds counts, in the order below."""
    limits = preference.limits
    text = "\n".join((record["title"], " ".join(record["tags"]), record["body"]))
    if any(holds(text, word) for word in preference.redlines):
        return "redline"
    if record["kind"] in limits.skip_kinds:
        return "skip-kind"
    if match.rejected_by and not match.themes:
        return "theme-reject"
    age = timedelta(days=subscription.max_age_days or limits.max_age_days)
    if not is_first_run and now - datetime.fromisoformat(record["published"]) > age:
        return "stale"
    if record["kind"] == "video" and record["duration_s"] is not None and record["duration_s"] < limits.min_duration_sec:
        return "too-short"
    if record["body_state"] == "missing" and record["kind"] != "video":
        return "no-body"
    if preference.require_theme_hit and not match.themes and not subscription.follows:
        return "no-match"
    if match.score < limits.min_score:
        return "below-score"
    return ""
