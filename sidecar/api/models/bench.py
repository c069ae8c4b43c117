"""Requests about the self-benchmark and vectors; both are answered as jobs."""

from __future__ import annotations

from pydantic import Field

from sidecar.api.models.base import Request
from sidecar.config import VectorSource


class BenchRequest(Request):
    source: VectorSource = Field("auto", description="Where vectors come from; auto: as the settings say.")
    apply: bool = Field(False, description="Write the better mode and the chosen weight into config.toml.")
    wait: bool = Field(False, description="Answer only when the job has ended.")


class VectorsRequest(Request):
    wait: bool = Field(False, description="Answer only when the job has ended.")
