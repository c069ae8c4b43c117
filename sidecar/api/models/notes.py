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


class PropertiesRequest(NoteRequest):
    set: dict[str, Any] = Field({}, max_length=100, description="Properties to set: text, numbers, true, false, null or lists.")
    remove: list[str] = Field([], max_length=100, description="Names of properties to remove.")
    expected_hash: str = Field("", description="Refuse if the note is not the one with this hash any more.")
    dry_run: bool = Field(False, description="Write nothing; only tell what would change.")


class PropertiesAnswer(Answer):
    path: str
    hash: str = Field(description="Of the note as it is now.")
    written: bool
    diff: str = Field(description="What changes in the frontmatter, as a unified diff; empty if nothing does.")
    properties: dict[str, Any]


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
