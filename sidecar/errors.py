"""The error tree.

Each error carries a stable ``code`` (also the key of the message in the interface), ``params`` to fill in, a sentence in
English and, where there is one, the fix. Two tables elsewhere map codes' classes to HTTP statuses and exit codes.
"""

from __future__ import annotations


class SidecarError(Exception):
    """Root of all errors that a caller may meet.

    Args:
        message: One sentence: what happened and to what.
        fix: One sentence: what to do about it; empty when nothing can be done.
        params: Values for the translated message of the same ``code``.
    """

    code = "sidecar-error"

    def __init__(self, message: str, *, fix: str = "", **params: str | int | None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.params = params


class ConfigError(SidecarError):
    """A setting is wrong; ``key`` names it."""

    code = "config-invalid"


class PreferenceError(ConfigError):
    """The owner's ``preference.yaml`` breaks a rule; ``line`` and ``column`` say where, from 1."""

    code = "preference-invalid"


class FeedError(SidecarError):
    """Something about a subscription."""

    code = "feed-error"


class SubscriptionNotFound(FeedError):
    code = "subscription-not-found"


class SubscriptionExists(FeedError):
    code = "subscription-exists"


class ItemNotFound(FeedError):
    code = "item-not-found"


class RunInProgress(FeedError):
    """One run at a time: another is going on."""

    code = "run-in-progress"


class NotSetUp(FeedError):
    """There is no watchlist, or it is empty."""

    code = "not-set-up"


class FeedParseError(FeedError):
    """What came is no feed, or a broken one."""

    code = "feed-invalid"


class VaultError(SidecarError):
    """Something about the vault or a file in it."""

    code = "vault-error"


class VaultMissing(VaultError):
    code = "vault-missing"


class VaultUnreadable(VaultError):
    code = "vault-unreadable"


class VaultNotInitialised(VaultError):
    code = "vault-not-initialised"


class NoteNotFound(VaultError):
    code = "note-not-found"


class OutsideVault(VaultError):
    """A path leads out of the vault or into a folder that is off limits."""

    code = "outside-vault"


class NoteExists(VaultError):
    code = "note-exists"


class NameUnsafe(VaultError):
    """A new file or folder would get a name that some system refuses."""

    code = "name-unsafe"


class WriteConflict(VaultError):
    """The file changed between reading and writing; nothing was written."""

    code = "write-conflict"


class WriteFailed(VaultError):
    """The disk refused: full, read-only, no permission. The old file is whole."""

    code = "write-failed"


class FrontmatterError(VaultError):
    """A property cannot be edited safely; nothing was written."""

    code = "frontmatter-broken"


class TextUnsafe(VaultError):
    """The file is no text that could be changed without losing bytes: UTF-16, or not text at all."""

    code = "text-unsafe"


class MocNotAdopted(VaultError):
    """The MOC file has no usable pair of markers, so it is not ours to write."""

    code = "moc-not-adopted"


class QuerySyntaxError(SidecarError):
    code = "query-syntax"


class QueryValueInvalid(QuerySyntaxError):
    """A filter of a query has a value that it does not know."""

    code = "query-value"


class IngestError(SidecarError):
    """A link could not become a note; ``url`` names it."""

    code = "ingest-error"


class InvalidUrl(IngestError):
    code = "url-invalid"


class BlockedAddress(IngestError):
    """The address is private, loopback or otherwise not public."""

    code = "address-blocked"


class FetchError(IngestError):
    """The page could not be fetched. ``status`` is the HTTP status, if there was an answer."""

    code = "fetch-failed"


class FetchTimeout(FetchError):
    code = "fetch-timeout"


class TooLarge(FetchError):
    code = "page-too-large"


class UnsupportedContent(FetchError):
    code = "content-unsupported"


class TooManyRedirects(FetchError):
    code = "redirect-limit"


class SiteResting(FetchError):
    """The site asked to be left alone; ``retry_after_s`` says how long, if it did."""

    code = "site-resting"


class RobotsRefused(FetchError):
    code = "robots-refused"


class ExtractionError(IngestError):
    """The page was fetched, but no text could be read from it; ``step`` says where."""

    code = "extraction-failed"


class VerificationWall(ExtractionError):
    """The site wants to see a person first; nothing of the article came. Worth another try later."""

    code = "verification-wall"


class PageGone(ExtractionError):
    """The site says that the page was deleted or withdrawn: trying again is no use."""

    code = "page-gone"


class PageUnavailable(ExtractionError):
    """The site says that the page cannot be seen at the moment, or not by everybody."""

    code = "page-unavailable"


class SecretInvalid(SidecarError):
    code = "secret-invalid"


class EndpointError(SidecarError):
    """An embedding endpoint or the installed model gave no vectors. ``status`` is the HTTP status, if there was an answer."""

    code = "endpoint-failed"


class PromotionRefused(VaultError):
    """A promotion that is not upward, states no use, or needs a person."""

    code = "promotion-refused"


class AgentConfigUnreadable(SidecarError):
    """An agent's settings file that is not what it should be; it is left alone."""

    code = "agent-config-unreadable"


class TrialRefused(VaultError):
    """A decision that cannot be carried out now, or not here."""

    code = "trial-refused"


class StoreError(SidecarError):
    code = "store-error"


class ServiceRefused(SidecarError):
    """The login item cannot be put in place, or the system's service manager refuses."""

    code = "service-refused"


class ProtocolError(StoreError):
    """``.kb/protocol.json`` is damaged, or a newer version made it."""

    code = "protocol-unusable"


class SidecarRunning(SidecarError):
    """Another sidecar already serves this vault."""

    code = "sidecar-running"


class PortTaken(SidecarError):
    code = "port-taken"


class SidecarUnreachable(SidecarError):
    """A client needs the running sidecar and there is none."""

    code = "sidecar-unreachable"


class RequestInvalid(SidecarError):
    """A request does not fit its model; ``field`` names the first misfit."""

    code = "request-invalid"


class JobNotFound(SidecarError):
    code = "job-not-found"
