"""From a page's bytes to its text."""

from __future__ import annotations

import codecs
import re

_META = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([A-Za-z0-9_\-:]+)", re.IGNORECASE)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "shift_jis": "cp932", "iso-8859-1": "cp1252", "ascii": "cp1252"}
"""Pages name the narrow set and use the wide one."""
_CHARSETS = re.compile(
    r"(?:utf[-_]?(?:8|16|16le|16be)|gb2312|gbk|x-gbk|gb18030|big5|big5[-_]hkscs|shift[-_]jis|sjis|cp932|euc[-_]?(?:jp|kr)|iso-?2022-(?:jp|kr)"
    r"|windows-\d{3,4}|cp\d{3,4}|iso[-_]?8859-\d{1,2}|latin-?\d|koi8-[rut]|mac[-_]?(?:roman|cyrillic)|us-ascii|ascii|tis-620|johab)$",
    re.IGNORECASE,
)
"""What a page may name; Python's codecs know more (``punycode``, ``undefined``), which decode no page and raise as they please."""

_NEVER_GUESSED = ("utf_7", "hz", "punycode", "idna", "unicode_escape", "raw_unicode_escape")
"""Sets in which plain ASCII stands for other text: what they would decode into was never there for whoever looked at the bytes."""


def decode_page(body: bytes, header_charset: str = "") -> str:
    """Decode a page: UTF-8 if it is that without fault, else what BOM, header or the page itself name, else a guess."""
    for bom, charset in _BOMS:
        if body.startswith(bom):
            return body.decode(charset, "replace").lstrip("\ufeff")
    found = [header_charset, *(m[1].decode("ascii") for m in _META.finditer(body[:200_000]))]
    named = [charset.lower() for charset in found if _CHARSETS.match(charset)]
    # What is UTF-8 without fault is UTF-8, whatever a server's default header says; ISO-2022 hides in ASCII.
    first = [] if any(charset.startswith(("iso-2022", "iso2022")) for charset in named) else ["utf-8"]
    for charset in [*first, *named, "utf-8"]:
        try:
            text = body.decode(_WIDER.get(charset, charset))
            return _mended(text) if charset == "utf-8" else text
        except (LookupError, UnicodeDecodeError):
            continue
    from charset_normalizer import from_bytes

    guess = from_bytes(body[:64_000], cp_exclusion=list(_NEVER_GUESSED)).best()
    charset = guess.encoding if guess else "utf-8"
    usable = [name for name in named if _is_codec(name)]
    return body.decode(_WIDER.get(usable[0], usable[0]) if usable else charset, "replace")


def _mended(text: str) -> str:
    """Undo UTF-8 that was read as Latin-1 and saved again (``â\x80\x94`` for a dash).

    Only if the whole page goes back without fault: a page with one true character beyond Latin-1, or one true accent, does not.
    """
    if text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _is_codec(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return bool(name)
