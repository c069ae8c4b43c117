"""When a note was last really changed: one function for docket, health and freshness.

No touch is: a pure rename, a commit that touches more notes than ``bulk_files``, a change of ``kb_*`` properties alone, one that
only points links elsewhere, as Obsidian does after a rename. Without any touch a note is as old as its first appearance in git (in
a bulk commit, too), else its ``created`` property, else when the notes journal first saw it. File times are never evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

from sidecar.metabolism.signals import moment_of

_KB_LINE = re.compile(r"^kb_\w+\s*:")
_LINK = re.compile(r"!?\[\[[^\[\]\n]*\]\]|(?<=\])\([^()\n]*\)")


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did to one path. ``kind`` is A, M, D or R; a rename without change has equal blobs."""

    kind: str
    path: str
    old_path: str
    old_blob: str
    new_blob: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that touched notes, as the log gives it."""

    id: str
    at: datetime
    changes: tuple[Change, ...]


@dataclass(slots=True)
class Touches:
    """What git knows of one note as it is called now: candidates for its last touch, newest first, and its first appearance."""

    changes: list[tuple[datetime, str, str]] = field(default_factory=list)
    """Moment, blob before (empty for an addition), blob after."""
    born: datetime | None = None


@dataclass(frozen=True, slots=True)
class Age:
    """Since when a note is as it is.

    Attributes:
        changed: Last real change, or birth; ``None`` if nothing tells.
        born: First appearance.
        evidence: ``git``, ``journal``, ``created``, ``first-seen`` or ``none``.
    """

    changed: datetime | None
    born: datetime | None
    evidence: str


def read_log(commits: Iterable[Commit], bulk_files: int) -> tuple[dict[str, Touches], dict[str, str]]:
    """Follow the log from the newest commit to the oldest; give what it says of each path as it is called now, and the names
    that older paths have now."""
    called_now: dict[str, str] = {}
    found: dict[str, Touches] = {}
    for commit in commits:
        is_bulk = len(commit.changes) > bulk_files
        for change in commit.changes:
            now = called_now.get(change.path, change.path)
            touches = found.setdefault(now, Touches())
            if change.kind == "R":
                called_now[change.old_path] = now
                if not is_bulk and change.old_blob != change.new_blob:
                    touches.changes.append((commit.at, change.old_blob, change.new_blob))
            elif change.kind == "A":
                touches.born = commit.at
                if not is_bulk:
                    touches.changes.append((commit.at, "", change.new_blob))
            elif change.kind == "M" and not is_bulk:
                touches.changes.append((commit.at, change.old_blob, change.new_blob))
            if change.kind == "D":
                # What lies before the removal was another note of that name.
                called_now[change.path] = f"{change.path}\0{commit.id}"
    return found, called_now


def merge_logs(older: Mapping[str, Touches], newer: Mapping[str, Touches], called_now: Mapping[str, str]) -> dict[str, Touches]:
    """Put what new commits say on top of what was known before them."""
    found = {path: Touches(list(touches.changes), touches.born) for path, touches in newer.items()}
    for path, touches in older.items():
        now = called_now.get(path, path)
        known = found.setdefault(now, Touches())
        known.changes += touches.changes
        known.born = touches.born or known.born
    return found


def is_touch(before: str, after: str) -> bool:
    """Tell whether a change is one of content: not of ``kb_*`` properties alone, nor of where links point."""
    return _content(before) != _content(after)


def _content(text: str) -> str:
    text = text.replace("\r\n", "\n")
    head, body = "", text
    if text.startswith("---\n"):
        end = text.find("\n---", 3)
        if end >= 0:
            head, body = text[4 : end + 1], text[end + 4 :]
    kept: list[str] = []
    inside = False
    for line in head.splitlines():
        if _KB_LINE.match(line):
            inside = True
        elif not inside or (line and not line[0].isspace() and not line.startswith("- ")):
            inside = False
            kept.append(line)
    return "\n".join(kept) + "\0" + _LINK.sub("[[]]", body).strip()


@dataclass(frozen=True, slots=True)
class Past:
    """What the notes journal says of one note as it is called now."""

    first_seen: datetime | None = None
    changed: datetime | None = None


def age_of(git: tuple[datetime | None, datetime | None] | None, past: Past, properties: Mapping[str, Any]) -> Age:
    """Tell a note's age.

    Args:
        git: Last touch and first appearance; ``None`` without git or for a note that it does not know.
    """
    created = _created(properties)
    if git is not None:
        touched, born = git
        later = past.changed if past.changed is not None and (touched is None or past.changed > touched) else None
        if later is not None and touched is not None:
            return Age(later, born, "journal")
        if touched is not None:
            return Age(touched, born, "git")
        if past.changed is not None:
            return Age(past.changed, born or created, "journal")
        if born is not None:
            return Age(born, born, "git")
    if past.changed is not None:
        return Age(past.changed, created or past.first_seen, "journal")
    if created is not None:
        return Age(created, created, "created")
    if past.first_seen is not None:
        return Age(past.first_seen, past.first_seen, "first-seen")
    return Age(None, None, "none")


def _created(properties: Mapping[str, Any]) -> datetime | None:
    value = properties.get("created")
    if isinstance(value, datetime):
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    return moment_of(value)
