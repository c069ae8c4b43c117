"""What search answers (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from sidecar.search.snippets import Snippet
from sidecar.vault.note import NotePath

Reason = Literal["", "empty-query", "no-term", "no-match", "filtered-out", "only-buried"]
"""Why there is nothing: nothing was typed; nothing typed can be looked for; no note holds it; the notes that hold it do not
pass the filters; they are buried."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that answers.

    Attributes:
        title_highlights: Code points of ``title``.
        fields: Where the words stand: title, aliases, headings, tags, kb_use_when, body.
        age_days: Days since the day that the note names as its last change; ``None`` if it names none.
    """

    path: NotePath
    title: str
    title_highlights: tuple[tuple[int, int], ...]
    score: float
    layer: str
    tags: tuple[str, ...]
    snippets: tuple[Snippet, ...]
    fields: tuple[str, ...] = ()
    age_days: int | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits of one page, the number of all, how many notes were searched, and why there is none.

    ``corrections`` maps words that nobody wrote to those that were looked for instead.
    """

    total: int
    searched: int
    hits: tuple[Hit, ...]
    reason: Reason = ""
    corrections: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Similar:
    """A note that uses the same words, and which of these say most."""

    path: NotePath
    score: float
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoteState:
    """Whether search knows a file, and why not or not all of it.

    Attributes:
        reason: Empty if all of it is indexed.
        taken_in_at: When search took in what it knows of the file; ``None`` if it does not know it.
    """

    path: NotePath
    state: Literal["indexed", "partly", "skipped", "failed"]
    reason: str
    taken_in_at: datetime | None


@dataclass(frozen=True, slots=True)
class IndexState:
    """How many of how many notes are indexed, those that are not or not whole, by path, and why all were read anew at this start."""

    indexed: int
    total: int
    others: tuple[NoteState, ...]
    rebuilt_because: str = ""
