"""Articles and posts of WeChat's public accounts (``mp.weixin.qq.com/s…``).

Every page of theirs is answered with status 200: deleted ones, those behind a verification, and posts whose text stands in a
script only. Which of them it is shows in the page's own data, never in words that an ordinary article may hold as well.
"""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import parse_qs, quote, urljoin, urlsplit

from lxml.html import HtmlElement

from sidecar.errors import ExtractionError, PageGone, PageUnavailable, VerificationWall
from sidecar.ingest.adapters.base import PAGE, PASTED, Adapter, Need, Pages, Wishes, the_page
from sidecar.ingest.document import Document
from sidecar.ingest.page.metadata import language_of
from sidecar.ingest.page.safe_text import escape_line_start, escape_text, safe_destination
from sidecar.ingest.page.to_markdown import MarkdownWriter
from sidecar.ingest.page.tree import clean_page, parse_page, text_of

_SITE = "微信公众平台"
_BEIJING = timezone(timedelta(hours=8))
_TITLE_CHARS = 40
_SHARE = "Share the article in WeChat, copy its text there and paste it here."
_WALL_PATHS = ("/mp/wappoc_appmsgcaptcha", "/mp/verify")
_WALL_PAGE = re.compile(r"PAGE_MID\s*=\s*['\"]mmbizwap:secitptpage")
_STRING = r"(?:JsDecode\()?(?:'((?:[^'\\\n]|\\.){0,200000})'|\"((?:[^\"\\\n]|\\.){0,200000})\")"
_JS_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_JS_LETTERS = {"n": "\n", "r": "\n", "t": "\t", "b": "", "f": "", "v": "", "0": ""}
_PICTURE = re.compile(r"cdn_url\s*:\s*" + _STRING)
_KIND = re.compile(r"\b(?:var\s+|window\.)item_show_type\s*=\s*['\"]?(\d{1,3})\b")
"""Only where it is set: the page's scripts compare it with all the others, too."""
_PROMOTION = re.compile(
    r"(?:长按|扫码|扫描|识别).{0,20}(?:二维码|关注|图片加|微信|进群|入群)|关注.{0,8}公众号|公众号.{0,6}(?:星标|回复|发送)"
    r"|(?:标|设为)星标?|点.{0,3}在看|点个?赞.{0,10}(?:在看|转发)|领取.{0,30}资料|加.{0,6}微信.{0,20}群"
)
_PROMOTION_BLOCKS = 8
_PROMOTION_CHARS = 120
_VIDEO_ID = re.compile(r"(?:[?&]vid=|data-mpvid=[\"'])([\w-]{5,40})")


def claims(url: str) -> bool:
    parts = urlsplit(url)
    return parts.hostname == "mp.weixin.qq.com" and (parts.path == "/s" or parts.path.startswith(("/s/", *_WALL_PATHS)))


def first(url: str) -> Need:
    return the_page(_behind_wall(url) or url)


def read(url: str, pages: Pages, wishes: Wishes) -> Document:
    """Read an article, a picture post, a text post, a video post or a card that shares another article.

    Raises:
        VerificationWall: WeChat wants to see a person first.
        PageGone: Deleted by its author, or withdrawn.
        PageUnavailable: Not to be seen at the moment.
        ExtractionError: A page of a kind that is not known.
    """
    page = pages.get(PAGE) or pages[PASTED]
    text = page.text
    if urlsplit(page.url).path.startswith(_WALL_PATHS) or ("js_content" not in text and _WALL_PAGE.search(text)):
        article = _behind_wall(page.url) or url
        raise VerificationWall("WeChat wants to see a person before it shows this article.", fix=_SHARE, url=article, step="verification")
    tree = parse_page(text)
    if tree is None:
        raise ExtractionError("The page is empty or no HTML.", fix=_SHARE, url=url, step="parse")
    content = tree.get_element_by_id("js_content", None)
    said = _KIND.search(text)
    kind = said[1] if said else None
    if content is None and kind is None:
        raise _refusal(tree, url)
    return _Reader(url, text, tree, content, kind or "0").read()


