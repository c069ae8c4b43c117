"""The self-benchmark, and making vectors: long work, so both are jobs."""

from __future__ import annotations

import asyncio
from typing import Any

from sidecar.api.models.bench import BenchRequest, VectorsRequest
from sidecar.api.models.ingest import JobAnswer
from sidecar.api.operations.base import Operation
from sidecar.api.operations.ingest import job_answer
from sidecar.api.services import Services
from sidecar.config import KB_FOLDER, with_setting
from sidecar.errors import RequestInvalid, VaultNotInitialised
from sidecar.jobs import Step


async def _bench(services: Services, request: BenchRequest) -> JobAnswer:
    async def work(step: Step, result: dict[str, Any]) -> None:
        loop = asyncio.get_running_loop()

        def tell(name: str, done: int, total: int) -> None:  # from any thread
            loop.call_soon_threadsafe(step, name, {"done": done, "of": total})

        result |= await services.bench.run(request.source, tell)
        result["applied"] = await services.thread.run(_apply, services, result, request.source) if request.apply else None

    job = services.jobs.start("bench", work)
    if request.wait:
        await services.jobs.wait(job)
    return job_answer(job)


async def _vectors(services: Services, request: VectorsRequest) -> JobAnswer:
    job = services.semantic.refresh()
    if request.wait:
        await services.jobs.wait(job)
    return job_answer(job)


def _apply(services: Services, report: dict[str, Any], source: str) -> dict[str, Any]:
    """Write what the benchmark found into ``config.toml``, its other bytes untouched; give the settings written."""
    if not report["enough_cases"]:
        raise RequestInvalid(
            f"{report['cases']} cases are too few to choose by; {report['min_cases']} are needed.",
            fix="Give more notes a kb_use_when.",
            field="apply",
        )
    if not services.vault_id:
        raise VaultNotInitialised("This vault is not set up.", fix="Set it up with: kb init")
    winner, weight = report["winner"], report["chosen_weight"]
    mode = "lexical" if winner == "hybrid" and not weight else winner
    settings: dict[str, str | float] = {"mode": mode}
    if mode == "hybrid":
        settings["weight"] = weight
    if mode != "lexical" and source != "auto":
        settings["source"] = source
    path = services.files.root / KB_FOLDER / "config.toml"
    text = path.read_bytes().decode("utf-8") if path.is_file() else ""
    for key, value in settings.items():
        text = with_setting(text, "search", key, value)
    services.files.write_own("config.toml", text.encode("utf-8"))
    return settings


OPERATIONS = (
    Operation("POST", "/api/kb/bench", "Judge search on the vault's own needs, as a job", BenchRequest, JobAnswer, _bench, only_reads=True),
    Operation("POST", "/api/kb/vectors", "Make the vectors that are missing, as a job", VectorsRequest, JobAnswer, _vectors),
)
