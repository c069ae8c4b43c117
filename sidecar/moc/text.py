"""The file of a map around its generated block: markers, freezing, and what speaks against making it (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sidecar.vault.frontmatter import read_frontmatter
from sidecar.vault.generated import BEGIN, END, find_block

FREEZE_PROPERTY = "kb_moc"
_FROZEN = "frozen"
_FROZEN_LINE = re.compile(rf"^[ \t\"']*{FREEZE_PROPERTY}[ \t\"']*:[ \t\"']*{_FROZEN}\b", re.MULTILINE | re.IGNORECASE)
_CONFLICT = re.compile(r"conflict|konflikt|conflit|冲突|衝突", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\.(?:icloud|cloud|cloudf|nextcloud|owncloud|part|partial|tmp|!sync|bts)$", re.IGNORECASE)


def replace_block(text: str, block: str) -> str | None:
    """Put a new generated block between the markers of ``text``; ``None`` if it has no usable pair of them.

    Nothing outside the block changes. Its lines end as the file's do.
    """
    found = find_block(text)
    if found is None:
        return None
    ending = "\r\n" if text[: found.start].endswith("\r\n") else "\n"
    return text[: found.start] + block.replace("\n", ending) + text[found.end :]


def adopt(text: str) -> str:
    """Add an empty pair of markers at the end of a file that has none."""
    ending = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else ending if text.endswith(("\n", "\r\n")) else ending * 2
    return f"{text}{gap}{BEGIN}{ending}{END}{ending}"


def is_frozen(text: str) -> bool:
    """Whether the map's own properties say ``kb_moc: frozen``. Broken properties that hold that line freeze it, too."""
    head = read_frontmatter(text)
    if head.error:
        return _FROZEN_LINE.search(head.raw or text[: head.body_start]) is not None
    return str(head.properties.get(FREEZE_PROPERTY, "")).strip().lower() == _FROZEN


def unsettled_sibling(name: str, siblings: Iterable[str]) -> str:
    """Find a file beside ``name`` that a sync program has set aside or not delivered yet; empty if there is none.

    Such names hold the note's own name with a word for "conflict" (Syncthing, Dropbox, Nextcloud, Obsidian Sync), or the
    whole file name within that of a placeholder or of an unfinished copy (iCloud, Nextcloud, Resilio).
    """
    stem = name.rpartition(".")[0].lower()
    for sibling in sorted(siblings):
        folded = sibling.lower()
        rest = folded.removeprefix(stem)
        is_copy = folded != rest and rest[:1] in (".", " ", "-", "_", "(", "~", "（") and _CONFLICT.search(rest)
        if is_copy or (name.lower() in folded and _PLACEHOLDER.search(folded)):
            return sibling
    return ""
