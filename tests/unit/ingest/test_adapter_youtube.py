"""YouTube: what the player tells, captions by language and maker, and every wall by its own name."""

from __future__ import annotations

import contextlib
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.errors import ExtractionError, PageGone, PageUnavailable, VerificationWall
from sidecar.ingest.adapters import Need, Page, Wishes, claiming_adapter, read_saved
from sidecar.ingest.adapters.youtube import first, read
from sidecar.ingest.document import Document
from tests.conftest import FIXTURES

URL = "https://www.youtube.com/watch?v=AAAAAAAAAAA"
ASR = (FIXTURES / "web/youtube-timedtext-asr.json3").read_text("utf-8")
SPOKEN = "hello and welcome back today we measure the river the float takes nine seconds"
CONSENT = "<html><body><form action='https://consent.youtube.com/s' method='POST'><input name=x></form></body></html>"
CARD = json.dumps({"title": "Card title", "author_name": "Card channel", "thumbnail_url": "https://i.ytimg.com/a.jpg"})
NOTHING = "\x00"


def track(lang: str, *, auto: bool = False, token: bool = False) -> dict[str, Any]:
    address = f"https://www.youtube.com/api/timedtext?v=x{'&exp=xpe' if token else ''}&lang={lang}{'&kind=asr' if auto else ''}&fmt=srv3"
    return {"baseUrl": address, "languageCode": lang} | ({"kind": "asr"} if auto else {})


def watch(*tracks: dict[str, Any], status: str = "OK", data: str = "", **details: Any) -> str:
    known = {
        "videoId": "AAAAAAAAAAA", "title": "A [[talk]]", "author": "Someone", "lengthSeconds": "20", "shortDescription": "About it. #tag",
        "thumbnail": {"thumbnails": [{"url": "https://i.ytimg.com/s.jpg", "width": 1}, {"url": "https://i.ytimg.com/l.jpg", "width": 9}]},
    }  # fmt: skip
    answer = {
        "playabilityStatus": {"status": status}, "videoDetails": known | details,
        "captions": {"playerCaptionsTracklistRenderer": {"captionTracks": list(tracks)}},
        "microformat": {"playerMicroformatRenderer": {"publishDate": "2018-08-02T06:00:08-07:00"}},
    }  # fmt: skip
    script = f"window['x'] = ytInitialPlayerResponse; var ytInitialPlayerResponse = {json.dumps(answer)};var meta = 1;"
    return f"<!DOCTYPE html><html><body><script>{script}</script><script>var ytInitialData = {data or '{}'};</script></body></html>"


def refused(status: str, reason: str = "", **more: Any) -> str:
    return json.dumps({"playabilityStatus": {"status": status, "reason": reason} | more})


def gather(page: str, wishes: Wishes | None = None, url: str = URL, **answers: str) -> tuple[Document, list[Need]]:
    """Play the site: give the named answers as they are asked for, and what was asked for."""
    pages: dict[str, Page] = {}
    asked: list[Need] = []
    found: Document | Need = first(url)
    while isinstance(found, Need):
        asked.append(found)
        text = page if found.name == "page" else answers.get(found.name.replace("-", "_"), NOTHING)
        pages[found.name] = Page(found.url, status=0, problem="yt-dlp is not installed.") if text == NOTHING else Page(found.url, text=text)
        found = read(url, pages, wishes or Wishes())
    return found, asked


@pytest.mark.parametrize(
    "url",
    [URL, "https://youtu.be/AAAAAAAAAAA?si=x", "https://m.youtube.com/watch?v=AAAAAAAAAAA&list=PL1", "https://music.youtube.com/watch?v=AAAAAAAAAAA",
     "https://www.youtube.com/shorts/AAAAAAAAAAA", "https://youtube.com/live/AAAAAAAAAAA?feature=share", "https://www.youtube.com/embed/AAAAAAAAAAA",
     "https://www.youtube-nocookie.com/embed/AAAAAAAAAAA"],
)  # fmt: skip
def test_every_form_of_a_link_is_the_same_video(url: str) -> None:
    adapter = claiming_adapter(url)
    assert adapter is not None
    assert URL == adapter.first(url).url
    assert URL == gather(watch(), url=url)[0].url


@pytest.mark.parametrize(
    "url",
    ["https://www.youtube.com/", "https://www.youtube.com/@someone", "https://www.youtube.com/playlist?list=PL1", "https://www.youtube.com/watch",
     "https://youtu.be/short", "https://www.youtube.com.evil.test/watch?v=AAAAAAAAAAA", "https://www.youtube.com/watch?v=AAAAAAAAAA/"],
)  # fmt: skip
def test_what_is_no_video_is_left_to_others(url: str) -> None:
    adapter = claiming_adapter(url)
    assert adapter is None or adapter.name != "youtube"


