"""When two addresses mean one page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.errors import InvalidUrl
from sidecar.vault.address import canonical_url, clean_url, url_hash

ARTICLE = "https://example.com/2026/spring?id=7"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/2026/spring?id=7",
        "http://example.com/2026/spring?id=7",
        "HTTPS://Example.COM:443/2026/spring?id=7",
        "https://www.example.com/2026/spring/?id=7",
        "https://m.example.com/2026/spring?id=7",
        "https://www.m.example.com/2026/spring?id=7",
        "https://example.com./2026/spring?id=7",
        "https://example.com/2026/spring?id=7#comments",
        "https://example.com/2026/spring?id=7&utm_source=x&utm_medium=y",
        "https://example.com/2026/spring?utm_campaign=z&id=7&fbclid=abc&gclid=q",
        "https://example.com/2026/spring/amp?id=7",
        "https://example.com/2026/spring/amp/?id=7",
        "https://example.com/2026/spring/amp.html?id=7",
        "https://example.com/2026/spring?id=7&amp=1",
        "https://example.com/2026/spring?UTM_Source=x&id=7&",
        "  <https://example.com/2026/spring?id=7>  ",
    ],
)
def test_ways_to_write_one_article_are_one_page(url: str) -> None:
    assert url_hash(ARTICLE) == url_hash(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/2026/spring?id=8",
        "https://example.com/2026/spring?id=7&p=2",
        "https://example.com/2026/spring",
        "https://example.com/2026/Spring?id=7",
        "https://example.com:8443/2026/spring?id=7",
        "https://news.example.com/2026/spring?id=7",
        "https://example.org/2026/spring?id=7",
        "https://example.com/2026/spring/ampere?id=7",
    ],
)
def test_parameters_paths_and_hosts_that_choose_content_make_another_page(url: str) -> None:
    assert url_hash(ARTICLE) != url_hash(url)


def test_the_order_of_parameters_makes_no_difference_but_each_of_them_counts() -> None:
    assert url_hash("https://example.com/?a=1&b=2") == url_hash("https://example.com/?b=2&a=1")
    assert url_hash("https://example.com/?tag=a&tag=b") != url_hash("https://example.com/?tag=b")


def test_parameters_in_another_encoding_than_utf_8_are_told_apart() -> None:
    """GBK sites: 你 and 低 are %C4%E3 and %B5%CD; both would be the same replacement characters in UTF-8."""
    assert url_hash("https://example.cn/s?w=%C4%E3") != url_hash("https://example.cn/s?w=%B5%CD")


def test_an_address_copied_decoded_is_the_one_copied_encoded() -> None:
    assert url_hash("https://zh.wikipedia.org/wiki/知识") == url_hash("https://zh.wikipedia.org/wiki/%e7%9f%a5%E8%AF%86")
    assert url_hash("https://zh.wikipedia.org/wiki/知识") == url_hash("https://zh.m.wikipedia.org/wiki/知识")


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PL1&index=4",
        "https://youtu.be/dQw4w9WgXcQ?t=42",
        "https://m.youtube.com/watch?v=dQw4w9WgXcQ&t=10s",
        "https://www.youtube.com/shorts/dQw4w9WgXcQ",
        "https://www.youtube.com/live/dQw4w9WgXcQ?si=x",
        "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
        "https://music.youtube.com/watch?v=dQw4w9WgXcQ",
    ],
)
def test_one_video_under_all_its_addresses_is_one_page(url: str) -> None:
    assert "https://youtube.com/watch?v=dQw4w9WgXcQ" == canonical_url(url)


def test_a_channel_is_no_video() -> None:
    assert "https://youtube.com/@someone" == canonical_url("https://www.youtube.com/@someone")


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("HTTPS://Example.com:443", "https://example.com/"),
        ("https://example.com:8443/a#b", "https://example.com:8443/a"),
        ("http://例え.jp/頁", "http://xn--r8jz45g.jp/頁"),
        ("https://example.com/a?utm_source=x", "https://example.com/a"),
        ("https://example.com/a?flag&utm_source=x", "https://example.com/a?flag"),
        ("https://example.cn/a?w=%C4%E3&utm_id=1", "https://example.cn/a?w=%C4%E3"),
        ("https://example.com/a?q=a%20b+c&utm_source=x&z=%2f", "https://example.com/a?q=a%20b+c&z=%2f"),
        ("https://www.bilibili.com/video/BV1?p=2&vd_source=1&share_source=copy&t=9", "https://www.bilibili.com/video/BV1?p=2&t=9"),
        ("https://mp.weixin.qq.com/s?__biz=M&mid=1&idx=1&sn=a&chksm=b&scene=21", "https://mp.weixin.qq.com/s?__biz=M&mid=1&idx=1&sn=a"),
        ("http://[2606:4700::1]:80/", "http://[2606:4700::1]/"),
    ],
)
def test_a_note_shows_the_address_without_tracking_and_otherwise_as_it_was(url: str, clean: str) -> None:
    assert clean == clean_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "/a",
        "ftp://example.com/",
        "javascript:alert(1)",
        "http://",
        "https:///a",
        "http://u@example.com/",
        "http://u:p@example.com/",
        "http://example.com:99999/",
        "http://[::1/",
        "http://a..b/",
        "http://" + "a" * 64 + ".com/",
    ],
)
def test_what_is_no_web_address_is_refused_with_advice(url: str) -> None:
    with pytest.raises(InvalidUrl) as caught:
        clean_url(url)
    assert caught.value.fix


_HOSTS = st.from_regex(r"(?:(?:www|m|mobile|wap|amp|a)\.){0,3}[a-z]{2,5}\.(?:com|cn|co\.uk)(?::8080)?\.?", fullmatch=True).filter(
    lambda host: not host.endswith(":8080.")
)
_PATHS = st.text(st.sampled_from("/abcAMP.amphtml%20知é-_~"), max_size=20).map(lambda path: "/" + path)
_QUERIES = st.text(st.sampled_from("abv=&;%C4+utm_source知"), max_size=20)


@given(_HOSTS, _PATHS, _QUERIES, st.sampled_from(["http", "https"]))
def test_canonical_twice_is_canonical_once(host: str, path: str, query: str, scheme: str) -> None:
    once = canonical_url(f"{scheme}://{host}{path}?{query}")
    assert once == canonical_url(once)


@given(_HOSTS, _PATHS, _QUERIES)
def test_clean_twice_is_clean_once_and_means_the_same_page(host: str, path: str, query: str) -> None:
    url = f"https://{host}{path}?{query}"
    assert clean_url(url) == clean_url(clean_url(url))
    assert url_hash(url) == url_hash(clean_url(url))


def test_a_parameter_that_tracks_on_one_site_chooses_content_on_another() -> None:
    assert url_hash("https://example.com/play?scene=1") != url_hash("https://example.com/play?scene=2")
    assert clean_url("https://example.com/play?scene=1") == "https://example.com/play?scene=1"
    assert url_hash("https://mp.weixin.qq.com/s?__biz=a&mid=1&scene=1") == url_hash("https://mp.weixin.qq.com/s?__biz=a&mid=1&scene=2")
    assert url_hash("https://www.bilibili.com/video/BV1?vd_source=x") == url_hash("https://m.bilibili.com/video/BV1")
    assert url_hash("https://www.bilibili.com/video/BV1?p=2") != url_hash("https://www.bilibili.com/video/BV1")
