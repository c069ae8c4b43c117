"""When two addresses mean the same page (pure)."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote, unquote_plus, urlsplit, urlunsplit

from sidecar.errors import InvalidUrl

_TRACKING = re.compile(
    r"(?:utm_.*|mtm_.*|fbclid|gclid|gbraid|wbraid|dclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_hsenc|_hsmi|wt_mc|guccounter|guce_.*)$",
    re.IGNORECASE,
)
"""Parameters that no site chooses content by."""
_SITE_TRACKING: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "weixin.qq.com",
        re.compile(r"(?:scene|chksm|sessionid|clicktime|enterid|ascene|subscene|sharer_.*|from|isappinstalled|pass_ticket|key|uin)$"),
    ),
    ("bilibili.com", re.compile(r"(?:spm_id_from|vd_source|share_.*|from_source|unique_k|buvid|is_story_h5|mid|timestamp|from|seid)$")),
)
"""Parameters that mean nothing on one site, and may choose content on others."""
_YOUTUBE_HOSTS = frozenset({"youtube.com", "music.youtube.com", "youtu.be", "youtube-nocookie.com"})
_PREFIXES = re.compile(r"^(?:(?:www|m|mobile|wap)\.(?=[^.]+\.[^.]+))+")
_AMP = re.compile(r"(?<!^/wiki)(?:/amp(?:\.html)?/*)+$")
_ARXIV_PATH = re.compile(r"/(?:abs|pdf|html)/(\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?)(?:\.pdf)?/?")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def clean_url(url: str) -> str:
    """Give the address as it stands in a note: scheme and host in lower case, no default port, fragment or tracking parameters.

    Raises:
        InvalidUrl: It is no http(s) address.
    """
    text = url.strip().strip("<>")
    try:
        text.encode("utf-8")  # half a surrogate pair is no part of an address
        parts = urlsplit(text)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode("ascii") if parts.hostname else ""
    except (ValueError, UnicodeError) as error:
        raise InvalidUrl(f"{text[:200]!r} is not an address.", fix="Give a whole address like https://example.com/page.") from error
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS or not host:
        raise InvalidUrl(f"{text[:200]!r} is not a web address.", fix="Give a whole address like https://example.com/page.")
    if parts.username or parts.password:
        raise InvalidUrl("The address carries a user name or password.", fix="Remove what stands before the @.")
    host = f"[{host}]" if ":" in host else host
    netloc = host if port in (None, _DEFAULT_PORTS[scheme]) else f"{host}:{port}"
    # Piece by piece and never decoded: what is left must reach the site byte for byte, be it GBK or without a value.
    query = "&".join(piece for piece in parts.query.split("&") if not _is_tracking(host, unquote_plus(piece.partition("=")[0])))
    return urlunsplit((scheme, netloc, parts.path or "/", query, ""))


def canonical_url(url: str) -> str:
    """Give the address by which pages are told apart: beside :func:`clean_url`, mobile and AMP forms, ``www.``, a slash at the
    end, http against https and the order of parameters make no difference. Parameters that choose content (``?p=2``) do.
    """
    parts = urlsplit(clean_url(url))
    host = _PREFIXES.sub("", parts.netloc).removesuffix(".")
    pieces = [piece for piece in parts.query.split("&") if piece]
    if host in _YOUTUBE_HOSTS:
        video = _youtube_id(host, parts.path, dict(piece.partition("=")[::2] for piece in pieces))
        if video:
            return f"https://youtube.com/watch?v={video}"
    if host == "bilibili.com" and parts.path.startswith("/video/"):  # a place in the video, and the first part, make no other video
        pieces = [piece for piece in pieces if piece != "p=1" and piece.partition("=")[0] != "t"]
    paper = arxiv_id(url)
    if paper:
        return f"https://arxiv.org/abs/{re.sub(r'v[0-9]+$', '', paper)}"
    host = host.replace(".m.wikipedia.org", ".wikipedia.org")
    path = _AMP.sub("", _same_escapes(parts.path)).rstrip("/") or "/"
    kept = sorted(_same_escapes(piece) for piece in pieces if piece.partition("=")[0] != "amp")
    return urlunsplit(("https", host, path, "&".join(kept), ""))


def find_address(url: str) -> str:
    """Give the canonical address, or empty text for what is no web address."""
    try:
        return canonical_url(url) if url[:4].lower() == "http" else ""
    except InvalidUrl:
        return ""


def arxiv_id(url: str) -> str:
    """Give the number of the paper that a link to arXiv leads to, with its version if it names one; else empty text."""
    parts = urlsplit(url)
    if parts.hostname not in ("arxiv.org", "www.arxiv.org", "export.arxiv.org"):
        return ""
    found = _ARXIV_PATH.fullmatch(parts.path)
    return found[1] if found else ""


def _same_escapes(text: str) -> str:
    """Write what a browser shows decoded (``知识``) and copies encoded (``%E7%9F…``) in one way."""
    encoded = quote(text, safe="%/:@!$&'()*+,;=~?[]|{}^`\"<>\\")
    return re.sub(r"%[0-9a-fA-F]{2}", lambda found: found[0].upper(), encoded)


def url_hash(url: str) -> str:
    """Give the SHA-256 of the canonical address, in hex: the key of the duplicates test."""
    return hashlib.sha256(canonical_url(url).encode("utf-8")).hexdigest()


def _youtube_id(host: str, path: str, query: dict[str, str]) -> str:
    if host == "youtu.be":
        return path.strip("/").split("/")[0]
    if path == "/watch":
        return query.get("v", "")
    found = re.match(r"/(?:shorts|live|embed)/([\w-]+)", path)
    return found[1] if found else ""


def _is_tracking(host: str, name: str) -> bool:
    if _TRACKING.match(name):
        return True
    return any((host == site or host.endswith("." + site)) and names.match(name) for site, names in _SITE_TRACKING)
