"""The owner's ``.kb/preference.yaml``: what is subscribed to, what is wanted, and when.

The models below are the whole truth about its keys: the JSON Schema, the reference in the documents and the messages about a wrong
value all follow from them. A value that breaks a rule is named with line and column; nothing is guessed and no run starts.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from sidecar.errors import PreferenceError
from sidecar.feeds.subscription import Subscription, SubscriptionType, ToolMapping

DELTA_LIMIT = 0.5
"""How far the two buttons can move a subscription's weight, up or down."""
_WINDOW = re.compile(r"([01]\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]\d|2[0-4]):([0-5]\d)")
_ID = re.compile(r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,198}[^\s\x00-\x1f\x7f])?")
_MAX_BYTES = 2_000_000
_MAX_DEPTH = 40

Keyword = Annotated[str, Field(min_length=1, max_length=200)]
Weight = Annotated[float, Field(ge=-10, le=10, allow_inf_nan=False)]
Window = Annotated[str, Field(pattern=r"^\s*\d{2}:\d{2}\s*[-–]\s*\d{2}:\d{2}\s*$", examples=["07:00-09:00"])]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False, str_strip_whitespace=True)


class Theme(_Part):
    """One thing the owner cares about; searched in title, tags and body."""

    group: Annotated[str, Field(min_length=1, max_length=100, description="its name, as briefs show it")]
    must: tuple[Keyword, ...] = Field(default=(), description="all of these")
    any: tuple[Keyword, ...] = Field(default=(), description="at least one of these")
    never: tuple[Keyword, ...] = Field(default=(), description="none of these")
    weight: Weight = Field(default=1.0, description="what a hit adds to the score")

    @model_validator(mode="after")
    def _has_words(self) -> Theme:
        if not self.must and not self.any:
            raise ValueError("a theme needs words under `must` or `any`")
        return self


class Follow(_Part):
    """Channels and feeds whose items skip the theme test."""

    bilibili: tuple[Keyword, ...] = Field(default=(), description="channels there, as `uid:123`")
    xiaohongshu: tuple[Keyword, ...] = Field(default=(), description="accounts there")
    youtube: tuple[Keyword, ...] = Field(default=(), description="channels there: address, `@name` or id")
    feeds: tuple[Keyword, ...] = Field(default=(), description="addresses of feeds")


class Tool(_Part):
    """How a stdio MCP server of the owner's is asked for items."""

    command: tuple[Keyword, ...] = Field(default=(), description="program and arguments")
    tool: str = Field(default="", max_length=200, description="name of the tool that lists items")
    arguments: dict[str, str | int | float | bool] = Field(default={}, description="what the tool is called with")
    login_tool: str = Field(default="", max_length=200, description="tool that gives the picture of a login code")
    items: str = Field(default="", max_length=200, description="where the list lies in the answer, names joined by dots")
    fields: dict[str, str] = Field(default={}, description="field of an item → where it lies in one entry")
    env: dict[str, str] = Field(default={}, description="variable of its environment → name of a secret")


class Source(_Part):
    """One subscription."""

    id: Annotated[str, Field(min_length=1, max_length=200, description="its name; stays when the address changes")]
    type: SubscriptionType = Field(default="rss", description="how it is fetched")
    url: str = Field(default="", max_length=2000, description="its address; `${secret:name}` stands for a private part")
    title: str = Field(default="", max_length=200, description="what to call it; else what it calls itself")
    enabled: bool = Field(default=True, description="whether it is fetched")
    interval_min: Annotated[int, Field(ge=1, le=525_600, description="minutes between two fetches on schedule")] = 360
    weight: Weight = Field(default=0.0, description="what it adds to the score of its items")
    tags: tuple[Keyword, ...] = Field(default=(), description="given to each of its items")
    max: Annotated[int, Field(ge=1, le=1000, description="entries of one fetch that are looked at, newest first")] = 50
    max_age_days: Annotated[int, Field(ge=1, le=36_500)] | None = Field(
        None, description="older ones are stale; else `limits.max_age_days`"
    )
    tool: Tool | None = Field(default=None, description="for type `mcp`: how its server is asked")

    @field_validator("id")
    @classmethod
    def _plain_id(cls, value: str) -> str:
        if not _ID.fullmatch(value):
            raise ValueError("an id is one line")
        return value

    @model_validator(mode="after")
    def _can_be_fetched(self) -> Source:
        if self.type in ("rss", "youtube-channel", "site") and not self.url:
            raise ValueError(f"a subscription of type {self.type} needs a `url`")
        if self.type == "mcp" and (self.tool is None or not self.tool.command or not self.tool.tool):
            raise ValueError("a subscription of type mcp needs `tool` with `command` and `tool`")
        return self


