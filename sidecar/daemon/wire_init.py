"""What setting a vault up needs built: its journal, before anything else of the vault is opened."""

from __future__ import annotations

from pathlib import Path

from sidecar.clock import clock_from_environment
from sidecar.config import KB_FOLDER
from sidecar.store import Journal


def open_journal(root: Path) -> Journal:
    """Open the journals of the vault at ``root``."""
    return Journal(root / KB_FOLDER / "journal", clock_from_environment())
