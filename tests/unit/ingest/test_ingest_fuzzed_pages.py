"""Damaged and hostile pages: each is read or refused with our own error, and the worker would not have to be killed for it."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path

import pytest

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters import read_page
from sidecar.ingest.page.decode import decode_page

ROOT = Path(__file__).resolve().parents[3]
IS_SLOW = os.environ.get("KB_HYPOTHESIS") == "slow"
PAGES = 2000 if IS_SLOW else 200
PIECES = (
    b"<table><tr><td>", b"</div>" * 30, b"<div>" * 300, b"<noscript><img src=x>",
    b"<ul><li>" * 40, b"<pre><code>```\n", b"<math><mfrac>",
    b"<script>", b"<!--", b"<![CDATA[", b"&#xD800;&#0;&bogus;",
    b"<a href='http://[::1'>x</a>", b"<a href='//'>y</a>", b"\xff\xfe\x00\xd8",
    b"<base href='javascript:x'>", b"<svg><p>x</svg>", b"<td colspan=999999999>x</td>",
    b"<ol start=-5><li>x</ol>", b"<img srcset=', , 1x,,2w'>",
    b"<plaintext>", b"<textarea>", b"<form><input>", b"<p>" + b"word " * 500,
    b"<meta charset=utf-16>", b"<title>" * 5, b"<h1>" * 50,
    b"<script type=application/ld+json>{\"@graph\":[" * 3, b"<picture><source srcset=x><img>",
    b"<details><summary>", b"<ruby>x<rt>",
)  # fmt: skip


def damaged(page: bytes, chance: random.Random) -> bytes:
    """Cut, double, swap and spoil parts of a page."""
    for _ in range(chance.randint(1, 8)):
        at, to = sorted(chance.randrange(len(page) + 1) for _ in range(2))
        action = chance.randrange(5)
        if action == 0:
            page = page[:at] + page[to:]
        elif action == 1:
            page = page[:to] + page[at : min(to, at + 20_000)] + page[to:]
        elif action == 2:
            page = page[:at] + chance.choice(PIECES) + page[at:]
        elif action == 3:
            page = page[:at] + bytes(chance.randrange(256) for _ in range(20)) + page[at:]
        else:
            page = page[:at] + page[at:to].replace(b">", b"", 3) + page[to:]
    return page[:400_000]


def seeds() -> list[bytes]:
    found = [path.read_bytes() for path in sorted((ROOT / "fixtures" / "pages").glob("*.html"))]
    found += [gzip.decompress(path.read_bytes()) for path in sorted((ROOT / "fixtures" / "pages" / "scored" / "html").glob("*.html.gz"))]
    return found


@pytest.mark.parametrize("part", range(10))
def test_a_damaged_page_is_read_or_refused_and_gives_text_that_can_be_written(part: int) -> None:
    pages = seeds()
    for number in range(part, PAGES, 10):
        chance = random.Random(number)
        body = damaged(chance.choice(pages), chance)
        try:
            document = read_page("https://example.com/a", "text/html", decode_page(body))
        except ExtractionError:
            continue
        text = f"{document.title}{document.author}{document.markdown}"
        assert "\0" not in text, number
        text.encode("utf-8")
        assert document.warnings or document.markdown.strip(), number
