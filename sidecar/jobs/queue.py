"""Jobs that run in the background of the event loop."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from sidecar.errors import JobNotFound, SidecarError

JobState = Literal["running", "done", "failed", "cancelled"]
Step = Callable[[str, dict[str, Any]], None]
"""Told the name of a step that begins, with details for people."""
Work = Callable[[Step, dict[str, Any]], Awaitable[None]]

_KEPT = 200
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Job:
    """One piece of work. ``steps`` lists what was begun, in order; ``result`` is there once it is done."""

    id: str
    kind: str
    state: JobState = "running"
    steps: list[dict[str, Any]] = field(default_factory=list)
    result: dict[str, Any] | None = None
    error: SidecarError | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)


class Jobs:
    """Starts jobs and remembers the last two hundred, and all that still run.

    Args:
        on_change: Called whenever a job's state or step changes.
    """

    def __init__(self, on_change: Callable[[Job], None]) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._on_change = on_change

    def start(self, kind: str, work: Work) -> Job:
        """Start ``work``; it is given a call to report its steps with, and a dict to fill in with what it has done.

        A job that is cancelled keeps what was filled in until then.
        """
        job = Job(secrets.token_hex(8), kind)
        self._jobs[job.id] = job
        for old in list(self._jobs.values())[: max(len(self._jobs) - _KEPT, 0)]:
            if old.state != "running":
                del self._jobs[old.id]
        job.task = asyncio.create_task(self._run(job, work), name=f"job-{kind}-{job.id}")
        return job

    async def _run(self, job: Job, work: Work) -> None:
        def step(name: str, details: dict[str, Any]) -> None:
            job.steps.append({"step": name, **details})
            self._on_change(job)

        result: dict[str, Any] = {}
        try:
            await work(step, result)
            job.state, job.result = "done", result
        except SidecarError as error:
            job.error, job.state = error, "failed"
        except asyncio.CancelledError:
            job.state, job.result = "cancelled", result
        except Exception:  # noqa: BLE001 - whoever asks must learn that the job has ended, whatever the fault
            _log.exception("The job %s (%s) broke.", job.id, job.kind)
            job.error, job.state = SidecarError("The work broke off through a fault of the sidecar.", fix="See its log."), "failed"
        self._on_change(job)

    def get(self, job_id: str) -> Job:
        """Give a job.

        Raises:
            JobNotFound: There is none of that id, or it is long past.
        """
        try:
            return self._jobs[job_id]
        except KeyError as error:
            raise JobNotFound(f"There is no job {job_id[:40]!r}.", fix="Start the work again.") from error

    async def wait(self, job: Job) -> None:
        """Wait until a job has ended, however it ended."""
        if job.task is not None:
            await asyncio.wait([job.task])

    async def cancel(self, job_id: str) -> Job:
        """Stop a job and wait until it has stopped. One that has ended stays as it ended."""
        job = self.get(job_id)
        if job.task is not None and not job.task.done():
            job.task.cancel()
            await asyncio.wait([job.task])
        return job

    async def close(self) -> None:
        """Cancel everything that still runs."""
        for job_id in list(self._jobs):
            await self.cancel(job_id)
