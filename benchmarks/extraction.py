"""What is kept of saved pages: our reader beside others, on the same pages, by the same measure.

``python -m benchmarks extraction FOLDER`` reads a folder as the WCXB benchmark has it: ``html/ID.html.gz`` and ``ground-truth/ID.json``.
Peers are installed by pip and npm into a cache folder of their own; one that cannot be installed is named and left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.extraction_score import KINDS, PageScore, score, summary
from benchmarks.peers import Answer, ask_all, cache_folder, install
from sidecar.errors import ExtractionError
from sidecar.ingest.adapters import read_page
from sidecar.ingest.page.decode import decode_page

OURS = "ours"
COLUMNS = ("f1", "precision", "recall", *KINDS)


@dataclass(frozen=True, slots=True)
class Page:
    id: str
    kind: str
    url: str
    html: str
    text: str
    """What a person read."""


SUMMARY = "what is kept of saved pages, beside other readers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="a folder with html/ and ground-truth/")
    parser.add_argument("--no-peers", action="store_true", help="measure our own reader only; installs nothing")


def run(args: argparse.Namespace) -> dict[str, Any]:
    return measure(args.path, peers=not args.no_peers)


def read_pages(folder: Path) -> Iterator[Page]:
    """Give the pages of a folder, in the order of their names."""
    for path in sorted((folder / "ground-truth").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        packed = folder / "html" / f"{path.stem}.html.gz"
        html = decode_page(gzip.decompress(packed.read_bytes()))
        yield Page(path.stem, data["_internal"]["page_type"]["primary"], data["url"], html, data["ground_truth"]["main_content"])


def read_ours(page: Page) -> Answer:
    """Read a page as ``kb extract`` does."""
    begin = time.perf_counter()
    try:
        markdown = read_page(page.url, "text/html", page.html).markdown
    except ExtractionError:
        markdown = ""
    return Answer(markdown, None, (time.perf_counter() - begin) * 1000)


def score_page(page: Page, answer: Answer) -> PageScore:
    return score(page.text, page.html, answer.markdown, page.url, answer.text)


def measure(folder: Path, *, peers: bool = True, cache: Path | None = None) -> dict[str, dict[str, float]]:
    """Give each reader's figures: F1 in all and for each kind of page, shares of the structure kept, milliseconds a page."""
    pages = list(read_pages(folder))
    answers = {OURS: [read_ours(page) for page in pages]}
    ready, missing = install(cache or cache_folder()) if peers else ([], [])
    for sentence in missing:
        print(f"left out: {sentence}")
    for peer in ready:
        answers[peer.name] = ask_all(peer, [(page.url, page.html) for page in pages])
    return {name: _figures(pages, found) for name, found in answers.items()}


def _figures(pages: list[Page], answers: list[Answer]) -> dict[str, float]:
    scores = [score_page(page, answer) for page, answer in zip(pages, answers, strict=True)]
    figures = summary(scores)
    for kind in sorted({page.kind for page in pages}):
        figures[f"f1 {kind}"] = summary([s for page, s in zip(pages, scores, strict=True) if page.kind == kind])["f1"]
    times = [answer.milliseconds for answer in answers]
    figures |= {"median_ms": statistics.median(times), "worst_ms": max(times), "pages": len(pages)}
    return {key: round(value, 3) for key, value in figures.items()}


def table(figures: dict[str, dict[str, float]]) -> str:
    """Write the figures as a Markdown table, one reader a line."""
    kinds = sorted({key for found in figures.values() for key in found if key.startswith("f1 ")})
    columns = [*COLUMNS, *kinds, "median_ms", "worst_ms"]
    rows = [["reader", *columns], ["---"] * (len(columns) + 1)]
    rows += [[name, *(_shown(found.get(column, math.nan)) for column in columns)] for name, found in figures.items()]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _shown(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.0f}" if value > 1 else f"{value:.3f}".removeprefix("0")
