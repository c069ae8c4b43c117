"""When a site may be asked again (pure): what it wished for itself, and a growing pause while it fails."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_FIRST_PAUSE_S = 30.0
_LONGEST_PAUSE_S = 6 * 3600.0
_LONGEST_WISH_S = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Pause:
    """A site at rest. Times are those of a clock that never jumps, in seconds.

    Attributes:
        until: Not to be asked unattended before.
        wished_until: Not to be asked at all before: the site itself named the time.
        failures: How often in a row it failed.
    """

    until: float = 0.0
    wished_until: float = 0.0
    failures: int = 0

    def left_s(self, now: float, *, unattended: bool) -> float:
        """How long to wait still. A person who pastes a link waits only for what the site wished."""
        return max((max(self.until, self.wished_until) if unattended else self.wished_until) - now, 0.0)


def after_answer(known: Pause, status: int, retry_after_s: float | None, now: float) -> Pause:
    """Learn from an answer: 429 and 5xx (and 0, no answer) double the pause, anything else ends it."""
    if status and status != 429 and status < 500:
        return Pause()
    failures = known.failures + 1
    pause_s = min(_FIRST_PAUSE_S * 2 ** min(failures - 1, 20), _LONGEST_PAUSE_S)
    wished = now + min(retry_after_s, _LONGEST_WISH_S) if retry_after_s else 0.0
    return Pause(until=max(now + pause_s, wished), wished_until=wished, failures=failures)


def parse_retry_after(text: str, now: datetime) -> float | None:
    """Read a ``Retry-After`` header (RFC 9110, 10.2.3): seconds, or a date; ``None`` if it is neither."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)
