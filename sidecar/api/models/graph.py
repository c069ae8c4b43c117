"""Requests and answers about links and the graph."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sidecar.api.models.base import Answer, Highlight, NoteName, NoteRequest, Request


class ResolveRequest(Request):
    link: str = Field(min_length=1, max_length=2000, description="A link as written, with or without brackets.")
    source: str = Field("", max_length=4096, description="The note that holds it; empty for the vault's root.")


class GraphRequest(Request):
    tags: bool = Field(False, description="Also tags as nodes, with an edge from each note that has one.")


class NeighbourhoodRequest(NoteRequest):
    depth: int = Field(1, ge=0, le=6, description="Steps from the note, in both directions of links.")
    limit: int = Field(300, ge=1, le=5000, description="Files at most.")


class PathRequest(Request):
    start: NoteName
    goal: NoteName


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
    kind: Literal["note", "attachment", "canvas", "unresolved", "tag"]
    title: str
    layer: str = Field("", description="core, wiki, sources, inbox, graveyard, or empty.")


class EdgeAnswer(Answer):
    source: str
    target: str
    kind: str = Field(description="What the link means: sources, citation, supersedes, same-url, tag; else as syntax.")
    syntax: str = Field(description="How it is written, and so what Obsidian counts it as: wikilink, embed, markdown, property, canvas.")
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


class NearAnswer(NodeAnswer):
    distance: int


class NeighbourhoodAnswer(Answer):
    note: str
    depth: int
    nodes: list[NearAnswer]
    edges: list[EdgeAnswer]
    truncated: int = Field(description="Files within reach that the limit left out.")


class PathAnswer(Answer):
    path: list[NodeAnswer] = Field(description="Both ends included; empty if no links lead from one to the other.")


class ComponentAnswer(Answer):
    size: int
    notes: list[str] = Field(description="The first hundred, sorted.")


class ComponentsAnswer(Answer):
    total: int
    components: list[ComponentAnswer]
