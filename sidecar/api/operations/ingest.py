"""Links and pasted text that become notes, the jobs that make them, and the queue of what waits."""

from __future__ import annotations

import asyncio
from typing import Any

from sidecar.api.models.base import Nothing
from sidecar.api.models.ingest import (
    IngestRequest,
    JobAnswer,
    JobRequest,
    QueueAnswer,
    QueueDropAnswer,
    QueueDropRequest,
    WaitingAnswer,
)
from sidecar.api.operations.base import Operation
from sidecar.api.problems import problem_of
from sidecar.api.services import Services
from sidecar.errors import RequestInvalid, SidecarError
from sidecar.ingest.plan import IngestOptions
from sidecar.ingest.service import outcome_json
from sidecar.ingest.waiting import NotTaken, Waiting
from sidecar.jobs import Job, Step

_PASTED_BODY_BYTES = 32_000_000
_NO_DISTILLING = "Distilling needs an agent or a model endpoint and is not built yet; the notes were taken in without it."


async def _ingest(services: Services, request: IngestRequest) -> JobAnswer:
    options = IngestOptions(
        tuple(request.tags), request.use_when, request.via, force=request.force, assets=request.assets, dry_run=request.dry_run
    )
    if request.text is not None:
        job = _start_pasted(services, request, request.text, options)
    else:
        urls = list(dict.fromkeys([*([request.url] if request.url else []), *request.urls]))
        if not urls:
            raise RequestInvalid("url: give one address or more.", fix='Send {"url": "https://…"} or {"urls": […]}.', field="url")
        accept = services.intake.accept
        links = [Waiting("", url, options) for url in urls] if options.dry_run else await accept(urls, options)
        job = _start_links(services, links, distill=request.distill)
    if request.wait:
        await services.jobs.wait(job)
    return job_answer(job)


def _start_links(services: Services, links: list[Waiting], *, distill: bool) -> Job:
    async def one_by_one(step: Step, result: dict[str, Any]) -> None:
        results: list[dict[str, Any]] = result.setdefault("results", [])
        if distill:
            result["notices"] = [_NO_DISTILLING]
        task = asyncio.current_task()
        try:
            for number, link in enumerate(links, 1):
                results.append(await _take_one(services, link, _reporting(step, link.url, number, len(links))))
                if task is not None and task.cancelling() and number < len(links):
                    raise asyncio.CancelledError
        except asyncio.CancelledError:
            await services.intake.give_up(links)
            raise

    return services.jobs.start("ingest", one_by_one)


def _reporting(step: Step, url: str, number: int, of: int) -> Step:
    return lambda name, details: step(name, {"url": url, "number": number, "of": of, **details})


async def _take_one(services: Services, link: Waiting, step: Step) -> dict[str, Any]:
    """Work on one link. A bad link is that link's result; the rest goes on."""
    try:
        outcome = await services.intake.work(link, step)
    except SidecarError as error:  # the queue itself could not be written
        outcome = NotTaken(error)
    if not isinstance(outcome, NotTaken):
        return outcome_json(outcome, link.url, is_planned=link.options.dry_run)
    retry_at = outcome.retry_at.isoformat(timespec="seconds") if outcome.retry_at else None
    return {"status": "failed", "url": link.url, "error": problem_of(outcome.error).model_dump(), "retry_at": retry_at}


def _start_pasted(services: Services, request: IngestRequest, text: str, options: IngestOptions) -> Job:
    if request.urls:
        raise RequestInvalid("urls: a pasted text comes from one address at most.", fix="Give it as url.", field="urls")
    url = request.url or ""

    async def take_in(step: Step, result: dict[str, Any]) -> None:
        report = _reporting(step, url, 1, 1)
        if request.distill:
            result["notices"] = [_NO_DISTILLING]
        try:
            outcome = await services.ingest.ingest_pasted(text, request.content_type, url, options, report)
        except SidecarError as error:
            result["results"] = [{"status": "failed", "url": url, "error": problem_of(error).model_dump(), "retry_at": None}]
        else:
            result["results"] = [outcome_json(outcome, url, is_planned=options.dry_run)]

    return services.jobs.start("ingest", take_in)


async def _queue(services: Services, request: Nothing) -> QueueAnswer:
    return QueueAnswer(links=[_waiting_answer(link) for link in await services.intake.list_waiting()])


def _waiting_answer(link: Waiting) -> WaitingAnswer:
    return WaitingAnswer(
        id=link.id,
        url=link.url,
        tags=list(link.options.tags),
        attempts=link.attempts,
        retry_at=link.not_before.isoformat(timespec="seconds") if link.not_before else None,
        code=link.code,
        problem=link.problem,
        fix=link.fix,
    )


async def _drop(services: Services, request: QueueDropRequest) -> QueueDropAnswer:
    return QueueDropAnswer(dropped=await services.intake.drop(request.link))


async def _job(services: Services, request: JobRequest) -> JobAnswer:
    return job_answer(services.jobs.get(request.id))


async def _cancel(services: Services, request: JobRequest) -> JobAnswer:
    return job_answer(await services.jobs.cancel(request.id))


def job_answer(job: Job) -> JobAnswer:
    """Tell how a job stands."""
    error = problem_of(job.error) if job.error else None
    return JobAnswer(id=job.id, kind=job.kind, state=job.state, steps=job.steps, result=job.result, error=error)


OPERATIONS = (
    Operation(
        "POST",
        "/api/kb/ingest",
        "Make notes of one or many links, or of pasted text, as a job",
        IngestRequest,
        JobAnswer,
        _ingest,
        max_body_bytes=_PASTED_BODY_BYTES,
    ),
    Operation("GET", "/api/kb/ingest/queue", "Links that were accepted and are not finished", Nothing, QueueAnswer, _queue),
    Operation("DELETE", "/api/kb/ingest/queue", "Forget waiting links", QueueDropRequest, QueueDropAnswer, _drop),
    Operation("GET", "/api/kb/jobs/{id}", "How a job stands", JobRequest, JobAnswer, _job),
    Operation("DELETE", "/api/kb/jobs/{id}", "Cancel a job", JobRequest, JobAnswer, _cancel),
)
