"""A note as one line of JSON and back, for the warm-start cache."""

from __future__ import annotations

import json
from dataclasses import fields

from sidecar.vault.note import Heading, Link, Note

NOTE_FORMAT = 5
"""Raise it when the parser reads anything differently or a field changes: every cache is then rebuilt once."""

_NOTE_FIELDS, _HEADING_FIELDS, _LINK_FIELDS = ([f.name for f in fields(kind)] for kind in (Note, Heading, Link))


def encode_note(note: Note) -> str:
    values = {name: getattr(note, name) for name in _NOTE_FIELDS}
    values["headings"] = [[getattr(heading, name) for name in _HEADING_FIELDS] for heading in note.headings]
    values["links"] = [[getattr(link, name) for name in _LINK_FIELDS] for link in note.links]
    return json.dumps(list(values.values()), separators=(",", ":"))


def decode_note(text: str) -> Note:
    path, kind, title, properties, error, aliases, tags, headings, blocks, links, excerpt, urls = json.loads(text)
    return Note(
        path,
        kind,
        title,
        properties,
        error,
        tuple(aliases),
        tuple(tags),
        tuple(Heading(*heading) for heading in headings),
        tuple(blocks),
        tuple(Link(*link) for link in links),
        excerpt,
        tuple(urls),
    )
