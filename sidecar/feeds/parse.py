"""From the bytes of a feed to its entries: RSS, RDF, Atom, podcasts, channel feeds, JSON Feed.

Entries count first and correctness second: a feed that is broken in places gives what it has, and says so.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from urllib.parse import urljoin

from sidecar.errors import FeedParseError, InvalidUrl
from sidecar.feeds.subscription import BodyState, ItemKind, RawItem
from sidecar.ingest.page.decode import decode_page
from sidecar.ingest.page.fragment import write_fragment
from sidecar.ingest.page.safe_text import strip_invisible
from sidecar.vault.address import clean_url, find_address

_XML_CHARSET = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})[\"']")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_ROOT = re.compile(r"<(?:\?xml|rss|feed|rdf:RDF|\w+:feed)\b", re.IGNORECASE)
_TAGS = re.compile(r"<[^>]{0,2000}>")
_FULL_CHARS = 600
_MAX_BODY = 200_000
_MAX_TITLE = 300
_EPOCH = datetime(1971, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(days=1)
_DURATION = re.compile(r"(?:(\d+):)?(\d{1,3}):(\d{2})|(\d+)")
_VIDEO = re.compile(
    r"^https?://(?:[\w-]+\.)*(?:youtube\.com/(?:watch|shorts|live)|youtu\.be/|bilibili\.com/(?:video|bangumi)/|vimeo\.com/\d)"
)
_MIN_TEXT = 3
_SAME_DATES = 3


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A feed as it came.

    Attributes:
        kind: Format and version, such as ``rss20`` or ``json``.
        problems: What is wrong with it, as sentences; it could be read all the same.
    """

    title: str
    kind: str
    items: tuple[RawItem, ...]
    problems: tuple[str, ...] = ()
    site: str = ""


def parse_feed(body: bytes, url: str, now: datetime, *, charset: str = "", limit: int = 1000) -> ParsedFeed:
    """Read a feed.

    Args:
        url: Where it came from; relative addresses are joined to it.
        now: Entries that claim to be from after it bear no date.
        charset: What the answer's header named.
        limit: Entries that are read, from the top.
    Raises:
        FeedParseError: It is no feed, or too broken to give an entry.
    """
    text = _decode(body, charset)
    if text.lstrip().startswith("{"):
        return _parse_json(text, url, now, limit)
    start = _ROOT.search(text[:4000])
    if start is None:
        raise FeedParseError("This is no feed.", fix="Give the address of a feed, or of a page that names one.", url=url)
    problems = ["Text stands before the feed."] if text[: start.start()].strip("\ufeff") else []
    return _parse_xml(_DECLARATION.sub("", text[start.start() :]), url, now, problems, limit)


def _decode(body: bytes, charset: str) -> str:
    declared = _XML_CHARSET.search(body[:1000])
    return decode_page(body, declared[1].decode("ascii") if declared else charset)


def _parse_xml(text: str, url: str, now: datetime, problems: list[str], limit: int) -> ParsedFeed:
    import feedparser

    # Sanitising is done later and by our own rules, so the library need not; relative addresses are joined by us, too.
    found = feedparser.parse(
        io.BytesIO(text.encode("utf-8", "replace")),
        response_headers={"content-type": "application/xml; charset=utf-8", "content-location": url},
        sanitize_html=False,
        resolve_relative_uris=False,
    )
    head: Mapping[str, Any] = found.feed
    if found.bozo and not _is_only_about_encoding(found.get("bozo_exception")):
        problems.append(f"It is not well formed: {str(found.get('bozo_exception'))[:200]}.")
    if not found.entries and (problems or not found.version):
        raise FeedParseError(
            f"The feed cannot be read: {problems[-1] if problems else 'it is none.'}", fix="Tell its owner, or try again later.", url=url
        )
    site = _join(url, _text(head.get("link")))
    items = [_item(entry, site or url, now) for entry in found.entries[:limit]]
    return ParsedFeed(_one_line(_text(head.get("title"))), str(found.version), _dated(_told_apart(items)), tuple(problems), site)


def _is_only_about_encoding(error: object) -> bool:
    return type(error).__name__ in ("CharacterEncodingOverride", "NonXMLContentType")


