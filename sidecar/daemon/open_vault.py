"""An opened vault: index, graph, search and map kept in step with each other. Everything here runs on one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sidecar.graph.service import GraphService
from sidecar.moc.service import MocService
from sidecar.search.service import SearchService
from sidecar.store import NoteCache
from sidecar.vault.changes import IndexDelta
from sidecar.vault.indexer import OpenReport, Progress, VaultIndex
from sidecar.vault.note import NotePath
from sidecar.vault.reading import ReadNote


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
        self.write_ingested = write_ingested
        """Writes the list of ingested pages, if it is missing or not what the notes say."""
        self.on_change: Callable[[IndexDelta], None] = lambda delta: None
        """Told of every change taken in, whoever made it; called on the vault's thread."""
        self.on_delta: Callable[[IndexDelta], None] = lambda delta: None
        """As ``on_change``, for what follows the notes in any process, not only a serving one."""

    def open(self, progress: Progress | None = None) -> OpenReport:
        """Read what changed since the last run and build the graph."""
        report = self.index.open(progress)
        self.graph.rebuild()
        self.moc.reset()
        return report

    def apply(self, paths: Iterable[NotePath]) -> IndexDelta:
        """Take the named files in as they are now, and tell of it."""
        delta = self.take(paths)
        self.tell(delta)
        return delta

    def take(self, paths: Iterable[NotePath], ahead: Mapping[NotePath, ReadNote] | None = None) -> IndexDelta:
        """Take the named files in: one part of a burst, of which :meth:`tell` tells once, when all parts are in.

        Args:
            ahead: What :meth:`VaultIndex.read_ahead` has read of them on another thread.
        """
        delta = self.index.refresh(paths, ahead or {})
        if delta:
            self.graph.apply(delta)
            self.search.apply(delta)
            self.moc.apply(delta)
            self.on_delta(delta)
        return delta

    def tell(self, delta: IndexDelta) -> None:
        """Tell of a whole burst, if it changed anything."""
        if delta:
            self.index.record(delta)
            self.on_change(delta)

    def refresh_moc(self) -> bool:
        """Write the maps that changed, and take the written files in at once, so that the watcher's echo finds nothing new."""
        written = self.moc.refresh()
        if written:
            self.apply(written)
        return bool(written)

    def renew_moc(self) -> bool:
        """Look through the whole vault for changes that nobody told of, then write the maps."""
        self.apply(self.index.rescan())
        return self.refresh_moc()

    def adopt_moc(self, path: NotePath = "") -> bool:
        """Give a map's file, the main one's by default, its markers and fill them."""
        adopted = self.moc.adopt(path)
        if adopted:
            self.apply([path or self.moc.path])
        return self.refresh_moc() or adopted

    def settle(self) -> None:
        """Write what is derived: the maps, then the files for programs."""
        self.refresh_moc()
        self.write_lists()

    def write_lists(self) -> None:
        """Write the graph file and the list of ingested pages, if they are missing or not what the notes say."""
        self.graph.write_file()
        self.write_ingested()

    def close(self) -> None:
        self.index.close()
        self._cache.close()
