"""Requests and answers about signals, the docket, health and promotion."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from sidecar.api.models.base import Answer, NoteName, Nothing, Request


class SignalsRequest(Request):
    kind: Literal["read", "cite"]
    notes: list[NoteName] = Field(min_length=1, max_length=100)
    door: Literal["plugin", "cli", "mcp", "console"] = "cli"
    context: str = Field(default="", max_length=300, description="For what it was used.")


class SignalsAnswer(Answer):
    recorded: list[str]
    renews_days: int = Field(description="For how many days each note is renewed.")


class DocketRequest(Request):
    all: bool = Field(default=False, description="Every note that can be judged, with its reasons.")
    note: str = Field(default="", max_length=4096, description="This note only, on the docket or not.")


class ConditionInfo(Answer):
    state: Literal["met", "not-met", "not-yet-known"]
    why: str
    last: str
    window_days: int
    known_from: str


class DocketEntry(Answer):
    path: str
    layer: str
    title: str
    gist: str
    is_listed: bool
    changed: str
    spared_until: str
    linked_from: list[str]
    since: str
    reasons: dict[str, ConditionInfo]


class DocketAnswer(Answer):
    now: str
    observed_since: str = Field(description="Since when signals are kept; empty for never.")
    entries: list[DocketEntry]
    budget: int
    room_this_week: int


class HealthRequest(Nothing):
    """No parameters."""


class HealthAnswer(Answer):
    now: str
    observed_since: str
    has_git: bool
    layers: dict[str, int]
    core: dict[str, int]
    alive: dict[str, Any]
    docket: int
    budget: int
    months: list[str]
    births: list[int]
    deaths: list[int]
    promotions: list[int]
    resurrections: list[int]
    inbox: dict[str, Any]
    signals: dict[str, int]
    orphans: int
    broken_links: int
    without_use_when: int
    chewable: int
    needs: list[str] = Field(description="What needs the owner this week, as sentences.")


class PromoteRequest(Request):
    note: NoteName
    use_when: str = Field(max_length=500)
    to: Literal["", "sources", "wiki", "core"] = ""
    sentence: str = Field(default="", max_length=1000, description="For the core: the judgement in the person's own words.")
    displace: str = Field(default="", max_length=4096, description="Core note that makes room where the core is full.")
    door: Literal["cli", "panel", "mcp"] = "cli"


class PromoteAnswer(Answer):
    path: str
    target: str
    layer: str
    displaced: str


class ChewRequest(Nothing):
    """No parameters."""


class ChewEntry(Answer):
    path: str
    title: str
    days: int = Field(description="Distinct days on which it was read or cited in the last 90.")
    last: str


class ChewAnswer(Answer):
    entries: list[ChewEntry]
    core: int
    cap: int


class ChewWriteRequest(Request):
    notes: list[NoteName] = Field(min_length=1, max_length=20, description="What the judgement is built on.")
    title: str = Field(min_length=1, max_length=200)
    sentence: str = Field(min_length=1, max_length=2000, description="The judgement, in the owner's own words.")
    use_when: str = Field(min_length=1, max_length=500)
    displace: str = Field(default="", max_length=4096)


class ChewWriteAnswer(Answer):
    path: str
    displaced: str
