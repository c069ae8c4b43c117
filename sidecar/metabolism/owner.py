"""What only the owner does, at a terminal: bury, spare, resurrect, purge. No endpoint and no tool leads here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sidecar.clock import Clock
from sidecar.config import Config
from sidecar.errors import NoteExists, NoteNotFound, TrialRefused
from sidecar.metabolism.service import MetabolismService
from sidecar.store.git import GitRepository
from sidecar.store.git_history import GitHistory
from sidecar.vault.files import VaultFiles, content_hash
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.moves import move_note, remove_note
from sidecar.vault.note import NotePath, in_folder
from sidecar.vault.property_edit import edit_properties


@dataclass(frozen=True, slots=True)
class Buried:
    path: NotePath
    grave: NotePath


class Owner:
    """The owner's decisions about one vault; on the vault's thread."""

    def __init__(
        self,
        index: VaultIndex,
        files: VaultFiles,
        metabolism: MetabolismService,
        repository: GitRepository,
        history: GitHistory,
        config: Callable[[], Config],
        clock: Clock,
        take_in: Callable[[Iterable[NotePath]], object],
    ) -> None:
        self._index = index
        self._files = files
        self._metabolism = metabolism
        self._repository = repository
        self._history = history
        self._config = config
        self._clock = clock
        self._take_in = take_in

    def obstacle(self) -> str:
        """Say why nothing can be decided now: a merge is under way, or another git holds the index. Empty if it can."""
        return self._repository.obstacle()

    def bury(self, paths: Sequence[NotePath], *, trial: bool = True) -> list[Buried]:
        """Move notes to the graveyard, keeping their paths there, and commit just that.

        Raises:
            TrialRefused: Git is in the middle of something.
            NoteExists: A note of that name lies there already.
        """
        self._check()
        today = self._today()
        done: list[Buried] = []
        for path in paths:
            grave = f"{self._config().folders.graveyard}/{path}"
            wanted = {"kb_buried": today, "kb_buried_from": path}
            move_note(self._files, path, grave, lambda data, wanted=wanted: _edited(data, wanted, []))  # type: ignore[misc]
            self._metabolism.decide("bury", grave, **{"from": path, "trial": trial})
            done.append(Buried(path, grave))
        self._take_in([name for one in done for name in (one.path, one.grave)])
        if done:
            self._repository.commit([name for one in done for name in (one.path, one.grave)], f"Bury {_names([one.path for one in done])}")
        return done

    def spare(self, paths: Sequence[NotePath], days: int, *, trial: bool = True) -> date:
        """Leave notes alone for some days; give until when."""
        until = (self._clock() + timedelta(days=days)).date()
        for path in paths:
            self._metabolism.decide("spare", path, until=until.isoformat(), trial=trial)
        return until

    def resurrect(self, name: str) -> NotePath:
        """Bring a buried note back to where it was, links intact; it is spared for 30 days. Also undoes a burial.

        Raises:
            NoteNotFound: No buried note goes by that name.
            NoteExists: Another note took its place meanwhile.
        """
        grave = self._find_buried(name)
        note = self._index.notes[grave]
        graveyard = self._config().folders.graveyard
        target = note.text_property("kb_buried_from") or grave[len(graveyard) + 1 :]
        if in_folder(target, graveyard) or self._files.stat(target) is not None:
            raise NoteExists(f"{target} is taken by another note.", fix="Rename that note first, then resurrect.", path=target)
        self._check()
        move_note(self._files, grave, target, lambda data: _edited(data, {}, ["kb_buried", "kb_buried_from"]))
        until = (self._clock() + timedelta(days=self._config().trial.spare_days)).date()
        self._metabolism.decide("resurrect", target, **{"from": grave, "until": until.isoformat()})
        self._take_in([grave, target])
        self._repository.commit([grave, target], f"Resurrect {target}")
        return target

    def check_purge(self, name: str) -> NotePath:
        """Give the buried note that may be purged.

        Raises:
            NoteNotFound: No buried note goes by that name.
            TrialRefused: Git does not hold it, so it would be gone for good.
        """
        grave = self._find_buried(name)
        if not self._history.holds(grave):
            raise TrialRefused(
                f"Git does not hold {grave} as it is, so a purge could not be undone.", fix="Commit it first, or let it lie."
            )
        return grave

    def purge(self, name: str) -> NotePath:
        """Delete a buried note that git holds, and commit that."""
        grave = self.check_purge(name)
        self._check()
        remove_note(self._files, grave, content_hash(self._files.read_bytes(grave)))
        self._metabolism.decide("purge", grave)
        self._take_in([grave])
        self._repository.commit([grave], f"Purge {grave}")
        return grave

    def room_this_week(self) -> int:
        """Give how many notes the week's budget still lets be shown."""
        return self._metabolism.room(self._metabolism.view(), self._config().trial.budget)

    def _find_buried(self, name: str) -> NotePath:
        graveyard = self._config().folders.graveyard
        for wanted in (name, f"{graveyard}/{name}", f"{graveyard}/{name}.md"):
            path = self._index.find_note(wanted)
            if path is not None and in_folder(path, graveyard):
                return path
        found = [
            path
            for path in self._index.notes
            if in_folder(path, graveyard) and path.removesuffix(".md").endswith("/" + name.removesuffix(".md"))
        ]
        if len(found) == 1:
            return found[0]
        raise NoteNotFound(
            f"No buried note goes by {name[:200]!r}.", fix="Look for it with: kb search 'layer:graveyard …'", note=name[:200]
        )

    def _check(self) -> None:
        obstacle = self.obstacle()
        if obstacle:
            raise TrialRefused(f"Not now: {obstacle}.", fix="Finish that first, then try again.")

    def _today(self) -> str:
        return self._clock().date().isoformat()


def _edited(data: bytes, wanted: dict[str, str], unwanted: list[str]) -> bytes:
    text = data.decode("utf-8", "surrogateescape")
    return edit_properties(text, wanted, unwanted).encode("utf-8", "surrogateescape")


def _names(paths: Sequence[NotePath]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
