"""Requests and answers about the running sidecar."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from sidecar.api.models.base import Answer, Request


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


class EventAnswer(Answer):
    id: int
    type: str
    data: dict[str, Any]


class EventsAnswer(Answer):
    revision: int
    events: list[EventAnswer]


class FindingAnswer(Answer):
    name: str
    state: Literal["ok", "note", "bad"] = Field(description="note: worth knowing; bad: something does not work.")
    text: str
    fix: str


class DoctorAnswer(Answer):
    findings: list[FindingAnswer]
    report: str = Field(description="The same for others, with the last lines of the log: no keys, private addresses or home folder.")


class CodeAnswer(Answer):
    code: str


class DoneAnswer(Answer):
    done: bool
