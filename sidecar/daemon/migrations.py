"""From one version of a vault's own files to the next: a table with one step for each. A step adds and never takes away.

Version 0 is a vault of the time before ``.kb/``: ``sources/``, ``wiki/``, ``index.md``, ``SCHEMA.md`` and ``.ingested.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidecar.store import Journal

OLD_LIST = ".ingested.json"
_MAX_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class Migration:
    """One step. ``run`` may be interrupted and run again: the version is raised only after it.

    Attributes:
        to_version: What the vault has afterwards.
        run: Given the vault and its journal, does it and tells in sentences what it did.
    """

    to_version: int
    run: Callable[[Path, Journal], list[str]]


def take_over_old_list(root: Path, journal: Journal) -> list[str]:
    """Write down in the journal which notes the old list knows as captured: they stay material whatever becomes of their properties.

    The notes and the list stay as they are; ``.kb/ingested.json`` is made from the notes' own ``hash``.
    """
    path = root / OLD_LIST
    try:
        if path.stat().st_size > _MAX_BYTES:
            return [f"{OLD_LIST} is too large to be a list of captures and was left alone."]
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError):
        return [f"{OLD_LIST} cannot be read and was left alone; the captures' own properties say where they came from."]
    pairs = [(hash_, note) for hash_, slug in _entries(found) if (note := _find_note(root, slug)) is not None]
    known = {record.get("path") for record in journal.read("notes") if record.get("event") == "ingested"}
    new = [{"event": "ingested", "path": note, "url": "", "hash": hash_, "via": "migration"} for hash_, note in pairs if note not in known]
    if new:
        journal.append_all("notes", new)
    lost = len(_entries(found)) - len(pairs)
    said = [f"Took over {len(pairs)} captures from {OLD_LIST}; the file stays as it is."]
    return said + ([f"{lost} of its entries name notes that are not there any more."] if lost else [])


MIGRATIONS: tuple[Migration, ...] = (Migration(1, take_over_old_list),)
"""In order; the last one's ``to_version`` is the version that this program speaks."""


def migrate(root: Path, journal: Journal, version: int, steps: Sequence[Migration] = MIGRATIONS) -> list[str]:
    """Bring a vault of ``version`` to the present one, step by step; tell what was done."""
    return [sentence for step in steps if step.to_version > version for sentence in step.run(root, journal)]


def _entries(found: Any) -> list[tuple[str, str]]:
    """Give hash and slug of each entry, whichever way round an old list wrote it down."""
    notes = found.get("notes", found) if isinstance(found, dict) else {}
    if not isinstance(notes, dict):
        return []
    pairs = [(hash_, value.get("slug") if isinstance(value, dict) else value) for hash_, value in notes.items()]
    return [(hash_, slug) for hash_, slug in pairs if isinstance(slug, str) and slug]


def _find_note(root: Path, slug: str) -> str | None:
    """Find the note of a slug, with or without folder and ending, inside the vault."""
    name = slug if slug.endswith(".md") else f"{slug}.md"
    if name.startswith(("/", "\\")) or ".." in Path(name).parts:
        return None
    for path in (name, f"sources/{name}", f"inbox/{name}"):
        try:
            if (root / path).is_file():
                return path
        except (OSError, ValueError):
            return None
    return None
