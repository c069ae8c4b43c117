"""What the search index costs at a size: queries, saves, memory. Notes are recombined from the paragraphs of real ones."""

from __future__ import annotations

import argparse
import random
import re
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sidecar.config import Folders
from sidecar.daemon.container import open_cache
from sidecar.search.document import pack_note, unpack_document
from sidecar.search.service import SearchService
from sidecar.store import CachedNote
from sidecar.vault.files import VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.note import Note
from sidecar.vault.parse import parse_note

_NOTE_CHARS = 430
_SAVES = 1_000


SUMMARY = "queries, saves and memory of the search index at a size"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="a folder of notes, whose paragraphs are recombined")
    parser.add_argument("--notes", type=int, default=10_000)


def run(args: argparse.Namespace) -> dict[str, Any]:
    return measure_search(args.path, args.notes)


def measure_search(folder: Path, notes: int) -> dict[str, float]:
    """Give processor times in milliseconds, which a busy machine moves less, and memory in megabytes.

    Texts are not on disk, so that no passages are cut.
    """
    chance = random.Random(1)
    paragraphs = _paragraphs(folder)
    cache = open_cache(None)
    files = VaultFiles(folder)
    index = VaultIndex(files, cache, pack_note)
    service = SearchService(index, files, cache, Folders)
    begin = time.process_time()
    for path, note, packed in _made(paragraphs, chance, notes):
        index.notes[path] = note
        cache.replace([CachedNote(path, 0, 0, 0, "", "", packed)])
    cut = time.process_time() - begin
    before = _resident_mb()
    begin = time.process_time()
    loaded = service.loaded()
    load = time.process_time() - begin
    after = _resident_mb()
    queries = _queries(paragraphs, chance)
    asked = sorted(_timed(service, query) for query in queries)
    typed = sorted(_timed(service, query[:3], is_typing=True) for query in queries[:100])
    wrong = sorted(_timed(service, word) for word in ("knowlegde", "refernces", "obsidiann", "kubernetse", "documentatoin"))
    saves: list[float] = []
    for path, _, packed in _made(paragraphs, chance, _SAVES):
        begin = time.process_time()
        loaded.put(path, unpack_document(packed))
        saves.append((time.process_time() - begin) * 1000)
    later = sorted(_timed(service, query) for query in queries)
    saves.sort()
    return {
        "notes": notes,
        "cut_ms_per_note": round(cut * 1000 / notes, 2),
        "load_s": round(load, 2),
        "index_mb": round(after - before, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2), 1),
        "query_p50_ms": round(statistics.median(asked), 2),
        "query_p95_ms": round(asked[int(len(asked) * 0.95)], 2),
        "query_p95_after_saves_ms": round(later[int(len(later) * 0.95)], 2),
        "typing_p95_ms": round(typed[int(len(typed) * 0.95)], 2),
        "typo_worst_ms": round(wrong[-1], 2),
        "save_p50_ms": round(statistics.median(saves), 3),
        "save_p99_ms": round(saves[int(len(saves) * 0.99)], 2),
        "save_worst_ms": round(saves[-1], 1),
    }


def _paragraphs(folder: Path) -> list[str]:
    texts = [path.read_text("utf-8", "replace") for path in sorted(folder.rglob("*.md"))]
    return [part.strip() for text in texts for part in re.split(r"\n\s*\n", text) if 20 < len(part.strip()) < 1000]


def _made(paragraphs: list[str], chance: random.Random, count: int) -> Iterator[tuple[str, Note, bytes]]:
    for n in range(count):
        text = ""
        while len(text) < _NOTE_CHARS:
            text += chance.choice(paragraphs) + "\n\n"
        path = f"notes/{n % 100}/{n}.md"
        note = parse_note(path, text)
        yield path, note, pack_note(note, text)


def _queries(paragraphs: list[str], chance: random.Random) -> list[str]:
    """Make queries as people type them: a short stretch of a real paragraph, one or two words of it, a question."""
    found: list[str] = []
    while len(found) < 300:
        words = re.findall(r"[\u4e00-\u9fff]{2,}|[A-Za-z]{3,}", chance.choice(paragraphs))
        if words:
            word = chance.choice(words)
            found += [word[:6], " ".join(chance.choices(words, k=2))[:30], "".join(chance.choices(words, k=3))[:20]]
    return found


def _timed(service: SearchService, query: str, *, is_typing: bool = False) -> float:
    begin = time.process_time()
    service.search(query, limit=20, is_typing=is_typing)
    return (time.process_time() - begin) * 1000


def _resident_mb() -> float:
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6 if status.exists() else 0.0
