"""Captions: every form is read alike, and becomes paragraphs that a person can read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.ingest.video.captions import Cue, parse_captions
from sidecar.ingest.video.note import chapters_of_text, linked_text
from sidecar.ingest.video.speech import Chapter, passages, write_transcript
from sidecar.ingest.video.tracks import Track, is_of_another, rank_tracks
from tests.conftest import FIXTURES

URL = "https://www.youtube.com/watch?v=AAAAAAAAAAA"


def texts(*cues: Cue) -> list[str]:
    return [passage.text for passage in passages(list(cues))]


def expected(shared: Path, name: str) -> tuple[list[Cue], dict[str, object]]:
    path = shared / "data/web" / name
    return parse_captions(path.read_text("utf-8")), json.loads(Path(f"{path}.meta.json").read_text("utf-8"))["expect"]


# ── reading ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["bilibili/subtitle-ai.json", "bilibili/subtitle-cc.json", "youtube/timedtext-manual.json3"])
def test_saved_captions_hold_what_a_person_counted(shared: Path, name: str) -> None:
    cues, expect = expected(shared, name)
    assert (expect["cues"], expect["first"], expect["last"]) == (len(cues), cues[0].text, cues[-1].text)
    if "first_from" in expect:
        assert expect["first_from"] == cues[0].begin_s


def test_saved_timed_text_is_read_without_its_empty_cue(shared: Path) -> None:
    cues, expect = expected(shared, "youtube/timedtext.xml")
    assert isinstance(expect["cues"], int)
    assert isinstance(expect["empty_cues"], int)
    assert expect["cues"] - expect["empty_cues"] == len(cues)
    assert (expect["first"], expect["last"]) == (cues[0].text, cues[-1].text)
    assert "this is not the original transcript" == cues[1].text


def test_lines_of_a_machine_are_told_from_windows_and_breaks() -> None:
    cues = parse_captions((FIXTURES / "web/youtube-timedtext-asr.json3").read_text("utf-8"))
    assert ["hello and welcome back", "today we measure the river", "[Music]", "the float takes nine seconds"] == [c.text for c in cues]
    assert ["hello and welcome back today we measure the river the float takes nine seconds"] == texts(*cues)


@pytest.mark.parametrize(
    "text",
    [
        "WEBVTT\n\nNOTE none\n\n00:01.000 --> 00:02.500 align:start\n<c.yellow>Tom &amp; Ann</c>\nsay hi\n\n"
        "1:00:03.000 --> 1:00:04.000\nlast",
        "1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Tom &amp; Ann</i>\r\nsay hi\r\n\r\n2\r\n01:00:03,000 --> 01:00:04,000\r\nlast\r\n",
    ],
)
def test_webvtt_and_srt_give_the_same(text: str) -> None:
    assert [Cue(1.0, 2.5, "Tom & Ann\nsay hi"), Cue(3603.0, 3604.0, "last")] == parse_captions(text)


def test_srv3_counts_milliseconds() -> None:
    assert [Cue(1.5, 3.5, "two words")] == parse_captions(
        '<timedtext><body><p t="1500" d="2000"><s>two</s><s> words</s></p></body></timedtext>'
    )


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1]", '{"events": 3}', '{"body": [1, {"from": "x"}, {"from": 1e999, "content": "a"}]}', '{"a":' * 5000, "<p>page</p>",
     '<i><d p="1.0,1,25">bullet comment</d></i>', "<html><p t='1'>x</p></html>", "no captions at all"],
)  # fmt: skip
def test_what_is_no_captions_gives_none(text: str) -> None:
    assert [] == parse_captions(text)


def test_an_entity_does_not_reach_a_file() -> None:
    bomb = '<!DOCTYPE t [<!ENTITY f SYSTEM "file:///etc/hostname">]><transcript><text start="0" dur="1">a&f;b</text></transcript>'
    assert ["a&f;b"] == [cue.text for cue in parse_captions(bomb)]


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    for frame in (text, f"WEBVTT\n\n00:01.000 --> 00:02.000\n{text}", json.dumps({"body": [{"from": 0, "to": 1, "content": text}]})):
        write_transcript(parse_captions(frame), [Chapter(0, text)], URL)


# ── paragraphs ────────────────────────────────────────────────────────────────────────────────


def test_chinese_lines_are_joined_without_blanks() -> None:
    bare = [Cue(n * 2.0, n * 2.0 + 1.9, text) for n, text in enumerate(["我把它分成三步", "第一步是收集", "用 Python 写"])]
    assert ["我把它分成三步，第一步是收集，用 Python 写"] == texts(*bare)
    marked = [Cue(n * 2.0, n * 2.0 + 1.9, text) for n, text in enumerate(["这句话很长，", "还没有", "说完。", "现在完了。"])]
    assert ["这句话很长，还没有说完。现在完了。"] == texts(*marked)


def test_lines_that_roll_up_are_said_once() -> None:
    rolled = parse_captions(
        "WEBVTT\n\n00:00.000 --> 00:02.000\n \nhello<00:00.500><c> there</c>\n\n00:02.000 --> 00:02.010\nhello there\n \n\n"
        "00:02.010 --> 00:04.000\nhello there\nwe measure\n\n00:04.000 --> 00:04.010\nwe measure\n \n\n"
        "00:04.010 --> 00:06.000\nwe measure\nthe river\n"
    )
    assert ["hello there we measure the river"] == texts(*rolled)


def test_a_line_that_grows_and_words_that_overlap_are_said_once() -> None:
    assert ["so this is the thing we saw"] == texts(
        Cue(0, 1, "so this"), Cue(1, 2, "so this is the thing"), Cue(2, 3, "is the thing we saw")
    )


def test_what_a_person_says_twice_stays() -> None:
    assert ["No. No. I said no."] == texts(Cue(0, 1, "No."), Cue(1, 2, "No."), Cue(2, 3, "I said no."))
    assert ["very very good"] == texts(Cue(0, 1, "very"), Cue(1, 2, "very good"))


def test_music_and_applause_go_and_what_is_sung_or_told_in_brackets_stays() -> None:
    cues = [
        Cue(n, n + 1, text)
        for n, text in enumerate(["[Music]", "（音乐）", "♪ la vie ♪", "[upbeat music] well", "[Chapter 1]", "♪♪", "a (b) c"])
    ]
    assert ["la vie well [Chapter 1] a (b) c"] == texts(*cues)


def test_a_pause_another_speaker_and_the_end_of_a_long_passage_make_paragraphs() -> None:
    assert ["one", "two"] == texts(Cue(0, 1, "one"), Cue(9, 10, "two"))
    assert ["Hello.", "Hi there."] == texts(Cue(0, 1, ">> Hello."), Cue(1, 2, ">> Hi there."))
    long = [Cue(n, n + 1, f"This is the sentence number {n} of a talk without end.") for n in range(60)]
    found = texts(*long)
    assert all(text.endswith("end.") and 400 < len(text) < 500 for text in found[:-1])
    assert " ".join(cue.text for cue in long) == " ".join(found)


def test_speech_without_any_marks_is_cut_all_the_same() -> None:
    assert all(len(text) < 1000 for text in texts(*[Cue(n, n + 1, "words that never come to an end") for n in range(300)]))
    assert all(len(text) < 400 for text in texts(*[Cue(n, n + 1, "字幕没有标点") for n in range(300)]))


def test_chapters_are_headings_and_every_two_minutes_stand_a_link() -> None:
    cues = [Cue(n * 10.0, n * 10.0 + 9, f"Sentence {n}. " + "x" * 400 + ".") for n in range(30)]
    written = write_transcript(cues, [Chapter(0, "Intro #tag"), Chapter(100, "[[Second]]")], URL)
    assert written.startswith(f"### Intro \\#tag\n\n[0:00]({URL}&t=0) Sentence 0.")
    assert f"### \\[\\[Second\\]\\]\n\n[1:40]({URL}&t=100) Sentence 10." in written
    assert [0, 100, 220] == [int(part.split(")")[0]) for part in written.split("&t=")[1:]]
    assert "&t=" in write_transcript(cues, [], "https://www.bilibili.com/video/BV1?p=2")
    assert "?t=" in write_transcript(cues, [], "https://www.bilibili.com/video/BV1")


def test_speech_acts_on_nothing() -> None:
    written = write_transcript(
        [Cue(0, 1, "see"), Cue(9, 10, "# [[Note]] #tag %%x%% <% tp %> `= 1` key:: v"), Cue(20, 21, "- item")], [], URL
    )
    for live in ("\n# ", "[[", " #tag", "%%", "<%", "`=", "key:: ", "\n- item"):
        assert live not in re.sub(r"\\.", "", written)


# ── chapters, tracks, descriptions ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    ["0:00 Start\n1:05 Middle\n1:02:03 End", "Chapters:\n00:00 - Start\n01:05 – Middle\n01:02:03 | End",
     "Start 0:00\nMiddle (1:05)\nEnd - 1:02:03",
     "【0:00】Start\n● 1:05 Middle\n[1:02:03] End"],
)  # fmt: skip
def test_chapters_are_found_in_a_description(text: str) -> None:
    assert (Chapter(0, "Start"), Chapter(65, "Middle"), Chapter(3723, "End")) == chapters_of_text(text)


@pytest.mark.parametrize("text", ["", "at 1:05 he says so\nat 2:10 too", "1:00 a\n2:00 b\n3:00 c", "0:00 a\n1:00 b", "0:00\n" * 5])
def test_times_in_a_description_are_not_always_chapters(text: str) -> None:
    assert () == chapters_of_text(text)


def test_tracks_are_taken_by_language_then_by_who_made_them() -> None:
    def order(*codes: str, wishes: tuple[str, ...]) -> list[str]:
        return [track.label for track in rank_tracks([Track(code.lstrip("~"), code.startswith("~")) for code in codes], wishes)]

    assert ["auto:ja"] == order("~ja", wishes=("zh", "en"))
    assert ["manual:en", "auto:en", "manual:ja"] == order("ja", "~en", "en", wishes=("zh", "en"))
    assert ["manual:zh-Hans", "auto:zh", "manual:en"] == order("en", "~zh", "zh-Hans", wishes=("zh", "en"))
    assert ["manual:en", "manual:zh-Hans", "manual:fr"] == order("fr", "zh-Hans", "en", wishes=("zh-TW", "en"))
    assert ["manual:fr", "auto:ja"] == order("~ja", "fr", wishes=("zh",))


def test_speech_that_goes_on_after_the_end_is_of_another_video() -> None:
    assert is_of_another([Cue(0, 1, "a"), Cue(900, 901, "b")], 600)
    assert not is_of_another([Cue(0, 1, "a"), Cue(598, 605, "b")], 600)
    assert not is_of_another([Cue(900, 901, "b")], 0)


def test_addresses_in_a_description_stay_links_and_nothing_else_does() -> None:
    assert "see <https://a.test/x_y_z?q=1>." == linked_text("see https://a.test/x_y_z?q=1&utm_source=mail.")
    assert "链接：<https://a.test/b>，好" == linked_text("链接：https://a.test/b，好")
    assert "\\#tag \\[\\[Note\\]\\]\n\\- item" == linked_text("#tag [[Note]]\r\n- item")
    assert "[" not in linked_text("https://a.test/](javascript:alert(1))[x").replace("\\[", "")
