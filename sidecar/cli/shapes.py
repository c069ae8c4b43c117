"""What each command prints with ``--json``: the API's own answers, and a few of the command line's. Loaded for docs and tests only."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter

from sidecar.api.models.agent import ConfirmAnswer, ContextAnswer, DistillAnswer
from sidecar.api.models.base import Answer
from sidecar.api.models.feeds import (
    DiscoverAnswer,
    ExportAnswer,
    FeedsAnswer,
    ImportAnswer,
    LoginAnswer,
    RemovedAnswer,
    SubscriptionAnswer,
    TestFeedAnswer,
)
from sidecar.api.models.graph import ComponentsAnswer, GraphAnswer, LinksAnswer, NeighbourhoodAnswer, PathAnswer, ResolveAnswer
from sidecar.api.models.ingest import QueueAnswer, QueueDropAnswer
from sidecar.api.models.items import (
    BriefAnswer,
    BriefWriteAnswer,
    CandidatesAnswer,
    ExportItemsAnswer,
    FeedbackAnswer,
    ItemsAnswer,
    ItemWithBody,
    RebuildAnswer,
    VerdictsAnswer,
)
from sidecar.api.models.metabolism import ChewAnswer, ChewWriteAnswer, DocketAnswer, HealthAnswer, PromoteAnswer, SignalsAnswer
from sidecar.api.models.moc import MocAnswer
from sidecar.api.models.notes import EntryAnswer, ListAnswer, PropertiesAnswer
from sidecar.api.models.search import SearchAnswer, SimilarAnswer
from sidecar.api.models.system import FindingAnswer, StatusAnswer


class ErrorBody(Answer):
    code: str = Field(description="Stable; usage: the command is not written as it should be.")
    message: str
    fix: str
    params: dict[str, str | int | None]


class ErrorShape(Answer):
    """Any command that fails; the exit code tells of which kind."""

    error: ErrorBody


class InitShape(Answer):
    vault: str
    vault_id: str
    new: bool = Field(description="An empty folder became a vault from the template.")
    added: list[str]
    plugin_files: list[str]
    migrated: list[str] = Field(description="What was taken over from an older version, in sentences.")


class NotRunningShape(Answer):
    running: Literal[False]
    vault: str


class StatusShape(StatusAnswer):
    running: Literal[True]
    url: str
    pid: int


class DryRunShape(Answer):
    platform: Literal["macos", "linux", "xdg", "windows"]
    path: str
    definition: str
    commands: list[list[str]] = Field(description="What would be run, each with its arguments.")


class ServiceInstalledShape(Answer):
    installed: Literal[True]
    changed: bool
    platform: str
    path: str


class ServiceRemovedShape(Answer):
    removed: bool
    stays: list[str]


class ServiceStartedShape(Answer):
    started: bool


class ServiceStoppedShape(Answer):
    stopped: bool = Field(description="Whether it was running.")


class ServiceRestartedShape(Answer):
    restarted: bool


class ServiceStatusShape(Answer):
    platform: str
    path: str
    installed: bool
    command: list[str]
    problem: str = Field(description="What is wrong with the definition, or empty.")
    state: Literal["running", "stopped", "failed", "unknown"]
    pid: int | None
    url: str
    last_exit_code: int | None
    restarts: int | None


class LogRecord(Answer):
    model_config = ConfigDict(extra="allow")

    at: str
    level: str
    message: str


class LogsShape(Answer):
    path: str
    records: list[LogRecord] = Field(description="Oldest first.")


class PluginShape(Answer):
    path: str
    installed: bool
    version: str
    shipped_version: str
    current: bool
    enabled: bool = Field(description="Switched on in Obsidian.")
    changed: list[str]


class UrlShape(Answer):
    url: str


class AddedShape(Answer):
    """One link; keys beside these are those of the note that was made, or ``error``."""

    model_config = ConfigDict(extra="allow")

    status: Literal["created", "duplicate", "buried", "planned", "failed", "waiting"]
    url: str


class AddShape(Answer):
    results: list[AddedShape]
    notices: list[str]


class Figures(Answer):
    model_config = ConfigDict(extra="allow")


class BenchShape(Answer):
    """``systems`` has ``lexical``, ``semantic`` and ``hybrid``, each with ``ndcg@10``, ``recall@1`` … and times."""

    model_config = ConfigDict(extra="allow")

    systems: dict[str, Figures]


class WrittenShape(Answer):
    written: str
    format: Literal["json", "graphml", "dot", "html"]


class ExtractShape(Answer):
    model_config = ConfigDict(extra="allow")

    adapter: str
    title: str | None
    author: str | None
    published: str | None
    site: str | None
    lang: str | None
    body_state: str | None
    transcript: str | None
    images: list[str]
    markdown: str
    warnings: list[str]


class SecretEntry(Answer):
    name: str
    place: Literal["keyring", "file", ""] = Field(description="Empty: not kept, but the file in wanted_by names it.")
    wanted_by: str


class SecretsShape(Answer):
    place: Literal["keyring", "file"] = Field(description="Where a new one would go.")
    names: list[str]
    entries: list[SecretEntry]


class SecretKeptShape(Answer):
    name: str
    place: Literal["keyring", "file"]


class SecretRemovedShape(Answer):
    removed: bool


class TokenShape(Answer):
    url: str
    token: str


class DoctorShape(Answer):
    findings: list[FindingAnswer]


class ReportShape(Answer):
    report: str


class RunShape(Answer):
    """What the run did; ``per_sub`` tells of each subscription its status, reason and number of new items."""

    model_config = ConfigDict(extra="allow")

    status: str
    per_sub: dict[str, Figures]


class JudgedShape(Answer):
    model_config = ConfigDict(extra="allow")

    taken: int
    refused: int
    skipped: int
    problem: str


class ReadShape(EntryAnswer):
    recorded: list[str]
    renews_days: int


class PathShape(Answer):
    path: str


class ClientsShape(RootModel[dict[Literal["claude-code", "codex", "claude-desktop", "cursor"], bool]]):
    """Which agents have the vault's tools."""


