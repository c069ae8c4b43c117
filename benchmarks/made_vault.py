"""Vaults of any size, made from real notes: the same notes and number give the same files on every machine.

The real notes are copied as often as needed. Copies have names of their own; a copy's links lead to copies of the same round, so that
each round is linked as the real vault was, and what is linked to but not there mostly becomes a link to some existing note. A part of
the notes is joined with paragraphs of another one, until notes are as long on average as wanted. Canvas files are left out.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from sidecar.daemon.init import init_vault

BYTES_PER_NOTE = 2_270
"""15 MB in 6,600 notes."""
_UNWRITTEN = 0.1
_WIKILINK = re.compile(r"\[\[([^\[\]|#\n]+)([^\[\]\n]*)\]\]")
_LONGEST = 60_000


@dataclass(frozen=True, slots=True)
class _Real:
    path: PurePosixPath
    text: str


def add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="a folder of real notes, of which the vault is made; it is only read")


def make_vault(real: Path, target: Path, notes: int) -> int:
    """Fill ``target`` with ``notes`` notes and a map to be kept; give the size of the notes in bytes."""
    target.mkdir(parents=True)
    init_vault(target, "en")
    written = 0
    for path, text in made_notes(real, notes - sum(1 for _ in target.rglob("*.md"))):
        where = target / path
        where.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        where.write_bytes(data)
        written += len(data)
    return written


def made_notes(real: Path, count: int) -> Iterator[tuple[str, str]]:
    """Give path and text of each note."""
    originals = _read(real)
    chance = random.Random(1)
    mean = sum(len(note.text.encode()) for note in originals) / len(originals)
    extra = _extra(originals, max(0.0, BYTES_PER_NOTE - mean), chance)
    stems = {note.path.stem.casefold(): note.path.stem for note in originals}
    names = list(stems.values())
    left = count
    number = 0
    while left > 0:
        there = originals[:left]
        known = {note.path.stem.casefold() for note in there}
        for note in there:
            path = PurePosixPath(f"{number:02}", note.path.parent, f"{_named(note.path.stem, number)}.md")
            link = partial(_link, known=known, names=names, number=number, chance=chance)
            yield str(path), _WIKILINK.sub(link, note.text + next(extra))
        left -= len(there)
        number += 1


def _read(folder: Path) -> list[_Real]:
    found: list[_Real] = []
    seen: set[str] = set()
    for path in sorted(folder.rglob("*.md")):
        inside = PurePosixPath(path.relative_to(folder).as_posix())
        if any(part.startswith(".") for part in inside.parts) or not path.is_file():
            continue
        text = path.read_text("utf-8", "replace").replace("\ufeff", "")
        stem = inside.stem
        while stem.casefold() in seen:
            stem += " b"
        seen.add(stem.casefold())
        if len(text) <= _LONGEST:
            found.append(_Real(inside.with_name(stem + ".md"), text))
    random.Random(0).shuffle(found)  # so that few notes, too, are of all kinds
    return found


def _named(stem: str, number: int) -> str:
    return f"{stem} {number}" if number else stem


def _link(found: re.Match[str], known: set[str], names: list[str], number: int, chance: random.Random) -> str:
    stem = PurePosixPath(found[1].strip()).name.removesuffix(".md")
    if stem.casefold() in known:
        return f"[[{_named(stem, number)}{found[2]}]]"
    if chance.random() < _UNWRITTEN:
        return found[0]
    # Few notes are linked to by many, and most by none.
    return f"[[{_named(names[int(len(names) * chance.random() ** 3)], number)}{found[2]}]]"


def _extra(originals: list[_Real], wanted: float, chance: random.Random) -> Iterator[str]:
    """Give for each note what is to be added to it, so that the mean grows by ``wanted`` bytes."""
    paragraphs = [
        part for note in originals for part in re.split(r"\n\s*\n", note.text) if 80 < len(part) < 2_000 and not part.startswith("---")
    ]
    owed = 0.0
    while True:
        owed += wanted
        added = ""
        while paragraphs and owed > 0 and chance.random() < 0.7:
            part = "\n\n" + chance.choice(paragraphs)
            owed -= len(part.encode())
            added += part
        yield added
