"""Requests and answers about single notes and lists of them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from sidecar.api.models.base import Answer, NoteRequest, Request

ListKind = Literal["notes", "hubs", "orphans", "dead-ends", "unresolved", "tags", "problems"]


class EntryRequest(NoteRequest):
    render: bool = Field(False, description="Also give the note as sanitised HTML.")


class ListRequest(Request):
    kind: ListKind = "notes"
    limit: int = Field(100, ge=1, le=100_000)
    offset: int = Field(0, ge=0)


class EntryAnswer(Answer):
    path: str
    title: str
    kind: str
    layer: str
    text: str
    html: str
    hash: str
    properties: dict[str, Any]
    property_error: str
    tags: list[str]
    headings: list[tuple[int, str, int]]
    from_web: bool


class ListAnswer(Answer):
    kind: ListKind
    total: int
    items: list[dict[str, Any]]