def test_a_video_is_a_note_with_its_speech() -> None:
    document, asked = gather(watch(track("en")), captions_0=ASR)
    assert ("A [[talk]]", "Someone", "2018-08-02T06:00:08-07:00", "YouTube", "full", "manual:en") == (
        document.title, document.account, document.published, document.site, document.body_state, document.transcript,
    )  # fmt: skip
    assert "https://www.youtube.com/api/timedtext?v=x&lang=en&fmt=json3" == asked[1].url
    assert document.markdown.startswith("![](https://i.ytimg.com/l.jpg)\n\n**Someone** · 0:20 · [YouTube](")
    assert f"[0:00]({URL}&t=0) {SPOKEN}" in document.markdown
    assert "About it. \\#tag" in document.markdown


@pytest.mark.parametrize(
    ("tracks", "transcript"),
    [([track("ja", auto=True)], "auto:ja"), ([track("ja"), track("zh-Hant", auto=True)], "auto:zh-Hant"),
     ([track("en", auto=True), track("en")], "manual:en"), ([track("fr", auto=True), track("de")], "manual:de"),
     ([track("en"), track("zh")], "manual:zh")],
)  # fmt: skip
def test_captions_fall_back_from_language_to_family_to_any_and_the_note_says_which(tracks: list[dict[str, Any]], transcript: str) -> None:
    assert transcript == gather(watch(*tracks), captions_0=ASR)[0].transcript


def test_a_video_without_captions_asks_for_nothing_more() -> None:
    document, asked = gather(watch())
    assert ("unavailable(none)", "summary_only", 1) == (document.transcript, document.body_state, len(asked))


def test_captions_that_want_a_token_are_not_called_none() -> None:
    document, asked = gather(watch(track("en", token=True)))
    assert ["page", "tool"] == [need.name for need in asked]
    assert "unavailable(po-token)" == document.transcript
    assert "yt-dlp is not installed." == document.warnings[1]
    assert "unavailable(po-token)" == gather(watch(track("en")), captions_0="")[0].transcript


def test_yt_dlp_comes_before_a_lesser_track_which_comes_before_none() -> None:
    page = watch(track("en", token=True), track("ja", auto=True))
    assert "auto:ja" == gather(page, other_captions_0=ASR)[0].transcript
    told = json.dumps(
        {"title": "t", "subtitles": {"en": [{"ext": "vtt", "url": "https://x.test/v"}, {"ext": "json3", "url": "https://x.test/j"}]}}
    )
    document, asked = gather(page, tool=told, tool_captions_0=ASR)
    assert ("manual:en", "https://x.test/j", ()) == (document.transcript, asked[-1].url, document.warnings)


def test_machine_translations_are_not_taken_for_speech() -> None:
    told = {
        "automatic_captions": {
            "zh-Hans": [{"ext": "json3", "url": "https://x.test/?lang=en&tlang=zh-Hans"}],
            "en-orig": [{"ext": "json3", "url": "https://x.test/?lang=en"}],
        }
    }
    assert "auto:en" == gather(watch(track("en", token=True)), tool=json.dumps(told), tool_captions_0=ASR)[0].transcript


def test_chapters_are_headings_from_the_description_or_the_player_bar() -> None:
    described = watch(track("en"), shortDescription="0:00 Hello\n0:04 River\n0:09 Float")
    assert 3 == gather(described, captions_0=ASR)[0].markdown.count("\n### ")
    listed = json.dumps(
        {
            "a": [
                {"chapterRenderer": {"title": {"simpleText": name}, "timeRangeStartMillis": ms}}
                for name, ms in (("Float", 9000), ("Hello", 0))
            ]
        }
    )
    markdown = gather(watch(track("en"), data=listed), captions_0=ASR)[0].markdown
    assert markdown.index("### Hello") < markdown.index("### Float") < markdown.index("the float takes")
    assert f"- [0:09]({URL}&t=9) Float" in gather(watch(data=listed))[0].markdown


@pytest.mark.parametrize(
    ("page", "transcript"),
    [(watch(track("en"), isLive=True), "unavailable(live)"),
     (watch(status="LIVE_STREAM_OFFLINE", isUpcoming=True), "unavailable(upcoming)"),
     (watch(status="UNPLAYABLE"), "unavailable(not-playable)")],
)  # fmt: skip
def test_what_cannot_be_heard_yet_is_a_note_that_says_so(page: str, transcript: str) -> None:
    document, asked = gather(page)
    assert (transcript, "summary_only", 1) == (document.transcript, document.body_state, len(asked))


