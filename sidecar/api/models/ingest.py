"""Requests and answers about ingest, its queue, and jobs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from sidecar.api.models.base import Answer, ProblemBody, Request

MAX_PASTED = 12_000_000


class IngestRequest(Request):
    url: str | None = Field(None, max_length=8000, description="An address; with text, where that text comes from.")
    urls: list[Annotated[str, StringConstraints(max_length=8000)]] = Field(default_factory=list, max_length=500)
    text: str | None = Field(None, max_length=MAX_PASTED, description="Pasted text or HTML to be taken in place of fetching a page.")
    content_type: Literal["text/html", "text/plain", "text/markdown"] = Field("text/plain", description="What the text is.")
    tags: list[Annotated[str, StringConstraints(pattern=r"^[^\s#,\[\]{}\"':]+$", max_length=100)]] = Field(
        default_factory=list, max_length=50
    )
    use_when: str = Field("", max_length=500)
    via: Literal["paste", "brief", "share", "agent"] = "paste"
    force: bool = Field(False, description="Write a new note even if the page is in the vault already.")
    assets: bool | None = Field(None, description="Download images into the vault; without it, as the settings say.")
    distill: bool = Field(False, description="Distil the note as well. Not built yet: the note is made and the answer says so.")
    dry_run: bool = Field(False, description="Write nothing; the results hold the text that would be written.")
    wait: bool = Field(False, description="Answer when the job has ended.")


class JobRequest(Request):
    id: str = Field(max_length=64)


class JobAnswer(Answer):
    id: str
    kind: str
    state: Literal["running", "done", "failed", "cancelled"]
    steps: list[dict[str, Any]]
    result: dict[str, Any] | None
    error: ProblemBody | None


class WaitingAnswer(Answer):
    """A link that was accepted and is not finished. ``retry_at`` is null while it waits for its first try."""

    id: str
    url: str
    tags: list[str]
    attempts: int
    retry_at: str | None
    code: str
    problem: str
    fix: str


class QueueAnswer(Answer):
    links: list[WaitingAnswer]


class QueueDropRequest(Request):
    link: str = Field("", max_length=64, description="Id of the link to forget; without it all that wait.")


class QueueDropAnswer(Answer):
    dropped: int
