"""Requests and answers of the HTTP API. The OpenAPI document is made from these models, and requests are checked by them.

Offsets (``highlights``, ``start``, ``end``) count Unicode code points of the text they belong to.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

NoteName = Annotated[str, StringConstraints(min_length=1, max_length=4096)]  # the longest path of common systems
Highlight = tuple[int, int]
ListKind = Literal["notes", "hubs", "orphans", "unresolved", "tags", "problems"]


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Nothing(Request):
    """No parameters."""


class NoteRequest(Request):
    note: NoteName = Field(description="Path of a note, or its name as in a link from the vault's root.")


class SearchRequest(Request):
    q: str = Field(max_length=2000, description='Free text; "phrase", -not, tag:x and path:folder/ narrow it down.')
    limit: int = Field(20, ge=1, le=200)
    offset: int = Field(0, ge=0, le=100_000)
    typing: bool = Field(False, description="Whether the last word may be unfinished.")


class EntryRequest(NoteRequest):
    render: bool = Field(False, description="Also give the note as sanitised HTML.")


class ListRequest(Request):
    kind: ListKind = "notes"
    limit: int = Field(100, ge=1, le=100_000)
    offset: int = Field(0, ge=0)


class ResolveRequest(Request):
    link: str = Field(min_length=1, max_length=2000, description="A link as written, with or without brackets.")
    source: str = Field("", max_length=4096, description="The note that holds it; empty for the vault's root.")


class MocRequest(Request):
    adopt: bool = Field(False, description="Put markers into the map's file first, making it if need be.")


class IngestRequest(Request):
    url: str | None = Field(None, max_length=8000)
    urls: list[Annotated[str, StringConstraints(max_length=8000)]] = Field(default_factory=list, max_length=500)
    tags: list[Annotated[str, StringConstraints(pattern=r"^[^\s#,\[\]{}\"':]+$", max_length=100)]] = Field(
        default_factory=list, max_length=50
    )
    use_when: str = Field("", max_length=500)
    via: Literal["paste", "brief", "share", "agent"] = "paste"
    force: bool = Field(False, description="Write a new note even if the page is in the vault already.")
    wait: bool = Field(False, description="Answer when the job has ended.")


class JobRequest(Request):
    id: str = Field(max_length=64)


class EventsRequest(Request):
    since: int = Field(0, ge=0, description="Give events after this revision.")
    wait_s: float = Field(0, ge=0, le=30)


class StatusAnswer(Answer):
    version: str
    protocol: int
    vault_id: str
    vault_name: str
    state: Literal["starting", "ready"]
    revision: int
    done: int = Field(description="Notes read so far, while starting.")
    total: int
    notes: int
    files: int
    parsed_at_start: int
    reused_at_start: int
    problems: int = Field(description="Notes with a frontmatter or read error; list them with kind=problems.")
    moc_path: str
    moc_problem: str
    watching: str
    problem: str = Field(description="What keeps the sidecar from working as it should, and what to do; else empty.")
    language: str


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
    hits: list[HitAnswer]


class InContext(Answer):
    context: str = Field(description="The line around it, cut to what a pane can show.")
    highlights: list[Highlight]
    line: int
    heading: str = Field(description="The nearest heading above, or empty.")


class ForwardAnswer(Answer):
    target: str
    title: str
    kind: str
    raw: str
    subpath: str
    display: str
    resolved: bool
    wanted_by: int = Field(description="Other notes that link to the same unwritten note.")


class BackAnswer(InContext):
    source: str
    title: str
    kind: str
    raw: str
    generated: bool


class MentionAnswer(InContext):
    source: str
    title: str
    name: str
    start: int
    end: int


class RelatedAnswer(Answer):
    path: str
    title: str
    score: float
    reasons: dict[str, list[str]]


class LinksAnswer(Answer):
    note: str
    title: str
    forward: list[ForwardAnswer]
    back: list[BackAnswer]
    mentions: list[MentionAnswer]
    related: list[RelatedAnswer]


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


class NodeAnswer(Answer):
    path: str
    kind: Literal["note", "attachment", "canvas", "unresolved"]
    title: str


class EdgeAnswer(Answer):
    source: str
    target: str
    kind: str
    raw: str
    subpath: str
    display: str
    resolved: bool


class GraphAnswer(Answer):
    version: int
    nodes: list[NodeAnswer]
    edges: list[EdgeAnswer]


class ResolveAnswer(Answer):
    target: str | None


class HubAnswer(Answer):
    path: str
    title: str
    in_links: int
    tags: list[str]
    gist: str


class CaptureAnswer(Answer):
    path: str
    title: str
    day: str | None


class PlaceAnswer(Answer):
    path: str
    title: str


class TopicAnswer(Answer):
    tag: str
    count: int


class MocAnswer(Answer):
    path: str
    problem: str
    written: bool
    counts: dict[str, int]
    newest: str | None
    hubs: list[HubAnswer]
    hubs_total: int
    topics: list[TopicAnswer]
    topics_total: int
    recent: list[CaptureAnswer]
    orphans: list[PlaceAnswer]
    orphans_total: int
    markdown: str


class ProblemBody(Answer):
    """RFC 9457, with a stable ``code``, its ``params`` and the ``fix``."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    fix: str
    params: dict[str, Any]


class JobAnswer(Answer):
    id: str
    kind: str
    state: Literal["running", "done", "failed", "cancelled"]
    steps: list[dict[str, Any]]
    result: dict[str, Any] | None
    error: ProblemBody | None


class EventAnswer(Answer):
    id: int
    type: str
    data: dict[str, Any]


class EventsAnswer(Answer):
    revision: int
    events: list[EventAnswer]


class CodeAnswer(Answer):
    code: str


class DoneAnswer(Answer):
    done: bool