def _item(entry: Mapping[str, Any], base: str, now: datetime) -> RawItem:
    link = _join(base, _text(entry.get("link"))) or _enclosed(entry, base)
    html = max((_text(part.get("value")) for part in entry.get("content") or ()), key=len, default="")
    summary = _text(entry.get("summary"))
    if len(summary) > len(html):
        html = summary
    title = _title(_text(entry.get("title")))
    body, state = _body(html, link or base)
    media: Mapping[str, Any] = next(iter(entry.get("media_content") or ()), {})
    duration_s = _seconds(_text(entry.get("itunes_duration")) or _text(media.get("duration")))
    views = _text((entry.get("media_statistics") or {}).get("views"))
    item = RawItem(
        external_id=_text(entry.get("id"))[:500],
        kind=_kind(link, title, entry),
        title=title or _one_line(body)[:80] or link,
        url=link,
        author=_one_line(_text(entry.get("author")))[:200],
        published=_moment(_own(entry, "published_parsed") or _own(entry, "updated_parsed"), now),
        thumb=_thumb(entry, html, link or base),
        duration_s=duration_s,
        stats={"views": int(views)} if re.fullmatch(r"\d{1,15}", views) else {},
        tags=tuple(dict.fromkeys(_one_line(_text(tag.get("term")))[:60] for tag in entry.get("tags") or () if _text(tag.get("term"))))[:20],
        lang=_text(entry.get("language"))[:20],
        body=body,
        body_state=state,
    )
    return _identified(item)


def _parse_json(text: str, url: str, now: datetime, limit: int) -> ParsedFeed:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FeedParseError("This is neither a feed nor JSON.", fix="Give the address of a feed.", url=url) from error
    if not isinstance(value, dict) or not isinstance(value.get("items"), list) or "jsonfeed" not in _text(value.get("version")):
        raise FeedParseError("This JSON is no JSON Feed.", fix="Give the address of a feed.", url=url)
    problems: list[str] = []
    items: list[RawItem] = []
    site = _join(url, _text(value.get("home_page_url")))
    for entry in value["items"][:limit]:
        if not isinstance(entry, dict):
            problems.append("An entry is no object.")
            continue
        link = _join(url, _text(entry.get("url")) or _text(entry.get("external_url")))
        html, plain = _text(entry.get("content_html")), _text(entry.get("content_text"))
        body, state = _body(html, link or url) if html else _state(_plain(plain))
        authors: list[Any] = entry["authors"] if isinstance(entry.get("authors"), list) else [entry.get("author")]
        title = _title(_text(entry.get("title")))
        item = RawItem(
            external_id=_text(entry.get("id") if not isinstance(entry.get("id"), (int, float)) else str(entry["id"]))[:500],
            kind=_kind(link, title, {}),
            title=title or _one_line(body)[:80] or link,
            url=link,
            author=", ".join(_one_line(_text(a.get("name"))) for a in authors if isinstance(a, dict) and a.get("name"))[:200],
            published=_iso(_text(entry.get("date_published")) or _text(entry.get("date_modified")), now),
            thumb=_join(url, _text(entry.get("image")) or _text(entry.get("banner_image"))),
            tags=tuple(_one_line(t)[:60] for t in entry.get("tags") or () if isinstance(t, str))[:20],
            lang=_text(entry.get("language") or value.get("language"))[:20],
            body=body or _plain(_text(entry.get("summary"))),
            body_state=state if body else "summary_only" if _text(entry.get("summary")) else "missing",
        )
        items.append(_identified(item))
    return ParsedFeed(_one_line(_text(value.get("title"))), "json", _told_apart(items), tuple(problems), site)


def _own(entry: Mapping[str, Any], key: str) -> Any:
    """Give a value under that very name; the library's own look-up gives one name's value for another's, with a warning."""
    return dict.get(entry, key) if isinstance(entry, dict) else entry.get(key)


def _told_apart(items: Iterable[RawItem]) -> tuple[RawItem, ...]:
    """Let ten entries that share one id be ten; one entry that stands there twice keeps its id."""
    first: dict[str, RawItem] = {}
    found: list[RawItem] = []
    for item in items:
        known = first.setdefault(item.external_id, item)
        if find_address(known.url) != find_address(item.url) and not _wechat(item.url):
            item = replace(item, external_id=f"{item.external_id}#{_digest(find_address(item.url) or item.title)}")
        found.append(item)
    return tuple(found)


