"""Jobs end in a state that can be asked; bursts end in one run; the vault's thread keeps the order."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sidecar.errors import JobNotFound, VaultMissing
from sidecar.jobs import Job, Jobs, Settler, Step, VaultThread


async def test_a_job_tells_its_steps_and_its_result() -> None:
    told: list[tuple[str, int]] = []
    jobs = Jobs(lambda job: told.append((job.state, len(job.steps))))

    async def work(step: Step, result: dict[str, Any]) -> None:
        step("fetch", {"url": "x"})
        step("write", {})
        result["path"] = "a.md"

    job = jobs.start("ingest", work)
    await jobs.wait(job)
    assert ("done", [{"step": "fetch", "url": "x"}, {"step": "write"}], {"path": "a.md"}) == (job.state, job.steps, job.result)
    assert [("running", 1), ("running", 2), ("done", 2)] == told


async def test_a_job_that_fails_keeps_its_error() -> None:
    jobs = Jobs(lambda job: None)

    async def work(step: Step, result: dict[str, Any]) -> None:
        raise VaultMissing("gone")

    job = jobs.start("x", work)
    await jobs.wait(job)
    assert ("failed", "vault-missing") == (job.state, job.error.code if job.error else "")


async def test_a_job_can_be_cancelled_once_and_an_ended_one_stays_as_it_ended() -> None:
    jobs = Jobs(lambda job: None)

    async def forever(step: Step, result: dict[str, Any]) -> None:
        result["made"] = "so far"
        await asyncio.Event().wait()

    async def at_once(step: Step, result: dict[str, Any]) -> None:
        return

    running, ended = jobs.start("x", forever), jobs.start("x", at_once)
    await jobs.wait(ended)
    states = [(await jobs.cancel(job.id)).state for job in (running, ended, running)]
    assert ["cancelled", "done", "cancelled"] == states
    assert {"made": "so far"} == running.result


async def test_an_unexpected_error_is_no_job_that_runs_for_ever() -> None:
    told: list[str] = []
    jobs = Jobs(lambda job: told.append(job.state))

    async def work(step: Step, result: dict[str, Any]) -> None:
        raise ZeroDivisionError("a fault of ours")

    job = jobs.start("x", work)
    await jobs.wait(job)
    assert ("failed", "sidecar-error", ["failed"]) == (job.state, job.error.code if job.error else "", told)


async def test_an_unknown_job_is_named() -> None:
    with pytest.raises(JobNotFound):
        Jobs(lambda job: None).get("none")


async def test_the_last_two_hundred_jobs_are_kept_and_none_that_runs_is_forgotten() -> None:
    jobs = Jobs(lambda job: None)
    release = asyncio.Event()

    async def wait(step: Step, result: dict[str, Any]) -> None:
        await release.wait()

    async def at_once(step: Step, result: dict[str, Any]) -> None:
        return

    first = jobs.start("long", wait)
    short: list[Job] = []
    for _ in range(250):
        short.append(jobs.start("short", at_once))
        await jobs.wait(short[-1])
    assert first is jobs.get(first.id)
    with pytest.raises(JobNotFound):
        jobs.get(short[0].id)
    await jobs.close()
    assert first.state == "cancelled"


async def test_a_burst_of_touches_is_one_run() -> None:
    runs: list[int] = []

    async def work() -> None:
        runs.append(len(runs))

    settler = Settler(lambda: 0.01, work)
    for _ in range(20):
        settler.touch()
    await settler.finish()
    assert [0] == runs
    await settler.finish()
    assert [0] == runs


async def test_a_touch_during_the_run_leads_to_one_more() -> None:
    runs: list[int] = []
    done = asyncio.Event()

    async def work() -> None:
        runs.append(len(runs))
        if len(runs) == 1:
            settler.touch()
            settler.touch()
        else:
            done.set()

    settler = Settler(lambda: 0.0, work)
    settler.touch()
    await asyncio.wait_for(done.wait(), 10)
    await settler.finish()
    assert [0, 1] == runs


async def test_the_vaults_thread_keeps_the_order_of_calls() -> None:
    thread = VaultThread()
    seen: list[int] = []
    await asyncio.gather(*(thread.run(seen.append, n) for n in range(50)))
    thread.close()
    assert list(range(50)) == seen
