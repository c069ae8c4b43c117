"""Subscriptions and the owner's preference."""

from __future__ import annotations

from typing import Any

from sidecar.api.models.feeds import (
    AddFeedRequest,
    ChangeFeedRequest,
    ChangePreferenceRequest,
    DiscoverAnswer,
    DiscoverRequest,
    EntryInfo,
    ExportAnswer,
    FeedInfo,
    FeedRequest,
    FeedsAnswer,
    FeedsRequest,
    FoundFeedInfo,
    ImportAnswer,
    ImportRequest,
    LastFetch,
    LoginAnswer,
    PreferenceAnswer,
    PreferenceProblem,
    PreferenceRequest,
    RemovedAnswer,
    SubscriptionAnswer,
    SubscriptionInfo,
    TestFeedAnswer,
    TestFeedRequest,
)
from sidecar.api.operations.base import Operation
from sidecar.api.services import Services
from sidecar.errors import FeedParseError, PreferenceError, RequestInvalid
from sidecar.feeds.edit import remove_value, set_value
from sidecar.feeds.opml import merge, parse_list, render_opml
from sidecar.feeds.parse import parse_feed
from sidecar.feeds.preference import Preference
from sidecar.feeds.private import is_private, redacted
from sidecar.feeds.subscription import RawItem, Subscription
from sidecar.feeds.types.base import NotFetched
from sidecar.feeds.types.mcp_server import login
from sidecar.feeds.words import schedule_sentence

_CHANGEABLE = frozenset({"type", "url", "title", "enabled", "interval_min", "weight", "tags", "max", "max_age_days"})
_MAX_BODY = 20_000


async def _feeds(services: Services, request: FeedsRequest) -> FeedsAnswer:
    def look() -> FeedsAnswer:
        found = services.watchlist.state()
        preference = found.preference
        infos = [_info(services, preference, one) for one in preference.subscriptions()] if preference else []
        sentence = schedule_sentence(preference, services.config().language) if preference else ""
        return FeedsAnswer(state=found.state, problem=_problem(found.problem), schedule=sentence, subscriptions=infos)

    return await services.thread.run(look)


def _problem(error: PreferenceError | None) -> PreferenceProblem | None:
    if error is None:
        return None
    line, column = int(error.params.get("line") or 1), int(error.params.get("column") or 1)
    return PreferenceProblem(message=error.message, fix=error.fix, line=line, column=column)


def _info(services: Services, preference: Preference, found: Subscription) -> SubscriptionInfo:
    last = services.watchlist.last_results().get(found.id)
    return SubscriptionInfo(
        id=found.id,
        type=found.type,
        url=redacted(found.url),
        title=found.title or (last.title if last else ""),
        enabled=found.enabled,
        interval_min=found.interval_min,
        weight=found.weight,
        delta=preference.delta_of(found.id),
        tags=list(found.tags),
        max=found.max,
        max_age_days=found.max_age_days,
        follows=found.follows,
        has_private_part=is_private(found.url),
        last=LastFetch(status=last.status, reason=last.reason, at=last.at, items=last.items) if last else None,
    )


async def _one(services: Services, subscription_id: str) -> SubscriptionAnswer:
    def look() -> SubscriptionAnswer:
        found = services.watchlist.get(subscription_id)
        return SubscriptionAnswer(subscription=_info(services, services.watchlist.preference() or Preference(), found))

    return await services.thread.run(look)


async def _add(services: Services, request: AddFeedRequest) -> SubscriptionAnswer:
    entry: dict[str, Any] = request.model_dump(exclude={"find"}, exclude_none=True)
    if request.find and request.type is None and request.url.startswith("http") and "${secret:" not in request.url:
        found = await services.watchlist.discover(request.url)
        if not found:
            fix = "Give the feed's own address, or add it with type site."
            raise FeedParseError(f"No feed was found at {redacted(request.url)}.", fix=fix)
        entry |= {"url": found[0].url, "type": found[0].type, "title": request.title or found[0].title}
    if entry.get("type") == "rss":
        del entry["type"]
    added = await services.thread.run(services.watchlist.add, entry)
    return await _one(services, added.id)


async def _change(services: Services, request: ChangeFeedRequest) -> SubscriptionAnswer:
    unknown = sorted(request.set.keys() - _CHANGEABLE)
    if unknown:
        raise RequestInvalid(f"{unknown[0]!r} is no key of a subscription.", fix=f"Keys: {', '.join(sorted(_CHANGEABLE))}.", field="set")
    await services.thread.run(services.watchlist.update, request.id, request.set)
    return await _one(services, request.id)


async def _remove(services: Services, request: FeedRequest) -> RemovedAnswer:
    await services.thread.run(services.watchlist.remove, request.id)
    return RemovedAnswer(id=request.id, removed=True)


async def _test(services: Services, request: TestFeedRequest) -> TestFeedAnswer:
    if request.text:
        return await services.thread.run(lambda: _read_text(services, request))
    if request.id:
        subscription = await services.thread.run(services.watchlist.get, request.id)
        fetched = await services.watchlist.fetcher.fetch(subscription, {})
    elif request.url:
        subscription, fetched = await services.watchlist.try_out(request.url, max_entries=request.limit)
    else:
        raise RequestInvalid("Nothing to test was given.", fix="Give an address, the id of a subscription, or a saved feed.", field="url")
    problems = [redacted(fetched.reason)] if fetched.reason else []
    return TestFeedAnswer(
        feed=FeedInfo(title=fetched.title, kind=subscription.type, url=redacted(subscription.url)),
        status=fetched.status,
        entries=[_entry(item) for item in fetched.items[: request.limit]],
        problems=problems,
    )


