"""Requests and answers about the map of content."""

from __future__ import annotations

from pydantic import Field

from sidecar.api.models.base import Answer, Request


class MocQuery(Request):
    map: str = Field("", max_length=1024, description="The map whose text is wanted; empty for the main one.")


class MocRequest(Request):
    adopt: bool = Field(False, description="Put markers into the map's file first, making it if need be.")
    map: str = Field("", max_length=1024, description="The map to adopt; empty for the main one. All maps are written in any case.")
    all: bool = Field(False, description="Adopt all maps.")


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


class MapAnswer(Answer):
    path: str
    title: str
    query: str = Field(description="What the map selects; empty for the main one.")
    sort: str = Field(description="How it is sorted: hubs, title, newest or path; empty for the main one.")
    notes: int = Field(description="How many notes it speaks of.")
    problem: str = Field(description="Why it is not written, or empty.")
    frozen: bool = Field(description="Whether its owner wants it left as it is.")
    written: bool = Field(description="Whether this request wrote it.")


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
    markdown: str = Field(description="The generated text of the map that was asked for.")
    maps: list[MapAnswer] = Field(description="All maps, the main one first.")
