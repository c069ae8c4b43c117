"""Taking out of a text what must not leave this machine: keys, cookies, private addresses of feeds, names of folders.

Two degrees. A log of one's own keeps which page it was, without what may be a key; a report for others keeps hosts only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

HIDDEN = "[hidden]"

_ADDRESS = re.compile(r"(?i)\b[a-z][a-z0-9+.-]{1,30}://[^\s<>\"'`|{}]+")
_NAMED = re.compile(
    r"(?i)(?P<name>(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|auth(?!or)|cookie|session|sessdata)[\w.-]{0,40})"
    r"(?P<between>[\"']?\s*[:=]\s*|\s+(?=\S*\d))(?P<value>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[^\n,}\]]+)"
)
"""A word that announces a secret, and what follows it."""
_BEARER = re.compile(r"(?i)\b(bearer|basic|digest)\s+[^\s\"',]+")
_LONG = re.compile(r"[A-Za-z0-9_\-+=~]{20,}")
_LONG_FOR_OTHERS = re.compile(r"[A-Za-z0-9_\-+=~/]{16,}")
_HOMES = re.compile(r"(?i)(?:/home/|/users/|[a-z]:[\\/]+users[\\/]+)[^\\/\s\"':;,<>]+")


def redact(text: str, *, hidden: Iterable[str] = (), home: Path | None = None, for_others: bool = False) -> str:
    """Give the text without what is private.

    Args:
        hidden: Values known to be secret, wherever they stand.
        home: The user's folder, shown as ``~``.
        for_others: Keep no more of an address than its host, and nothing that looks random.
    """
    for value in sorted({value for value in hidden if len(value) > 3}, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    for form in _forms(home) if home else ():
        text = re.sub(re.escape(form) + r"(?![\w-])", "~", text, flags=re.IGNORECASE)
    text = _HOMES.sub("~", text)
    text = _ADDRESS.sub(lambda found: _host_only(found[0]) if for_others else _without_keys(found[0]), text)
    text = _BEARER.sub(lambda found: f"{found[1]} {HIDDEN}", text)
    text = _NAMED.sub(lambda found: found["name"] + found["between"] + HIDDEN, text)
    long = _LONG_FOR_OTHERS if for_others else _LONG
    return long.sub(lambda found: HIDDEN if any(map(_looks_random, (found[0], *found[0].split("/")))) else found[0], text)


def _forms(home: Path) -> list[str]:
    """Give the ways in which a path to the folder is written: as it is, resolved, and with doubled backslashes."""
    plain = {str(home), str(home.resolve()), home.as_posix()}
    return sorted({form for text in plain if len(text) > 1 for form in (text, text.replace("\\", "\\\\"))}, key=len, reverse=True)


def _host_only(address: str) -> str:
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return HIDDEN
    # A host name can hold a key as well; then even that is not for others.
    shown = HIDDEN if any(len(label) > 15 and _looks_random(label) for label in host.split(".")) else host
    rest = "/…" if parts.path.strip("/") or parts.query or parts.fragment else parts.path
    return f"{parts.scheme}://{shown}{port}{rest}"


def _without_keys(address: str) -> str:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", f":{parts.port}" if parts.port else ""
    except ValueError:
        return HIDDEN
    path = "/".join(HIDDEN if _looks_random(part) else part for part in parts.path.split("/"))
    query = "?" + "&".join(pair.partition("=")[0] + "=…" for pair in parts.query.split("&")) if parts.query else ""
    return f"{parts.scheme}://{host}{port}{path}{query}"


def _looks_random(word: str) -> bool:
    """Whether a word looks like a key: long, and of digits and letters mixed, or of both cases in no order of words."""
    word = re.sub(r"^\d{4}-\d\d-\d\d[-T]?", "", word)  # a day, as notes and logs begin with it
    if len(word) < 12 or re.fullmatch(r"[\d.\-:TZ+]+", word):
        return False
    digits = sum(char.isdigit() for char in word)
    if digits >= 3 and any(char.isalpha() for char in word):
        is_slug = re.fullmatch(r"[a-z]+(?:-[a-z0-9]+)+", word) is not None
        return not is_slug or digits > len(word) // 3
    return len(word) >= 20 and re.search(r"[a-z][A-Z]+[a-z]+[A-Z]|[A-Z][a-z][A-Z][a-z]?[A-Z]", word) is not None