class _Reader:
    """Reads one page that holds a post."""

    def __init__(self, url: str, text: str, tree: HtmlElement, content: HtmlElement | None, kind: str) -> None:
        self._url = _identity(url, text)
        self._text = text
        self._tree = tree
        self._content = content
        self._kind = kind
        self._writer = MarkdownWriter(url)

    def read(self) -> Document:
        words = _decoded(_longest(self._text, "content_noencode"))
        card = self._tree.get_element_by_id("js_share_source", None)
        has_article = self._content is not None and bool(text_of(self._content).strip() or self._content.findall(".//img"))
        if card is not None and card.get("data-url") and not (has_article and self._kind == "0"):
            return self._document(*self._shared(card, words))
        if self._kind == "5":
            return self._document(self._paragraphs(words), "summary_only", "The video itself stays at WeChat.")
        if self._kind in ("8", "10") or not has_article:
            return self._document(*self._post(words))
        assert self._content is not None, "an article has its element"
        return self._document(self._article(self._content), "full")

    def _article(self, content: HtmlElement) -> str:
        content.attrib.pop("style", None)  # hidden until a script has run
        for frame in content.findall(".//iframe"):
            _name_video(frame)
        for pre in content.iter("pre"):
            lines = pre.findall("code")
            for line in lines[:-1] if len(lines) > 1 else ():  # one element for each line
                line.tail = "\n" + (line.tail or "").lstrip("\n")
        for image in content.findall(".//img"):
            if image.get("width") == image.get("height") == "1":
                image.drop_tree()
        clean_page(content)
        return _without_promotion(self._writer.write(content))

    def _post(self, words: str) -> tuple[str, str, str]:
        text = words or _decoded(_longest(self._text, "content")) or self._meta("og:title").replace("\\n", "\n")
        parts = [self._paragraphs(text).strip()]
        for address in _pictures(_slice_of(self._text, "picture_page_info_list")):
            self._writer.images.append(address)
            parts.append(f"![]({safe_destination(address)})")
        markdown = "\n\n".join(part for part in parts if part)
        return (markdown + "\n" if markdown else ""), "full" if markdown else "missing", "" if markdown else "The post holds no text."

    def _shared(self, card: HtmlElement, words: str) -> tuple[str, str, str]:
        address = urljoin("https://mp.weixin.qq.com/", html.unescape(card.get("data-url", "")))
        recommendation = ""
        fragment = parse_page(words) if "<" in words else None
        if fragment is not None:
            clean_page(fragment)
            recommendation = self._writer.write(fragment).strip()
        elif words:
            recommendation = self._paragraphs(words).strip()
        link = f"[阅读原文]({safe_destination(address)})" if urlsplit(address).scheme in ("http", "https") else ""
        markdown = "\n\n".join(part for part in (recommendation, link) if part) + "\n"
        return markdown, "summary_only", "The post only shares an article of another account; the link leads to it."

    def _paragraphs(self, text: str) -> str:
        """Write plain text as paragraphs; what looks like Markdown in it is none."""
        if re.search(r"<(?:p|br|div|section|a)\b", text):
            tree = parse_page(text)
            if tree is not None:
                clean_page(tree)
                return self._writer.write(tree)
        blocks = (block.strip() for block in re.split(r"\n\s*\n", text))
        return "\n\n".join("\n".join(escape_line_start(escape_text(line.strip())) for line in b.split("\n")) for b in blocks if b) + "\n"

    def _document(self, markdown: str, state: str, warning: str = "") -> Document:
        title = self._title(markdown)
        return Document(
            adapter="wechat",
            url=self._url,
            title=title,
            author=self._element("js_author_name") or self._meta("author"),
            published=self._published(),
            site=_SITE,
            lang=language_of("zh" if re.search("[\u4e00-\u9fff]", title) else "", title + markdown[:3000]),
            body_state=state,  # type: ignore[arg-type]
            markdown=markdown if markdown.strip() else "",
            account=self._account(),
            images=tuple(self._writer.images),
            warnings=(warning,) if warning else (),
        )

    def _title(self, markdown: str) -> str:
        if self._kind == "10" and _value(self._text, "is_user_title") == "0":
            words = self._meta("og:title").replace("\\n", "\n").strip()  # the whole text stands there
            sentence = re.split(r"[\n。！？!?]", words, maxsplit=1)[0].strip()
            return sentence if len(sentence) <= _TITLE_CHARS else sentence[:_TITLE_CHARS].rstrip("，, ") + "…"
        title = self._element("activity-name") or self._meta("og:title") or _decoded(_longest(self._text, "msg_title"))
        return " ".join(title.split()) or f"{self._account()} {self._published()[:10]}".strip() or self._url

    def _account(self) -> str:
        return self._element("js_name") or _decoded(_after(self._text, "user_info", "nick_name") or _value(self._text, "nick_name") or "")

    def _published(self) -> str:
        """Give the moment of publication in Beijing time, where the page says it."""
        for name in ("ct", "create_timestamp", "publish_time"):
            seconds = _value(self._text, name)
            if seconds and seconds.isdigit() and 1_300_000_000 < int(seconds) < 4_000_000_000:
                return datetime.fromtimestamp(int(seconds), UTC).astimezone(_BEIJING).isoformat()
        for name in ("create_time", "createTime"):
            said = _decoded(_value(self._text, name) or "")
            if re.fullmatch(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}", said):
                return f"{said.replace(' ', 'T')}:00+08:00"
        return ""

    def _element(self, element_id: str) -> str:
        found = self._tree.get_element_by_id(element_id, None)
        return " ".join(text_of(found).split()) if found is not None else ""

    def _meta(self, name: str) -> str:
        found = self._tree.xpath("//meta[@property=$name or @name=$name]/@content", name=name)
        return str(found[0]).strip() if found else ""