def _read_text(services: Services, request: TestFeedRequest) -> TestFeedAnswer:
    url = request.url or "https://example.invalid/feed"
    # A character per byte: the file comes as it lies on disk, whatever it is encoded in.
    body = request.text.encode("latin-1") if all(ord(c) < 256 for c in request.text) else request.text.encode("utf-8", "surrogateescape")
    parsed = parse_feed(body, url, services.watchlist.fetcher.tools.clock(), limit=request.limit)
    return TestFeedAnswer(
        feed=FeedInfo(title=parsed.title, kind=parsed.kind, url=redacted(request.url)),
        status="ok",
        entries=[_entry(item) for item in parsed.items],
        problems=list(parsed.problems),
    )


def _entry(item: RawItem) -> EntryInfo:
    return EntryInfo(
        id=item.external_id,
        title=item.title,
        url=item.url,
        published=item.published.isoformat() if item.published else None,
        author=item.author,
        kind=item.kind,
        body_state=item.body_state,
        body=item.body[:_MAX_BODY],
    )


async def _discover(services: Services, request: DiscoverRequest) -> DiscoverAnswer:
    found = await services.watchlist.discover(request.url)
    return DiscoverAnswer(feeds=[FoundFeedInfo(url=one.url, title=one.title, type=one.type) for one in found])


async def _import(services: Services, request: ImportRequest) -> ImportAnswer:
    def take() -> ImportAnswer:
        imported = parse_list(request.text)
        if request.dry_run:
            preference = services.watchlist.preference() or Preference()
            added, known = merge(preference.subscriptions(), imported.subscriptions)
        else:
            added, known = services.watchlist.add_all(imported)
        names = [redacted(one.url) for one in known]
        return ImportAnswer(added=[one.id for one in added], known=names, problems=list(imported.problems)[:200])

    return await services.thread.run(take)


async def _export(services: Services, request: FeedsRequest) -> ExportAnswer:
    def write() -> ExportAnswer:
        preference = services.watchlist.preference() or Preference()
        found = [one for one in preference.subscriptions() if one.url and one.type != "mcp"]
        shown = [Subscription(one.id, one.type, redacted(one.url), title=one.title, tags=one.tags) for one in found]
        return ExportAnswer(opml=render_opml(shown), count=len(found))

    return await services.thread.run(write)


async def _login(services: Services, request: FeedRequest) -> LoginAnswer:
    subscription = await services.thread.run(services.watchlist.get, request.id)
    try:
        said = await login(subscription, services.watchlist.fetcher.tools)
    except NotFetched as error:
        return LoginAnswer(message=f"{error.message} {error.fix}".strip(), image=error.image)
    return LoginAnswer(message=said.message, image=said.image)


async def _preference(services: Services, request: PreferenceRequest) -> PreferenceAnswer:
    def look() -> PreferenceAnswer:
        found = services.watchlist.state()
        preference = found.preference or Preference()
        values = preference.model_dump(mode="json", exclude_none=True)
        for source in values["sources"]:
            source["url"] = redacted(source["url"])
        values["follow"]["feeds"] = [redacted(url) for url in values["follow"]["feeds"]]
        return PreferenceAnswer(
            state=found.state,
            problem=_problem(found.problem),
            values=values,
            schedule=schedule_sentence(preference, services.config().language),
            json_schema=Preference.model_json_schema() if request.with_schema else None,
        )

    return await services.thread.run(look)


async def _change_preference(services: Services, request: ChangePreferenceRequest) -> PreferenceAnswer:
    def change(text: str) -> str:
        for setting in request.set:
            text = set_value(text, setting.path, setting.value)
        for path in request.remove:
            text = remove_value(text, path)
        return text

    await services.thread.run(services.watchlist.edit, change)
    return await _preference(services, PreferenceRequest())


OPERATIONS = (
    Operation(
        "GET", "/api/kb/feeds", "The subscriptions and how each did last", FeedsRequest, FeedsAnswer, _feeds, needs_index=False
    ),
    Operation("POST", "/api/kb/feeds", "Subscribe", AddFeedRequest, SubscriptionAnswer, _add, needs_index=False),
    Operation("POST", "/api/kb/feeds/set", "Change a subscription", ChangeFeedRequest, SubscriptionAnswer, _change, needs_index=False),
    Operation("DELETE", "/api/kb/feeds", "Unsubscribe; what it brought stays", FeedRequest, RemovedAnswer, _remove, needs_index=False),
    Operation(
        "POST", "/api/kb/feeds/test", "Fetch or read a feed without keeping anything", TestFeedRequest, TestFeedAnswer, _test,
        needs_index=False, only_reads=True, max_body_bytes=16_000_000,
    ),
    Operation(
        "POST", "/api/kb/feeds/discover", "Find the feeds of an address", DiscoverRequest, DiscoverAnswer, _discover,
        needs_index=False, only_reads=True,
    ),
    Operation(
        "POST", "/api/kb/feeds/import", "Subscribe to a list: OPML, addresses or feeds.json", ImportRequest, ImportAnswer, _import,
        needs_index=False, max_body_bytes=24_000_000,
    ),
    Operation("GET", "/api/kb/feeds/export", "The watchlist as OPML", FeedsRequest, ExportAnswer, _export, needs_index=False),
    Operation(
        "POST", "/api/kb/feeds/login", "The login code of a subscription's server", FeedRequest, LoginAnswer, _login,
        needs_index=False, only_reads=True,
    ),
    Operation("GET", "/api/kb/preference", "The owner's preference", PreferenceRequest, PreferenceAnswer, _preference, needs_index=False),
    Operation(
        "POST", "/api/kb/preference", "Change keys of the preference; comments and order stay", ChangePreferenceRequest, PreferenceAnswer,
        _change_preference, needs_index=False,
    ),
)  # fmt: skip
