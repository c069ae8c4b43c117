"""Videos of Bilibili (``bilibili.com/video/…``, ``b23.tv``), each part a video of its own.

Title, description and parts come from the public view endpoint, captions from the player's with the owner's cookie, else from
yt-dlp. Nothing is signed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from urllib.parse import parse_qs, urlsplit

from sidecar.errors import ExtractionError, PageGone, PageUnavailable, VerificationWall
from sidecar.ingest.adapters import generic
from sidecar.ingest.adapters.base import JSON, Adapter, Need, Page, Pages, Wishes
from sidecar.ingest.adapters.caption_pages import find_captions
from sidecar.ingest.document import Document
from sidecar.ingest.video.captions import load_json, parse_captions, seconds_of
from sidecar.ingest.video.note import Part, Video, in_order, video_document
from sidecar.ingest.video.speech import Chapter
from sidecar.ingest.video.tracks import Captions, Track, rank_tracks, tool_tracks

_SITE = "哔哩哔哩"
_BEIJING = timezone(timedelta(hours=8))
_HOSTS = frozenset({"bilibili.com", "www.bilibili.com", "m.bilibili.com"})
_SHORT_HOSTS = frozenset({"b23.tv", "www.b23.tv", "bili2233.cn"})
_ID = re.compile(r"/(?:s/)?(?:video/)?(BV1[0-9A-Za-z]{9}|av\d{1,18})/?$", re.IGNORECASE)
_BVID = re.compile(r"BV[0-9A-Za-z]{5,20}")
_API = "https://api.bilibili.com/x"
_LATER = "Try again later, or open it in a browser."
_REFUSED: dict[int, tuple[type[ExtractionError], str]] = {
    -404: (PageGone, "Bilibili has no such video."),
    62002: (PageGone, "Bilibili has made this video invisible."),
    62004: (PageUnavailable, "Bilibili is still reviewing this video."),
    62012: (PageUnavailable, "Only its uploader can see this video."),
    -403: (PageUnavailable, "Bilibili shows this video only to some of those who are logged in."),
    -412: (VerificationWall, "Bilibili refuses requests from this connection for now."),
    -352: (VerificationWall, "Bilibili refuses requests from this connection for now."),
    -799: (VerificationWall, "Bilibili was asked too often."),
}
_WALL_STATUS = frozenset({412, 429})


def claims(url: str) -> bool:
    parts = urlsplit(url)
    if parts.hostname in _SHORT_HOSTS:
        return len(parts.path) > 1
    return parts.hostname in _HOSTS and bool(_video_id(url))


def first(url: str) -> Need:
    video = _video_id(url)
    return _view(video) if video else Need("short", url, follow=False, must=True)


def read(url: str, pages: Pages, wishes: Wishes) -> Document | Need:
    """Read a video, or what else a short link leads to.

    Raises:
        PageGone: Deleted, or made invisible.
        PageUnavailable: In review, or not for everybody; or Bilibili did not answer.
        VerificationWall: Bilibili refuses this connection for now.
        ExtractionError: The link names a part that the video does not have.
    """
    target = url
    short = pages.get("short")
    if short is not None:
        target = _without_sharer(short.url)
        if not _video_id(target):
            return _elsewhere(target, pages)
    page = pages.get("view")
    if page is None:
        return _view(_video_id(target))
    data = _view_data(page, target)
    part, cid = _part_of(data, target)
    player = pages.get("player")
    if player is None:
        return Need("player", f"{_API}/player/wbi/v2?bvid={data['bvid']}&cid={cid}", accept=JSON, with_cookie=True)
    answer = _data_of(player)
    video = _video(data, part, target, answer)
    captions = _captions(video, answer, pages, wishes)
    return captions if isinstance(captions, Need) else _note(video, captions, pages, _query(target, "t"))


def _note(video: Video, captions: Captions | str, pages: Pages, place: str) -> Document:
    """Write the note; the place that a link points at stays in its address."""
    tool = pages.get("tool")
    document = video_document(video, captions, tool.problem if tool is not None and isinstance(captions, str) else "")
    if not re.fullmatch(r"\d{1,6}(?:\.\d{1,3})?", place):
        return document
    return replace(document, url=f"{video.url}{'&' if '?' in video.url else '?'}t={place}")


def _view(video: str) -> Need:
    query = f"aid={video[2:]}" if video.startswith("av") else f"bvid={video}"
    return Need("view", f"{_API}/web-interface/view?{query}", accept=JSON)


def _video_id(url: str) -> str:
    """Give the ``BV…`` or ``av…`` in a link, or empty."""
    parts = urlsplit(url)
    asked = parse_qs(parts.query).get("bvid", [""])[0] if parts.path.startswith("/festival/") else ""
    found = _ID.match(f"/{asked}" if asked else parts.path)
    if not found:
        return ""
    return found[1].lower() if found[1][0] in "aA" else "BV" + found[1][2:]


def _query(url: str, name: str) -> str:
    return parse_qs(urlsplit(url).query).get(name, [""])[0]


def _without_sharer(url: str) -> str:
    """Keep of a shared link what chooses content; the rest tells who shared it."""
    parts = urlsplit(url)
    kept = "&".join(f"{name}={value}" for name in ("bvid", "p", "t") if re.fullmatch(r"[0-9A-Za-z.]{1,20}", value := _query(url, name)))
    return f"https://{parts.hostname or ''}{parts.path}{'?' if kept else ''}{kept}"


def _elsewhere(target: str, pages: Pages) -> Document | Need:
    """Read an article, a post or whatever a short link may lead to as any other page."""
    page = pages.get("elsewhere")
    if page is None:
        return Need("elsewhere", target, must=True, with_cookie=True)
    return generic.read(target, page.text)


def _data_of(page: Page) -> dict[str, Any]:
    data = load_json(page.text).get("data")
    return data if isinstance(data, dict) else {}


def _view_data(page: Page, url: str) -> dict[str, Any]:
    """Give the video's data.

    Raises:
        ExtractionError: One of the kinds that tell why there is none.
    """
    answer = load_json(page.text)
    code = answer.get("code", 0)
    if code in _REFUSED or page.status in _WALL_STATUS:
        kind, message = _REFUSED.get(code) or _REFUSED[-412]
        raise kind(message, fix=_LATER if kind is not PageGone else "Check the link.", url=url, step="view")
    data = _data_of(page)
    if page.problem or code:
        message = page.problem or f"Bilibili does not show this video (code {code})."
        raise PageUnavailable(message, fix=_LATER, url=url, step="view")
    if not _BVID.fullmatch(str(data.get("bvid"))) or not isinstance(data.get("title"), str):
        raise ExtractionError("Bilibili's answer holds no video.", fix=_LATER, url=url, step="view")
    return data


def _pages(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    listed = data.get("pages")
    found = [page for page in listed if isinstance(page, dict) and isinstance(page.get("cid"), int)] if isinstance(listed, list) else []
    cid = data.get("cid")
    return found or [{"cid": cid if isinstance(cid, int) else 0, "page": 1, "part": "", "duration": data.get("duration")}]


def _part_of(data: Mapping[str, Any], url: str) -> tuple[dict[str, Any], int]:
    """Give the part that the link names, and its ``cid``."""
    wanted, pages = _query(url, "p") or "1", _pages(data)
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 6 else 0
    part = next((page for page in pages if page.get("page") == number), None)
    if part is None:
        count = f"{len(pages)} parts" if len(pages) > 1 else "one part only"
        raise ExtractionError(
            f"The video has no part {wanted[:20]!r}; it has {count}.",
            fix="Choose the part in a browser and copy its link.",
            url=url,
            step="part",
        )
    return part, int(part["cid"])


def _video(data: Mapping[str, Any], part: Mapping[str, Any], url: str, player: Mapping[str, Any]) -> Video:
    page = f"https://www.bilibili.com/video/{data['bvid']}"
    pages = _pages(data)
    number = int(part.get("page") or 1)
    owner = data.get("owner")
    title = str(data["title"])
    name = str(part.get("part") or "").strip()
    description = str(data.get("desc") or "").strip()
    points = player.get("view_points")
    return Video(
        adapter="bilibili",
        site=_SITE,
        url=page if number == 1 else f"{page}?p={number}",
        title=title
        if number == 1 or not name
        else f"{title} P{number} {name}"
        if name not in title and title not in name
        else _longer(title, name),
        channel=str(owner.get("name") or "") if isinstance(owner, dict) else "",
        published=_moment(data.get("pubdate")),
        description="" if description in ("-", ".") else description,
        duration_s=max(seconds_of(part.get("duration") or data.get("duration")), 0.0),
        cover=re.sub(r"^(?:http:)?//", "https://", str(data.get("pic") or "")),
        chapters=in_order(
            [Chapter(seconds_of(point.get("from")), str(point.get("content") or "")) for point in points if isinstance(point, dict)]
            if isinstance(points, list)
            else []
        ),
        parts=tuple(
            Part(
                entry["page"] if isinstance(entry.get("page"), int) else n,
                str(entry.get("part") or ""),
                page if n == 1 else f"{page}?p={n}",
            )
            for n, entry in enumerate(pages, 1)
        ),
        part=number,
    )


def _longer(title: str, name: str) -> str:
    return name if len(name) > len(title) else title


def _moment(seconds: Any) -> str:
    if not isinstance(seconds, int) or not 1_000_000_000 < seconds < 4_000_000_000:
        return ""
    return datetime.fromtimestamp(seconds, UTC).astimezone(_BEIJING).isoformat()


def _captions(video: Video, player: Mapping[str, Any], pages: Pages, wishes: Wishes) -> Captions | Need | str:
    """Take the player's tracks; what it does not give, ask yt-dlp for, unless the video is known to have none."""
    tracks, is_listed = _tracks(player)
    found = find_captions(rank_tracks(tracks, wishes.languages), pages, "captions", video.duration_s)
    if not isinstance(found, str):
        return found
    reason = found if tracks else "login-needed" if player.get("need_login_subtitle") else "empty" if is_listed else "none"
    if not player:
        reason = "not-reached"
    if reason == "none":
        return reason
    tool = pages.get("tool")
    if tool is None:
        return Need("tool", video.url, tool="yt-dlp", languages=wishes.languages)
    found = find_captions(rank_tracks(tool_tracks(load_json(tool.text)), wishes.languages), pages, "tool-captions", video.duration_s)
    return found if not isinstance(found, str) else reason


