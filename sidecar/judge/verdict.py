"""A verdict: its tier, why, and what becomes of the ones that are not as they should be."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sidecar.items.item import Tier, read_tier
from sidecar.judge.fence import one_line

MIN_WHY = 6
_LINK = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_ACTING = re.compile(r"[\[\]`<>#|*_~$]|%%+")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of an item. No address is ever taken from a judge."""

    id: str
    tier: Tier
    why: str
    category: str = ""
    one_line: str = ""
    verified: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """A verdict that is not taken, and why."""

    id: str
    code: str
    message: str


def read_verdicts(given: Iterable[Any], open_ids: Collection[str], judged: Collection[str] = ()) -> tuple[list[Verdict], list[Refused]]:
    """Sort verdicts into those that are taken and those that are not; one bad verdict spoils no other.

    Args:
        open_ids: Items that wait for a verdict.
        judged: Items that had theirs before.
    """
    taken: dict[str, Verdict] = {}
    refused: list[Refused] = []
    for one in given:
        found = _read(one, open_ids, judged, taken)
        if isinstance(found, Verdict):
            taken[found.id] = found
        else:
            refused.append(found)
    return list(taken.values()), refused


def _read(one: Any, open_ids: Collection[str], judged: Collection[str], taken: Mapping[str, Verdict]) -> Verdict | Refused:
    if not isinstance(one, Mapping):
        return Refused("", "not-a-verdict", "A verdict is an object with id, tier and why.")
    name = str(one.get("id") or "")[:64]
    if name in taken:
        return Refused(name, "doubled", "This item stands in the list twice; the first counts.")
    if name in judged:
        return Refused(name, "judged-already", "This item has its verdict already.")
    if name not in open_ids:
        return Refused(name, "unknown-id", "No item of that id waits for a verdict.")
    tier = read_tier(one.get("tier"))
    if tier is None:
        return Refused(name, "unknown-tier", "The tier is worth, okay or skip (值得看, 可以看, 不值当), and nothing else.")
    why = _said(one.get("why"), 600)
    if len(why) < MIN_WHY:
        return Refused(name, "missing-why", "Say why, naming something that stands in the text.")
    return Verdict(name, tier, why, _said(one.get("category"), 40), _said(one.get("one_line"), 200), _said(one.get("verified"), 300))


def _said(value: Any, limit: int) -> str:
    """Take a judge's words as plain words: no addresses, no marks that act in a note."""
    if not isinstance(value, str):
        return ""
    return one_line(_ACTING.sub(" ", _LINK.sub("", value)), limit)


def parse_answer(text: str) -> list[Any]:
    """Find the list of verdicts in a model's answer: plain JSON, in a code block, or an object that holds it.

    Raises:
        ValueError: There is none.
    """
    stripped = text.strip()
    block = re.search(r"```(?:json)?\s*(.*?)```", stripped, re.DOTALL)
    for part in (stripped, block[1] if block else "", stripped[stripped.find("[") : stripped.rfind("]") + 1]):
        try:
            value = json.loads(part) if part.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            value = next((inner for inner in (value.get("verdicts"), value.get("items")) if isinstance(inner, list)), None)
        if isinstance(value, list):
            return value
    raise ValueError("no list of verdicts")