def _dated(items: tuple[RawItem, ...]) -> tuple[RawItem, ...]:
    """Take no date where all entries bear the same moment: some bridges write when they fetched, not when it was published."""
    moments = {item.published for item in items}
    if len(items) < _SAME_DATES or len(moments) != 1 or moments == {None}:
        return items
    return tuple(replace(item, published=None) for item in items)


def _identified(item: RawItem) -> RawItem:
    """Give an entry without an id one: its address, else what it says."""
    if item.external_id:
        return item
    key = _wechat(item.url) or find_address(item.url) or _digest(f"{item.title}\n{item.body[:500]}")
    return replace(item, external_id=key[:500])


def _wechat(url: str) -> str:
    """Give what tells WeChat's articles apart in their long links."""
    if "mp.weixin.qq.com/s" not in url:
        return ""
    parts = [found[1] for name in ("__biz", "mid", "idx") if (found := re.search(rf"[?&]{name}=([^&#]+)", url))]
    return "wechat:" + ":".join(parts) if len(parts) == 3 else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _body(html: str, base: str) -> tuple[str, BodyState]:
    if not html:
        return "", "missing"
    if "<" not in html and "&" not in html:
        return _state(_plain(html))
    return _state(write_fragment(html[: 4 * _MAX_BODY], base).markdown)


def _state(text: str) -> tuple[str, BodyState]:
    """Tell whether a text is a whole one: a Chinese character says as much as three letters."""
    text = text.strip()[:_MAX_BODY]
    weight = len(text) + 2 * len(re.findall(r"[\u4e00-\u9fff]", text))
    return text, "missing" if weight < _MIN_TEXT else "full" if weight >= _FULL_CHARS else "summary_only"


def _plain(text: str) -> str:
    """Take a text that is no markup as Markdown that does not act."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("\n\n", "<p>")
    return write_fragment(f"<div><p>{escaped}</div>", "").markdown


def _title(text: str) -> str:
    for _ in range(2):  # titles that were escaped twice
        text = unescape(text)
    return _one_line(_TAGS.sub("", text))[:_MAX_TITLE]


def _one_line(text: str) -> str:
    return " ".join(strip_invisible(text).split())


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _join(base: str, address: str) -> str:
    if not address.strip():
        return ""
    try:
        return clean_url(urljoin(base, address.strip()))
    except (InvalidUrl, ValueError):
        return ""


def _enclosed(entry: Mapping[str, Any], base: str) -> str:
    return next((link for part in entry.get("enclosures") or () if (link := _join(base, _text(part.get("href"))))), "")


def _kind(link: str, title: str, entry: Mapping[str, Any]) -> ItemKind:
    types = [_text(part.get("type")) for part in entry.get("enclosures") or ()]
    if _VIDEO.match(link) or any(kind.startswith("video/") for kind in types):
        return "video"
    return "article" if title else "note"


def _thumb(entry: Mapping[str, Any], html: str, base: str) -> str:
    for part in (*(entry.get("media_thumbnail") or ()), entry.get("image") or {}):
        if isinstance(part, Mapping) and (found := _join(base, _text(part.get("url")) or _text(part.get("href")))):
            return found
    image = re.search(r"<img\b[^>]{0,1000}?\bsrc\s*=\s*[\"']([^\"']{1,2000})", html[:20_000], re.IGNORECASE)
    return _join(base, unescape(image[1])) if image else ""


def _seconds(text: str) -> int | None:
    found = _DURATION.fullmatch(text.strip())
    if not found:
        return None
    return int(found[4]) if found[4] else int(found[1] or 0) * 3600 + int(found[2]) * 60 + int(found[3])


def _moment(value: Any, now: datetime) -> datetime | None:
    try:
        return _possible(datetime(*value[:6]).replace(tzinfo=UTC), now) if value else None  # noqa: DTZ001
    except (ValueError, TypeError, OverflowError):
        return None


def _iso(text: str, now: datetime) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
        return _possible(found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC), now)
    except (ValueError, OverflowError):
        return None


def _possible(moment: datetime, now: datetime) -> datetime | None:
    """Leave out the day a computer's time begins with, and days that have not come."""
    return moment if _EPOCH < moment <= now + _AHEAD else None
