"""What agents ask of a vault beyond what people ask: hints, context, notes of their own. On the vault's thread."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sidecar.agent.autolink import autolink
from sidecar.agent.context import (
    DAY_CHARS,
    MEMORY_BYTES,
    MOC_BYTES,
    SCHEMA_BYTES,
    compose,
    cut_at_line,
    dangling_links,
    expand_links,
    fingerprint,
    grow_links,
)
from sidecar.agent.relevance import MIN_COVERAGE, coverage, is_title_hit, is_worth_asking, weigh_terms
from sidecar.clock import Clock
from sidecar.config import Config
from sidecar.errors import NameUnsafe, NoteExists, VaultError, WriteConflict
from sidecar.graph.service import GraphService
from sidecar.judge.fence import one_line
from sidecar.metabolism.service import MetabolismService
from sidecar.moc.service import MocService
from sidecar.search.service import SearchService
from sidecar.search.terms import cut_terms
from sidecar.vault.files import ABSENT, VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.layers import layer_of
from sidecar.vault.links import render_link
from sidecar.vault.note import Note, NotePath, basename_of
from sidecar.vault.paths import safe_name
from sidecar.vault.property_edit import edit_properties

MAX_HINTS = 3
_GIST = 200
_INBOX_DAYS = 30
_HELD = ("kb_confirmed", "kb_buried", "kb_buried_from", "kb_layer", "kb_expires", "origin", "url", "hash")
"""Properties that an agent's page may not set for itself."""


@dataclass(frozen=True, slots=True)
class Hint:
    path: NotePath
    title: str
    gist: str
    coverage: float


