"""When two addresses mean the same page (pure)."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from sidecar.errors import InvalidUrl

_TRACKING = re.compile(
    r"(?:utm_.*|mtm_.*|pk_.*|fbclid|gclid|gbraid|wbraid|dclid|msclkid|yclid|twclid|igshid|igsh|mc_cid|mc_eid|_hsenc|_hsmi|ref_src|ref_url"
    r"|spm|spm_id_from|vd_source|share_source|share_medium|share_plat|share_tag|share_session_id|from_source|unique_k|buvid|is_story_h5"
    r"|scene|chksm|sessionid|clicktime|enterid|ascene|subscene|sharer_.*|wt_mc|cmpid|ncid|oly_.*|vero_.*|s_cid|guccounter|guce_.*)$",
    re.IGNORECASE,
)
_YOUTUBE_HOSTS = frozenset({"youtube.com", "m.youtube.com", "music.youtube.com", "youtu.be", "youtube-nocookie.com"})
_MOBILE = re.compile(r"^(?:m|mobile|wap)\.(?=[^.]+\.[^.]+)")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def clean_url(url: str) -> str:
    """Give the address as it stands in a note: scheme and host in lower case, no default port, fragment or tracking parameters.

    Raises:
        InvalidUrl: It is no http(s) address.
    """
    text = url.strip().strip("<>")
    try:
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
    kept = [(key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.match(key)]
    query = parts.query if len(kept) == len(parse_qsl(parts.query, keep_blank_values=True)) else urlencode(kept)
    return urlunsplit((scheme, netloc, parts.path or "/", query, ""))


def canonical_url(url: str) -> str:
    """Give the address by which pages are told apart: beside :func:`clean_url`, mobile and AMP forms, ``www.``, a slash at the
    end, http against https and the order of parameters make no difference. Parameters that choose content (``?p=2``) do.
    """
    parts = urlsplit(clean_url(url))
    host = parts.netloc.removeprefix("www.")
    path, query = parts.path, dict(parse_qsl(parts.query, keep_blank_values=True))
    if host in _YOUTUBE_HOSTS:
        video = _youtube_id(host, path, query)
        if video:
            return f"https://youtube.com/watch?v={video}"
    host = _MOBILE.sub("", host).replace(".m.wikipedia.org", ".wikipedia.org")
    path = re.sub(r"/(?:amp|amp\.html)/?$", "/", path)
    query.pop("amp", None)
    path = path.rstrip("/") or "/"
    return urlunsplit(("https", host, path, urlencode(sorted(query.items())), ""))


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
