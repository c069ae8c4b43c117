"""What an item is, which states it goes through, and how it comes out of a subscription."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from sidecar.feeds.subscription import RawItem
from sidecar.vault.address import find_address

Tier = Literal["worth", "okay", "skip"]
Status = Literal["new", "queued", "judged", "digest", "archived"]
Reason = Literal[
    "theme-reject", "no-body", "stale", "too-short", "skip-kind", "below-score", "no-match", "redline", "duplicate", "dismissed", "owner"
]  # fmt: skip
TIERS: tuple[str, ...] = get_args(Tier)
STATUSES: tuple[str, ...] = get_args(Status)
PREFILTER_REASONS = ("theme-reject", "no-body", "stale", "too-short", "skip-kind", "below-score", "no-match", "redline", "duplicate")
"""Why an item is left out before anybody judges it; a closed set, counted in panel and brief."""
OWNER_REASONS = ("dismissed", "owner")
CHINESE_TIERS: Mapping[str, Tier] = {"值得看": "worth", "可以看": "okay", "不值当": "skip"}

SAME_WITHIN = timedelta(days=14)
MIN_TITLE = 8
"""Shorter titles, such as 教程, name many things and make no duplicate."""


def read_tier(word: object) -> Tier | None:
    """Take a tier's English or Chinese word; anything else is none."""
    if not isinstance(word, str):
        return None
    return word if word in TIERS else CHINESE_TIERS.get(word)  # type: ignore[return-value]


def item_id(subscription: str, external_id: str) -> str:
    """Give the id of an item, the same on each machine."""
    return hashlib.sha256(f"{subscription}\0{external_id}".encode("utf-8", "replace")).hexdigest()[:16]


def title_key(title: str) -> str:
    """Give what is left of a title without case, blanks and punctuation; empty for one too short to tell things apart."""
    plain = unicodedata.normalize("NFKC", title).casefold()
    key = "".join(character for character in plain if character.isalnum())
    return key if len(key) >= MIN_TITLE else ""


def url_key(url: str) -> str:
    """Give the canonical address, by which two items are one."""
    return find_address(url)


def as_record(raw: RawItem, subscription: str, fetched_at: datetime) -> dict[str, Any]:
    """Give an item as its journal keeps it: all that was seen, the body included."""
    return {
        "id": item_id(subscription, raw.external_id),
        "sub": subscription,
        "ext": raw.external_id,
        "kind": raw.kind,
        "title": raw.title,
        "url": raw.url,
        "author": raw.author,
        "published": (raw.published or fetched_at).isoformat(timespec="seconds"),
        "estimated": raw.published is None,
        "fetched": fetched_at.isoformat(timespec="seconds"),
        "thumb": raw.thumb,
        "duration_s": raw.duration_s,
        "stats": dict(raw.stats),
        "tags": list(raw.tags),
        "lang": raw.lang,
        "body": raw.body,
        "body_state": raw.body_state,
    }


@dataclass(frozen=True, slots=True)
class Twin:
    """An item known already that may be the same as a new one."""

    id: str
    url_key: str
    title_key: str
    author: str
    published: str
    sub: str


def duplicate_of(record: Mapping[str, Any], twins: list[Twin]) -> tuple[Twin, str] | None:
    """Find what a new item repeats, and by what: the same canonical address, or the same title and author, within 14 days."""
    address, title = url_key(record["url"]), title_key(record["title"])
    author = re.sub(r"\s+", " ", record["author"]).strip().casefold()
    moment = datetime.fromisoformat(record["published"])
    for twin in twins:
        if twin.id == record["id"] or abs(datetime.fromisoformat(twin.published) - moment) > SAME_WITHIN:
            continue
        if address and address == twin.url_key:
            return twin, "duplicate:url"
        if title and title == twin.title_key and author == twin.author.casefold():
            return twin, "duplicate:title-author"
    return None