class AgentService:
    """Answers agents.

    Args:
        cut_words: Cuts Chinese into words, for borders of links.
    """

    def __init__(
        self,
        index: VaultIndex,
        graph: GraphService,
        search: SearchService,
        moc: MocService,
        files: VaultFiles,
        metabolism: MetabolismService,
        config: Callable[[], Config],
        clock: Clock,
        take_in: Callable[[Iterable[NotePath]], object],
        cut_words: Callable[[str], Sequence[str]],
    ) -> None:
        self._index = index
        self._graph = graph
        self._search = search
        self._moc = moc
        self._files = files
        self._metabolism = metabolism
        self._config = config
        self._clock = clock
        self._take_in = take_in
        self._cut_words = cut_words

    # ── hints ─────────────────────────────────────────────────────────────────────────────────

    def hints(self, prompt: str, *, leaves_signal: bool = True) -> list[Hint]:
        """Find notes that answer a prompt so surely that an agent is told of them unasked; each leaves an inject signal."""
        if not self._config().agent.inject or not is_worth_asking(prompt):
            return []
        prompt = prompt[:4000]
        terms = cut_terms(prompt)
        index = self._search.loaded()
        weights = weigh_terms(terms, index.frequency, len(index))
        if not weights:
            return []
        candidates = {hit.path for hit in self._search.search(prompt.replace('"', " "), limit=12).hits}
        candidates |= {path for _, paths in self._graph.names_in(prompt) for path in paths if len(paths) == 1}
        found = []
        for path in sorted(candidates):
            note = self._index.notes.get(path)
            if note is None or not self._may_hint(note):
                continue
            names = (note.title, basename_of(path), *note.aliases)
            if not any(is_title_hit(cut_terms(name), terms) for name in names if name):
                continue
            number = index.number(path)
            held = {term for term in weights if number is not None and number in index.postings(term)[0]}
            held |= {term for name in names for term in cut_terms(name) if term in weights}
            share = coverage(weights, held)
            if share >= MIN_COVERAGE:
                gist = "" if self._index.is_untrusted(path) else one_line(note.text_property("kb_use_when") or note.excerpt, _GIST)
                found.append(Hint(path, one_line(note.title), gist, round(share, 3)))
        found.sort(key=lambda hint: (-hint.coverage, hint.path))
        chosen = found[:MAX_HINTS]
        if chosen and leaves_signal:
            self._metabolism.record("inject", [hint.path for hint in chosen], "hook")
        return chosen

    def _may_hint(self, note: Note) -> bool:
        layer = layer_of(note.path, self._config().folders)
        return (note.kind == "note" and layer != "graveyard" and self._metabolism.layer(note) != "") or (note.kind == "note" and not layer)

    # ── context ───────────────────────────────────────────────────────────────────────────────

    def context(self, day: str) -> tuple[str, str]:
        """Give what a session begins with, and its fingerprint; it leaves no signal.

        Args:
            day: The day's state as one sentence.
        """
        if not self._config().agent.context:
            return "", fingerprint("")
        moc = self._moc.render()
        memory = "\n".join(self.memory(name) for name in self._config().memory.files)
        parts = [
            ("How this vault works", cut_at_line(self._text("SCHEMA.md"), SCHEMA_BYTES)),
            ("Map of content", cut_at_line(moc, MOC_BYTES)),
            ("Memory", cut_at_line(memory, MEMORY_BYTES)),
            ("Today", one_line(day, DAY_CHARS)),
        ]
        text = compose(parts)
        return text, fingerprint(text)

    def memory(self, name: NotePath) -> str:
        """Give a memory file with its links expanded; empty if it is not there."""
        return expand_links(self._text(name), self.title_of)

    def dangling(self) -> list[tuple[str, str]]:
        """List links of memory files that lead nowhere: file and slug."""
        return [(name, slug) for name in self._config().memory.files for slug in dangling_links(self._text(name), self.title_of)]

    def title_of(self, slug: str) -> str | None:
        path = self._index.find_note(slug)
        return one_line(self._index.notes[path].title) if path is not None else None

    def _text(self, path: NotePath) -> str:
        try:
            return self._files.read(path).text
        except VaultError:
            return ""

    # ── notes ─────────────────────────────────────────────────────────────────────────────────

    def add(self, title: str, text: str, use_when: str = "", tags: Sequence[str] = ()) -> NotePath:
        """Write a new note: into the inbox, or, with a stated use, among the wiki pages."""
        name = " ".join(title.split())[:200]
        folders = self._config().folders
        today = self._clock().date()
        properties: dict[str, Any] = {"title": name, "created": today.isoformat()}
        if tags:
            properties["tags"] = list(tags)
        if use_when.strip():
            folder = folders.wiki
            properties["kb_use_when"] = " ".join(use_when.split())[:500]
        else:
            folder = folders.inbox
            properties["kb_expires"] = (today + timedelta(days=_INBOX_DAYS)).isoformat()
        body = edit_properties("", properties) + f"# {name}\n\n{text.strip()}\n"
        return self._write_new(folder, safe_name(name), body)

    def _write_new(self, folder: str, name: str, text: str) -> NotePath:
        for n in range(1, 100):
            path = f"{folder}/{name}{f'-{n}' if n > 1 else ''}.md"
            try:
                self._files.write(path, text.encode("utf-8"), expected=ABSENT)
            except NoteExists:
                continue
            self._take_in([path])
            return path
        raise NoteExists(f"{folder}/{name} is taken a hundred times.", fix="Choose another title.", path=name)

    def write(self, slug: str, markdown: str, sources: Sequence[str], base_hash: str = "") -> tuple[NotePath, bool]:
        """Write a wiki page; tell whether it is new. A page that is there is replaced only if it is still as the agent read it.

        Args:
            sources: Notes it is distilled from; if one came from outside, the page is material, too, until a person confirms it.
            base_hash: Hash of the page as it was read; needed to replace one.
        Raises:
            NameUnsafe: The slug is no plain name.
            WriteConflict: The page is there and was not read, or was edited since.
        """
        name = slug.strip().removesuffix(".md")
        if not name or "/" in name or name.startswith(".") or safe_name(name) != name:
            raise NameUnsafe(f"{slug[:100]!r} is no plain name for a page.", fix="Give a name without folder, like compost-heaps.")
        path = f"{self._config().folders.wiki}/{name}.md"
        known = self._files.stat(path) is not None
        if known and not base_hash:
            fix = "Read it first and give its hash as base_hash."
            raise WriteConflict(f"{path} is there already; nothing was written.", fix=fix, path=path)
        found = [target for source in sources if (target := self._index.find_note(source.strip().strip("[]"))) is not None]
        text = self._linked(_without_held(markdown), path)
        properties: dict[str, Any] = {"sources": [render_link(target, "", path, self._index.names) for target in found]} if found else {}
        if not re.match(r"---\n", text):
            properties = {"title": name, "created": self._clock().date().isoformat(), **properties}
        text = edit_properties(text, properties)
        self._files.write(path, text.encode("utf-8"), expected=base_hash if known else ABSENT)
        outside = any(self._index.is_untrusted(target) for target in found)
        if outside:
            self._index.mark_outside(path)
        self._take_in([path])
        self._grow_memory(path)
        return path, not known

    def _linked(self, markdown: str, path: NotePath) -> str:
        wiki = [note for note in self._index.notes.values() if self._metabolism.layer(note) == "wiki" and note.path != path]
        titles = [(note.title, render_link(note.path, note.title, path, self._index.names)) for note in wiki]
        return autolink(markdown, titles, self._cut_words)

    def _grow_memory(self, path: NotePath) -> None:
        settings = self._config().memory
        if not settings.grow:
            return
        note = self._index.notes.get(path)
        for name in settings.files if note is not None else ():
            if self._files.stat(name) is not None and note is not None:
                self._files.edit(name, lambda text: grow_links(text, basename_of(path), note.title, settings.max_bytes))

    def confirm(self, path: NotePath) -> None:
        """Let a distilled page count as the owner's own; only a person does that."""
        self._index.confirm(path)
        self._metabolism.decide("confirm", path)

    def new_sources(self) -> list[Note]:
        """List sources that no wiki page names yet, the newest names last."""
        folders = self._config().folders
        named = {
            edge.target
            for note in self._index.notes.values()
            if layer_of(note.path, folders) in ("wiki", "core")
            for edge in self._graph.forward(note.path)
        }
        return [
            note for path, note in sorted(self._index.notes.items())
            if layer_of(path, folders) == "sources" and path not in named and self._metabolism.layer(note) == "sources"
        ]  # fmt: skip


def _without_held(markdown: str) -> str:
    """Take away properties that say of a page what only the sidecar or a person may say."""
    text = markdown.replace("\r\n", "\n")
    return edit_properties(text, {}, [key for key in _HELD if re.search(rf"(?m)^{key}\s*:", text.split("\n---", 1)[0])])
