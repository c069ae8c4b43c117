"""Videos of YouTube: what the watch page's player knows, and captions in a language the owner reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from sidecar.errors import PageGone, PageUnavailable, VerificationWall
from sidecar.ingest.adapters.base import JSON, PAGE, Adapter, Need, Page, Pages, Wishes
from sidecar.ingest.adapters.caption_pages import find_captions
from sidecar.ingest.document import Document
from sidecar.ingest.video.captions import load_json, parse_captions, seconds_of
from sidecar.ingest.video.note import Video, chapters_of_text, in_order, video_document
from sidecar.ingest.video.speech import Chapter
from sidecar.ingest.video.tracks import Captions, Track, rank_tracks, tool_tracks

_SITE = "YouTube"
_HOSTS = frozenset(
    {"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com", "www.youtube-nocookie.com", "youtube-nocookie.com"}
)
_SHORT_HOSTS = frozenset({"youtu.be", "www.youtu.be"})
_ID = re.compile(r"[A-Za-z0-9_-]{11}$")
_PATH = re.compile(r"/(?:shorts|live|embed|v)/([A-Za-z0-9_-]{11})(?:/|$)")
_PLAYER = re.compile(r"\bytInitialPlayerResponse['\"\]]*\s*=\s*(?=\{)")
_DATA = re.compile(r"\bytInitialData['\"\]]*\s*=\s*(?=\{)")
_CONSENT = re.compile(r"action=['\"]https://consent\.(?:youtube|google)\.com/")
_BOT_HELP = "answer/3037019"
"""The help page that the check for robots links to, whatever the language of the page."""
_NEEDS_TOKEN = re.compile(r"[?&]exp=(?:xpe|xpv)\b")
_MAX_NODES = 400_000
_WALL_STATUS = frozenset({403, 429})
_LATER = "Try again later from a home connection, or open it in a browser."


def video_id(url: str) -> str:
    """Give the eleven characters that name a video, or empty if the link is to something else."""
    parts = urlsplit(url)
    if parts.hostname in _SHORT_HOSTS:
        name = parts.path.strip("/").partition("/")[0]
    elif parts.hostname in _HOSTS and parts.path.rstrip("/") == "/watch":
        name = parse_qs(parts.query).get("v", [""])[0]
    elif parts.hostname in _HOSTS:
        found = _PATH.match(parts.path)
        name = found[1] if found else ""
    else:
        name = ""
    return name if _ID.match(name) else ""


def claims(url: str) -> bool:
    return bool(video_id(url))


def first(url: str) -> Need:
    return Need(PAGE, watch_url(url), with_cookie=True)


def watch_url(url: str) -> str:
    return f"https://www.youtube.com/watch?v={video_id(url)}"


def read(url: str, pages: Pages, wishes: Wishes) -> Document | Need:
    """Read a video.

    Raises:
        PageGone: YouTube has no such video any more.
        PageUnavailable: Private, or not shown for another reason that YouTube gives.
        VerificationWall: YouTube wants to know whether a person is asking.
    """
    address = watch_url(url)
    page = pages[PAGE]
    player = load_json(page.text) if page.text.lstrip().startswith("{") else _script_value(page.text, _PLAYER)
    _check(page, player, address)
    details = player.get("videoDetails")
    if not isinstance(details, dict) or not details.get("title"):
        reason = "consent" if _CONSENT.search(page.text) or "consent." in (urlsplit(page.url).hostname or "") else "page-unreadable"
        return _without_page(address, pages, wishes, reason)
    video = _video(address, player, details, page.text)
    reason = _no_speech(player, details)
    found = reason or _captions(video, player, pages, wishes)
    return found if isinstance(found, Need) else video_document(video, found, _tool_problem(pages, found))


def _check(page: Page, player: Mapping[str, Any], url: str) -> None:
    """Raise what the page says instead of showing a video."""
    if page.status in _WALL_STATUS:
        raise VerificationWall("YouTube refuses requests from this connection for now.", fix=_LATER, url=url, step="page")
    said = player.get("playabilityStatus")
    if not isinstance(said, dict) or (isinstance(player.get("videoDetails"), dict) and player["videoDetails"].get("title")):
        return
    status, words = said.get("status"), " ".join(str(said.get("reason") or "").split())[:200]
    if status == "LOGIN_REQUIRED" and (_BOT_HELP in json.dumps(said) or re.search(r"\bbots?\b", words)):
        raise VerificationWall("YouTube wants to know whether a person is asking.", fix=_LATER, url=url, step="bot-check")
    if status == "ERROR":
        raise PageGone(f"YouTube says: {words or 'This video is unavailable'}.", fix="Check the link.", url=url, step="player")
    if status not in (None, "OK"):
        raise PageUnavailable(f"YouTube says: {words or status}.", fix="Open it in a browser.", url=url, step="player")


def _no_speech(player: Mapping[str, Any], details: Mapping[str, Any]) -> str:
    """Why there can be no captions yet; empty if there can."""
    said = player.get("playabilityStatus")
    status = said.get("status") if isinstance(said, dict) else "OK"
    if status == "LIVE_STREAM_OFFLINE" or details.get("isUpcoming"):
        return "upcoming"
    if details.get("isLive"):
        return "live"
    return "" if status in (None, "OK") else "not-playable"


def _tool_problem(pages: Pages, found: Captions | str) -> str:
    tool = pages.get("tool")
    return tool.problem if tool is not None and isinstance(found, str) else ""


def _script_value(text: str, begin: re.Pattern[str]) -> dict[str, Any]:
    """Give the object that a script of the page sets."""
    for found in begin.finditer(text):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, found.end())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return {}


def _video(url: str, player: Mapping[str, Any], details: Mapping[str, Any], page: str) -> Video:
    description = str(details.get("shortDescription") or "").strip()
    microformat = player.get("microformat")
    said = microformat.get("playerMicroformatRenderer") if isinstance(microformat, dict) else None
    published = str(said.get("publishDate") or "") if isinstance(said, dict) else ""
    return Video(
        adapter="youtube",
        site=_SITE,
        url=url,
        title=str(details["title"]),
        channel=str(details.get("author") or ""),
        published=published if re.match(r"\d{4}-\d{2}-\d{2}", published) else "",
        description=description,
        duration_s=max(seconds_of(details.get("lengthSeconds")), 0.0),
        cover=_largest(details.get("thumbnail")),
        chapters=chapters_of_text(description) or _marked_chapters(page),
    )


def _largest(thumbnail: Any) -> str:
    listed = thumbnail.get("thumbnails") if isinstance(thumbnail, dict) else None
    usable = [item for item in listed if isinstance(item, dict) and item.get("url")] if isinstance(listed, list) else []
    return str(max(usable, key=lambda item: seconds_of(item.get("width")))["url"]) if usable else ""


def _marked_chapters(page: str) -> tuple[Chapter, ...]:
    """Give the chapters that the page's player bar shows."""
    found = []
    for item in _named(_script_value(page, _DATA), "chapterRenderer"):
        title = item.get("title")
        words = title.get("simpleText") if isinstance(title, dict) else ""
        found.append(Chapter(seconds_of(item.get("timeRangeStartMillis"), 0.001), str(words or "")))
    return in_order(found)


