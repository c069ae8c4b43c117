"""Requests and answers about search.

Highlights count code points, as Python does; those named ``…_utf16`` count the units of JavaScript's texts.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from sidecar.api.models.base import Answer, Highlight, NoteName, Request
from sidecar.config import SearchMode


class SearchRequest(Request):
    q: str = Field(
        max_length=2000,
        description='Free text; "phrase", -not, tag:x, path:folder/, layer:L1, in:graveyard, origin:web, has:orphan, '
        "after:2026-01-31 and before:2026-01-31 narrow it down; a dash before a filter turns it round.",
    )
    limit: int = Field(20, ge=1, le=200)
    offset: int = Field(0, ge=0, le=100_000)
    typing: bool = Field(False, description="Whether the last word may be unfinished.")
    mode: SearchMode | None = Field(None, description="By words, by vectors or both; without it, as the settings say.")


class SnippetAnswer(Answer):
    text: str
    highlights: list[Highlight]
    highlights_utf16: list[Highlight]


class HitAnswer(Answer):
    path: str
    title: str
    title_highlights: list[Highlight]
    title_highlights_utf16: list[Highlight]
    score: float
    layer: str
    tags: list[str]
    fields: list[str] = Field(description="Where the words stand: title, aliases, headings, tags, kb_use_when, body.")
    age_days: int | None = Field(description="Days since the day that the note names as its last change.")
    snippets: list[SnippetAnswer]


class SearchAnswer(Answer):
    total: int
    searched: int
    reason: str = Field(description="Why there is nothing: empty-query, no-term, no-match, filtered-out, only-buried; else empty.")
    corrections: dict[str, str] = Field(description="Words that no note holds, and those that were looked for instead.")
    mode: SearchMode = Field("lexical", description="How this answer was ranked: by words, if vectors cannot be had now.")
    mode_reason: str = Field(
        "", description="Why not as asked: vectors-not-ready, too-few-notes, budget-spent, endpoint-failed; else empty."
    )
    hits: list[HitAnswer]


class SimilarRequest(Request):
    note: NoteName | None = Field(None, description="Path or name of the note to compare with.")
    text: str = Field("", max_length=200_000, description="Or the text to compare with.")
    limit: int = Field(8, ge=1, le=100)


class SimilarNoteAnswer(Answer):
    path: str
    title: str
    score: float
    terms: list[str] = Field(description="What both hold and few others do.")


class SimilarAnswer(Answer):
    similar: list[SimilarNoteAnswer]


class SearchStateRequest(Request):
    note: str = Field("", max_length=4096, description="Path or name of one file; without it, all that are not indexed whole.")


class FileStateAnswer(Answer):
    path: str
    state: Literal["indexed", "partly", "skipped", "failed"]
    reason: str
    taken_in_at: datetime | None = Field(description="When search took in what it knows of the file.")


class SearchStateAnswer(Answer):
    indexed: int
    total: int
    rebuilt_because: str = Field(description="Why all notes were read anew at this start, as after an update; else empty.")
    files: list[FileStateAnswer]
