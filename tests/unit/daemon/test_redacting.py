"""No key, cookie, home folder or private address gets into a log or a report, whatever it is wrapped in."""

from __future__ import annotations

import base64
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.daemon.redact import HIDDEN, redact

HOME = Path("/home/ann")
plain = st.text(string.ascii_letters + string.digits, min_size=8, max_size=64)
keys = st.one_of(
    plain,
    st.binary(min_size=12, max_size=40).map(lambda raw: base64.urlsafe_b64encode(raw).decode().rstrip("=")),
    st.binary(min_size=8, max_size=32).map(bytes.hex),
    st.uuids().map(str),
)

IN_ADDRESSES = (
    "https://example.com/feed/{}/private.xml",
    "fetched https://example.com/rss?key={}&n=1 in 3 s",
    "https://ann:{}@example.com/feed",
    "<https://{}@example.com/>",
    "https://example.com/#access={}",
    '{{"url": "https://example.com/u/{}.xml"}}',
    "feed://example.com:8443/{}/",
)
BY_NAME = (
    "Authorization: Bearer {}",
    "authorization=Basic {}",
    "Cookie: SESSDATA={}; path=/",
    "set-cookie: sid={}; HttpOnly",
    '{{"token": "{}", "pid": 12}}',
    "api_key = '{}'",
    "KB_API-KEY={}",
    "password: {}",
    "x-auth-token: {}",
)


@pytest.mark.parametrize("wrapping", [*IN_ADDRESSES, *BY_NAME])
@given(key=keys)
def test_no_key_in_an_address_or_behind_its_name_survives_a_report(wrapping: str, key: str) -> None:
    assert key not in redact(f"before {wrapping.format(key)} after", home=HOME, for_others=True)


@pytest.mark.parametrize("wrapping", BY_NAME)
@given(key=keys)
def test_no_key_behind_its_name_gets_into_a_log(wrapping: str, key: str) -> None:
    assert key not in redact(wrapping.format(key), home=HOME)


@given(key=plain, before=st.text(max_size=30), after=st.text(max_size=30))
def test_a_known_secret_is_hidden_wherever_it_stands(key: str, before: str, after: str) -> None:
    assert key not in redact(before + key + after, hidden=[key])


@given(name=st.text(string.ascii_letters + string.digits + "._-äß 知", min_size=1, max_size=20).filter(lambda n: n.strip(" .")))
def test_the_home_folder_is_a_tilde(name: str) -> None:
    for home in (Path(f"/home/{name}"), Path(f"/Users/{name}"), Path(f"/data/people/{name}")):
        for text in (f"{home}/a folder/note.md", f'"{home}/x"', f"in {home}: gone"):
            shown = redact(text, home=home)
            assert f"/{name}/" not in shown
            assert "~" in shown


@pytest.mark.parametrize(
    ("text", "home"),
    [(r"C:\Users\ann\notes", r"C:\Users\ann"), (r"C:\\Users\\ann\\notes", r"C:\Users\ann"), ("C:/Users/Ann/x", "C:/Users/ann")],
)
def test_windows_folders_are_hidden_in_each_way_of_writing(text: str, home: str) -> None:
    assert "ann" not in redact(text, home=Path(home)).lower()


@given(st.text(max_size=200))
def test_hiding_twice_is_hiding_once_and_never_fails(text: str) -> None:
    once = redact(text, home=HOME, for_others=True)
    assert once == redact(once, home=HOME, for_others=True) or HIDDEN in once


def test_a_log_still_says_which_page_and_which_note() -> None:
    said = "https://example.com/blog/2026/11/slow-gardens was saved as sources/2026-11-30-slow-gardens.md by author Jane"
    assert said == redact(said, home=HOME)
    assert "https://example.com/…" in redact(said, home=HOME, for_others=True)
    assert "ready: 4 files, 4 notes parsed, 0 from the cache" == redact("ready: 4 files, 4 notes parsed, 0 from the cache")


def test_a_flood_of_text_is_hidden_in_time() -> None:
    import time

    for text in ("a" * 200_000, "token" * 40_000, "https://" * 30_000, "-" * 200_000):
        begun = time.process_time()
        redact(text, home=HOME, for_others=True)
        assert time.process_time() - begun < 3