def _named(value: Any, name: str) -> Iterator[dict[str, Any]]:
    """Give all objects that stand under a name, however deep."""
    todo, seen = [value], 0
    while todo and seen < _MAX_NODES:
        node = todo.pop()
        seen += 1
        if isinstance(node, dict):
            if isinstance(node.get(name), dict):
                yield node[name]
            todo.extend(node.values())
        elif isinstance(node, list):
            todo.extend(node)


def _captions(video: Video, player: Mapping[str, Any], pages: Pages, wishes: Wishes) -> Captions | Need | str:
    """Take the best track of the page; where YouTube keeps it to its own player, ask yt-dlp, then take what is left.

    An address that wants a proof-of-origin token is not even asked for: its answer would be empty.
    """
    tracks = rank_tracks(_tracks(player), wishes.languages)
    if not tracks:
        return "none"
    open_tracks = [track for track in tracks if not _NEEDS_TOKEN.search(track.url)]
    reason = "po-token"
    if open_tracks and open_tracks[0] is tracks[0]:
        found = find_captions(open_tracks[:1], pages, "captions", video.duration_s)
        if not isinstance(found, str):
            return found
        reason = "po-token" if found == "empty" else found
        open_tracks = open_tracks[1:]
    found = _by_tool(video, pages, wishes)
    if not isinstance(found, str):
        return found
    found = find_captions(open_tracks, pages, "other-captions", video.duration_s)
    return reason if isinstance(found, str) else found


