"""Work that follows a burst of changes, not each of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Settler:
    """Runs ``work`` once, ``delay_s`` after the first of a burst of touches; touches during the run lead to one more run.

    Args:
        delay_s: Asked anew each time, since settings may change.
    """

    def __init__(self, delay_s: Callable[[], float], work: Callable[[], Awaitable[None]]) -> None:
        self._delay_s = delay_s
        self._work = work
        self._is_due = False
        self._task: asyncio.Task[None] | None = None

    def touch(self) -> None:
        """Ask for a run."""
        self._is_due = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="settle")

    async def _run(self) -> None:
        while self._is_due:
            await asyncio.sleep(self._delay_s())
            self._is_due = False
            await self._work()

    async def finish(self) -> None:
        """Stop waiting and do at once what is still due."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._is_due:
            self._is_due = False
            await self._work()

    async def drop(self) -> None:
        """Stop waiting and leave undone what is due: for work that goes on where it ended at the next start."""
        self._is_due = False
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])
