"""The watchlist of one vault: the owner's preference as it is now, changes of it, and trying subscriptions out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sidecar.config import KB_FOLDER
from sidecar.errors import (
    FeedParseError,
    FetchError,
    PreferenceError,
    SidecarError,
    SubscriptionExists,
    SubscriptionNotFound,
    VaultUnreadable,
)
from sidecar.feeds.discover import FoundFeed, find_feeds, guesses, known_by_address
from sidecar.feeds.edit import append_all, remove_value, set_value
from sidecar.feeds.fetching import SubscriptionFetcher
from sidecar.feeds.opml import Imported, free_id, merge
from sidecar.feeds.parse import parse_feed
from sidecar.feeds.preference import DELTA_LIMIT, Preference, parse_preference
from sidecar.feeds.subscription import Fetched, Subscription
from sidecar.feeds.types.base import FEED_ASK
from sidecar.ingest.page.decode import decode_page
from sidecar.vault.address import clean_url, find_address
from sidecar.vault.files import VaultFiles

State = Literal["ready", "empty", "invalid", "not-set-up"]
PREFERENCE_FILE = "preference.yaml"
_MAX_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class LastResult:
    """What the last fetch of a subscription came to; ``at`` in UTC, as ISO 8601."""

    status: str
    reason: str
    at: str
    items: int
    title: str = ""


@dataclass(frozen=True, slots=True)
class WatchlistState:
    """What the file says; ``preference`` is ``None`` unless it is valid, ``problem`` why it is not."""

    state: State
    preference: Preference | None = None
    problem: PreferenceError | None = None


@dataclass(slots=True)
class _Read:
    stamp: tuple[int, int, int] | None = None
    state: WatchlistState = field(default_factory=lambda: WatchlistState("not-set-up"))


class WatchlistService:
    """Reads and changes ``.kb/preference.yaml``; read anew whenever the file changed. Changes are touched on the vault's thread only.

    Args:
        last_results: What became of each subscription; kept by those who run them.
    """

    def __init__(self, files: VaultFiles, fetcher: SubscriptionFetcher) -> None:
        self._files = files
        self._path = files.root / KB_FOLDER / PREFERENCE_FILE
        self._fetcher = fetcher
        self._read = _Read()
        self.last_results: Callable[[], Mapping[str, LastResult]] = dict

    @property
    def fetcher(self) -> SubscriptionFetcher:
        return self._fetcher

    def state(self) -> WatchlistState:
        """Tell what the preference says now."""
        try:
            found = self._path.stat()
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        except FileNotFoundError:
            return WatchlistState("not-set-up")
        except OSError as error:
            return WatchlistState("invalid", problem=_unreadable(str(error.strerror)))
        if stamp != self._read.stamp:
            self._read = _Read(stamp, self._parsed())
        return self._read.state

    def preference(self) -> Preference | None:
        """Give the preference, or ``None`` while it is not set up or not valid."""
        return self.state().preference

    def get(self, subscription_id: str) -> Subscription:
        """Give a subscription.

        Raises:
            SubscriptionNotFound: Nothing bears that id.
        """
        preference = self.preference()
        found = preference.find(subscription_id) if preference else None
        if found is None:
            raise _unknown(subscription_id)
        return found

    def edit(self, change: Callable[[str], str]) -> Preference:
        """Change the file's text; nothing is written if the outcome breaks a rule or the file changed in between.

        Raises:
            PreferenceError: It is not valid, before or after.
        """
        for _ in range(3):
            before = self._text()
            after = change(before)
            wanted = parse_preference(after)
            if self._text() == before:
                if after != before:
                    self._files.write_own(PREFERENCE_FILE, after.encode("utf-8"))
                return wanted
        raise PreferenceError("preference.yaml is being edited; nothing was written.", fix="Try again when it is quiet.", line=1, column=1)

    def add(self, entry: Mapping[str, Any]) -> Subscription:
        """Add a subscription, given by the keys of ``sources``; an ``id`` is made if there is none.

        Raises:
            SubscriptionExists: Its address or its id is there already.
        """
        wanted = dict(entry)

        def change(text: str) -> str:
            preference = parse_preference(text)
            known = preference.subscriptions()
            address = find_address(str(wanted.get("url") or "")) or str(wanted.get("url") or "")
            twin = next((s for s in known if address and (find_address(s.url) or s.url) == address), None)
            if twin is None and wanted.get("id"):
                twin = next((s for s in known if s.id == wanted["id"]), None)
            if twin is not None:
                raise SubscriptionExists(f"That is subscribed to already, as {twin.id!r}.", fix="Change it with: kb feeds set", id=twin.id)
            wanted["id"] = wanted.get("id") or free_id(str(wanted.get("title") or wanted["url"]), (s.id for s in known))
            ordered = {key: wanted[key] for key in ("id", "type", "url", "title") if wanted.get(key)}
            rest = {key: value for key, value in wanted.items() if key not in ordered and value not in (None, "", (), [])}
            return set_value(text, ("sources", len(preference.sources)), {**ordered, **rest})

        self.edit(change)
        return self.get(wanted["id"])

    def add_all(self, imported: Imported) -> tuple[tuple[Subscription, ...], tuple[Subscription, ...]]:
        """Add what a list holds; give what was added and what was known."""
        outcome: list[tuple[tuple[Subscription, ...], tuple[Subscription, ...]]] = []

        def change(text: str) -> str:
            preference = parse_preference(text)
            added, known = merge(preference.subscriptions(), imported.subscriptions)
            outcome[:] = [(added, known)]
            if added:
                text = append_all(text, "sources", [_entry(subscription) for subscription in added])
            for key, value in imported.settings.items():
                text = set_value(text, ("schedule", "brief_hour") if key == "brief_hour" else (key,), value)
            return text

        self.edit(change)
        return outcome[0]

    def update(self, subscription_id: str, changes: Mapping[str, Any]) -> Subscription:
        """Change keys of a subscription; ``None`` takes a key out. A followed address becomes an entry of its own."""

        def change(text: str) -> str:
            preference = parse_preference(text)
            place = next((n for n, source in enumerate(preference.sources) if source.id == subscription_id), None)
            if place is None:
                known = preference.find(subscription_id)
                if known is None:
                    raise SubscriptionNotFound(
                        f"There is no subscription {subscription_id[:100]!r}.", fix="Look at them with: kb feeds list"
                    )
                place = len(preference.sources)
                text = set_value(text, ("sources", place), _entry(known))
            for key, value in changes.items():
                path = ("sources", place, key)
                text = remove_value(text, path) if value is None else set_value(text, path, value)
            return text

        self.edit(change)
        return self.get(subscription_id)

    def remove(self, subscription_id: str) -> None:
        """Take a subscription out; what it brought stays.

        Raises:
            SubscriptionNotFound: Nothing bears that id.
        """

        def change(text: str) -> str:
            preference = parse_preference(text)
            known = preference.find(subscription_id)
            if known is None:
                raise _unknown(subscription_id)
            place = next((n for n, source in enumerate(preference.sources) if source.id == subscription_id), None)
            if place is not None:
                text = remove_value(text, ("sources", place))
            for name in ("feeds", "youtube", "bilibili", "xiaohongshu"):
                followed = getattr(preference.follow, name)
                for n in reversed(range(len(followed))):
                    if followed[n] == known.url:
                        text = remove_value(text, ("follow", name, n))
            return text

        self.edit(change)

    def tune(self, subscription_id: str, delta: float) -> float:
        """Move a subscription's weight by one of the two buttons; give where it stands now. 0 takes the shift back."""
        moved: list[float] = []

        def change(text: str) -> str:
            preference = parse_preference(text)
            new = round(max(-DELTA_LIMIT, min(DELTA_LIMIT, preference.delta_of(subscription_id) + delta)), 2) if delta else 0.0
            moved[:] = [new]
            path = ("tuning", "source_delta", subscription_id)
            return set_value(text, path, new) if new else remove_value(text, path)

        self.edit(change)
        return moved[0]

    async def try_out(self, url: str, *, max_entries: int = 1000) -> tuple[Subscription, Fetched]:
        """Fetch an address as a subscription would be, keeping nothing."""
        known = known_by_address(url)
        subscription = Subscription("test", known.type if known else "rss", known.url if known else url, max=max_entries)
        return subscription, await self._fetcher.fetch(subscription, {})

    async def discover(self, url: str) -> tuple[FoundFeed, ...]:
        """Find the feeds of an address: itself, those its page names, or those lying where feeds often lie.

        Raises:
            InvalidUrl, FetchError: The page cannot be had.
        """
        known = known_by_address(url)
        if known is not None:
            return (known,)
        url = clean_url(url)
        fetch = self._fetcher.tools.fetcher.fetch
        answer = await fetch(url, FEED_ASK)
        now = self._fetcher.tools.clock()
        try:
            parsed = parse_feed(answer.body, answer.url, now, charset=answer.charset, limit=1)
            return (FoundFeed(url, parsed.title),)
        except FeedParseError:
            found = find_feeds(decode_page(answer.body, answer.charset), answer.url)
        if found:
            return found
        for guess in guesses(answer.url):
            try:
                reply = await fetch(guess, FEED_ASK)
                parsed = parse_feed(reply.body, reply.url, now, charset=reply.charset, limit=1)
            except (FeedParseError, FetchError, SidecarError):
                continue
            return (FoundFeed(guess, parsed.title),)
        return ()

    def _parsed(self) -> WatchlistState:
        try:
            preference = parse_preference(self._text())
        except PreferenceError as error:
            return WatchlistState("invalid", problem=error)
        except VaultUnreadable as error:
            return WatchlistState("invalid", problem=_unreadable(error.message))
        return WatchlistState("ready" if preference.subscriptions() else "empty", preference)

    def _text(self) -> str:
        try:
            with self._path.open("rb") as file:
                body = file.read(_MAX_BYTES)
            return body.decode("utf-8")
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            line = body[: error.start].count(b"\n") + 1
            raise PreferenceError("preference.yaml is not UTF-8 text.", fix="Save it as UTF-8.", line=line, column=1) from error
        except OSError as error:
            raise VaultUnreadable(f"preference.yaml cannot be read: {error.strerror}.", fix="Check its permissions.") from error


def _unknown(name: str) -> SubscriptionNotFound:
    return SubscriptionNotFound(f"There is no subscription {name[:100]!r}.", fix="Look at them with: kb feeds list", id=name[:100])


def _unreadable(why: str) -> PreferenceError:
    return PreferenceError(f"preference.yaml cannot be read: {why}.", fix="Check its permissions.", line=1, column=1)


def _entry(subscription: Subscription) -> dict[str, Any]:
    """Give a subscription as an entry of ``sources``, without what is as it would be anyway."""
    default = Subscription("", "rss")
    found: dict[str, Any] = {"id": subscription.id}
    for key in ("type", "url", "title", "enabled", "interval_min", "weight", "max", "max_age_days"):
        value = getattr(subscription, key)
        if value != getattr(default, key):
            found[key] = value
    if subscription.tags:
        found["tags"] = list(subscription.tags)
    return found
