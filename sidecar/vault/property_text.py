"""A property's value as YAML text: what every reader of YAML, 1.1 or 1.2, takes for the same value, and Obsidian for the same kind."""

from __future__ import annotations

import json
import math
import re
from datetime import date, datetime
from typing import Any, Final, Literal

from sidecar.errors import FrontmatterError

Quote = Literal["", "'", '"']
"""Which quotes to set around a text that could also stand without: those of the value it replaces, or of its neighbours."""

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?")
"""Dates as Obsidian writes them; they stand without quotes, else Obsidian shows them as text."""
_NUMBER_LIKE: Final = re.compile(r"[-+.]?\d[\d_,.:+\-a-fA-FoOxX]*|\d{4}-\d.*|\.(?:inf|nan)", re.IGNORECASE)
_WORDS: Final = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"))
_ESCAPED: Final = re.compile('["\\\\\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff]')
_NO_YAML: Final = re.compile("[\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff]")
_SHORT_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def render_scalar(value: Any, quote: Quote = "", *, in_flow: bool = False) -> str:
    """Write one value on one line; a mapping or a list within a list becomes YAML's flow form.

    Args:
        in_flow: It stands between brackets, where commas and brackets end a text.
    Raises:
        FrontmatterError: YAML has no spelling for it that all readers share.
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float(value)
        case datetime():
            return value.isoformat(timespec="seconds")
        case date():
            return value.isoformat()
        case str():
            return _text(value, quote, in_flow=in_flow)
        case list() | tuple() | dict():
            try:
                # JSON lets stand what YAML has no place for outside an escape.
                return _NO_YAML.sub(lambda m: f"\\u{ord(m[0]):04x}", json.dumps(value, ensure_ascii=False))
            except (TypeError, ValueError, RecursionError) as error:
                raise FrontmatterError("This value cannot be a property.", fix="Give text, numbers, true, false or lists.") from error
    raise FrontmatterError(f"A {type(value).__name__} cannot be a property.", fix="Give text, a number, true, false or a list.")


def render_key(key: str) -> str:
    """Write a property's name."""
    if not key.strip() or key != key.strip() or len(key) > 200 or not key.isprintable():
        raise FrontmatterError(f"{key[:80]!r} cannot be a property's name.", fix="Give a short name on one line.")
    return _text(key, "", in_flow=True)


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise FrontmatterError(f"{value} cannot be a property.", fix="Give a number.")
    text = repr(value)
    return text if "e" not in text else f"{value:.20f}".rstrip("0").ljust(3, "0")


def _text(value: str, quote: Quote, *, in_flow: bool) -> str:
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise FrontmatterError("A property cannot hold half a character.", fix="Give it as UTF-8 text.")
    if not quote and _can_stand_bare(value, in_flow=in_flow):
        return value
    if quote == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return '"' + _ESCAPED.sub(lambda m: _SHORT_ESCAPES.get(m[0]) or f"\\u{ord(m[0]):04x}", value) + '"'


def _can_stand_bare(value: str, *, in_flow: bool) -> bool:
    if _DAY.fullmatch(value):
        return not in_flow or ":" not in value
    first_fits = value[:1].isalnum() or value[:1] in ("/", "_", "(")
    if not first_fits or not value.isprintable() or value != value.strip() or value.lower() in _WORDS or _NUMBER_LIKE.fullmatch(value):
        return False
    return not (": " in value or value.endswith(":") or " #" in value or "[[" in value or (in_flow and set(value) & set(",[]{}:?#")))
