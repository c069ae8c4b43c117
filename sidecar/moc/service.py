"""Keeps the maps of content of the open vault current."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sidecar.config import Config, Language, MapSettings
from sidecar.errors import NoteNotFound
from sidecar.graph.service import GraphService
from sidecar.moc.file import MapFile
from sidecar.moc.members import MapMembers
from sidecar.moc.plan import ListPlan, MocPlan, Ranked, Vault, count_layers, plan_list, plan_moc
from sidecar.moc.render import render_list, render_moc
from sidecar.moc.words import MOC_WORDS
from sidecar.vault.changes import IndexDelta
from sidecar.vault.files import VaultFiles
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.links import render_link
from sidecar.vault.note import NotePath, basename_of


@dataclass(frozen=True, slots=True)
class MapReport:
    """How it stands with one map. ``notes`` counts what it selects; for the main map, all living notes."""

    path: NotePath
    title: str
    query: str
    sort: str
    notes: int
    problem: str
    is_frozen: bool


class MocService:
    """Plans and writes the main map and those beside it."""

    def __init__(self, index: VaultIndex, graph: GraphService, files: VaultFiles, config: Callable[[], Config]) -> None:
        self._index = index
        self._graph = graph
        self._files = files
        self._config = config
        self._members: MapMembers | None = None
        self._map_files: dict[NotePath, MapFile] = {}

    @property
    def path(self) -> NotePath:
        """Where the main map lies."""
        return self._config().moc.path

    @property
    def paths(self) -> list[NotePath]:
        """Where the maps lie, the main one first."""
        config = self._config()
        return [config.moc.path, *(settings.path for settings in config.maps)]

    @property
    def problem(self) -> str:
        """Why maps are not written at the moment, or empty; as of the last time they were looked at."""
        files = [self._map_files[path] for path in self.paths if path in self._map_files]
        return " ".join(file.problem for file in files if file.problem)

    def reset(self) -> None:
        """Forget what was chosen so far: the index was read anew."""
        self._members = None

    def apply(self, delta: IndexDelta) -> None:
        """Take in what changed, after the graph has; afterwards all is as if chosen from scratch."""
        if self._members is not None:
            self._members.update(self._index.notes, delta.parsed | delta.removed, self._graph.tally)

    def plan(self) -> MocPlan:
        """Choose what the main map shows now."""
        return plan_moc(self._vault(), self._config().moc)

    def render(self, plan: MocPlan | None = None) -> str:
        """Write the generated block of the main map, for ``plan`` or for what the vault holds now."""
        config = self._config()
        settings = config.moc
        words = MOC_WORDS[settings.language or config.language]
        return render_moc(plan or self.plan(), words, self._link_from(settings.path), settings.budget_bytes)

    def render_map(self, path: NotePath) -> str:
        """Write the generated block of the map at ``path``.

        Raises:
            NoteNotFound: No map is set up there.
        """
        if path == self.path:
            return self.render()
        return self._render_list(self._vault(), self._settings_of(path))

    def refresh(self) -> list[NotePath]:
        """Write the maps whose bytes changed; tell which. Why another was not written is told by :attr:`problem`."""
        config = self._config()
        vault = self._vault()
        written: list[NotePath] = []
        block = "" if config.moc.frozen else self.render(plan_moc(vault, config.moc))
        if self._file(config.moc.path).write(block, frozen=config.moc.frozen):
            written.append(config.moc.path)
        for settings in config.maps:
            block = "" if settings.frozen else self._render_list(vault, settings)
            if self._file(settings.path).write(block, frozen=settings.frozen):
                written.append(settings.path)
        return written

    def check(self) -> str:
        """Say why the main map could not be written now; empty if it could. Writes nothing."""
        return self._file(self.path).check(frozen=self._config().moc.frozen)

    def report(self) -> list[MapReport]:
        """Say how it stands with each map, the main one first. Writes nothing."""
        config = self._config()
        main = config.moc
        notes = count_layers(self._graph.tally)["notes"]
        reports = [MapReport(main.path, self._title(main.path), "", "", notes, self.check(), self._is_frozen(main.path))]
        vault = self._vault()
        for settings in config.maps:
            problem = self._file(settings.path).check(frozen=settings.frozen)
            total = plan_list(vault, settings).total
            title, frozen = self._title(settings.path), self._is_frozen(settings.path)
            reports.append(MapReport(settings.path, title, settings.query, settings.sort, total, problem, frozen))
        return reports

    def adopt(self, path: NotePath = "") -> bool:
        """Put markers into a map's file, the main one's by default, making it if need be; tell whether anything was written.

        Raises:
            MocNotAdopted: The file holds half a pair of markers, which only its owner can sort out, or is not ours to make.
            NoteNotFound: No map is set up there.
        """
        path = path or self.path
        if path != self.path:
            self._settings_of(path)
        return self._file(path).adopt()

    def _settings_of(self, path: NotePath) -> MapSettings:
        for settings in self._config().maps:
            if settings.path == path:
                return settings
        known = ", ".join(self.paths)
        raise NoteNotFound(f"No map is set up at {path}.", fix=f"Maps in config.toml: {known}.", path=path)

    def _vault(self) -> Vault:
        links = self._graph.tally
        return Vault(
            self._index.notes,
            links,
            self._current_members(),
            Ranked(links.hubs, links.hub_count, links.is_hub),
            Ranked(links.orphans, links.orphan_count, links.is_orphan),
            self._graph.tags(),
            frozenset(self.paths),
            self._index.is_excluded,
            self._index.is_untrusted,
        )

    def _current_members(self) -> MapMembers:
        config = self._config()
        if self._members is None or not self._members.fits(config.folders, config.maps):
            self._members = MapMembers(config.folders, config.maps)
            self._members.update(self._index.notes, self._index.notes, self._graph.tally)
        return self._members

    def _render_list(self, vault: Vault, settings: MapSettings) -> str:
        language: Language = settings.language or self._config().language
        plan: ListPlan = plan_list(vault, settings)
        return render_list(plan, MOC_WORDS[language], self._link_from(settings.path))

    def _link_from(self, source: NotePath) -> Callable[[NotePath, str], str]:
        return lambda path, title: render_link(path, title, source, self._index.names)

    def _file(self, path: NotePath) -> MapFile:
        if path not in self._map_files:
            command = "kb moc --adopt" if path == self.path else f'kb moc --adopt "{path}"'
            self._map_files[path] = MapFile(self._files, path, command)
        return self._map_files[path]

    def _is_frozen(self, path: NotePath) -> bool:
        return self._file(path).is_frozen

    def _title(self, path: NotePath) -> str:
        note = self._index.notes.get(path)
        return note.title if note else basename_of(path)
