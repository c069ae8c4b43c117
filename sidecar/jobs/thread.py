"""The one thread that owns the vault's state.

Index, graph, search and map are plain Python without locks; everything that reads or changes them runs here, one call after
the other, and the event loop only waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class VaultThread:
    """Runs calls in order on a thread of its own."""

    def __init__(self, name: str = "vault") -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``call`` after all calls before it and give its result."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, lambda: call(*args, **kwargs))

    def ask(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``call`` as :meth:`run` does and wait for it, from a thread that this one never waits for."""
        return self._executor.submit(lambda: call(*args, **kwargs)).result()

    def close(self) -> None:
        """Finish what was begun and stop."""
        self._executor.shutdown(wait=True)