def _identity(url: str, text: str) -> str:
    """Give the one address of an article: the short one if the link or the page has it, else account, message and place in it."""
    asked = urlsplit(url)
    if asked.path.startswith("/s/"):
        return f"https://mp.weixin.qq.com{asked.path}"
    for name in ("msg_link", "link"):
        said = urlsplit(html.unescape(_decoded(_value(text, name) or "")))
        if said.hostname == "mp.weixin.qq.com" and said.path.startswith("/s/") and len(said.path) > 10:
            return f"https://mp.weixin.qq.com{said.path}"
    query = parse_qs(asked.query)
    kept = [(key, query[key][0]) for key in ("__biz", "mid", "idx", "sn") if query.get(key)]
    return "https://mp.weixin.qq.com/s?" + "&".join(f"{key}={quote(value, safe='=')}" for key, value in kept) if kept else url


def _behind_wall(url: str) -> str:
    """Give the article that a verification page stands before; empty if the address is none of such a page."""
    parts = urlsplit(url)
    if not parts.path.startswith(_WALL_PATHS):
        return ""
    target = (parse_qs(parts.query).get("target_url") or [""])[0]
    found = urlsplit(target)
    return target if found.scheme in ("http", "https") and found.hostname == "mp.weixin.qq.com" else ""


def _refusal(tree: HtmlElement, url: str) -> ExtractionError:
    """Tell what a page without any post says instead."""
    titles = [text_of(found).strip() for found in tree.xpath("//*[contains(@class, 'weui-msg__title') or contains(@class, 'mesg-block')]")]
    said = next((title for title in titles if title), "") or " ".join((tree.findtext(".//title") or "").split())
    lower = said.lower()
    if "删除" in said or "deleted" in lower:
        return PageGone("The author has deleted this article.", fix="It is gone; remove the link.", url=url, step="deleted")
    if "违规" in said or "投诉" in said or "violat" in lower:
        return PageGone("WeChat has withdrawn this article.", fix="It is gone; remove the link.", url=url, step="violation")
    if "暂时" in said or "无法查看" in said or "unavailable" in lower or "unable to view" in lower:
        return PageUnavailable("This article cannot be seen at the moment.", fix="Try again later.", url=url, step="unavailable")
    if "环境异常" in said or "verify" in lower:
        return VerificationWall("WeChat wants to see a person before it shows this article.", fix=_SHARE, url=url, step="verification")
    return ExtractionError("The page holds no article.", fix=_SHARE, url=url, step="choose")


