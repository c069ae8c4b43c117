"""Errors as RFC 9457 problem documents: one table from error to HTTP status."""

from __future__ import annotations

from pydantic import ValidationError

from sidecar import errors
from sidecar.api.models.base import ProblemBody

_STATUS: tuple[tuple[type[errors.SidecarError], int], ...] = (
    (errors.NoteNotFound, 404),
    (errors.JobNotFound, 404),
    (errors.OutsideVault, 403),
    (errors.BlockedAddress, 403),
    (errors.NoteExists, 409),
    (errors.WriteConflict, 409),
    (errors.MocNotAdopted, 409),
    (errors.FrontmatterError, 422),
    (errors.NameUnsafe, 422),
    (errors.TextUnsafe, 422),
    (errors.FetchTimeout, 504),
    (errors.FetchError, 502),
    (errors.ExtractionError, 422),
    (errors.EndpointError, 502),
    (errors.InvalidUrl, 400),
    (errors.QuerySyntaxError, 400),
    (errors.RequestInvalid, 400),
    (errors.ConfigError, 422),
    (errors.SubscriptionNotFound, 404),
    (errors.PromotionRefused, 409),
    (errors.TrialRefused, 409),
    (errors.AgentConfigUnreadable, 422),
    (errors.ItemNotFound, 404),
    (errors.RunInProgress, 409),
    (errors.NotSetUp, 409),
    (errors.SubscriptionExists, 409),
    (errors.FeedParseError, 422),
    (errors.WriteFailed, 507),
    (errors.VaultUnreadable, 422),
    (errors.VaultMissing, 503),
)


def problem_of(error: errors.SidecarError) -> ProblemBody:
    """Describe an error for a client."""
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    return ProblemBody(
        title=error.code.replace("-", " ").capitalize(),
        status=status,
        detail=error.message,
        code=error.code,
        fix=error.fix,
        params=dict(error.params),
    )


def request_error(error: ValidationError) -> errors.RequestInvalid:
    """Turn a failed check of a request into our error; the first misfit is enough."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "request"
    return errors.RequestInvalid(f"{field}: {first['msg']}.", fix="See /api/openapi.json for what is accepted.", field=field)
