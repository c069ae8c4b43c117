"""Everything that can be asked of a vault: each operation decodes nothing and draws nothing, it calls one service.

HTTP routes, the OpenAPI document and the command line's in-process mode all read this one table.
"""

from __future__ import annotations

from sidecar.api.operations import agent, bench, feeds, graph, ingest, items, metabolism, moc, notes, pictures, search, switches, system
from sidecar.api.operations.base import Operation

OPERATIONS: tuple[Operation, ...] = (
    *system.OPERATIONS,
    *notes.OPERATIONS,
    *search.OPERATIONS,
    *bench.OPERATIONS,
    *graph.OPERATIONS,
    *moc.OPERATIONS,
    *ingest.OPERATIONS,
    *feeds.OPERATIONS,
    *items.OPERATIONS,
    *agent.OPERATIONS,
    *metabolism.OPERATIONS,
    *pictures.OPERATIONS,
    *switches.OPERATIONS,
)


def find_operation(method: str, path: str) -> Operation | None:
    """Find the operation behind a route."""
    return next((op for op in OPERATIONS if op.method == method and op.path == path), None)


__all__ = ["OPERATIONS", "Operation", "find_operation"]
