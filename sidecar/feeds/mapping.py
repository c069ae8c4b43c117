"""From the answer of a server of tools to items, by names that lead to the values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sidecar.errors import InvalidUrl
from sidecar.feeds.subscription import BodyState, ItemKind, RawItem, ToolMapping
from sidecar.ingest.page.safe_text import strip_invisible
from sidecar.vault.address import clean_url

_FIELDS = ("external_id", "title", "url", "author", "published", "thumb", "duration_s", "body", "body_state", "kind")
_BODY_STATES: frozenset[str] = frozenset({"full", "summary_only", "subtitle", "transcribed", "missing", "burned_in"})
_LOGIN = re.compile(r"log[ -]?in|sign[ -]?in|not logged|unauthori[sz]ed|cookie|登录|登陆|扫码|未授权", re.IGNORECASE)
_RISK = re.compile(r"\b412\b|\b429\b|risk control|rate.?limit|too many requests|风控|频繁|验证码", re.IGNORECASE)
_CREDIT_ONLY = re.compile(r"\W*(?:字幕|subtitles?)\s*(?:by|由|[:：])?.{0,30}\W*", re.IGNORECASE)
_FULL_CHARS = 600


@dataclass(frozen=True, slots=True)
class Preset:
    """A server known by name: which package at which version, which tool, and where the values lie.

    Attributes:
        package: What the owner installs, at exactly the version that was tried.
        account: Argument of the tool that takes the account followed.
        kind: What its items are.
    """

    package: str
    mapping: ToolMapping
    account: str
    kind: ItemKind


_ASTRON_FIELDS = {
    "external_id": "id", "title": "title", "url": "url", "author": "author_name", "published": "publish_time", "thumb": "cover",
}  # fmt: skip

PRESETS: Mapping[str, Preset] = {
    "bilibili": Preset(
        "astron-bilibili-mcp==0.2.5",
        ToolMapping(("astron-bilibili-mcp",), "get_author_content_list", {"limit": 30}, "", "items", _ASTRON_FIELDS),
        "author_id",
        "video",
    ),
    "xiaohongshu": Preset(
        "astron-xiaohongshu-mcp==0.1.5",
        ToolMapping(("astron-xiaohongshu-mcp",), "get_author_content_list", {"limit": 30}, "", "items", _ASTRON_FIELDS),
        "author_id",
        "note",
    ),
}
"""Packages and tool names as they were when they were started and asked for their tools. They need ``mcp<2`` beside them."""


def wants_login(message: str) -> bool:
    """Tell whether a server's message asks for a login."""
    return bool(_LOGIN.search(message))


def is_risk_control(message: str) -> bool:
    """Tell whether a server's message says that the site keeps programs off for now."""
    return bool(_RISK.search(message))


def find_value(value: Any, path: str) -> Any:
    """Follow names joined by dots; a number picks from a list; ``None`` where they lead nowhere."""
    for name in path.split(".") if path else ():
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def read_items(answer: Any, mapping: ToolMapping, kind: ItemKind, now: datetime) -> tuple[RawItem, ...] | None:
    """Read the items of an answer; ``None`` if there is no list where one should be. Entries that are none are passed over."""
    entries = find_value(answer, mapping.items)
    if not isinstance(entries, list):
        return None
    found = (_item(entry, mapping.fields, kind, now) for entry in entries if isinstance(entry, Mapping))
    return tuple(item for item in found if item is not None)


def _item(entry: Mapping[str, Any], fields: Mapping[str, str], kind: ItemKind, now: datetime) -> RawItem | None:
    values = {name: find_value(entry, fields.get(name, name)) for name in _FIELDS}
    title, url = _line(values["title"])[:300], _address(values["url"])
    external_id = _line(values["external_id"])[:500] or url
    if not external_id or not (title or url):
        return None
    body = _text(values["body"])[:200_000]
    if len(body) < 40 and _CREDIT_ONLY.fullmatch(body):
        body = ""
    told = str(values["kind"])
    return RawItem(
        external_id=external_id,
        kind=told if told in ("video", "article", "note") else kind,  # type: ignore[arg-type]
        title=title or url,
        url=url,
        author=_line(values["author"])[:200],
        published=_moment(values["published"], now),
        thumb=_address(values["thumb"]),
        duration_s=_seconds(values["duration_s"]),
        body=body,
        body_state=_state(body, str(values["body_state"])),
    )


def _state(body: str, told: str) -> BodyState:
    if told == "burned_in":
        return "burned_in"
    if not body:
        return "missing"
    if told in _BODY_STATES - {"missing"}:
        return told  # type: ignore[return-value]
    return "full" if len(body) >= _FULL_CHARS else "summary_only"


def _text(value: Any) -> str:
    return strip_invisible(str(value)) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def _line(value: Any) -> str:
    return " ".join(_text(value).split())


def _address(value: Any) -> str:
    text = _line(value)
    try:
        return clean_url("https:" + text if text.startswith("//") else text) if text else ""
    except InvalidUrl:
        return ""


def _seconds(value: Any) -> int | None:
    text = _line(value)
    if re.fullmatch(r"(?:\d+:)?\d{1,3}:\d{2}", text):
        parts = [int(part) for part in text.split(":")]
        return parts[-1] + 60 * parts[-2] + (3600 * parts[0] if len(parts) == 3 else 0)
    return int(float(text)) if re.fullmatch(r"\d{1,7}(?:\.\d+)?", text) else None


def _moment(value: Any, now: datetime) -> datetime | None:
    text = _line(value)
    try:
        if re.fullmatch(r"\d{9,13}(?:\.\d+)?", text):
            number = float(text)
            found = datetime.fromtimestamp(number / 1000 if number > 1e11 else number, UTC)
        else:
            found = datetime.fromisoformat(text)
            found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.year > 1970 and found <= now + timedelta(days=1) else None
