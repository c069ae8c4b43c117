"""Small PDFs written by hand, for the tests of what is read of them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

Piece = tuple[float, float, float, str]
"""Left, up, size in points, text."""


def pdf(
    pages: Sequence[Sequence[Piece]], info: str = "", catalog: str = "", extra: Sequence[str] = (), trailer: str = "", *, raw: bytes = b""
) -> bytes:
    """Write a PDF.

    Args:
        info: The document's own data, as ``/Title (x)``.
        catalog: More entries of the catalogue.
        extra: Objects numbered from 10 on.
        raw: Instead of the pages' content.
    """
    kids = [100 + 2 * n for n in range(len(pages))]
    objects: dict[int, bytes] = {
        1: f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        2: f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>".encode(),
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        4: b"<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /Identity-H /DescendantFonts [5 0 R] /ToUnicode 6 0 R >>",
        5: b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Song /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>>"
        b" /DW 1000 >>",
        6: _stream(_TO_UNICODE.encode()),
        7: f"<< {info} >>".encode("latin-1"),
    }
    objects |= {10 + n: text.encode("latin-1") for n, text in enumerate(extra)}
    for kid, pieces in zip(kids, pages, strict=True):
        wide = "/F2 4 0 R" if any(not _is_narrow(piece[3]) for piece in pieces) else ""
        fonts = f"/Resources << /Font << /F1 3 0 R {wide} >> >>"
        objects[kid] = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {fonts} /Contents {kid + 1} 0 R >>".encode()
        objects[kid + 1] = _stream(raw or "\n".join(map(_shown, pieces)).encode("latin-1"))
    return _written(objects, trailer)


def _shown(piece: Piece) -> str:
    left, up, size, text = piece
    if _is_narrow(text):
        safe = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        return f"BT /F1 {size} Tf 1 0 0 1 {left} {up} Tm ({safe}) Tj ET"
    return f"BT /F2 {size} Tf 1 0 0 1 {left} {up} Tm <{text.encode('utf-16-be').hex()}> Tj ET"


def _is_narrow(text: str) -> bool:
    return all(ord(char) < 256 for char in text)


def _stream(data: bytes) -> bytes:
    packed = zlib.compress(data)
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)


def _written(objects: dict[int, bytes], trailer: str) -> bytes:
    out = b"%PDF-1.7\n"
    places: dict[int, int] = {}
    for number, body in sorted(objects.items()):
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = "".join(f"{number} 1\n{place:010} 00000 n \n" for number, place in places.items())
    end = f"xref\n0 1\n0000000000 65535 f \n{table}trailer\n<< /Size {max(objects) + 1} /Root 1 0 R /Info 7 0 R {trailer} >>\n"
    return out + f"{end}startxref\n{len(out)}\n%%EOF\n".encode()


_TO_UNICODE = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Same def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
1 beginbfrange <0000> <FFFF> <0000> endbfrange
endcmap end end
"""


def paragraph(lines: Sequence[str], up: float = 700, left: float = 72, size: float = 10, leading: float = 12) -> list[Piece]:
    """Set lines under each other."""
    return [(left, up - n * leading, size, line) for n, line in enumerate(lines)]
