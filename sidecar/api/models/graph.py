"""Requests and answers about links and the graph."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sidecar.api.models.base import Answer, Highlight, Request


class ResolveRequest(Request):
    link: str = Field(min_length=1, max_length=2000, description="A link as written, with or without brackets.")
    source: str = Field("", max_length=4096, description="The note that holds it; empty for the vault's root.")


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
