"""What ``kb`` tells scripts: one table from error to exit code."""

from __future__ import annotations

from sidecar import errors

OK, UNEXPECTED, USAGE = 0, 1, 2

EXIT_CODES: tuple[tuple[type[errors.SidecarError], int, str], ...] = (
    (errors.VaultMissing, 3, "The vault is missing, cannot be read or is not set up"),
    (errors.VaultUnreadable, 3, ""),
    (errors.VaultNotInitialised, 3, ""),
    (errors.NoteNotFound, 4, "There is no such note or job"),
    (errors.JobNotFound, 4, ""),
    (errors.SubscriptionNotFound, 4, ""),
    (errors.ItemNotFound, 4, ""),
    (errors.PromotionRefused, 10, ""),
    (errors.TrialRefused, 10, ""),
    (errors.AgentConfigUnreadable, 9, ""),
    (errors.RunInProgress, 8, ""),
    (errors.NotSetUp, 9, ""),
    (errors.BlockedAddress, 5, "Refused: an address that is not public, or a path outside the vault"),
    (errors.OutsideVault, 5, ""),
    (errors.FetchError, 6, "The page could not be fetched"),
    (errors.EndpointError, 6, ""),
    (errors.ExtractionError, 7, "No text could be read from the page, or no entries from the feed"),
    (errors.FeedParseError, 7, ""),
    (errors.SidecarRunning, 8, "A sidecar runs already, or does not run and is needed, or its port is taken"),
    (errors.SidecarUnreachable, 8, ""),
    (errors.PortTaken, 8, ""),
    (errors.ConfigError, 9, "A setting or one of the sidecar's own files is broken"),
    (errors.StoreError, 9, ""),
    (errors.WriteConflict, 10, "Not written: the file changed meanwhile, the name is taken, the disk refused, or the map is not ours"),
    (errors.NoteExists, 10, ""),
    (errors.SubscriptionExists, 10, ""),
    (errors.WriteFailed, 10, ""),
    (errors.MocNotAdopted, 10, ""),
    (errors.FrontmatterError, 10, ""),
    (errors.NameUnsafe, 10, ""),
    (errors.TextUnsafe, 10, ""),
    (errors.ServiceRefused, 11, "The login item could not be put in place, or the system's service manager refused"),
    (errors.InvalidUrl, 2, ""),
    (errors.QuerySyntaxError, 2, ""),
    (errors.SecretInvalid, 2, ""),
    (errors.RequestInvalid, 2, ""),
)


def exit_code_of(error: errors.SidecarError) -> int:
    return next((code for kind, code, _ in EXIT_CODES if isinstance(error, kind)), UNEXPECTED)


def exit_code_of_name(code: str) -> int:
    """Give the exit code for an error that came over the API, by its stable name."""
    pending = list(errors.SidecarError.__subclasses__())
    while pending:
        kind = pending.pop()
        if kind.code == code:
            return exit_code_of(kind(""))
        pending += kind.__subclasses__()
    return UNEXPECTED
