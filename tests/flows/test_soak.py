"""Running for a month costs no more than running for a week."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

from tests.conftest import ROOT

DAYS, NOTES, EDITS = (30, 1500, 120) if os.environ.get("KB_HYPOTHESIS") == "slow" else (6, 80, 8)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory and descriptors are read in Linux's way")
def test_memory_stays_flat_and_descriptors_are_given_back() -> None:
    script = Path(__file__).with_name("soak_days.py")
    done = subprocess.run(
        [sys.executable, str(script), str(DAYS), str(NOTES), str(EDITS)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=1200, check=False,
    )  # fmt: skip
    days = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(days) == DAYS, done.stderr[-2000:]
    third = DAYS // 3
    second, last = days[third : 2 * third], days[2 * third :]
    for what in ("rss_kb", "objects"):
        before, after = (median(day[what] for day in part) for part in (second, last))
        assert 0.9 * before <= after <= 1.1 * before, f"{what}: {before} → {after}"
    assert last[-1]["descriptors"] <= second[0]["descriptors"]
