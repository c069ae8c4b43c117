"""What documents of any adapter must withstand: the note is written, read again, and searched for anything alive."""

from __future__ import annotations

from datetime import date

from sidecar.config import IngestSettings
from sidecar.ingest.document import Document
from sidecar.ingest.plan import Created, IngestOptions, plan_note
from sidecar.vault.links import NameIndex
from sidecar.vault.parse import parse_note
from tests.unit.ingest.test_ingest_safe_text import PAYLOADS, assert_dead

__all__ = ["PAYLOADS", "assert_harmless", "note_text"]


def note_text(document: Document) -> str:
    """Give the note that ingest would write."""
    outcome = plan_note(document, "ab" * 32, date(2026, 3, 5), IngestOptions(), None, NameIndex(), "sources", IngestSettings())
    assert isinstance(outcome, Created)
    return outcome.text


def assert_harmless(document: Document) -> None:
    text = note_text(document)
    assert_dead(text, parse_note("sources/a.md", text))
