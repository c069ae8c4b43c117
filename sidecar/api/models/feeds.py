"""Requests and answers about subscriptions and the owner's preference."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from sidecar.api.models.base import Answer, Nothing, Request
from sidecar.feeds.subscription import SubscriptionType

SubscriptionId = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Address = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Step = str | int


class FeedsRequest(Nothing):
    """No parameters."""


class LastFetch(Answer):
    status: str
    reason: str = Field(description="Why it did not work and what to do; empty if it did.")
    at: str
    items: int = Field(description="Entries of that fetch that were new.")


class SubscriptionInfo(Answer):
    id: str
    type: str
    url: str = Field(description="Without private parts.")
    title: str
    enabled: bool
    interval_min: int
    weight: float
    delta: float = Field(description="What the two buttons added to the weight.")
    tags: list[str]
    max: int
    max_age_days: int | None
    follows: bool
    has_private_part: bool
    last: LastFetch | None


class PreferenceProblem(Answer):
    message: str
    fix: str
    line: int
    column: int


class FeedsAnswer(Answer):
    state: Literal["ready", "empty", "invalid", "not-set-up"]
    problem: PreferenceProblem | None
    schedule: str = Field(description="When what is fetched, as a sentence in the vault's language.")
    subscriptions: list[SubscriptionInfo]


class AddFeedRequest(Request):
    url: str = Field(default="", max_length=2000)
    id: str = Field(default="", max_length=100)
    type: SubscriptionType | None = Field(default=None, description="Else found out from the address.")
    title: str = Field(default="", max_length=200)
    tags: list[str] = Field(default=[], max_length=20)
    weight: float | None = None
    interval_min: int | None = None
    max: int | None = None
    max_age_days: int | None = None
    tool: dict[str, Any] | None = None
    find: bool = Field(default=True, description="Whether a page's own feed is looked for, and the address tried.")


class ChangeFeedRequest(Request):
    id: SubscriptionId
    set: dict[str, str | int | float | bool | list[str] | None] = Field(description="Keys of the subscription; null takes one out.")


class SubscriptionAnswer(Answer):
    subscription: SubscriptionInfo


class FeedRequest(Request):
    id: SubscriptionId


class RemovedAnswer(Answer):
    id: str
    removed: bool


class TestFeedRequest(Request):
    url: str = Field(default="", max_length=2000)
    id: str = Field(default="", max_length=200)
    text: str = Field(default="", max_length=5_000_000, description="A saved feed, instead of an address.")
    limit: int = Field(default=1000, ge=1, le=1000)


class FeedInfo(Answer):
    title: str
    kind: str
    url: str


class EntryInfo(Answer):
    id: str
    title: str
    url: str
    published: str | None
    author: str
    kind: str
    body_state: str
    body: str


class TestFeedAnswer(Answer):
    feed: FeedInfo
    status: str
    entries: list[EntryInfo]
    problems: list[str]


class DiscoverRequest(Request):
    url: Address


class FoundFeedInfo(Answer):
    url: str
    title: str
    type: str


class DiscoverAnswer(Answer):
    feeds: list[FoundFeedInfo]


class ImportRequest(Request):
    text: str = Field(min_length=1, max_length=8_000_000)
    dry_run: bool = False


class ImportAnswer(Answer):
    added: list[str]
    known: list[str]
    problems: list[str]


class ExportAnswer(Answer):
    opml: str
    count: int


class LoginAnswer(Answer):
    message: str
    image: str = Field(description="The picture of the login code as a data: address; empty if there is none.")


class PreferenceRequest(Request):
    with_schema: bool = False


class PreferenceAnswer(Answer):
    state: Literal["ready", "empty", "invalid", "not-set-up"]
    problem: PreferenceProblem | None
    values: dict[str, Any] = Field(description="All keys with their values, defaults included; addresses without private parts.")
    schedule: str
    json_schema: dict[str, Any] | None = None


class PreferenceSetting(Request):
    path: list[Step] = Field(min_length=1, max_length=8)
    value: Any = None


class ChangePreferenceRequest(Request):
    set: list[PreferenceSetting] = Field(default=[], max_length=200)
    remove: list[list[Step]] = Field(default=[], max_length=200)
