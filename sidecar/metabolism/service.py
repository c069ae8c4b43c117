"""What is alive in a vault, what is not, and why. It reads, records signals and promotes; it never buries."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from sidecar.clock import Clock
from sidecar.config import Config
from sidecar.graph.service import GraphService
from sidecar.metabolism.age import Age, Change, Commit, Past, Touches, age_of, is_touch, merge_logs, read_log
from sidecar.metabolism.chew import Chewable, chewable
from sidecar.metabolism.docket import INBOX_DAYS, STALE, Facts, Judgement, Linker, Living, in_order, judge
from sidecar.metabolism.health import Counts, health_of
from sidecar.metabolism.past import read_past
from sidecar.metabolism.signals import OBSERVE, WINDOWS, Renames, Signals, fold_signals, moment_of
from sidecar.store import Journal
from sidecar.store.git_history import GitHistory
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.layers import is_generated, layer_of
from sidecar.vault.note import Note, NotePath

SIGNALS, DECISIONS = "signals", "decisions"
_FORMAT = 2
_ROUNDS = 8
_LAYERS = {"core": "core", "L0": "core", "wiki": "wiki", "sources": "sources", "L1": "", "inbox": "inbox"}


@dataclass(frozen=True, slots=True)
class View:
    """A vault at one moment, as the metabolism sees it."""

    now: datetime
    signals: Signals
    past: dict[str, Past]
    renames: Renames
    ages: dict[str, Age]
    layers: dict[str, str]
    decisions: list[dict[str, Any]]


class MetabolismService:
    """The metabolism of one vault.

    Args:
        cache: Folder for what the git pass found; ``None`` to keep nothing.
    """

    def __init__(
        self,
        index: VaultIndex,
        graph: GraphService,
        journal: Journal,
        history: GitHistory,
        config: Callable[[], Config],
        clock: Clock,
        cache: Path | None,
    ) -> None:
        self._index = index
        self._graph = graph
        self._journal = journal
        self._history = history
        self._config = config
        self._clock = clock
        self._cache = cache
        self._lock = threading.Lock()
        self._git: tuple[str, dict[str, Touches]] = ("", {})
        self._touched: dict[str, tuple[datetime | None, datetime | None]] = {}
        self._dirty: set[str] = set()

    # ── signals ───────────────────────────────────────────────────────────────────────────────

    def observe(self) -> None:
        """Mark that signals are kept from now on, unless they are already; an absence before that is unknown."""
        if next(iter(self._journal.read(SIGNALS)), None) is None:
            self._journal.append(SIGNALS, kind=OBSERVE)

    def record(self, kind: str, notes: Sequence[NotePath], door: str, context: str = "") -> int:
        """Leave a signal for each note; give for how many days it renews them (0 for kinds that renew nothing)."""
        told = {"context": context[:300]} if context else {}
        self._journal.append_all(SIGNALS, [{"kind": kind, "note": note, "door": door, **told} for note in dict.fromkeys(notes)])
        return WINDOWS[kind].days if kind in WINDOWS else 0

    def decide(self, kind: str, note: NotePath, **more: Any) -> None:
        """Write a decision down."""
        self._journal.append(DECISIONS, kind=kind, note=note, **more)

    # ── age ───────────────────────────────────────────────────────────────────────────────────

    def look_at_git(self) -> None:
        """Bring what git says up to date; on any thread, for it waits for processes. Only new commits are read."""
        with self._lock:
            head = self._history.head()
            if not head:
                self._git, self._touched, self._dirty = ("", {}), {}, set()
                return
            known, touches = self._git if self._git[0] else self._kept()
            bulk = self._config().age.bulk_files
            if known != head:
                is_behind = bool(known) and self._history.is_ancestor(known)
                new, names = read_log(map(_commit, self._history.log(known if is_behind else "")), bulk)
                touches = merge_logs(touches, new, names) if is_behind else new
                touches = {path: one for path, one in touches.items() if "\0" not in path}
                before = {names.get(path, path): told for path, told in self._touched.items()} if is_behind else {}
                fresh = {path: one for path, one in touches.items() if path in new or path not in before}
                self._touched = {path: told for path, told in before.items() if path in touches} | self._settled(fresh)
                self._git = (head, touches)
                self._keep(head, touches)
            self._git = (head, touches)
            self._dirty = self._history.dirty()

    def _settled(self, touches: dict[str, Touches]) -> dict[str, tuple[datetime | None, datetime | None]]:
        """Find each note's last real touch. Only changes of the last 90 days are looked into: an older one is old either way."""
        since = self._clock() - STALE - timedelta(days=1)
        left = {path: list(one.changes) for path, one in touches.items()}
        for _ in range(_ROUNDS):
            asked = {path: changes[0] for path, changes in left.items() if changes and changes[0][0] >= since and changes[0][1]}
            texts = self._history.texts([blob for _, before, after in asked.values() for blob in (before, after)])
            mere = [
                path for path, (_, before, after) in asked.items()
                if before in texts and after in texts and not is_touch(texts[before], texts[after])
            ]  # fmt: skip
            for path in mere:
                left[path].pop(0)
            if not mere:
                break
        return {path: (changes[0][0] if changes else None, touches[path].born) for path, changes in left.items()}

    def _kept(self) -> tuple[str, dict[str, Touches]]:
        if self._cache is None:
            return "", {}
        try:
            value = json.loads((self._cache / "age.json").read_text("utf-8"))
            if value["format"] != _FORMAT or value["bulk"] != self._config().age.bulk_files:
                return "", {}
            found = {
                path: Touches([(datetime.fromisoformat(at), old, new) for at, old, new in changes], moment_of(born))
                for path, (changes, born, _) in value["notes"].items()
            }
            self._touched = {path: (moment_of(touched), moment_of(born)) for path, (_, born, touched) in value["notes"].items()}
            return str(value["head"]), found
        except (OSError, ValueError, KeyError, TypeError):
            return "", {}

    def _keep(self, head: str, touches: dict[str, Touches]) -> None:
        if self._cache is None:
            return
        notes = {}
        for path, one in touches.items():
            touched = self._touched.get(path, (None, None))[0]
            changes = [(at.isoformat(), old, new) for at, old, new in one.changes[:_ROUNDS]]
            notes[path] = (changes, one.born.isoformat() if one.born else None, touched.isoformat() if touched else None)
        value = {"format": _FORMAT, "bulk": self._config().age.bulk_files, "head": head, "notes": notes}
        try:
            temporary = self._cache / "age.json.tmp"
            temporary.write_text(json.dumps(value), encoding="utf-8")
            temporary.replace(self._cache / "age.json")
        except OSError:  # it is read again the next time
            return

    # ── the whole view; on the vault's thread ─────────────────────────────────────────────────

    def view(self) -> View:
        """Take the vault in as it is now."""
        now = self._clock()
        past, renames = read_past(self._journal.read("notes"), self._config().age.bulk_files)
        signals = fold_signals(self._journal.read(SIGNALS), renames, now)
        ages: dict[str, Age] = {}
        layers: dict[str, str] = {}
        for path, note in self._index.notes.items():
            own = past.get(path, Past())
            git = self._touched.get(path)
            if git is not None and path not in self._dirty:
                own = Past(own.first_seen)  # what is committed, git knows better
            ages[path] = age_of(git, own, note.properties)
            layers[path] = self.layer(note)
        return View(now, signals, past, renames, ages, layers, list(self._journal.read(DECISIONS)))

    def layer(self, note: Note) -> str:
        """Give a note's layer: that of its folder, unless ``kb_layer`` says otherwise. Outside the folders there is none."""
        folders = self._config().folders
        found = layer_of(note.path, folders)
        if not found or found == "graveyard" or note.kind != "note" or is_generated(note, folders):
            return "" if found != "graveyard" else found
        return _LAYERS.get(note.text_property("kb_layer"), "") or found

    def judgements(self, view: View) -> list[Judgement]:
        """Judge every note that can be judged."""
        living = Living(view.now, view.signals.uses, view.ages)
        spared = self._spared(view)
        found = []
        for path, layer in view.layers.items():
            if layer not in ("wiki", "sources", "inbox"):
                continue
            note = self._index.notes[path]
            linkers = tuple(Linker(one.source, one.always) for one in self._graph.evidence(path)) if layer != "inbox" else ()
            facts = Facts(
                path, layer, note.title, "" if self._index.is_untrusted(path) else note.excerpt, view.ages[path], view.signals.of(path),
                linkers, self.expires(note, view) if layer == "inbox" else None, spared.get(path),
            )  # fmt: skip
            one = judge(facts, living, view.signals.observed_since)
            if one is not None:
                found.append(one)
        return found

    def docket(self) -> tuple[View, list[Judgement]]:
        """Give the notes on the docket, in order, and the view they were judged in."""
        view = self.view()
        return view, in_order(self.judgements(view))

    def expires(self, note: Note, view: View) -> date | None:
        """Give the day an inbox note expires on: its property, else 30 days after it was first seen."""
        told = note.properties.get("kb_expires")
        if isinstance(told, datetime):
            return told.date()
        if isinstance(told, date):
            return told
        moment = moment_of(told)
        if moment is not None:
            return moment.date()
        seen = view.past.get(note.path, Past()).first_seen
        return (seen + timedelta(days=INBOX_DAYS)).date() if seen else None

    def _spared(self, view: View) -> dict[str, date]:
        found: dict[str, date] = {}
        for line in view.decisions:
            at, note, until = moment_of(line.get("at")), line.get("note"), line.get("until")
            if line.get("kind") in ("spare", "resurrect") and at is not None and isinstance(note, str) and isinstance(until, str):
                path = view.renames.now_at(note, at)
                try:
                    found[path] = max(found.get(path, date.min), date.fromisoformat(until))
                except ValueError:
                    continue
        return found

    def shown_since(self, view: View, since: datetime) -> int:
        """Give how many notes were shown in trials since a moment."""
        return sum(1 for line in view.decisions if line.get("trial") and (at := moment_of(line.get("at"))) is not None and at >= since)

    def room(self, view: View, budget: int) -> int:
        """Give how many notes the week's budget still lets be shown."""
        return max(budget - self.shown_since(view, view.now - timedelta(days=7)), 0)

    def chew_list(self, view: View) -> list[Chewable]:
        """Give the much-used notes without a judgement of the owner's."""
        notes = ((path, self._index.notes[path].title) for path, layer in view.layers.items() if layer in ("wiki", "sources"))
        built = [edge.target for path, layer in view.layers.items() if layer == "core" for edge in self._graph.forward(path)]
        return chewable(notes, built, view.signals, view.now)

    def health(self) -> dict[str, Any]:
        """Add up how the vault lives."""
        view = self.view()
        judgements = self.judgements(view)
        living = Living(view.now, view.signals.uses, view.ages)
        judged = [one.path for one in judgements]
        born = Counter(f"{age.born:%Y-%m}" for age in view.ages.values() if age.born is not None)
        notes = self._index.notes
        inbox = []
        for path, layer in view.layers.items():
            if layer == "inbox":
                day, age = self.expires(notes[path], view), view.ages[path]
                inbox.append((path, day.isoformat() if day else "", (view.now - age.born).days if age.born else 0))
        counts = Counter(layer or "other" for path, layer in view.layers.items() if notes[path].kind == "note")
        without = sum(
            1
            for path, layer in view.layers.items()
            if layer in ("core", "wiki", "sources") and not notes[path].text_property("kb_use_when")
        )
        found = Counts(
            layers=dict(sorted(counts.items())), born=born, alive=sum(1 for path in judged if living.why(path)), judged=len(judged),
            orphans=len(self._graph.orphans()), broken_links=len(self._graph.unresolved()), without_use=without, inbox=inbox,
            signals=view.signals.counts, chewable=len(self.chew_list(view)),
        )  # fmt: skip
        return {
            "now": view.now.isoformat(timespec="seconds"),
            "observed_since": view.signals.observed_since.isoformat(timespec="seconds") if view.signals.observed_since else "",
            "has_git": bool(self._git[0]),
            **health_of(found, in_order(judgements), view.decisions, view.now, self._config().trial.budget),
        }


def _commit(found: Any) -> Commit:
    changes = tuple(
        Change("A" if one.kind == "C" else one.kind, one.path, one.old_path, one.old_blob, one.new_blob)
        for one in found.entries
        if one.path.lower().endswith(".md") or one.old_path.lower().endswith(".md")
    )
    return Commit(found.id, found.at, changes)


def paths_of(judgements: Iterable[Judgement]) -> list[str]:
    return [one.path for one in judgements]
