"""From a page's bytes to its text."""

from __future__ import annotations

import codecs
import re

_META = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([A-Za-z0-9_\-:]+)", re.IGNORECASE)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "shift_jis": "cp932", "iso-8859-1": "cp1252", "ascii": "cp1252"}
"""Pages name the narrow set and use the wide one."""


def decode_page(body: bytes, header_charset: str = "") -> str:
    """Decode a page: UTF-8 if it is that without fault, else what BOM, header or the page itself name, else a guess."""
    for bom, charset in _BOMS:
        if body.startswith(bom):
            return body.decode(charset, "replace").lstrip("\ufeff")
    named = [header_charset, *(m[1].decode("ascii") for m in _META.finditer(body[:200_000]))]
    for charset in [*named, "utf-8"]:
        wide = _WIDER.get(charset.lower(), charset)
        try:
            return body.decode(wide)
        except (LookupError, UnicodeDecodeError):
            continue
    from charset_normalizer import from_bytes

    guess = from_bytes(body[:64_000]).best()
    charset = guess.encoding if guess else "utf-8"
    usable = [name for name in named if _is_codec(name)]
    return body.decode(_WIDER.get(usable[0].lower(), usable[0]) if usable else charset, "replace")


def _is_codec(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return bool(name)