class Schedule(_Part):
    """When subscriptions are fetched, and when the day's brief is there."""

    windows: tuple[Window, ...] = Field(
        default=("07:00-09:00", "12:30-13:30"), description="times of scheduled fetches; empty for any time"
    )
    brief_hour: Annotated[int, Field(ge=0, le=23, description="the brief comes from the first run that ends after it")] = 8
    off_peak_only: bool = Field(default=True, description="whether an endpoint judges in cheap hours only")
    off_peak: Window = Field(default="00:30-08:30", description="the cheap hours")
    max_per_run: Annotated[int, Field(ge=0, le=10_000, description="candidates offered in one run")] = 25
    max_per_day: Annotated[int, Field(ge=0, le=100_000, description="verdicts taken in one day")] = 60

    @field_validator("windows", "off_peak")
    @classmethod
    def _real_times(cls, value: Any) -> Any:
        for window in (value,) if isinstance(value, str) else value:
            read_window(window)
        return value


class Limits(_Part):
    """What is left out before anything is judged."""

    max_age_days: Annotated[int, Field(ge=1, le=36_500, description="older items are stale")] = 14
    min_duration_sec: Annotated[int, Field(ge=0, le=86_400, description="shorter videos are left out")] = 90
    skip_kinds: tuple[Literal["video", "article", "note"], ...] = Field(default=(), description="kinds that are left out")
    min_score: Weight = Field(default=0.0, description="items with a lower score are left out")


class Tuning(_Part):
    """What the two buttons changed; nothing else is ever written here."""

    source_delta: dict[str, Annotated[float, Field(ge=-DELTA_LIMIT, le=DELTA_LIMIT, allow_inf_nan=False)]] = Field(
        default={}, description="subscription → what is added to its weight"
    )


class Preference(_Part):
    """The whole file."""

    version: Literal[1] = Field(default=1, description="of this format")
    themes: tuple[Theme, ...] = Field(default=(), description="what is wanted")
    follow: Follow = Field(default_factory=Follow, description="channels and feeds whose items skip the theme test")
    sources: tuple[Source, ...] = Field(default=(), description="the watchlist")
    schedule: Schedule = Field(default_factory=Schedule, description="when")
    limits: Limits = Field(default_factory=Limits, description="what is left out unjudged")
    require_theme_hit: bool = Field(default=True, description="whether an item must hit a theme, unless it is followed")
    auto_ingest_top: Annotated[int, Field(ge=0, le=50, description="full texts that the brief brings each day; 0 for none")] = 3
    budget_tokens: Annotated[int, Field(ge=0, le=1_000_000_000, description="tokens an endpoint may use in a day")] = 120_000
    tuning: Tuning = Field(default_factory=Tuning, description="written by the two buttons only")
    redlines: tuple[Keyword, ...] = Field(default=(), description="words that always exclude")
    charter: Annotated[str, Field(max_length=20_000, description="what the judge is told")] = ""

    @model_validator(mode="after")
    def _ids_differ(self) -> Preference:
        seen: set[str] = set()
        for found in self.subscriptions():
            if found.id in seen:
                raise ValueError(f"two subscriptions have the id {found.id!r}")
            seen.add(found.id)
        return self

    def subscriptions(self) -> tuple[Subscription, ...]:
        """Give what is followed and what is in the watchlist as one list, in the order of the file; a followed address that the
        watchlist has, too, is that one, and skips the theme test."""
        followed = set(self.follow.feeds)
        listed = [_subscription(source, follows=source.url in followed) for source in self.sources]
        known = {source.url for source in self.sources if source.url}
        more = [Subscription(url, "rss", url, follows=True) for url in self.follow.feeds if url not in known]
        more += [
            Subscription(f"youtube:{name}", "youtube-channel", name, follows=True) for name in self.follow.youtube if name not in known
        ]
        more += [Subscription(f"bilibili:{name}", "bilibili", name, follows=True) for name in self.follow.bilibili]
        more += [Subscription(f"xiaohongshu:{name}", "xiaohongshu", name, follows=True) for name in self.follow.xiaohongshu]
        return (*listed, *{found.id: found for found in more}.values())

    def find(self, subscription_id: str) -> Subscription | None:
        """Find one subscription by its id."""
        return next((found for found in self.subscriptions() if found.id == subscription_id), None)

    def delta_of(self, subscription_id: str) -> float:
        """Give what the two buttons added to a subscription's weight."""
        return self.tuning.source_delta.get(subscription_id, 0.0)


