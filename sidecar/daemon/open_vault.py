"""An opened vault: index, graph, search and map kept in step with each other. Everything here runs on one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sidecar.graph.service import GraphService
from sidecar.moc.service import MocService
from sidecar.search.service import SearchService
from sidecar.store import NoteCache
from sidecar.vault.changes import IndexDelta
from sidecar.vault.indexer import OpenReport, Progress, VaultIndex
from sidecar.vault.note import NotePath


class OpenVault:
    """Carries each change through all that follows from it."""

    def __init__(
        self,
        index: VaultIndex,
        graph: GraphService,
        search: SearchService,
        moc: MocService,
        cache: NoteCache,
        write_ingested: Callable[[], object],
    ) -> None:
        self.index = index
        self.graph = graph
        self.search = search
        self.moc = moc
        self._cache = cache
        self._write_ingested = write_ingested
        self.on_change: Callable[[IndexDelta], None] = lambda delta: None
        """Told of every change taken in, whoever made it; called on the vault's thread."""

    def open(self, progress: Progress | None = None) -> OpenReport:
        """Read what changed since the last run and build the graph."""
        report = self.index.open(progress)
        self.graph.rebuild()
        return report

    def apply(self, paths: Iterable[NotePath]) -> IndexDelta:
        """Take the named files in as they are now."""
        delta = self.index.refresh(paths)
        if delta:
            self.graph.apply(delta)
            self.search.apply(delta)
            self.on_change(delta)
        return delta

    def refresh_moc(self) -> bool:
        """Write the map if it changed, and take the written file in at once, so that the watcher's echo finds nothing new."""
        written = self.moc.refresh()
        if written:
            self.apply([self.moc.path])
        return written

    def adopt_moc(self) -> bool:
        """Give the map's file its markers and fill them."""
        adopted = self.moc.adopt()
        if adopted:
            self.apply([self.moc.path])
        return self.refresh_moc() or adopted

    def settle(self) -> None:
        """Write what is derived: the map, then the files for programs."""
        self.refresh_moc()
        self.write_lists()

    def write_lists(self) -> None:
        """Write the graph file and the list of ingested pages, if they are missing or not what the notes say."""
        self.graph.write_file()
        self._write_ingested()

    def close(self) -> None:
        self._cache.close()
