"""Which parts of an address are nobody else's business, and how it is shown without them."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit, urlunsplit

_NAMES = re.compile(
    r"(?:^|[_-])(?:token|key|apikey|api_key|auth|secret|sig|signature|password|passwd|pwd|session|sid|access|code|uuid)(?:$|[_-])",
    re.IGNORECASE,
)
_RANDOM = re.compile(
    r"(?=[^/]*\d)(?=[^/]*[A-Za-z])[A-Za-z0-9_-]{24,}|[0-9a-fA-F]{24,}"
    r"|(?=[^/]*\d[^/]*\d)(?=[^/]*[a-z][^/]*[a-z])(?=[^/]*[A-Z][^/]*[A-Z])[A-Za-z0-9]{16,}"
)
"""Long, and letters mixed with digits; or shorter, if in both cases and without a dash, as names in addresses are not."""
_SHOWN = "…"


def is_private(url: str) -> bool:
    """Tell whether an address holds what looks like a key of its reader's own."""
    return redacted(url) != url


def redacted(url: str) -> str:
    """Give the address with user name, keys and random-looking parts of its path left out; a secret named by ``${secret:…}`` stays."""
    if "://" not in url:
        return url
    try:
        parts = urlsplit(url)
    except ValueError:
        return _SHOWN
    host = parts.netloc.rpartition("@")[2] if "@" in parts.netloc else parts.netloc
    netloc = f"{_SHOWN}@{host}" if "@" in parts.netloc else host
    path = "/".join(_SHOWN if _is_key(piece, host) else piece for piece in parts.path.split("/"))
    query = parts.query
    if query and any(_is_secret(name, value, host) for name, value in parse_qsl(query, keep_blank_values=True)):
        query = "&".join(_piece(piece, host) for piece in query.split("&"))
    return urlunsplit((parts.scheme, netloc, path, query, parts.fragment))


def _is_key(piece: str, host: str) -> bool:
    return "${secret:" not in piece and bool(_RANDOM.fullmatch(piece.partition(".")[0])) and not _is_public(host, piece)


def _piece(piece: str, host: str) -> str:
    name, _, value = piece.partition("=")
    return f"{name}={_SHOWN}" if _is_secret(name, value, host) else piece


def _is_secret(name: str, value: str, host: str) -> bool:
    if not value or "${secret:" in value or _is_public(host, value):
        return False
    return bool(_NAMES.search(name) and len(value) >= 6) or bool(_RANDOM.fullmatch(value))


def _is_public(host: str, value: str) -> bool:
    """Ids of channels are random to look at and known to all."""
    return host.endswith("youtube.com") and bool(re.fullmatch(r"(?:UC|UU|PL)[\w-]{16,}", value))
