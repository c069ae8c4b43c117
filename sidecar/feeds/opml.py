"""Lists of feeds from elsewhere: OPML, a list of addresses, a ``feeds.json``; and the watchlist as OPML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any
from xml.sax.saxutils import quoteattr

from lxml import etree

from sidecar.errors import FeedParseError, InvalidUrl
from sidecar.feeds.subscription import SUBSCRIPTION_TYPES, Subscription, SubscriptionType
from sidecar.vault.address import clean_url, find_address

_MAX = 5000
_KINDS = {
    **dict.fromkeys(("rss", "atom", "json", "feed", "podcast"), "rss"),
    "youtube": "youtube-channel",
    "xhs": "xiaohongshu",
    "bili": "bilibili",
}
_ID_CHARS = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Imported:
    """What a list holds.

    Attributes:
        settings: Other keys of the preference that the list sets, such as ``budget_tokens``.
        problems: Entries that were passed over, as sentences.
    """

    subscriptions: tuple[Subscription, ...]
    settings: dict[str, int]
    problems: tuple[str, ...]


def parse_list(text: str) -> Imported:
    """Read a list of feeds in whatever of the three forms it is.

    Raises:
        FeedParseError: It holds no feed.
    """
    stripped = text.lstrip("\ufeff \t\r\n")
    if stripped.startswith("<"):
        found = _parse_opml(stripped)
    elif stripped.startswith(("{", "[")):
        found = _parse_json(stripped)
    else:
        found = _parse_lines(stripped)
    if not found.subscriptions and not found.settings:
        raise FeedParseError("No feed was found in it.", fix="Give OPML, a list of addresses, or a feeds.json.")
    return found


def merge(known: Iterable[Subscription], new: Iterable[Subscription]) -> tuple[tuple[Subscription, ...], tuple[Subscription, ...]]:
    """Tell which of ``new`` are to be added, each with an id that nobody has, and which are known already."""
    addresses = {find_address(subscription.url) or subscription.url for subscription in known}
    ids = {subscription.id for subscription in known}
    added: list[Subscription] = []
    doubled: list[Subscription] = []
    for subscription in new:
        address = find_address(subscription.url) or subscription.url
        if address in addresses:
            doubled.append(subscription)
            continue
        addresses.add(address)
        name = free_id(subscription.id or subscription.title or subscription.url, ids)
        ids.add(name)
        added.append(replace(subscription, id=name))
    return tuple(added), tuple(doubled)


def free_id(name: str, taken: Iterable[str]) -> str:
    """Make an id of a title or an address that none of ``taken`` is."""
    plain = re.sub(r"^https?://(?:www\.)?", "", name)
    base = _ID_CHARS.sub("-", plain).strip("-._")[:60].strip("-._") or "feed"
    known = {one.casefold() for one in taken}
    found, n = base, 1
    while found.casefold() in known:
        n += 1
        found = f"{base}-{n}"
    return found


def render_opml(subscriptions: Iterable[Subscription]) -> str:
    """Write the subscriptions that have an address of their own as OPML 2.0; no secret is in it, since they stand there by name."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">', "  <head><title>Subscriptions</title></head>", "  <body>"]
    for found in subscriptions:
        if not found.url or found.type == "mcp":
            continue
        name = quoteattr(_xml(found.title or found.id))
        category = f" category={quoteattr(_xml(','.join(found.tags)))}" if found.tags else ""
        lines.append(f"    <outline type={quoteattr(found.type)} text={name} title={name} xmlUrl={quoteattr(_xml(found.url))}{category}/>")
    return "\n".join([*lines, "  </body>", "</opml>", ""])


def _xml(text: str) -> str:
    return "".join(c for c in text if c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c >= "\U00010000")


def _parse_opml(text: str) -> Imported:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False, remove_comments=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise FeedParseError("This OPML cannot be read.", fix="Export it again from where it came.") from error
    found: list[Subscription] = []
    problems: list[str] = []
    for outline in root.iter("outline") if root is not None else ():
        values = {str(key).lower(): str(value) for key, value in outline.attrib.items()}
        if "xmlurl" not in values:
            continue
        folders = [str(parent.get("text") or parent.get("title") or "") for parent in outline.iterancestors("outline")]
        tags = [tag for tag in (*values.get("category", "").split(","), *folders) if tag.strip()]
        _add(found, problems, values["xmlurl"], values.get("title") or values.get("text") or "", values.get("type", ""), tags)
    return Imported(tuple(found), {}, tuple(problems))


def _parse_json(text: str) -> Imported:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FeedParseError("This JSON cannot be read.", fix="Check it with the program that wrote it.") from error
    entries = value.get("feeds") if isinstance(value, dict) else value
    found: list[Subscription] = []
    problems: list[str] = []
    for entry in entries if isinstance(entries, list) else ():
        entry = {"url": entry} if isinstance(entry, str) else entry
        if not isinstance(entry, dict):
            problems.append("An entry is neither an address nor an object.")
            continue
        tags = [str(tag) for tag in entry.get("tags") or ()] if isinstance(entry.get("tags"), list) else []
        url = str(entry.get("url") or "")
        before = len(found)
        _add(found, problems, url, str(entry.get("title") or ""), str(entry.get("kind") or entry.get("type") or ""), tags)
        if len(found) > before:
            number = entry.get("max")
            limit = number if isinstance(number, int) and 1 <= number <= 1000 else found[-1].max
            found[-1] = replace(found[-1], id=str(entry.get("id") or "")[:60], max=limit)
    settings = {}
    for theirs, ours, top in (("briefHour", "brief_hour", 23), ("budgetTokens", "budget_tokens", 1_000_000_000)):
        number = value.get(theirs) if isinstance(value, dict) else None
        if isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= top:
            settings[ours] = number
    return Imported(tuple(found), settings, tuple(problems))


def _parse_lines(text: str) -> Imported:
    found: list[Subscription] = []
    problems: list[str] = []
    for line in text.splitlines()[: 2 * _MAX]:
        words = line.split("#", 1)[0].split() if not line.lstrip().startswith("http") else line.split()
        if words:
            _add(found, problems, words[0], " ".join(words[1:]), "", ())
    return Imported(tuple(found), {}, tuple(problems))


def _add(found: list[Subscription], problems: list[str], url: str, title: str, kind: str, tags: Iterable[str]) -> None:
    if len(found) >= _MAX:
        return
    wanted = _KINDS.get(kind.lower(), kind)
    known: SubscriptionType = wanted if wanted in SUBSCRIPTION_TYPES else "rss"  # type: ignore[assignment]
    try:
        address = url.strip() if "${secret:" in url or known in ("bilibili", "xiaohongshu") else clean_url(url)
    except InvalidUrl:
        problems.append(f"{url[:100]!r} is no address.")
        return
    if not address:
        problems.append("An entry has no address.")
        return
    if known == "rss" and "youtube.com/feeds/videos.xml" in address:
        known = "youtube-channel"
    clean = dict.fromkeys(" ".join(tag.split())[:60] for tag in tags)
    found.append(Subscription("", known, address, title=" ".join(title.split())[:200], tags=tuple(tag for tag in clean if tag)[:20]))
