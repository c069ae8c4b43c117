"""Promotion: one action behind four doors. Upward only; it needs a stated use, and the core needs the person's own sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sidecar.config import Config
from sidecar.errors import PromotionRefused
from sidecar.metabolism.health import CORE_CAP
from sidecar.metabolism.service import MetabolismService
from sidecar.vault.files import ABSENT, VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.links import render_link
from sidecar.vault.moves import move_note
from sidecar.vault.note import NotePath, basename_of
from sidecar.vault.paths import safe_name
from sidecar.vault.property_edit import edit_properties

_ORDER = {"inbox": 0, "sources": 1, "wiki": 1, "core": 2}
PERSONS = ("cli", "trial", "panel")
"""Doors that a person stands at; an agent comes through ``mcp``."""


@dataclass(frozen=True, slots=True)
class Promoted:
    """Where a note went. ``displaced`` is where the core note that made room went, or empty."""

    path: NotePath
    target: NotePath
    layer: str
    displaced: NotePath = ""


class Promotion:
    """Promotes notes; runs on the vault's thread."""

    def __init__(
        self,
        index: VaultIndex,
        files: VaultFiles,
        metabolism: MetabolismService,
        config: Callable[[], Config],
        take_in: Callable[[Iterable[NotePath]], object],
    ) -> None:
        self._index = index
        self._files = files
        self._metabolism = metabolism
        self._config = config
        self._take_in = take_in

    def promote(
        self, path: NotePath, use_when: str, *, to: str = "", sentence: str = "", displace: NotePath = "", door: str = "cli"
    ) -> Promoted:
        """Move a note up a layer.

        Args:
            to: ``core``, or empty for what the note is: captures to sources, own text to the wiki.
            sentence: The judgement in the person's own words; the core needs it.
            displace: Core note that makes room where the core is full.
        Raises:
            PromotionRefused: It is not upward, has no use, the core is full, or an agent wants more than it may.
        """
        note = self._index.notes[path]
        layer = self._metabolism.layer(note)
        use = " ".join(use_when.split())
        if layer not in _ORDER:
            raise PromotionRefused(f"{path} lies in no layer that is promoted from.", fix="Promote notes of the inbox, wiki or sources.")
        target_layer = to or ("sources" if note.text_property("url") else "wiki")
        if target_layer not in ("sources", "wiki", "core") or _ORDER[target_layer] <= _ORDER[layer]:
            raise PromotionRefused(f"{path} is {layer} already: promotion goes upward only.", fix="For the core add: --to core.")
        if not use:
            raise PromotionRefused("A promotion needs a stated use.", fix="Say when the note is to be used again: --use-when '…'")
        if door not in PERSONS and (layer != "inbox" or target_layer == "core"):
            raise PromotionRefused("An agent may promote out of the inbox only.", fix="Ask the person to promote it: kb promote")
        displaced = ""
        if target_layer == "core":
            if not " ".join(sentence.split()):
                raise PromotionRefused("A core note needs its judgement in your own words.", fix="Add it: --sentence '…'")
            displaced = self._make_room(displace)
        folders = self._config().folders
        folder = {"sources": folders.sources, "wiki": folders.wiki, "core": folders.core}[target_layer]
        target = f"{folder}/{basename_of(path)}.md"
        wanted = {"kb_use_when": use}
        if target_layer == "core":
            wanted["kb_judgement"] = " ".join(sentence.split())
        unwanted = ["kb_expires", "kb_layer"]
        if target == path:
            self._files.edit(path, lambda text: edit_properties(text, {**wanted, "kb_layer": target_layer}, ["kb_expires"]))
        else:
            move_note(self._files, path, target, lambda data: _edited(data, wanted, unwanted))
        self._metabolism.decide("promote", target, **{"from": path, "to": target_layer, "door": door})
        self._take_in([path, target])
        return Promoted(path, target, target_layer, displaced)

    def write_core(
        self, notes: Sequence[NotePath], title: str, sentence: str, use_when: str, displace: NotePath = ""
    ) -> tuple[NotePath, NotePath]:
        """Write a core note in the owner's words, built on notes of his; give its path and that of a displaced one.

        Raises:
            PromotionRefused: A word is missing, or the core is full.
            NoteExists: A note of that name is there.
        """
        words, use = " ".join(sentence.split()), " ".join(use_when.split())
        if not words or not use:
            raise PromotionRefused("A core note needs a judgement and its use, in your own words.", fix="Say both.")
        displaced = self._make_room(displace)
        path = f"{self._config().folders.core}/{safe_name(title)}.md"
        links = [render_link(note, "", path, self._index.names) for note in notes]
        today = self._metabolism.view().now.date().isoformat()
        text = edit_properties("", {"title": title, "created": today, "kb_use_when": use, "sources": links})
        self._files.write(path, f"{text}# {title}\n\n{words}\n".encode(), expected=ABSENT)
        self._metabolism.decide("promote", path, **{"from": list(notes), "to": "core", "door": "chew"})
        self._take_in([path])
        return path, displaced

    def _make_room(self, displace: NotePath) -> NotePath:
        core = [path for path, note in self._index.notes.items() if self._metabolism.layer(note) == "core"]
        if len(core) < CORE_CAP:
            return ""
        if not displace:
            raise PromotionRefused(
                f"The core holds {len(core)} notes, and {CORE_CAP} is all it takes.", fix="Name one that makes room: --displace NOTE"
            )
        path = self._index.find_note(displace)
        if path not in core or path is None:
            raise PromotionRefused(f"{displace} is no core note.", fix="Name a note of the core: kb list notes path:core/")
        target = f"{self._config().folders.wiki}/{basename_of(path)}.md"
        move_note(self._files, path, target, lambda data: _edited(data, {}, ["kb_layer"]))
        self._metabolism.decide("displaced", target, **{"from": path})
        self._take_in([path, target])
        return target


def _edited(data: bytes, wanted: dict[str, str], unwanted: list[str]) -> bytes:
    text = data.decode("utf-8", "surrogateescape")
    return edit_properties(text, wanted, unwanted).encode("utf-8", "surrogateescape")