@pytest.mark.parametrize(
    ("page", "kind"),
    [(refused("ERROR", "This video is unavailable"), PageGone), (refused("LOGIN_REQUIRED", "This is a private video"), PageUnavailable),
     (refused("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot"), VerificationWall),
     (refused("LOGIN_REQUIRED", "请登录", help="https://support.google.com/youtube/answer/3037019#x"), VerificationWall),
     (refused("UNPLAYABLE", "Not in your country"), PageUnavailable), (CONSENT, VerificationWall), ("", VerificationWall),
     ("<html></html>", VerificationWall)],
)  # fmt: skip
def test_refusals_are_told_apart(page: str, kind: type[ExtractionError]) -> None:
    with pytest.raises(kind) as caught:
        gather(page)
    assert kind is type(caught.value)
    assert caught.value.fix


def test_a_site_that_refuses_the_connection_is_a_wall() -> None:
    with pytest.raises(VerificationWall):
        read(URL, {"page": Page(URL, status=429, problem="It answered 429.")}, Wishes())


def test_consent_leaves_title_and_channel_and_yt_dlp_the_whole() -> None:
    document, asked = gather(CONSENT, oembed=CARD)
    assert ("Card title", "Card channel", "unavailable(consent)", "missing") == (
        document.title, document.account, document.transcript, document.body_state,
    )  # fmt: skip
    assert "https://www.youtube.com/oembed?url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3DAAAAAAAAAAA&format=json" == asked[-1].url
    told = {"title": "T", "channel": "C", "description": "D", "upload_date": "20240102", "duration": 20,
            "chapters": [{"start_time": 0, "title": "One"}],
            "subtitles": {"en": [{"ext": "json3", "url": "https://x.test/j"}]}}  # fmt: skip
    document, _ = gather(CONSENT, tool=json.dumps(told), tool_captions_0=ASR)
    assert ("T", "C", "2024-01-02", "manual:en", "full") == (
        document.title, document.account, document.published, document.transcript, document.body_state,
    )  # fmt: skip
    assert "### One" in document.markdown


@pytest.mark.parametrize(
    "page",
    ["var ytInitialPlayerResponse = {" * 2000, "ytInitialPlayerResponse = " + '{"a":' * 20_000, watch().replace('"captionTracks"', '"x"'),
     watch(thumbnail=3, lengthSeconds="x", shortDescription=None),
     json.dumps({"videoDetails": {"title": 3}, "captions": [], "microformat": 1})],
)  # fmt: skip
def test_an_odd_page_gives_a_note_or_an_error_of_ours(page: str) -> None:
    with contextlib.suppress(ExtractionError):
        gather(page, oembed="[" * 20_000)


# ── saved answers ─────────────────────────────────────────────────────────────────────────────


def saved(shared: Path, name: str) -> tuple[str, dict[str, Any]]:
    meta = json.loads(next((shared / "data/web/youtube").glob(f"{name}.meta.json")).read_text("utf-8"))
    path = shared / "data/web/youtube" / meta["file"]
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return data.decode("utf-8"), meta["expect"]


@pytest.mark.parametrize("name", ["player-ok.json", "player-po-token.json", "player-no-captions.json", "watch.html"])
def test_a_saved_video_gives_what_a_person_read_in_it(shared: Path, name: str) -> None:
    text, expect = saved(shared, name)
    url = f"https://www.youtube.com/watch?v={expect['video_id']}"
    document, asked = gather(text, Wishes(("en",)), url=url, captions_0=ASR, other_captions_0=ASR)
    assert (url, expect.get("title", document.title), expect.get("channel", document.account)) == (
        document.url,
        document.title,
        document.account,
    )
    transcript = {
        "player-ok.json": "manual:en",
        "player-po-token.json": "auto:en",
        "player-no-captions.json": "unavailable(none)",
        "watch.html": "unavailable(po-token)",
    }
    assert transcript[name] == document.transcript
    if name == "watch.html":
        assert "2018-08-02T06:00:08-07:00" == document.published
    assert ("tool" in [need.name for need in asked]) == (name in ("player-po-token.json", "watch.html"))
    if "length_s" in expect:
        assert f"{expect['length_s'] // 60}:{expect['length_s'] % 60:02}" in document.markdown


@pytest.mark.parametrize(
    ("name", "kind"),
    [("player-bot-check.json", VerificationWall), ("player-unavailable.json", PageGone), ("consent.html", VerificationWall)],
)
def test_saved_refusals(shared: Path, name: str, kind: type[ExtractionError]) -> None:
    text, expect = saved(shared, name)
    with pytest.raises(kind):
        read_saved("youtube", URL, [text])
    assert (kind is VerificationWall) == expect.get("retry", expect.get("no_video"))


def test_the_saved_card_and_the_saved_empty_captions(shared: Path) -> None:
    text, expect = saved(shared, "oembed.json")
    document = read_saved("youtube", URL, [text])
    assert (expect["title"], expect["channel"]) == (document.title, document.account)
    assert "unavailable(po-token)" == read_saved("youtube", URL, [saved(shared, "timedtext-empty.body")[0]]).transcript
