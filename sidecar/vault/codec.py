"""A note as one line of JSON and back, for the warm-start cache."""

from __future__ import annotations

import json
from dataclasses import astuple, fields

from sidecar.vault.note import Heading, Link, Note

NOTE_FORMAT = 1
"""Raise it when the parser reads anything differently or a field changes: every cache is then rebuilt once."""


def encode_note(note: Note) -> str:
    values = {f.name: getattr(note, f.name) for f in fields(note)}
    values["headings"] = [astuple(heading) for heading in note.headings]
    values["links"] = [astuple(link) for link in note.links]
    return json.dumps(list(values.values()), separators=(",", ":"))


def decode_note(text: str) -> Note:
    path, kind, title, properties, error, aliases, tags, headings, blocks, links, excerpt = json.loads(text)
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
    )
