"""What the notes journal says of each note as it is called now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from sidecar.metabolism.age import Past
from sidecar.metabolism.signals import Rename, Renames, moment_of


def read_past(lines: Iterable[Mapping[str, Any]], bulk_files: int) -> tuple[dict[str, Past], Renames]:
    """Give each note's past and the renames; a burst that changed more than ``bulk_files`` notes at once changed none."""
    known = [line for line in lines if moment_of(line.get("at")) is not None and isinstance(line.get("path"), str)]
    renames = Renames(
        Rename(moment_of(line["at"]), line["from"], line["path"])  # type: ignore[arg-type]
        for line in known
        if line.get("event") == "renamed" and isinstance(line.get("from"), str)
    )
    bursts = Counter(line["at"] for line in known if line.get("event") == "changed")
    found: dict[str, Past] = {}
    for line in sorted(known, key=lambda line: str(line["at"])):
        at, event = moment_of(line["at"]), line.get("event")
        if at is None:
            continue
        path = renames.now_at(line["path"], at)
        before = found.get(path, Past())
        if event in ("seen", "ingested", "renamed") and before.first_seen is None:
            found[path] = Past(at, before.changed)
        elif event == "changed" and bursts[line["at"]] <= bulk_files:
            found[path] = Past(before.first_seen or at, at)
        elif event == "gone":
            found.pop(path, None)
    return found, renames
