"""What becomes of a document: a new note, or none because there is one (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal

from sidecar.config import Folders, IngestSettings
from sidecar.ingest.document import Document
from sidecar.ingest.render import Provenance, make_slug, render_note
from sidecar.vault.layers import layer_of
from sidecar.vault.links import NameIndex
from sidecar.vault.note import Note, NotePath, basename_of

INBOX_DAYS = 30
"""How long a note may wait in the inbox for somebody to say what it is for."""

Via = Literal["paste", "brief", "share", "agent"]


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """What the person asked for.

    Attributes:
        force: Write a new note beside one that is there already.
        assets: Whether images are downloaded; ``None`` leaves it to the settings.
        dry_run: Fetch, read and decide, but write nothing.
    """

    tags: tuple[str, ...] = ()
    use_when: str = ""
    via: Via = "paste"
    force: bool = False
    assets: bool | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Created:
    """A note was, or is to be, written.

    Attributes:
        assets: Paths of the images that were saved for it.
    """

    path: NotePath
    title: str
    document: Document
    text: str = field(repr=False, default="")
    assets: tuple[NotePath, ...] = ()


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The page is in the vault already; nothing was written."""

    path: NotePath
    title: str


@dataclass(frozen=True, slots=True)
class Buried:
    """The page's note lies in the graveyard; nothing was written."""

    path: NotePath
    title: str


Outcome = Created | Duplicate | Buried


def find_known(hash_: str, notes: Mapping[NotePath, Note], folders: Folders) -> Duplicate | Buried | None:
    """Find the note of a page by the hash of its address; a living one before a buried one, the newest version first."""
    same = [note for note in notes.values() if note.text_property("hash") == hash_]
    living = [note for note in same if layer_of(note.path, folders) != "graveyard"]
    superseded = {note.text_property("supersedes") for note in living}
    if living:
        newest = min(living, key=lambda note: (basename_of(note.path) in superseded, note.path))
        return Duplicate(newest.path, newest.title)
    return Buried(same[0].path, same[0].title) if same else None


def plan_note(
    document: Document,
    hash_: str,
    today: date,
    options: IngestOptions,
    known: Duplicate | Buried | None,
    names: NameIndex,
    folder: str,
    settings: IngestSettings,
    inbox: str = "inbox",
) -> Outcome:
    """Decide on a document. A known page stays as it is unless a new version is forced, which then names the old one.

    Args:
        folder, inbox: Of sources, and of what nobody said a use for where the settings ask for one.
    """
    if known is not None and not options.force:
        return known
    slug = make_slug(document.title, today, hash_, as_title=settings.filename == "title")
    is_staged = settings.require_use_when and not options.use_when.strip()
    path = free_path(inbox if is_staged else folder, slug, names)
    provenance = Provenance(
        created=today,
        url=document.url,
        hash=hash_,
        via=options.via,
        tags=options.tags,
        use_when=options.use_when.strip(),
        layer="inbox" if is_staged else "L1",
        expires=today + timedelta(days=INBOX_DAYS) if is_staged else None,
        supersedes=basename_of(known.path) if isinstance(known, Duplicate) else "",
    )
    return Created(path, document.title, document, render_note(document, provenance))


def free_path(folder: str, slug: str, names: NameIndex) -> NotePath:
    """Give a path whose file name no other note of the vault has, case aside, so that a plain link to it is never ambiguous."""
    n, name = 1, slug
    while names.candidates(name.lower()):
        n += 1
        name = f"{slug}-{n}"
    return f"{folder}/{name}.md"


def ingested_map(notes: Mapping[NotePath, Note]) -> dict[str, Any]:
    """Give what ``.kb/ingested.json`` holds: each page's hash and the name of its note. Made from the notes alone."""
    found = {note.text_property("hash"): basename_of(path) for path, note in sorted(notes.items()) if note.text_property("hash")}
    return {"version": 1, "notes": dict(sorted(found.items()))}