def _subscription(source: Source, *, follows: bool) -> Subscription:
    tool = None
    if source.tool is not None:
        wish = source.tool
        tool = ToolMapping(wish.command, wish.tool, wish.arguments, wish.login_tool, wish.items, wish.fields, wish.env)
    return Subscription(
        source.id, source.type, source.url, source.enabled, source.interval_min, source.weight, source.tags, source.max,
        source.max_age_days, source.title, follows, tool,
    )  # fmt: skip


def read_window(text: str) -> tuple[int, int]:
    """Read ``07:00-09:00`` as minutes of the day; the end may be 24:00, and one before the start lies on the next day.

    Raises:
        ValueError: It is no window.
    """
    found = _WINDOW.fullmatch(text.strip())
    start, end = (int(found[1]) * 60 + int(found[2]), int(found[3]) * 60 + int(found[4])) if found else (0, 0)
    if not found or end > 24 * 60 or start == end:
        raise ValueError(f"{text!r} is no time of day such as 07:00-09:00")
    return start, end


def parse_preference(text: str) -> Preference:
    """Read the text of a ``preference.yaml``; an empty one is a preference with all defaults.

    Raises:
        PreferenceError: It is no YAML, a key is unknown or a value breaks a rule; names line and column, from 1.
    """
    if len(text) > _MAX_BYTES:
        raise PreferenceError("preference.yaml is larger than 2 MB.", fix="Keep the watchlist only.", line=1, column=1)
    text = text.removeprefix("\ufeff")
    try:
        loader = yaml.CSafeLoader(text) if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            _check_shape(node, 0, set())
            value = loader.construct_document(node) if node is not None else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise PreferenceError(
            f"preference.yaml is no YAML: {error.problem or error.context}.", fix="Mend that line.", line=line, column=column
        ) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise PreferenceError(f"preference.yaml is no YAML: {error}.", fix="Mend it, or begin anew.", line=1, column=1) from error
    if value is None:
        return Preference()
    if not isinstance(value, dict):
        raise PreferenceError("preference.yaml holds no keys.", fix="Begin with a line such as: sources:", line=1, column=1)
    try:
        return Preference.model_validate(_without_empty(value))
    except ValidationError as error:
        raise _located(error, node) from error


def _check_shape(node: yaml.Node | None, depth: int, seen: set[int]) -> None:
    """Refuse what no preference needs and what can be made to blow up: deep nesting, and lists that stand for others."""
    if depth > _MAX_DEPTH:
        raise ValueError("it is nested too deep")
    if node is None or isinstance(node, yaml.ScalarNode):
        return
    if id(node) in seen:
        raise yaml.MarkedYAMLError(problem="a part that stands for another (* and &) is not read here", problem_mark=node.start_mark)
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in keys:
                raise yaml.MarkedYAMLError(problem=f"the key {name[:100]!r} stands twice", problem_mark=key.start_mark)
            keys.add(name)
            _check_shape(value, depth + 1, seen)
    else:
        for value in node.value:
            _check_shape(value, depth + 1, seen)


def _without_empty(value: dict[Any, Any]) -> dict[Any, Any]:
    """Leave out keys without a value: ``themes:`` with nothing under it, as in the file to start from."""
    return {
        key: _without_empty(inner) if isinstance(inner, dict) else [_without_empty(i) if isinstance(i, dict) else i for i in inner]
        if isinstance(inner, list) else inner
        for key, inner in value.items()
        if inner is not None
    }  # fmt: skip


def _located(error: ValidationError, node: yaml.Node | None) -> PreferenceError:
    first = error.errors(include_url=False)[0]
    where: list[str] = []
    at: yaml.Node | None = node
    mark = node.start_mark if node is not None else None
    for step in first["loc"]:
        if isinstance(at, yaml.MappingNode):
            pair = next(((key, value) for key, value in at.value if str(key.value) == str(step)), None)
            if pair is None:
                continue
            # An unknown key is shown itself; a wrong value is shown where the value stands.
            at = pair[1]
            mark = pair[0].start_mark if first["type"] == "extra_forbidden" else at.start_mark
        elif isinstance(at, yaml.SequenceNode) and isinstance(step, int) and step < len(at.value):
            at = at.value[step]
            mark = at.start_mark
        else:
            continue
        where.append(str(step + 1) if isinstance(step, int) else str(step))
    name = ".".join(where) or "the file"
    message = {"extra_forbidden": "is not a known key", "missing": f"lacks {first['loc'][-1]!r}" if first["loc"] else "lacks a key"}.get(
        first["type"], first["msg"].removeprefix("Value error, ")
    )
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return PreferenceError(
        f"preference.yaml, line {line}: {name}: {message}.",
        fix="Mend that line; docs/preference.md lists all keys.",
        line=line,
        column=column,
    )
