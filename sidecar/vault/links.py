"""Which file a link means: Obsidian's rules, as read off Obsidian itself.

Where Obsidian's own answer is not known, the choice is: among candidates below the folder of the source note come before
the rest; of two equally long paths the one that sorts first wins; of ``Foo.md`` and ``foo.md`` the exact spelling wins, then
the one that sorts first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from sidecar.vault.note import NOTE_SUFFIX, NotePath, basename_of, fold_name, folder_of, is_note_path


class NameIndex:
    """All files of a vault by folded file name: what links are looked up in."""

    def __init__(self, paths: Iterable[NotePath] = ()) -> None:
        self._by_name: defaultdict[str, dict[NotePath, str]] = defaultdict(dict)
        for path in paths:
            self.add(path)

    def add(self, path: NotePath) -> None:
        folded = fold_name(path)
        self._by_name[folded.rpartition("/")[2]][path] = folded

    def discard(self, path: NotePath) -> None:
        name = fold_name(path).rpartition("/")[2]
        same = self._by_name.get(name)
        if same and same.pop(path, None) is not None and not same:
            del self._by_name[name]

    def __contains__(self, path: NotePath) -> bool:
        return path in self._by_name.get(fold_name(path).rpartition("/")[2], ())

    def candidates(self, link: str) -> dict[NotePath, str]:
        """Give the files whose path ends with ``link`` at a folder border, as it is or with ``.md`` added, with folded paths."""
        found: dict[NotePath, str] = {}
        for wanted in (link, link + NOTE_SUFFIX):
            name = wanted.rpartition("/")[2]
            same = self._by_name.get(name, {})
            found |= {p: f for p, f in same.items() if f == wanted or f.endswith("/" + wanted)}
        return found


def resolve_link(path: str, source: NotePath, names: NameIndex) -> NotePath | None:
    """Find the file that a link points at, in the order Obsidian uses.

    A path equal to the link from the vault's root wins; then a file in the folder of ``source``; then one below it; then the
    shortest path, counted in characters. Case and Unicode form (NFC) do not matter. Aliases and titles are never searched.

    Args:
        path: The link without subpath and display; empty means the source itself.
        source: The note that holds the link.
        names: All files of the vault.
    Returns:
        The target's path, or ``None`` for a note not written yet, which is normal in a vault.
    """
    if not path:
        return source
    link = fold_name(path)
    if link.endswith("/"):
        return None
    relative = link.startswith(("./", "../"))
    if relative or link.startswith("/"):
        link_or_none = _from_folder(link, fold_name(folder_of(source))) if relative else link.lstrip("/")
        if not link_or_none:
            return None
        exact = {p: f for p, f in names.candidates(link_or_none).items() if f in (link_or_none, link_or_none + NOTE_SUFFIX)}
        return _first(exact, path) if exact else None
    found = names.candidates(link)
    if len(found) <= 1:
        return next(iter(found), None)
    exact = {p: f for p, f in found.items() if f in (link, link + NOTE_SUFFIX)}
    if exact:
        return _first(exact, path)
    folder = fold_name(folder_of(source))
    prefix = folder + "/" if folder else ""
    beside = {p: f for p, f in found.items() if folder_of(f) == folder}
    below = {p: f for p, f in found.items() if f.startswith(prefix)}
    return _first(beside or below or found, path)


def lookup_keys(path: str) -> Iterator[str]:
    """Give the folded file names whose coming or going can change where a link with this path leads."""
    name = fold_name(path).rpartition("/")[2]
    yield name
    yield name + NOTE_SUFFIX


def shortest_link(path: NotePath, source: NotePath, names: NameIndex) -> str:
    """Give the shortest link text that can mean ``path`` alone: the name, else as many folders as it takes.

    Where every part of the path means other files too, the whole path, which wins over them. A tie is never left to the
    order of :func:`resolve_link`: what Obsidian chooses there is not known for certain.
    """
    parts = (path[: -len(NOTE_SUFFIX)] if is_note_path(path) else path).split("/")
    for n in range(1, len(parts) + 1):
        link = "/".join(parts[-n:])
        if names.candidates(fold_name(link)).keys() == {path} == {resolve_link(link, source, names)}:
            return link
    whole = "/".join(parts)
    return whole if resolve_link(whole, source, names) == path else path


def render_link(path: NotePath, title: str, source: NotePath, names: NameIndex) -> str:
    """Write a link to ``path`` for the note ``source`` that shows ``title``.

    A file name with one of ``# ^ [ ] | \\`` cannot stand in a wikilink, and one with ``%%``, ``<`` or a trace of a marker of ours
    would hide or end what follows it; such names get a Markdown link, percent-encoded.
    """
    link = shortest_link(path, source, names)
    shown = " ".join(title.split()).replace("[[", "[ [").replace("]]", "] ]")
    if any(mark in link for mark in (*"#^[]|<\\", "%%", "kb:moc", "kb:brief")):
        text = shown.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        return f"[{text}]({quote(path, safe='/')})"
    if shown == link or not shown:
        return f"[[{link}]]"
    return f"[[{link}|{shown.rstrip(']') or basename_of(path)}]]"


def _from_folder(link: str, folder: str) -> str | None:
    """Walk a ``./`` or ``../`` link from ``folder``; ``None`` if it leaves the vault."""
    parts = folder.split("/") if folder else []
    for step in link.split("/"):
        if step == "..":
            if not parts:
                return None
            parts.pop()
        elif step not in (".", ""):
            parts.append(step)
    return "/".join(parts)


def _first(found: dict[NotePath, str], written: str) -> NotePath:
    return min(found, key=lambda p: (len(p), not p.removesuffix(NOTE_SUFFIX).endswith(written), p))
