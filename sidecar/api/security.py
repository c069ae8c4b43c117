"""Who may ask: exact Host, listed Origin, a token; in this order, on every request.

The port is reachable by every page in every browser of this machine, so each check stands on its own: a name that was
rebound to 127.0.0.1 fails on Host, a foreign page on Origin, another user's process on the token.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Mapping

from aiohttp import web

ALLOWED_ORIGINS = frozenset({"app://obsidian.md", "capacitor://localhost"})
_FETCH_SITES = frozenset({"none", "same-origin"})
_OPEN_PREFIXES = ("/console/",)
_OPEN_PATHS = frozenset({"/", "/health", "/favicon.ico", "/api/console/session"})
_CODE_LIFE_S = 60.0
_MAX_SESSIONS = 16
_PREFLIGHT_S = 600

SECURITY_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self';"
        " frame-src https://player.bilibili.com; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}


class Keys:
    """The tokens of one run: the one in the endpoint file, and those that consoles got for one-time codes."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self._sessions: list[str] = []
        self._codes: dict[str, float] = {}

    def accepts(self, header: str) -> bool:
        """Whether an Authorization header carries a valid token; compared in constant time."""
        scheme, _, given = header.partition(" ")
        offered = given.strip().encode("utf-8", "replace")
        valid = [hmac.compare_digest(offered, key.encode("ascii")) for key in (self.token, *self._sessions)]
        return scheme.lower() == "bearer" and any(valid)

    def make_code(self) -> str:
        """Make a code that opens one console within a minute."""
        now = time.monotonic()
        self._codes = {code: until for code, until in self._codes.items() if until > now}
        code = secrets.token_urlsafe(24)
        self._codes[code] = now + _CODE_LIFE_S
        return code

    def exchange(self, code: str) -> str | None:
        """Give a session token for a code, once; ``None`` if it is unknown, used or too old."""
        until = self._codes.pop(code, 0.0)
        if until <= time.monotonic():
            return None
        token = secrets.token_urlsafe(32)
        self._sessions = [*self._sessions, token][-_MAX_SESSIONS:]
        return token

    def prove(self, nonce: str) -> str:
        """Show knowledge of the token without telling it: a client asks for this before it sends the token to a port."""
        return hmac.digest(self.token.encode("ascii"), nonce.encode("utf-8"), "sha256").hex()


def allowed_hosts(port: int) -> frozenset[str]:
    return frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})


def refusal(request: web.Request, port: int, keys: Keys) -> tuple[int, str, str] | None:
    """Say why a request is refused, as status, code and sentence; ``None`` if it may pass."""
    hosts = request.headers.getall("Host", [])
    if request.version < (1, 1) or len(hosts) != 1 or hosts[0] not in allowed_hosts(port) or not request.raw_path.startswith("/"):
        return 421, "host-refused", "The Host of this request is not this sidecar."
    origins = request.headers.getall("Origin", [])
    own = {f"http://{host}" for host in allowed_hosts(port)}
    if len(origins) > 1 or any(origin not in ALLOWED_ORIGINS | own for origin in origins):
        return 403, "origin-refused", "Pages of other origins may not talk to the sidecar."
    site = request.headers.get("Sec-Fetch-Site", "none")
    if site not in _FETCH_SITES and not (origins and origins[0] in ALLOWED_ORIGINS):
        return 403, "origin-refused", "Pages of other origins may not talk to the sidecar."
    if request.method == "OPTIONS":
        return None
    if request.path in _OPEN_PATHS or request.path.startswith(_OPEN_PREFIXES):
        return None
    if not keys.accepts(request.headers.get("Authorization", "")):
        return 401, "token-refused", "The token is missing or not of this run."
    return None


def cors_headers(request: web.Request) -> dict[str, str]:
    """Give the CORS headers for a listed origin; none for any other."""
    origin = request.headers.get("Origin", "")
    if origin not in ALLOWED_ORIGINS:
        return {"Vary": "Origin"}
    headers = {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}
    if request.method == "OPTIONS":
        headers |= {
            "Access-Control-Allow-Methods": "GET, POST, DELETE",
            "Access-Control-Allow-Headers": "Authorization, Content-Type, Last-Event-ID",
            "Access-Control-Max-Age": str(_PREFLIGHT_S),
        }
    return headers
