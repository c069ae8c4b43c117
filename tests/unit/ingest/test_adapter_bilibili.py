"""Bilibili: each part is its own video, captions come in order of preference, and refusals are told apart."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sidecar.errors import ExtractionError, PageGone, PageUnavailable, VerificationWall
from sidecar.ingest.adapters import Need, Page, Wishes, claiming_adapter, read_saved
from sidecar.ingest.adapters.bilibili import first, read
from sidecar.ingest.document import Document
from sidecar.vault.address import url_hash
from tests.conftest import FIXTURES

URL = "https://www.bilibili.com/video/BV1ZF411g7EZ"
CUES = (FIXTURES / "web/bilibili-subtitle-cc.json").read_text("utf-8")
SPOKEN = "大家好，今天讲一讲怎么整理笔记，我把它分成三步"


def view(parts: int = 3, **changes: Any) -> str:
    pages = [{"cid": 100 + n, "page": n, "part": f"第{n}讲", "duration": 40} for n in range(1, parts + 1)]
    data = {
        "bvid": "BV1ZF411g7EZ", "title": "笔记课", "pubdate": 1716682410, "desc": "三讲。\n#标签 [[链接]]", "duration": 120,
        "pic": "http://i0.hdslb.com/cover.jpg", "owner": {"name": "老师"}, "pages": pages,
    }  # fmt: skip
    return json.dumps({"code": 0, "data": data | changes})


def player(name: str) -> str:
    return (FIXTURES / f"web/bilibili-player-v2-{name}.json").read_text("utf-8")


NOTHING = "\x00"
"""Stands for a page that could not be fetched."""


def gather(url: str, wishes: Wishes | None = None, **answers: str) -> tuple[Document, list[Need]]:
    """Play the site: give the named answers as they are asked for, and what was asked for."""
    pages: dict[str, Page] = {}
    asked: list[Need] = []
    found: Document | Need = first(url)
    while isinstance(found, Need):
        asked.append(found)
        text = answers.get(found.name.replace("-", "_"), NOTHING)
        if text.startswith("https://"):
            page = Page(text, status=302)
        else:
            page = Page(found.url, status=0, problem="yt-dlp is not installed.") if text == NOTHING else Page(found.url, text=text)
        pages[found.name] = page
        found = read(url, pages, wishes or Wishes())
    return found, asked


# ── which links, which part ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("url", "mine"),
    [(URL, True), (URL + "/?p=2", True), ("https://m.bilibili.com/video/BV1ZF411g7EZ", True), ("https://bilibili.com/video/av170001", True),
     ("https://b23.tv/AbCd123", True), ("https://b23.tv/BV1ZF411g7EZ", True), ("https://b23.tv/", False),
     ("https://www.bilibili.com/read/cv1", False), ("https://space.bilibili.com/1", False),
     ("https://bilibili.com.evil.test/video/av1", False),
     ("https://www.bilibili.com/video/../x", False)],
)  # fmt: skip
def test_only_videos_and_short_links_are_claimed(url: str, mine: bool) -> None:
    adapter = claiming_adapter(url)
    assert mine == (adapter is not None and adapter.name == "bilibili")


@pytest.mark.parametrize(
    ("link", "cid", "number"), [(URL, 101, 1), (URL + "?p=1", 101, 1), (URL + "?p=2", 102, 2), (URL + "?p=3&t=9", 103, 3)]
)
def test_the_captions_are_those_of_the_part_that_the_link_names(link: str, cid: int, number: int) -> None:
    document, asked = gather(link, view=view(), player=player("three-tracks"), captions_0=CUES)
    assert f"https://api.bilibili.com/x/player/wbi/v2?bvid=BV1ZF411g7EZ&cid={cid}" == asked[1].url
    assert (True, False) == (asked[1].with_cookie, asked[0].with_cookie)
    assert f"第 {number} P，共 3 P" in document.markdown
    assert f"{number}. **第{number}讲**" in document.markdown
    assert 2 == len(re.findall(r"^\d\. \[第\d讲\]", document.markdown, re.MULTILINE))
    assert ("笔记课" if number == 1 else f"笔记课 P{number} 第{number}讲") == document.title


@pytest.mark.parametrize("part", ["4", "0", "-1", "x", "99999999999999", "²"])
def test_a_part_that_is_not_there_is_an_error_and_never_the_first(part: str) -> None:
    with pytest.raises(ExtractionError, match="no part") as caught:
        gather(f"{URL}?p={part}", view=view(), player=player("three-tracks"), captions_0=CUES)
    assert "part" == caught.value.params["step"]


def test_a_part_has_one_address_and_parts_have_different_ones() -> None:
    plain = url_hash(gather(URL, view=view())[0].url)
    assert plain == url_hash(gather(URL + "?p=1&t=30", view=view())[0].url) == url_hash("https://m.bilibili.com/video/BV1ZF411g7EZ/?t=5")
    assert plain == url_hash(gather("https://www.bilibili.com/video/av298290791", view=view())[0].url)
    assert plain == url_hash(URL + "?p=1")
    assert plain != url_hash(gather(URL + "?p=2", view=view())[0].url)


def test_a_short_link_keeps_part_and_place_and_forgets_who_shared_it() -> None:
    target = f"{URL}?-Arouter=story&buvid=SECRET&mid=SECRET&p=2&share_session_id=SECRET&t=31&up_id=16"
    document, asked = gather("https://b23.tv/AbCd123", short=target, view=view(), player=player("three-tracks"), captions_0=CUES)
    assert not asked[0].follow
    assert f"{URL}?p=2&t=31" == document.url
    assert "SECRET" not in repr((document, asked))
    assert "cid=102" in asked[2].url


def test_the_saved_short_link_leads_to_its_part(shared: Path) -> None:
    saved = json.loads((shared / "data/web/bilibili/b23-redirect.json").read_text("utf-8"))
    expect = json.loads((shared / "data/web/bilibili/b23-redirect.json.meta.json").read_text("utf-8"))["expect"]
    location = saved["responses"][0]["headers"]["location"]
    document, _ = gather(saved["request"], short=location, view=view(bvid="BV1Yz421a7iJ"), player=player("none"))
    assert expect["canonical"] == document.url


def test_a_short_link_to_an_article_is_read_as_a_page() -> None:
    page = f"<html><head><title>专栏</title></head><body><article><p>{'正文' * 60}。</p></article></body></html>"
    document, asked = gather("https://b23.tv/x", short="https://www.bilibili.com/read/cv1?mid=SECRET", elsewhere=page)
    assert ("专栏", "https://www.bilibili.com/read/cv1") == (document.title, document.url)
    assert "SECRET" not in asked[1].url


# ── captions ──────────────────────────────────────────────────────────────────────────────────


def test_a_persons_captions_come_before_a_machines_and_are_fetched_at_once() -> None:
    document, asked = gather(URL, view=view(), player=player("three-tracks"), captions_0=CUES)
    assert ("manual:zh-CN", "full") == (document.transcript, document.body_state)
    assert "https://aisubtitle.hdslb.com/bfs/subtitle/placeholder.json" == asked[2].url
    assert SPOKEN in document.markdown
    assert "### 开场" in document.markdown
    assert "hdslb.com/bfs/subtitle" not in document.markdown


def test_a_track_without_an_address_is_passed_over() -> None:
    assert "manual:zh-CN" == gather(URL, Wishes(("en",)), view=view(), player=player("three-tracks"), captions_0=CUES)[0].transcript


@pytest.mark.parametrize(
    ("name", "transcript", "asks_tool"), [("need-login", "unavailable(login-needed)", True), ("none", "unavailable(none)", False)]
)
def test_login_needed_and_has_none_are_two_answers(name: str, transcript: str, asks_tool: bool) -> None:
    document, asked = gather(URL, view=view(), player=player(name))
    assert (transcript, "summary_only") == (document.transcript, document.body_state)
    assert asks_tool == any(need.tool for need in asked)
    assert ("yt-dlp is not installed." in document.warnings) == asks_tool


def test_nothing_but_the_description_is_no_failure() -> None:
    document, _ = gather(URL, view=view())
    assert ("unavailable(not-reached)", "summary_only", ("https://i0.hdslb.com/cover.jpg",)) == (
        document.transcript, document.body_state, document.images,
    )  # fmt: skip
    assert document.markdown.startswith("![](https://i0.hdslb.com/cover.jpg)\n\n**老师** · 0:40 · 第 1 P")
    assert "\\#标签 \\[\\[链接\\]\\]" in document.markdown
    assert "missing" == gather(URL, view=view(desc="-"))[0].body_state


def test_yt_dlp_is_asked_next_and_bullet_comments_are_no_captions() -> None:
    told = {
        "subtitles": {
            "danmaku": [{"ext": "srt", "data": "1\n00:00:01,000 --> 00:00:02,000\n哈哈"}],
            "ai-zh": [{"ext": "srt", "data": "1\n00:00:01,000 --> 00:00:02,000\n你好"}],
        }
    }
    document, _ = gather(URL, view=view(), player=player("need-login"), tool=json.dumps(told))
    assert ("auto:zh", "full", ()) == (document.transcript, document.body_state, document.warnings[1:])
    del told["subtitles"]["ai-zh"]
    assert "unavailable(login-needed)" == gather(URL, view=view(), player=player("need-login"), tool=json.dumps(told))[0].transcript


def test_captions_of_another_video_are_left_out_and_the_next_track_is_tried() -> None:
    wrong = json.dumps({"body": [{"from": 0, "to": 1, "content": "别的"}, {"from": 700, "to": 701, "content": "视频"}]})
    document, _ = gather(URL, view=view(), player=player("three-tracks"), captions_0=wrong, captions_1=CUES)
    assert "auto:zh" == document.transcript
    document, _ = gather(URL, view=view(), player=player("three-tracks"), captions_0=wrong, captions_1=wrong)
    assert "unavailable(wrong-track)" == document.transcript
    assert "别的" not in document.markdown


@pytest.mark.parametrize(
    "answer", ["", "<html>", "[]", '{"data": 3}', '{"data": {"subtitle": {"subtitles": [3, {"subtitle_url": "ftp://x"}]}}}']
)
def test_an_odd_answer_about_captions_still_leaves_the_note(answer: str) -> None:
    assert "summary_only" == gather(URL, view=view(), player=answer)[0].body_state


# ── refusals ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("code", "kind"),
    [(-404, PageGone), (62002, PageGone), (62004, PageUnavailable), (-403, PageUnavailable), (-412, VerificationWall),
     (-352, VerificationWall),
     (-500, PageUnavailable)],
)  # fmt: skip
def test_refusals_are_told_apart(code: int, kind: type[ExtractionError]) -> None:
    with pytest.raises(kind) as caught:
        gather(URL, view=json.dumps({"code": code, "message": "x"}))
    assert kind is type(caught.value)
    assert caught.value.fix


def test_a_refusal_by_status_is_a_wall_and_silence_is_not() -> None:
    with pytest.raises(VerificationWall):
        read(URL, {"view": Page(URL, status=412, problem="api.bilibili.com answered 412 for this page.")}, Wishes())
    with pytest.raises(PageUnavailable, match="in time"):
        read(URL, {"view": Page(URL, status=0, problem="It did not answer in time.")}, Wishes())
    for text in ("", "<html>", '{"code": 0}', '{"code": 0, "data": {"bvid": "BV1"}}', view(bvid="BV1](https://x)"), view(bvid=7)):
        with pytest.raises(ExtractionError):
            gather(URL, view=text)


# ── saved answers ─────────────────────────────────────────────────────────────────────────────


def saved(shared: Path, name: str) -> tuple[str, dict[str, Any]]:
    path = shared / "data/web/bilibili" / name
    return path.read_text("utf-8"), json.loads(Path(f"{path}.meta.json").read_text("utf-8"))["expect"]


@pytest.mark.parametrize("name", ["view-single.json", "view-multi.json"])
def test_a_saved_video_gives_what_a_person_read_in_it(shared: Path, name: str) -> None:
    text, expect = saved(shared, name)
    document = read_saved("bilibili", URL, [text])
    assert (expect["title"], expect["author"], expect["author"]) == (document.title, document.author, document.account)
    moment = {"view-single.json": "2024-05-26T08:13:30+08:00", "view-multi.json": "2022-04-18T12:00:31+08:00"}[name]
    assert expect.get("published", moment) == document.published == moment
    assert "zh" == document.lang
    if "cids" in expect:
        for number, cid in enumerate(expect["cids"], 1):
            assert f"cid={cid}" in gather(f"{URL}?p={number}", view=text)[1][1].url
            assert expect["part_titles"][number - 1] in document.markdown
    else:
        assert f"bvid={expect['bvid']}&cid={expect['cid']}" in gather(URL, view=text)[1][1].url
        assert "13:17" in document.markdown


def test_saved_answers_about_captions(shared: Path) -> None:
    view_text, _ = saved(shared, "view-single.json")
    text, expect = saved(shared, "player-v2-ai-subtitle.json")
    cues, _ = saved(shared, "subtitle-ai.json")
    document, asked = gather("https://www.bilibili.com/video/BV1Yz421a7iJ", view=view_text, player=text, captions_0=cues)
    assert ("ai-zh", "auto:zh") == (expect["lang"], document.transcript)
    assert asked[2].url.startswith("https://aisubtitle.hdslb.com/bfs/ai_subtitle/prod/")
    assert "auth_key" not in document.markdown
    assert "unavailable(login-needed)" == read_saved("bilibili", URL, [saved(shared, "player-v2-need-login.json")[0]]).transcript
    assert "unavailable(none)" == read_saved("bilibili", URL, [saved(shared, "player-v2-none.json")[0]]).transcript


@pytest.mark.parametrize(
    ("name", "kind"), [("view-404.json", PageGone), ("view-62002.json", PageGone), ("risk-control-412.json", VerificationWall)]
)
def test_saved_refusals(shared: Path, name: str, kind: type[ExtractionError]) -> None:
    text, expect = saved(shared, name)
    value = json.loads(text)
    with pytest.raises(kind):
        read_saved("bilibili", URL, [json.dumps(value.get("body", value))])
    assert (kind is VerificationWall) == expect["retry"]
