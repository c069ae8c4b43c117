"""Whole pages against the notes a person has read and found right."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from sidecar.config import IngestSettings
from sidecar.ingest.adapters import read_page
from sidecar.ingest.page.decode import decode_page
from sidecar.ingest.plan import Created, IngestOptions, plan_note
from sidecar.vault.address import clean_url, url_hash
from sidecar.vault.links import NameIndex

HERE = Path(__file__).parent
PAGES = HERE.parent.parent / "fixtures" / "pages"


@pytest.mark.parametrize("name", sorted(path.stem for path in PAGES.glob("*.html")))
def test_a_page_becomes_the_note_that_was_read_and_approved(name: str, request: pytest.FixtureRequest) -> None:
    page = decode_page((PAGES / f"{name}.html").read_bytes())
    source = re.match(r"<!-- (\S+) -->", page)
    assert source, "the first line of a page names its address"
    url = clean_url(source[1])
    document = read_page(url, "text/html", page)
    outcome = plan_note(document, url_hash(url), date(2026, 3, 6), IngestOptions(), None, NameIndex(), "sources", IngestSettings())
    assert isinstance(outcome, Created)
    wanted = HERE / f"pages--{name}.md"
    if request.config.getoption("--update-golden", default=False):
        wanted.write_bytes(outcome.text.encode("utf-8"))
    assert wanted.is_file(), "there is no such note yet; read what --update-golden writes before committing it"
    assert wanted.read_bytes().decode("utf-8") == outcome.text
