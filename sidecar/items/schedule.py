"""When a run is due and when the day's brief is, by the owner's own clock: pure, safe against changes of the clock and sleep."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo

from sidecar.feeds.preference import Preference, read_window
from sidecar.feeds.subscription import Subscription

TICK_S = 30 * 60.0
CATCH_UP_S = 20.0
MAX_RUN_S = 30 * 60.0
_FIRST_BACK_OFF_MIN = 30
_MAX_BACK_OFF_MIN = 24 * 60


def in_windows(now: datetime, windows: tuple[str, ...]) -> bool:
    """Tell whether a local moment lies in a window; none are any time. One that ends before it begins goes past midnight."""
    if not windows:
        return True
    minute = now.hour * 60 + now.minute
    for window in windows:
        start, end = read_window(window)
        if (start <= minute < end) if start < end else (minute >= start or minute < end):
            return True
    return False


def missed_window(last: datetime | None, now: datetime, windows: tuple[str, ...]) -> bool:
    """Tell whether a window has begun since the last run: what a machine that was off or asleep left due, up to a day back."""
    for window in windows:
        minute, _ = read_window(window)
        for days in (0, 1):
            begin = (now - timedelta(days=days)).replace(hour=minute // 60, minute=minute % 60, second=0, microsecond=0)
            if begin <= now <= begin + timedelta(days=1) and (last is None or begin > last):
                return True
    return False


def is_brief_due(last: datetime | None, now: datetime, hour: int) -> bool:
    """Tell whether the brief of the local day is to be written: the hour is past and the last one is of an earlier day.

    Args:
        last: When the last brief was written, local; ``None`` for never.
        now: Local.
    """
    return now.hour >= hour and (last is None or last.date() < now.date())


def is_due(subscription: Subscription, last_success: datetime | None, failures: int, last_try: datetime | None, now: datetime) -> bool:
    """Tell whether a subscription is fetched on schedule: its interval has passed since the last success, and a failing one has rested."""
    if not subscription.enabled:
        return False
    if failures and last_try is not None and now - last_try < back_off(failures):
        return False
    return last_success is None or now - last_success >= timedelta(minutes=subscription.interval_min)


def back_off(failures: int) -> timedelta:
    """Give how long a subscription rests after so many failures in a row: half an hour, doubled each time, a day at most."""
    return timedelta(minutes=min(_FIRST_BACK_OFF_MIN * 2 ** min(failures - 1, 10), _MAX_BACK_OFF_MIN))


def next_window(now: datetime, preference: Preference) -> datetime | None:
    """Give when the next scheduled fetch may begin, local; now if it may at once."""
    step = now.replace(second=0, microsecond=0)
    for _ in range(2 * 24 * 60 + 1):
        if in_windows(step, preference.schedule.windows):
            return step
        step += timedelta(minutes=1)
    return None


def may_judge(now: datetime, preference: Preference) -> bool:
    """Tell whether an endpoint may be asked now: cheap hours only, unless the owner does not care."""
    return not preference.schedule.off_peak_only or in_windows(now, (preference.schedule.off_peak,))


def to_local(moment: datetime, zone: tzinfo | None) -> datetime:
    """Give a moment in the owner's zone; that of this machine if none is given."""
    return moment.astimezone(zone)


def last_moment(values: Mapping[str, datetime]) -> datetime | None:
    """Give the newest of some moments."""
    return max(values.values(), default=None)
