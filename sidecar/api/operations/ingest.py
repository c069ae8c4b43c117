"""Links that become notes, and the jobs that make them."""

from __future__ import annotations

import asyncio
from typing import Any

from sidecar.api.models.ingest import IngestRequest, JobAnswer, JobRequest
from sidecar.api.operations.base import Operation
from sidecar.api.problems import problem_of
from sidecar.api.services import Services
from sidecar.errors import RequestInvalid, SidecarError
from sidecar.ingest.plan import IngestOptions
from sidecar.ingest.service import outcome_json
from sidecar.jobs import Job, Step


async def _ingest(services: Services, request: IngestRequest) -> JobAnswer:
    urls = list(dict.fromkeys([*([request.url] if request.url else []), *request.urls]))
    if not urls:
        raise RequestInvalid("url: give one address or more.", fix='Send {"url": "https://…"} or {"urls": […]}.', field="url")
    options = IngestOptions(tuple(request.tags), request.use_when, request.via, request.force)

    async def one_by_one(step: Step, result: dict[str, Any]) -> None:
        results: list[dict[str, Any]] = result.setdefault("results", [])
        task = asyncio.current_task()
        for number, url in enumerate(urls, 1):

            def report(name: str, details: dict[str, Any], url: str = url, number: int = number) -> None:
                step(name, {"url": url, "number": number, "of": len(urls), **details})

            try:
                results.append(outcome_json(await services.ingest.ingest(url, options, report), url))
            except SidecarError as error:  # a bad link is that link's result; the rest goes on
                results.append({"status": "failed", "url": url, "error": problem_of(error).model_dump()})
            if task is not None and task.cancelling() and number < len(urls):
                raise asyncio.CancelledError

    job = services.jobs.start("ingest", one_by_one)
    if request.wait:
        await services.jobs.wait(job)
    return job_answer(job)


async def _job(services: Services, request: JobRequest) -> JobAnswer:
    return job_answer(services.jobs.get(request.id))


async def _cancel(services: Services, request: JobRequest) -> JobAnswer:
    return job_answer(await services.jobs.cancel(request.id))


def job_answer(job: Job) -> JobAnswer:
    """Tell how a job stands."""
    error = problem_of(job.error) if job.error else None
    return JobAnswer(id=job.id, kind=job.kind, state=job.state, steps=job.steps, result=job.result, error=error)


OPERATIONS = (
    Operation("POST", "/api/kb/ingest", "Make notes of one or many links, as a job", IngestRequest, JobAnswer, _ingest),
    Operation("GET", "/api/kb/jobs/{id}", "How a job stands", JobRequest, JobAnswer, _job),
    Operation("DELETE", "/api/kb/jobs/{id}", "Cancel a job", JobRequest, JobAnswer, _cancel),
)