def _by_tool(video: Video, pages: Pages, wishes: Wishes) -> Captions | Need | str:
    tool = pages.get("tool")
    if tool is None:
        return Need("tool", video.url, tool="yt-dlp", languages=wishes.languages)
    return find_captions(rank_tracks(tool_tracks(load_json(tool.text)), wishes.languages), pages, "tool-captions", video.duration_s)


def _tracks(player: Mapping[str, Any]) -> list[Track]:
    captions = player.get("captions")
    listing = captions.get("playerCaptionsTracklistRenderer") if isinstance(captions, dict) else None
    listed = listing.get("captionTracks") if isinstance(listing, dict) else None
    found = []
    for item in listed if isinstance(listed, list) else []:
        address = _as_json3(str(item.get("baseUrl") or "")) if isinstance(item, dict) else ""
        if address:
            found.append(Track(str(item.get("languageCode") or ""), item.get("kind") == "asr", url=address))
    return found


def _as_json3(address: str) -> str:
    """Ask for the form that tells lines from windows. The other parameters are signed and stay as they are."""
    address = f"https://www.youtube.com{address}" if address.startswith("/api/") else address
    parts = urlsplit(address)
    if parts.scheme != "https" or not (parts.hostname or "").endswith(".youtube.com"):
        return ""
    return re.sub(r"&fmt=[^&]*", "", address) + "&fmt=json3"


def _without_page(url: str, pages: Pages, wishes: Wishes, reason: str) -> Document | Need:
    """Make the best of a video whose page was not shown: yt-dlp, else title and channel alone."""
    tool = pages.get("tool")
    if tool is None:
        return Need("tool", url, tool="yt-dlp", languages=wishes.languages)
    info = load_json(tool.text)
    if info.get("title"):
        video = _video_of_tool(url, info)
        found = _by_tool(video, pages, wishes)
        if isinstance(found, Need):
            return found
        return video_document(video, "none" if found == "none" else found)
    card = pages.get("oembed")
    if card is None:
        return Need("oembed", f"https://www.youtube.com/oembed?{urlencode({'url': url, 'format': 'json'}, quote_via=quote)}", accept=JSON)
    told = load_json(card.text)
    if not told.get("title"):
        why = "asks for consent to cookies" if reason == "consent" else "does not show this video's page"
        raise VerificationWall(f"YouTube {why}.", fix=_LATER, url=url, step=reason)
    video = Video("youtube", _SITE, url, str(told["title"]), str(told.get("author_name") or ""), cover=str(told.get("thumbnail_url") or ""))
    return video_document(video, reason, tool.problem)


def _video_of_tool(url: str, info: Mapping[str, Any]) -> Video:
    description = str(info.get("description") or "").strip()
    listed = info.get("chapters")
    chapters = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    day = re.fullmatch(r"(\d{4})(\d{2})(\d{2})", str(info.get("upload_date") or ""))
    moment = info.get("timestamp")
    published = "-".join(day.groups()) if day else ""
    if isinstance(moment, int) and 1_000_000_000 < moment < 4_000_000_000:
        published = datetime.fromtimestamp(moment, UTC).isoformat()
    return Video(
        adapter="youtube",
        site=_SITE,
        url=url,
        title=str(info["title"]),
        channel=str(info.get("channel") or info.get("uploader") or ""),
        published=published,
        description=description,
        duration_s=max(seconds_of(info.get("duration")), 0.0),
        cover=str(info.get("thumbnail") or ""),
        chapters=in_order([Chapter(seconds_of(item.get("start_time")), str(item.get("title") or "")) for item in chapters])
        or chapters_of_text(description),
    )


def name_saved(text: str) -> str:
    """Tell which of the answers a saved one is."""
    value = load_json(text)
    if "playabilityStatus" in value or "videoDetails" in value or "<html" in text[:2000].lower():
        return PAGE
    if "subtitles" in value or "automatic_captions" in value:
        return "tool"
    return "oembed" if "author_name" in value else "captions-0"


def stand_in(name: str, url: str, pages: Pages) -> Page | None:
    """Give the least answer that makes sense of saved ones, where the others are not at hand."""
    captions = pages.get("captions-0")
    if name == PAGE and captions is not None and (parse_captions(captions.text) or not captions.text.strip()):
        track = {"baseUrl": "https://www.youtube.com/api/timedtext?saved=1", "languageCode": ""}
        listing = {"playerCaptionsTracklistRenderer": {"captionTracks": [track]}}
        return Page(url, text=json.dumps({"videoDetails": {"title": video_id(url)}, "captions": listing}))
    return None


ADAPTER = Adapter("youtube", read, claims=claims, first=first)
