"""Keeps the map of content of the open vault current."""

from __future__ import annotations

from collections.abc import Callable

from sidecar.config import Config
from sidecar.errors import MocNotAdopted, NoteNotFound, VaultError, WriteConflict
from sidecar.graph.service import GraphService
from sidecar.moc.plan import MocPlan, plan_moc
from sidecar.moc.render import adopt, render_moc, replace_block
from sidecar.moc.words import MOC_WORDS
from sidecar.vault.files import ABSENT, VaultFiles, content_hash
from sidecar.vault.generated import has_trace
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.links import render_link
from sidecar.vault.note import NotePath

_TRIES = 3


class MocService:
    """Plans and writes the map."""

    def __init__(self, index: VaultIndex, graph: GraphService, files: VaultFiles, config: Callable[[], Config]) -> None:
        self._index = index
        self._graph = graph
        self._files = files
        self._config = config
        self.problem = ""
        """Why the map is not written at the moment, or empty."""

    @property
    def path(self) -> NotePath:
        return self._config().moc.path

    def plan(self) -> MocPlan:
        config = self._config()
        notes = self._graph.living_notes()
        return plan_moc(notes, self._graph.hubs(), self._graph.orphans(), self._graph.tags(), config.folders, config.moc)

    def render(self, plan: MocPlan | None = None) -> str:
        """Write the generated block, for ``plan`` or for what the vault holds now."""
        config = self._config()
        source = config.moc.path
        return render_moc(
            plan or self.plan(),
            MOC_WORDS[config.language],
            lambda path, title: render_link(path, title, source, self._index.names),
            config.moc.budget_bytes,
        )

    def refresh(self) -> bool:
        """Write the map if its bytes changed; tell whether they did.

        A file that someone saves at the same moment is read again; nothing outside the markers is ever touched, and a map
        that is not there is not made: it may only be late in arriving by sync.
        """
        try:
            return self._write_block(self.render())
        except NoteNotFound:
            self.problem = self._missing()
        except VaultError as problem:
            self.problem = _sentence(problem)
        return False

    def check(self) -> str:
        """Say why the map could not be written now; empty if it could. Writes nothing."""
        try:
            text, _ = self._read()
            self.problem = "" if replace_block(text, "") is not None else _sentence(self._not_adopted(text))
        except NoteNotFound:
            self.problem = self._missing()
        except VaultError as problem:
            self.problem = _sentence(problem)
        return self.problem

    def adopt(self) -> bool:
        """Put markers into the map's file, making it if need be; tell whether anything was written.

        Raises:
            MocNotAdopted: The file holds half a pair of markers, which only its owner can sort out.
        """
        try:
            text, expected = self._read()
        except NoteNotFound:
            text, expected = "", ABSENT
        if replace_block(text, "") is not None:
            return False
        if has_trace(text):
            raise self._not_adopted(text)
        self._files.write(self.path, adopt(text).encode("utf-8"), expected=expected)
        return True

    def _write_block(self, block: str) -> bool:
        for _ in range(_TRIES):
            text, expected = self._read()
            wanted = replace_block(text, block)
            if wanted is None:
                raise self._not_adopted(text)
            self.problem = ""
            if wanted == text:
                return False
            try:
                self._files.write(self.path, wanted.encode("utf-8"), expected=expected)
            except WriteConflict:
                continue
            return True
        raise WriteConflict(f"{self.path} is being edited.", fix="The map follows when it is quiet.", path=self.path)

    def _read(self) -> tuple[str, str]:
        """Read the map's file for writing it again: every byte must survive, so it must be clean UTF-8."""
        data = self._files.read_bytes(self.path)
        try:
            return data.decode("utf-8"), content_hash(data)
        except UnicodeDecodeError as error:
            raise MocNotAdopted(f"{self.path} is not UTF-8 text, so it is not touched.", fix="Save it as UTF-8.") from error

    def _missing(self) -> str:
        return f"There is no {self.path}. Make one with: kb moc --adopt"

    def _not_adopted(self, text: str) -> MocNotAdopted:
        if has_trace(text):
            return MocNotAdopted(
                f"The markers in {self.path} are damaged; nothing is written.",
                fix="Leave one begin and one end marker, each on a line of its own, or delete both and type: kb moc --adopt",
            )
        return MocNotAdopted(
            f"{self.path} has no markers for the map, so it is not touched.", fix="Add them at its end with: kb moc --adopt"
        )


def _sentence(error: VaultError) -> str:
    return f"{error.message} {error.fix}".strip()
