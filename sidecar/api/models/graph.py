"""Requests and answers about links and the graph."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sidecar.api.models.base import Answer, Highlight, NoteName, NoteRequest, Request
from sidecar.vault.note import LinkKind


class ResolveRequest(Request):
    link: str = Field(min_length=1, max_length=2000, description="A link as written, with or without brackets.")
    source: str = Field("", max_length=4096, description="The note that holds it; empty for the vault's root.")


class GraphRequest(Request):
    tags: bool = Field(False, description="Also tags as nodes, with an edge from each note that has one.")


class LinksRequest(NoteRequest):
    limit: int = Field(1000, ge=0, le=5000, description="Back-links at most.")
    offset: int = Field(0, ge=0, description="Back-links to skip.")


class MentionsRequest(NoteRequest):
    limit: int = Field(100, ge=1, le=1000, description="Mentions at most; no more than fifty notes are looked into.")


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
    known_otherwise: list[str] = Field(default_factory=list, description="Notes whose alias or title an unwritten note's name is.")
    repair: str = Field("", description="The link that would lead to the one note known so, or empty.")


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
    back: list[BackAnswer] = Field(description="By source and place: those that offset and limit ask for.")
    back_total: int = Field(description="Back-links in all.")
    mentions: list[MentionAnswer]
    related: list[RelatedAnswer]


class MentionsAnswer(Answer):
    note: str
    mentions: list[MentionAnswer]


class NodeAnswer(Answer):
    path: str
    kind: Literal["note", "attachment", "canvas", "unresolved", "tag"]
    title: str
    layer: str = Field("", description="core, wiki, sources, inbox, graveyard, or empty.")


class EdgeAnswer(Answer):
    source: str
    target: str
    kind: LinkKind = Field(description="What the link means: sources, citation, supersedes, same-url, tag; else as syntax.")
    syntax: LinkKind = Field(
        description="How it is written, and so what Obsidian counts it as: wikilink, embed, markdown, property, canvas."
    )
    raw: str
    subpath: str
    display: str
    resolved: bool


class GraphAnswer(Answer):
    version: int
    nodes: list[NodeAnswer]
    edges: list[EdgeAnswer]


class HubAnswer(Answer):
    path: str
    in_links: int = Field(ge=1, description="Notes that link to it.")
    score: float = Field(description="in_links × freshness.")


class TagAnswer(Answer):
    tag: str = Field(description="Without #, in its most used spelling.")
    count: int = Field(ge=1, description="Notes that have it.")


class GraphFile(GraphAnswer):
    """``.kb/index.json``: the whole graph without tags as nodes, and what is counted over it. Its schema is in ``docs/``."""

    hubs: list[HubAnswer] = Field(description="All notes that another links to, best first.")
    orphans: list[str] = Field(description="Notes without a link in or out, sorted.")
    tags: list[TagAnswer] = Field(description="Most used first.")


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
