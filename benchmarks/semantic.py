"""What LSA costs: time and memory of a fit, for a number of made-up notes of a few hundred words each."""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Iterator

from sidecar.search.document import PackedDocument, pack_note, unpack_document
from sidecar.search.lsa import fit_lsa
from sidecar.vault.parse import parse_note

SUMMARY = "time and memory of fitting vectors out of the notes' own words"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--notes", type=int, default=6_600)


def run(args: argparse.Namespace) -> dict[str, float]:
    return measure_lsa(args.notes)


def measure_lsa(notes: int) -> dict[str, float]:
    """Fit once; memory is the growth of the process's peak, so run it in a process of its own."""
    choice = random.Random(1)
    words = [f"w{n}" for n in range(60_000)]
    weights = [1 / (n + 10) for n in range(len(words))]
    texts = (" ".join(choice.choices(words, weights, k=250)) for _ in range(notes))
    packed = [(str(n), pack_note(parse_note("-.md", text), text)) for n, text in enumerate(texts)]

    def documents() -> Iterator[tuple[str, PackedDocument]]:
        return ((name, unpack_document(data)) for name, data in packed)

    import sklearn.decomposition  # noqa: F401 - its own memory is not the fit's

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    fit_lsa(documents)
    return {
        "fit_s": round(time.perf_counter() - started, 1),
        "peak_growth_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024,
    }