class ClientChangedShape(Answer):
    changed: list[str]
    diff: list[str]


class Tool(Answer):
    name: str
    reads_only: bool
    leaves: str = Field(description="What a call leaves behind.")
    open_world: bool


class ToolsShape(RootModel[list[Tool]]):
    """With ``--list``: the tools of the profile."""


class ExportShape(Answer):
    folder: str
    counts: dict[str, int] = Field(description="Of each part: files, nodes, subscriptions, journals.")


class CompletionShape(Answer):
    shell: str
    script: str


SHAPES: dict[str, tuple[type[BaseModel], ...]] = {
    "init": (InitShape,),
    "feeds": (
        FeedsAnswer, SubscriptionAnswer, RemovedAnswer, TestFeedAnswer, DiscoverAnswer, ImportAnswer, ExportAnswer, LoginAnswer,
    ),
    "status": (StatusShape, NotRunningShape),
    "service": (
        ServiceStatusShape, ServiceInstalledShape, DryRunShape, ServiceRemovedShape, ServiceStartedShape, ServiceStoppedShape,
        ServiceRestartedShape, LogsShape,
    ),
    "plugin": (PluginShape,),
    "open": (UrlShape,),
    "add": (AddShape, QueueAnswer, QueueDropAnswer),
    "search": (SearchAnswer, SimilarAnswer),
    "bench": (BenchShape,),
    "run": (RunShape,),
    "brief": (BriefAnswer, BriefWriteAnswer),
    "judge": (JudgedShape, VerdictsAnswer, CandidatesAnswer),
    "items": (ItemsAnswer, ItemWithBody, FeedbackAnswer, ExportItemsAnswer),
    "read": (EntryAnswer, ReadShape),
    "cite": (SignalsAnswer,),
    "docket": (DocketAnswer,),
    "promote": (PromoteAnswer,),
    "chew": (ChewAnswer, ChewWriteAnswer),
    "resurrect": (PathShape,),
    "purge": (PathShape,),
    "health": (HealthAnswer,),
    "agent": (ClientsShape, ClientChangedShape),
    "mcp": (ToolsShape,),
    "context": (ContextAnswer,),
    "distill": (DistillAnswer,),
    "confirm": (ConfirmAnswer,),
    "rebuild": (RebuildAnswer,),
    "links": (LinksAnswer,),
    "set": (PropertiesAnswer,),
    "list": (ListAnswer,),
    "moc": (MocAnswer,),
    "graph": (GraphAnswer, NeighbourhoodAnswer, PathAnswer, ComponentsAnswer, WrittenShape),
    "resolve": (ResolveAnswer,),
    "extract": (ExtractShape,),
    "secrets": (SecretsShape, SecretKeptShape, SecretRemovedShape),
    "token": (TokenShape,),
    "doctor": (DoctorShape, ReportShape),
    "export": (ExportShape,),
    "completion": (CompletionShape,),
}  # fmt: skip
"""By command: one of these, whatever its options."""

NO_JSON = {"serve", "trial", "hook"}
"""Commands that print no value: they go on until they are ended."""


def adapter_of(command: str) -> TypeAdapter[Any]:
    """Give what checks the output of a command; ``error`` for a failure of any."""
    first, *more = (ErrorShape,) if command == "error" else SHAPES[command]
    return TypeAdapter(reduce(or_, more, first))


def schema_of(command: str) -> dict[str, Any]:
    """Give the JSON schema of what a command prints."""
    title = "A command that failed" if command == "error" else f"kb {command} --json"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **adapter_of(command).json_schema()}
