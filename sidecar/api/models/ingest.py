"""Requests and answers about ingest and jobs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from sidecar.api.models.base import Answer, ProblemBody, Request


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


class JobAnswer(Answer):
    id: str
    kind: str
    state: Literal["running", "done", "failed", "cancelled"]
    steps: list[dict[str, Any]]
    result: dict[str, Any] | None
    error: ProblemBody | None
