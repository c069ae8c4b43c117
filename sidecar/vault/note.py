"""What a note is: the values that a file's text is parsed into."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any, Literal

from sidecar.vault.address import find_address

NotePath = str
"""A path relative to the vault, with ``/`` and the extension, as the disk spells it."""

LinkKind = Literal["wikilink", "embed", "markdown", "property", "canvas", "sources", "citation", "supersedes", "same-url", "tag"]
"""``sources`` and ``supersedes`` are bare names in the properties of that name, which Obsidian does not count; ``citation`` is the
role of a brief's links (:func:`sidecar.vault.layers.edge_role`), whose kind stays Obsidian's. The last three make no back-link
and count for nothing: they only relate."""
NodeKind = Literal["note", "attachment", "canvas", "unresolved"]

NOTE_SUFFIX = ".md"
CANVAS_SUFFIX = ".canvas"


@dataclass(frozen=True, slots=True)
class Link:
    """One occurrence of a link in a note.

    Attributes:
        raw: The link exactly as the text has it.
        path: The part that names a file, trimmed and decoded; empty for a link to the note itself.
        subpath: The part from the first ``#`` on, that sign included, or empty.
        display: What a reader sees.
        start: Offset of ``raw`` in the note's text in code points; -1 where the text is not Markdown (canvas, properties).
        line: Line of ``start``, counted from 1; 0 where there is none.
        key: The property that holds the link, or empty.
        generated: Whether the sidecar wrote it (a link of the MOC); such links make no hub and save no orphan.
    """

    kind: LinkKind
    raw: str
    path: str
    subpath: str
    display: str
    start: int = -1
    line: int = 0
    key: str = ""
    generated: bool = False

    @property
    def role(self) -> LinkKind:
        """What the link says: a property link under ``sources`` or ``supersedes`` (``key``) says that, too; else its kind.

        ``sources: "[[x]]"`` stays one link of kind ``property``, as Obsidian counts it, and is never a second one.
        """
        if self.kind == "property":
            name = self.key.partition(".")[0]
            if name == "sources":
                return "sources"
            if name == "supersedes":
                return "supersedes"
        return self.kind


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed note or canvas.

    Attributes:
        properties: The frontmatter, keys as text; empty if there is none or it is broken.
        property_error: Why the frontmatter could not be read, or empty. The rest of the note is still there.
        aliases: Other names, as Obsidian lists them; never targets of a link.
        tags: Tags without ``#``, body and frontmatter together, as written, in order, with repetitions.
        blocks: Block ids without ``^``.
        urls: Canonical addresses of web pages that the text mentions or links to, in order, without repetitions.
        excerpt: The first sentence or so of the owner's prose, plain, for a gist of one line.
    """

    path: NotePath
    kind: Literal["note", "canvas"]
    title: str
    properties: dict[str, Any]
    property_error: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    headings: tuple[Heading, ...]
    blocks: tuple[str, ...]
    links: tuple[Link, ...]
    excerpt: str
    urls: tuple[str, ...] = ()

    def text_property(self, key: str) -> str:
        """Give a property as text; empty if it is missing or no scalar."""
        value = self.properties.get(key)
        return str(value).strip() if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""

    @property
    def address(self) -> str:
        """The canonical address of the page that the note was captured from: its ``url`` property; empty if that is none."""
        return find_address(self.text_property("url"))

    @property
    def from_web(self) -> bool:
        """Whether the text came from outside: then it is material, never instruction."""
        return self.text_property("origin") == "web"


def fold_name(name: str) -> str:
    """Bring a name to the form in which Obsidian compares names: NFC and lower case; look-alikes stay distinct."""
    return unicodedata.normalize("NFC", name).lower()


def folder_of(path: NotePath) -> str:
    """Give the folder of a path, without a slash at the end; empty for the vault's root."""
    return path.rpartition("/")[0]


def basename_of(path: NotePath) -> str:
    """Give the file name without the folder and, for notes, without ``.md``."""
    name = path.rpartition("/")[2]
    return name[:-3] if name.lower().endswith(NOTE_SUFFIX) else name


def is_note_path(path: NotePath) -> bool:
    return path.lower().endswith(NOTE_SUFFIX)


def is_canvas_path(path: NotePath) -> bool:
    return path.lower().endswith(CANVAS_SUFFIX)


def in_folder(path: NotePath, folder: str) -> bool:
    """Whether a path lies in ``folder`` or below it; case and Unicode form do not matter."""
    return fold_name(path).startswith(fold_name(folder) + "/")
