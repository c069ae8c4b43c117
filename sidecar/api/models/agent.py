"""Requests and answers of agents: hints, context, notes of their own."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sidecar.api.models.base import Answer, NoteName, Nothing, Request


class HintsRequest(Request):
    prompt: str = Field(max_length=20_000)
    leaves_signal: bool = True


class HintInfo(Answer):
    path: str
    title: str
    gist: str = Field(description="Empty for what came from outside.")
    coverage: float


class HintsAnswer(Answer):
    hints: list[HintInfo]


class ContextRequest(Nothing):
    """No parameters."""


class ContextAnswer(Answer):
    text: str
    fingerprint: str = Field(description="Changes when anything of it does.")
    waiting: int


class EntryAddRequest(Request):
    action: Literal["add", "write"] = "add"
    title: str = Field(default="", max_length=200)
    text: str = Field(max_length=400_000)
    use_when: str = Field(default="", max_length=500)
    tags: list[str] = Field(default=[], max_length=20)
    slug: str = Field(default="", max_length=200, description="For write: name of the wiki page.")
    sources: list[NoteName] = Field(default=[], max_length=50, description="For write: notes it is distilled from.")
    base_hash: str = Field(default="", max_length=128, description="For write: hash of the page as it was read, to replace it.")


class EntryAddAnswer(Answer):
    path: str
    created: bool
    is_trusted: bool = Field(description="Whether it counts as the owner's own; a page out of material does not until confirmed.")


class ConfirmRequest(Request):
    note: NoteName


class ConfirmAnswer(Answer):
    path: str
    is_trusted: bool


class DistillRequest(Request):
    notes: list[NoteName] = Field(default=[], max_length=20, description="Sources; all that no wiki page names yet if empty.")
    limit: int = Field(default=10, ge=1, le=20)


class DistillAnswer(Answer):
    prompt: str = Field(description="What an agent is asked, with the sources in fences; empty if there is nothing to do.")
    sources: list[str]
    left: int
