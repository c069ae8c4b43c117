"""WeChat's articles and posts: what is read of each kind, and that no wall becomes a note."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from sidecar.errors import ExtractionError, PageGone, PageUnavailable, VerificationWall
from sidecar.ingest.adapters import claiming_adapter, read_page
from sidecar.ingest.document import Document
from sidecar.ingest.page.decode import decode_page

URL = "https://mp.weixin.qq.com/s/abcdefghijklmnopqrstuv"
SAVED = (
    "article-code", "article-images", "article-weekly", "article-share-card", "image-post", "text-post-titled", "text-post-untitled",
)  # fmt: skip


def saved(shared: Path, name: str) -> tuple[str, str, dict[str, Any]]:
    meta_path = next((shared / "data/web/wechat").glob(f"{name}.html.meta.json"))
    meta = json.loads(meta_path.read_text("utf-8"))
    path = meta_path.parent / meta["file"]
    body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return meta["url"], decode_page(body), meta["expect"]


def plain(markdown: str) -> str:
    return re.sub(r"[\s`*\\]", "", markdown)


@pytest.mark.parametrize("name", SAVED)
def test_a_saved_page_gives_what_a_person_read_in_it(shared: Path, name: str) -> None:
    url, text, expect = saved(shared, name)
    document = read_page(url, "text/html", text)
    assert (expect["account"], expect["published"], expect["author"] or "") == (document.account, document.published, document.author)
    assert expect["title"] in (document.title, None)
    assert (expect["site"], expect["lang"]) == (document.site, document.lang)
    assert expect["images"] == len(document.images)
    assert expect["images"] == document.markdown.count("![")
    for words in (expect.get("first"), expect.get("last_of_article"), (expect.get("last") or "").split(" (a reference")[0]):
        assert plain(words or "") in plain(document.markdown)
    for words in expect.get("tail_boilerplate", []):
        assert plain(words) not in plain(document.markdown)
    assert ("full" if name != "article-share-card" else "summary_only") == document.body_state
    assert url == document.url


def test_code_keeps_its_lines_and_headings_are_kept(shared: Path) -> None:
    url, text, expect = saved(shared, "article-code")
    markdown = read_page(url, "text/html", text).markdown
    assert expect["code_blocks"] * 2 == len(re.findall(r"^```", markdown, re.MULTILINE))
    assert expect["headings"] - 1 <= len(re.findall(r"^#+ ", markdown, re.MULTILINE)) <= expect["headings"]
    assert max(block.count("\n") for block in markdown.split("```")[1::2]) > 10


@pytest.mark.parametrize(
    ("name", "kind"),
    [("deleted-by-author", PageGone), ("violation", PageGone), ("unavailable", PageUnavailable), ("verify-shell", VerificationWall),
     ("verify-worded", VerificationWall)],
)  # fmt: skip
def test_a_page_without_its_article_is_an_error_of_its_kind(shared: Path, name: str, kind: type[ExtractionError]) -> None:
    url, text, expect = saved(shared, name)
    with pytest.raises(kind) as caught:
        read_page(url, "text/html", text)
    assert caught.value.fix
    if "article_url" in expect:
        assert expect["article_url"] == caught.value.params["url"]


# ── the same on small pages of our own ────────────────────────────────────────────────────────


def article(body: str, head: str = "") -> str:
    return (
        f'<html><head><meta property="og:title" content="标题"/>{head}<script>var item_show_type = "0"; var ct = "1730080366";'
        f'</script></head><body><h1 id="activity-name"> 标题 </h1><a id="js_name"> 某号 </a>'
        f'<div id="js_content" style="visibility: hidden; opacity: 0">{body}</div></body></html>'
    )


def read(text: str, url: str = URL) -> Document:
    return read_page(url, "text/html", text)


def test_an_article_that_is_hidden_until_a_script_has_run_is_read() -> None:
    document = read(article("<p>正文第一段。</p><pre><code>a = 1</code><code>  b = 2</code></pre>"))
    assert ("标题", "某号", "2024-10-28T09:52:46+08:00", "full") == (
        document.title, document.account, document.published, document.body_state,
    )  # fmt: skip
    assert "正文第一段。\n\n```\na = 1\n  b = 2\n```\n" == document.markdown


def test_every_picture_without_an_address_of_its_own_is_kept_in_order() -> None:
    pictures = "".join(f'<p><img data-src="https://mmbiz.qpic.cn/{n}?wx_fmt=png&amp;from=appmsg"></p>' for n in range(3))
    document = read(article(f"<p>图</p>{pictures}<img data-src='https://mmbiz.qpic.cn/pixel' width=1 height=1>"))
    assert [f"https://mmbiz.qpic.cn/{n}?wx_fmt=png&from=appmsg" for n in range(3)] == list(document.images)


def test_an_article_may_talk_about_verification() -> None:
    assert (
        "环境异常"
        in read(article("<p>页面写着：环境异常，完成验证后即可继续访问。PAGE_MID='mmbizwap:secitptpage/verify.html'</p>")).markdown
    )


def test_an_embedded_video_leaves_a_link() -> None:
    markdown = read(article('<p>看</p><iframe data-src="https://v.qq.com/iframe/preview.html?vid=abc12345"></iframe>')).markdown
    assert "[视频 abc12345](https://v.qq.com/iframe/preview.html?vid=abc12345)" in markdown


def post(kind: str, **values: str) -> str:
    data = "".join(f"{name}: JsDecode('{value}'),\n" for name, value in values.items())
    return (
        f"<html><head><meta property='og:title' content='{values.get('title', '')}'/></head><body>"
        f"<script>window.item_show_type = '{kind}' || ''; window.cgiDataNew = {{ {data} create_time: JsDecode('2025-11-05 18:30') }};"
        "</script></body></html>"
    )


def test_a_text_post_without_a_title_takes_its_first_sentence() -> None:
    text = "大家好。\\x0a\\x0a第二段 [[链接]] #标签\\x0a%%注%%"
    page = post("10", content_noencode=text).replace("og:title' content=''", "og:title' content='大家好。\\n\\n第二段'")
    document = read(page.replace("create_time", "is_user_title: '0' * 1, create_time"))
    assert ("大家好", "2025-11-05T18:30:00+08:00") == (document.title, document.published)
    assert "[[" not in document.markdown
    assert "\\#标签" in document.markdown


def test_only_the_picture_itself_is_taken_of_a_picture_post() -> None:
    extras = "watermark_info: { cdn_url: 'https://p.test/mark' }, share_cover: { cdn_url: 'https://p.test/c' }"
    one = f"{{ cdn_url: 'https://p.test/1?a=1\\x26amp;b=2', {extras} }}"
    listing = f"picture_page_info_list: [ {one}, {one.replace('/1?', '/2?')} ], create_time"
    page = post("8", content_noencode="文字").replace("create_time", listing)
    assert ("https://p.test/1?a=1&b=2", "https://p.test/2?a=1&b=2") == read(page).images


def test_a_video_post_is_a_note_with_its_words() -> None:
    document = read(post("5", content_noencode="视频简介", title="片名"))
    assert ("片名", "summary_only", "视频简介\n") == (document.title, document.body_state, document.markdown)


@pytest.mark.parametrize(
    ("long", "expected"),
    [
        (f"{URL}?scene=1&sessionid=2#rd", URL),
        ("https://mp.weixin.qq.com/s?__biz=MzI=&mid=12&idx=1&sn=ab&chksm=x&key=secret&pass_ticket=y",
         "https://mp.weixin.qq.com/s?__biz=MzI=&mid=12&idx=1&sn=ab"),
    ],
)  # fmt: skip
def test_an_article_has_one_address_and_no_key_of_a_session(long: str, expected: str) -> None:
    assert expected == read(article("<p>字</p>"), long).url


def test_the_short_address_is_taken_where_the_page_names_it() -> None:
    page = article("<p>字</p>", f'<script>var msg_link = "{URL}";</script>')
    assert URL == read(page, "https://mp.weixin.qq.com/s?__biz=MzI=&mid=12&idx=1&sn=ab").url


def test_promotion_behind_the_article_goes_and_the_same_words_within_stay() -> None:
    body = "<p>想关注公众号的人很多，这是正文。</p><p>正文结束。</p><p>长按图片加我微信进群</p><p>看完记得点在看</p>"
    assert "想关注公众号的人很多，这是正文。\n\n正文结束。\n" == read(article(body)).markdown


@pytest.mark.parametrize(
    ("url", "mine"),
    [(URL, True), ("https://mp.weixin.qq.com/s?__biz=1", True), ("https://mp.weixin.qq.com/", False),
     ("https://mp.weixin.qq.com/mp/profile_ext?x", False), ("https://mp.weixin.qq.com.evil.test/s/x", False),
     ("https://weixin.qq.com/s/x", False)],
)  # fmt: skip
def test_only_articles_are_claimed(url: str, mine: bool) -> None:
    adapter = claiming_adapter(url)
    assert mine == (adapter is not None and adapter.name == "wechat")


def test_a_wall_that_names_another_site_is_not_followed_there() -> None:
    adapter = claiming_adapter("https://mp.weixin.qq.com/mp/wappoc_appmsgcaptcha?target_url=https%3A%2F%2Fevil.test%2F")
    assert adapter is not None
    assert adapter.first("https://mp.weixin.qq.com/mp/wappoc_appmsgcaptcha?target_url=https%3A%2F%2Fevil.test%2F").url.startswith(
        "https://mp.weixin.qq.com/mp/"
    )


@pytest.mark.parametrize("text", ["", "<html></html>", "<p>x", "x" * 100_000, "var ct='" * 20_000, "picture_page_info_list=[" * 5000])
def test_a_page_of_no_known_kind_is_an_error_with_advice(text: str) -> None:
    with pytest.raises(ExtractionError) as caught:
        read(text)
    assert caught.value.fix