def _name_video(frame: HtmlElement) -> None:
    """Put a link in the place of an embedded video, which would otherwise vanish without a trace."""
    source = frame.get("data-src") or frame.get("src") or ""
    found = _VIDEO_ID.search(source) or _VIDEO_ID.search(f"data-mpvid='{frame.get('data-mpvid') or ''}'")
    parent = frame.getparent()
    if parent is None or not found:
        return
    link = frame.makeelement("a", {"href": urljoin("https://mp.weixin.qq.com/", source)} if source else {})
    link.text = f"视频 {found[1]}"
    link.tail = frame.tail
    parent.replace(frame, link)


def _value(text: str, name: str) -> str | None:
    """Give the first value that the page's scripts set for a name: a quoted one, or a number."""
    found = re.search(rf"\b{name}\s*[=:]\s*(?:{_STRING}|(\d{{1,20}})\b)", text)
    return next((group for group in found.groups() if group is not None), "") if found else None


def _after(text: str, begin: str, name: str) -> str | None:
    at = text.find(begin)
    return _value(text[at : at + 20_000], name) if at >= 0 else None


def _longest(text: str, name: str) -> str:
    """Give the longest of the values set for a name: the same data stands several times in a page, here and there emptied."""
    found = re.findall(rf"\b{name}\s*[=:]\s*{_STRING}", text)
    return max((one or other for one, other in found), key=len, default="")


def _slice_of(text: str, name: str) -> str:
    """Give the first filled list of that name."""
    for found in re.finditer(rf"\b{name}\s*[=:]\s*\[", text):
        depth, at = 1, found.end()
        while depth and at < len(text) and at - found.end() < 2_000_000:
            depth += {"[": 1, "]": -1}.get(text[at], 0)
            at += 1
        if "cdn_url" in text[found.end() : at]:
            return text[found.end() : at]
    return ""


def _pictures(listing: str) -> list[str]:
    """Give the address of each picture of a post: the first of its own, not those of its watermark and its cover."""
    found: list[str] = []
    depth = begin = 0
    for mark in re.finditer(r"[{}]", listing):
        if mark[0] == "{":
            begin = mark.end() if depth == 0 else begin
            depth += 1
        else:
            depth -= 1
            address = _PICTURE.search(listing[begin : mark.start()]) if depth == 0 else None
            if address is not None:
                found.append(_decoded(address[1] or address[2] or ""))
    return [address for address in dict.fromkeys(found) if address.startswith(("https://", "http://"))]


def _without_promotion(markdown: str) -> str:
    """Take off what accounts put behind an article to win followers: a row of short last paragraphs that nearly all ask for it."""
    blocks = markdown.rstrip("\n").split("\n\n")
    for n in range(max(len(blocks) - _PROMOTION_BLOCKS, 1), len(blocks)):
        words = [block for block in blocks[n:] if not block.startswith("![")]
        if not words or not _PROMOTION.search(blocks[n]) or any(len(block) > _PROMOTION_CHARS for block in words):
            continue
        if sum(bool(_PROMOTION.search(block)) for block in words) * 3 >= len(words) * 2:
            pictures = [block for block in blocks[n:] if block.startswith("![")]  # they may be more than a code to scan
            return "\n\n".join([*blocks[:n], *pictures]) + "\n"
    return markdown


def _decoded(text: str) -> str:
    """Undo the escapes of a JavaScript string, then those of HTML, which stand inside."""

    def undo(found: re.Match[str]) -> str:
        if found[1] or found[2]:
            return chr(int(found[1] or found[2], 16))
        return _JS_LETTERS.get(found[3], found[3])

    plain = _JS_ESCAPE.sub(undo, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return html.unescape(plain).replace("\xa0", " ")


ADAPTER = Adapter("wechat", read, claims=claims, first=first)