def _tracks(player: Mapping[str, Any]) -> tuple[list[Track], bool]:
    """List the tracks that can be fetched, and whether any is named at all: one without an address is not made yet."""
    subtitle = player.get("subtitle")
    listed = subtitle.get("subtitles") if isinstance(subtitle, dict) else None
    tracks = []
    for item in listed if isinstance(listed, list) else []:
        address = str(item.get("subtitle_url") or "") if isinstance(item, dict) else ""
        address = re.sub(r"^(?:http:)?//", "https://", address)
        if address.startswith("https://"):
            lang = str(item.get("lan") or "")
            tracks.append(Track(lang.removeprefix("ai-"), item.get("type") == 1 or lang.startswith("ai-"), url=address))
    return tracks, bool(listed)


def name_saved(text: str) -> str:
    """Tell which of the answers a saved one is."""
    value = load_json(text)
    data = value.get("data")
    if "body" in value or not value:
        return "captions-0"
    if "subtitles" in value or "automatic_captions" in value:
        return "tool"
    return "player" if isinstance(data, dict) and "pages" not in data and "title" not in data else "view"


def stand_in(name: str, url: str, pages: Pages) -> Page | None:
    """Give the least answer that makes sense of saved ones, where the others are not at hand."""
    captions = pages.get("captions-0")
    if name == "view" and ("player" in pages or (captions is not None and parse_captions(captions.text))):
        said = _data_of(pages["player"]) if "player" in pages else {}
        video = str(said.get("bvid") or _video_id(url))
        page = {"cid": said.get("cid") or 0, "page": int(_query(url, "p") or 1) if _query(url, "p").isdigit() else 1}
        return Page(url, text=json.dumps({"code": 0, "data": {"bvid": video, "title": video, "pages": [page]}}))
    if name == "player" and captions is not None:
        saved = load_json(captions.text)
        is_auto = saved.get("type") == "AIsubtitle"
        track = {"lan": f"{'ai-' if is_auto else ''}{saved.get('lang') or 'zh'}", "subtitle_url": "//saved.invalid/"}
        return Page(url, text=json.dumps({"code": 0, "data": {"subtitle": {"subtitles": [track]}}}))
    return None


ADAPTER = Adapter("bilibili", read, claims=claims, first=first)
