"""Requests and answers about search."""

from __future__ import annotations

from pydantic import Field

from sidecar.api.models.base import Answer, Highlight, Request
from sidecar.config import SearchMode


class SearchRequest(Request):
    q: str = Field(max_length=2000, description='Free text; "phrase", -not, tag:x and path:folder/ narrow it down.')
    limit: int = Field(20, ge=1, le=200)
    offset: int = Field(0, ge=0, le=100_000)
    typing: bool = Field(False, description="Whether the last word may be unfinished.")
    mode: SearchMode | None = Field(None, description="By words, by vectors or both; without it, as the settings say.")


class SnippetAnswer(Answer):
    text: str
    highlights: list[Highlight]


class HitAnswer(Answer):
    path: str
    title: str
    title_highlights: list[Highlight]
    score: float
    layer: str
    tags: list[str]
    snippets: list[SnippetAnswer]


class SearchAnswer(Answer):
    total: int
    searched: int
    reason: str = Field(description="Why there is nothing: empty-query, no-term, no-match; else empty.")
    mode: SearchMode = Field("lexical", description="How this answer was ranked: by words, if vectors cannot be had now.")
    mode_reason: str = Field(
        "", description="Why not as asked: vectors-not-ready, too-few-notes, budget-spent, endpoint-failed; else empty."
    )
    hits: list[HitAnswer]
