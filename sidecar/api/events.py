"""What happened, numbered, for listeners: a stream for the console, a long poll for the plugin."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Any, Literal

EventType = Literal["note-changed", "graph-changed", "moc-changed", "job", "run", "brief", "status", "reset"]

_KEPT = 500


@dataclass(frozen=True, slots=True)
class Event:
    """One event. Its ``id`` is the revision it made; ids only grow."""

    id: int
    type: EventType
    data: dict[str, Any]


class EventLog:
    """The last five hundred events and whoever waits for the next. Lives on the event loop."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=_KEPT)
        self._changed = asyncio.Event()
        self.revision = 0
        self.is_closed = False

    def publish(self, type_: EventType, **data: Any) -> None:
        """Add an event and wake all who wait."""
        self.revision += 1
        self._events.append(Event(self.revision, type_, data))
        self._changed.set()
        self._changed = asyncio.Event()

    def close(self) -> None:
        """Let all who wait go, so that a stopping sidecar need not wait for them."""
        self.is_closed = True
        self._changed.set()

    def since(self, revision: int) -> list[Event]:
        """Give the events after ``revision``; a single ``reset`` if some of them are forgotten, or it is from another run."""
        if revision > self.revision or (self._events and revision < self._events[0].id - 1):
            return [Event(self.revision, "reset", {})]
        return [event for event in self._events if event.id > revision]

    async def wait(self, revision: int, wait_s: float) -> list[Event]:
        """Give the events after ``revision`` as soon as there are any, or none after ``wait_s``."""
        found = self.since(revision)
        if found or wait_s <= 0 or self.is_closed:
            return found
        changed = self._changed
        try:
            async with asyncio.timeout(wait_s):
                await changed.wait()
        except TimeoutError:
            return []
        return self.since(revision)
