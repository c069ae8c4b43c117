"""Requests and answers about items, runs, verdicts and briefs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from sidecar.api.models.base import Answer, Request

ItemId = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Day = Annotated[str, StringConstraints(pattern=r"^(?:\d{4}-\d{2}-\d{2})?$")]
Word = Annotated[str, StringConstraints(max_length=200)]


class ItemsRequest(Request):
    q: Word = Field(default="", description="Words that title, author or tags hold.")
    subscription: Word = ""
    kind: Literal["", "video", "article", "note"] = ""
    tier: str = Field(default="", max_length=10, description="worth, okay or skip; their Chinese words as well.")
    theme: Word = ""
    status: Literal["", "new", "queued", "judged", "digest", "archived"] = ""
    reason: str = Field(default="", max_length=40, description="Why it is archived: a prefilter's word, dismissed or owner.")
    since: Day = Field(default="", description="First day of publication.")
    until: Day = Field(default="", description="Last day of publication.")
    sort: Literal["new", "weight", "tier"] = "new"
    archived: bool = Field(default=False, description="Whether archived items are among the answers.")
    limit: int = Field(default=50, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10_000_000)


class Also(Answer):
    sub: str
    url: str


class ItemInfo(Answer):
    id: str
    sub: str = Field(description="Id of the subscription.")
    kind: str
    title: str
    url: str
    author: str
    published: str
    time_estimated: bool = Field(description="Whether the day is that of the fetch, since the subscription gave none.")
    fetched: str
    thumb: str
    duration_s: int | None
    stats: dict[str, int]
    tags: list[str]
    lang: str
    body_state: str
    theme: str
    match: dict[str, Any] = Field(description="Keywords hit and where, and what the score is the sum of.")
    score: float
    tier: str
    why: str
    category: str
    one_line: str
    verified: str
    judged_by: str
    status: str
    reason: str = Field(description="Why it is archived.")
    feedback: str
    seen: bool
    also: list[Also] = Field(description="Other subscriptions that brought the same.")
    note: str = Field(description="Path of the note with its full text; may be empty.")
    day: str
    run: str


class ItemsAnswer(Answer):
    total: int
    items: list[ItemInfo]
    facets: dict[str, dict[str, int]] = Field(description="How many items there are by sub, kind, tier, theme, status.")


class ItemRequest(Request):
    id: ItemId


class ItemWithBody(ItemInfo):
    body: str


class ItemAnswer(Answer):
    item: ItemWithBody


class FeedbackRequest(Request):
    id: str = Field(default="", max_length=64, description="Of the item; the one in the path counts.")
    action: Literal["dismiss", "more", "save", "archive", "unarchive", "seen", "overrule"]
    tier: str = Field(default="", max_length=10, description="For overrule: worth, okay or skip; their Chinese words as well.")
    why: str = Field(default="", max_length=600)


class FeedbackAnswer(Answer):
    item: ItemInfo
    delta: float | None = Field(description="What the subscription's weight is moved by now; null if it was not moved.")
    note: str = Field(description="For save: path of the note.")


class ArchiveRequest(Request):
    ids: list[ItemId] = Field(default=[], max_length=10_000)
    filter: ItemsRequest | None = Field(default=None, description="Instead of ids: all that this selects.")
    undo: bool = False


class ArchiveAnswer(Answer):
    changed: int
    ids: list[str]


class ExportItemsRequest(Request):
    ids: list[ItemId] = Field(default=[], max_length=10_000)
    filter: ItemsRequest | None = None


class ExportItemsAnswer(Answer):
    markdown: str
    count: int


class ClearItemsRequest(Request):
    filter: ItemsRequest
    confirm: str = Field(max_length=40, description="The number of items that will go, typed.")


class ClearItemsAnswer(Answer):
    cleared: int
    backup: str = Field(description="Where the items were copied to before.")


class RunsRequest(Request):
    """No parameters."""


class RunInfo(Answer):
    id: str
    started: str
    finished: str
    day: str
    trigger: str
    status: str
    per_sub: dict[str, Any]
    new: int
    candidates: int
    offered: int
    error: str
    tokens: int
    judge: str


class RunsAnswer(Answer):
    state: str
    running: str
    last: RunInfo | None
    runs: list[RunInfo]
    next: str = Field(description="When the next scheduled fetch may begin, UTC; empty if nothing is set up.")
    counts: dict[str, int]
    waiting: int = Field(description="Candidates that nobody has judged.")
    left_today: int = Field(description="Verdicts that the day still takes.")
    channel: str
    brief_hour: int
    subscriptions: int


class RunRequest(Request):
    only: list[Word] = Field(default=[], max_length=1000, description="Ids of subscriptions; empty for all that are on.")
    dry_run: bool = False
    wait: bool = False


class VerdictsRequest(Request):
    verdicts: list[dict[str, Any]] = Field(min_length=1, max_length=500, description="Each with id, tier, why, category, one_line.")


class RefusedVerdict(Answer):
    id: str
    code: str
    message: str


class VerdictsAnswer(Answer):
    taken: list[str]
    refused: list[RefusedVerdict]
    left_today: int


class CandidatesRequest(Request):
    limit: int = Field(default=10, ge=1, le=100)


class CandidatesAnswer(Answer):
    instructions: str
    text: str = Field(description="The candidates, each in a fence with a code that is new for each call.")
    ids: list[str]
    waiting: int
    left_today: int


class JudgeRequest(Request):
    wait: bool = True


class BriefRequest(Request):
    date: Day = Field(default="", description="Local day; today if empty.")


class BriefAnswer(Answer):
    day: str
    brief: dict[str, Any]
    path: str = Field(description="Of its note; empty if it was not written.")
    text: str
    days: list[str] = Field(description="Days that have a brief, the newest first.")
    waiting: int
    updated: str


class BriefWriteRequest(Request):
    date: Day = ""
    roll_up: Literal["", "week", "month"] = ""


class BriefWriteAnswer(Answer):
    path: str
    written: bool
    worth: int


class RebuildAnswer(Answer):
    lines: int
    counts: dict[str, int]
