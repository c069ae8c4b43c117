"""What a site's robots.txt allows us (RFC 9309)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

AGENT = "vault-sidecar"
MAX_BYTES = 512_000
KEEP_S = 24 * 3600.0
KEEP_FAILED_S = 600.0
_LONGEST_DELAY_S = 30.0


class Rules(Protocol):
    """What is used of a parsed robots.txt."""

    def can_fetch(self, url: str, user_agent: str) -> bool: ...

    def crawl_delay(self, user_agent: str) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Robots:
    """A site's rules until ``kept_until``. Without rules everything is allowed, unless ``is_down``: then nothing is for now."""

    kept_until: float
    rules: Rules | None = None
    is_down: bool = False

    def allows(self, url: str) -> bool:
        return not self.is_down and (self.rules is None or self.rules.can_fetch(url, AGENT))

    @property
    def delay_s(self) -> float:
        """The pause between two requests that the site asks for, within reason."""
        delay = self.rules.crawl_delay(AGENT) if self.rules is not None else None
        return min(float(delay), _LONGEST_DELAY_S) if delay else 0.0


def parse_robots(status: int, body: bytes, now: float) -> Robots:
    """Read the answer to a request for robots.txt: 4xx means that all is allowed, 5xx (and 0, no answer) that we must wait."""
    if status == 0 or status >= 500 or status == 429:
        return Robots(now + KEEP_FAILED_S, is_down=True)
    if status >= 400:
        return Robots(now + KEEP_S)
    from protego import Protego  # only unattended fetches need it

    return Robots(now + KEEP_S, Protego.parse(body[:MAX_BYTES].decode("utf-8-sig", "replace")))
