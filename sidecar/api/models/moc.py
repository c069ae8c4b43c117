"""Requests and answers about the map of content."""

from __future__ import annotations

from pydantic import Field

from sidecar.api.models.base import Answer, Request


class MocRequest(Request):
    adopt: bool = Field(False, description="Put markers into the map's file first, making it if need be.")


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
