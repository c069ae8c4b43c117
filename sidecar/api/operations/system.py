"""The sidecar itself: state, events, restart, the console's one-time code."""

from __future__ import annotations

from sidecar import PROTOCOL_VERSION, __version__
from sidecar.api.models.base import Nothing
from sidecar.api.models.system import CodeAnswer, DoctorAnswer, DoneAnswer, EventAnswer, EventsAnswer, EventsRequest, StatusAnswer
from sidecar.api.operations.base import Operation
from sidecar.api.services import Services


async def _status(services: Services, _: Nothing) -> StatusAnswer:
    progress, index = services.progress, services.index
    config = services.config()
    kept = (index.cache_problem, index.history_problem)
    problems = (progress.vault_problem, progress.config_problem, progress.problem, progress.git_problem, *kept)
    # Only sizes are read here, off the vault's thread, so that a long first reading does not hold the answer up.
    return StatusAnswer(
        version=__version__,
        protocol=PROTOCOL_VERSION,
        vault_id=services.vault_id,
        vault_name=services.vault_name,
        state="ready" if progress.is_ready else "starting",
        revision=services.events.revision,
        done=progress.done,
        total=progress.total,
        notes=sum(note.kind == "note" for note in list(index.notes.values())),
        files=len(list(index.files)),
        parsed_at_start=progress.parsed,
        reused_at_start=progress.reused,
        problems=len(index.problems) + sum(bool(note.property_error) for note in list(index.notes.values())),
        moc_path=services.moc.path,
        moc_problem=services.moc.problem,
        watching=progress.watching,
        problem=" ".join(filter(None, problems)),
        language=config.language,
    )


async def _events(services: Services, request: EventsRequest) -> EventsAnswer:
    events = await services.events.wait(request.since, request.wait_s)
    return EventsAnswer(
        revision=services.events.revision, events=[EventAnswer(id=event.id, type=event.type, data=event.data) for event in events]
    )


async def _restart(services: Services, _: Nothing) -> DoneAnswer:
    services.restart()
    return DoneAnswer(done=True)


async def _doctor(services: Services, _: Nothing) -> DoctorAnswer:
    findings, report = await services.doctor()
    return DoctorAnswer.model_validate({"findings": findings, "report": report})


async def _stop(services: Services, _: Nothing) -> DoneAnswer:
    services.stop()
    return DoneAnswer(done=True)


async def _console_code(services: Services, _: Nothing) -> CodeAnswer:
    return CodeAnswer(code=services.make_console_code())


OPERATIONS = (
    Operation("GET", "/api/kb/status", "What the sidecar serves and how far it is", Nothing, StatusAnswer, _status, needs_index=False),
    Operation(
        "GET",
        "/api/kb/events",
        "Events after a revision, waiting for the next if asked",
        EventsRequest,
        EventsAnswer,
        _events,
        needs_index=False,
    ),
    Operation(
        "POST",
        "/api/kb/restart",
        "Stop with code 75, for the service manager to start anew",
        Nothing,
        DoneAnswer,
        _restart,
        needs_index=False,
    ),
    Operation("GET", "/api/kb/doctor", "Checks of vault and machine, each with its fix", Nothing, DoctorAnswer, _doctor),
    Operation("POST", "/api/kb/stop", "Stop with code 0, for good", Nothing, DoneAnswer, _stop, needs_index=False),
    Operation(
        "POST", "/api/kb/console-code", "A one-time code that opens the console", Nothing, CodeAnswer, _console_code, needs_index=False
    ),
)
