"""The only place that asks the time.

``KB_NOW`` (ISO 8601, with or without a zone) sets the clock of a whole process, for tests and simulations.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, date, datetime

from sidecar.errors import ConfigError

Clock = Callable[[], datetime]
"""A call that gives the present moment, aware, in UTC."""


def system_clock() -> datetime:
    return datetime.now(UTC)


def clock_from_environment() -> Clock:
    """Give the system clock, or a stopped one if ``KB_NOW`` is set.

    Raises:
        ConfigError: ``KB_NOW`` is not an ISO 8601 time.
    """
    text = os.environ.get("KB_NOW")
    if not text:
        return system_clock
    try:
        fixed = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ConfigError(
            f"KB_NOW is not an ISO 8601 time: {text!r}.", fix="Write it like 2026-11-30T09:00:00+08:00.", key="KB_NOW"
        ) from error
    return lambda: fixed


def local_day(moment: datetime) -> date:
    """Give the day that a moment falls on where this machine stands."""
    return moment.astimezone().date()
