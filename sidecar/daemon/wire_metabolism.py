"""Puts together what ages, lives and is promoted."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path

from sidecar.agent.service import AgentService
from sidecar.clock import Clock
from sidecar.config import KB_FOLDER, Config
from sidecar.daemon.open_vault import OpenVault
from sidecar.jobs import VaultThread
from sidecar.metabolism.owner import Owner
from sidecar.metabolism.promotion import Promotion
from sidecar.metabolism.service import MetabolismService
from sidecar.search.chinese_words import cut_words
from sidecar.store import Journal
from sidecar.store.git import GitRepository
from sidecar.store.git_history import GitHistory
from sidecar.vault.files import VaultFiles


def wire_metabolism(
    vault: OpenVault, files: VaultFiles, journal: Journal, config: Callable[[], Config], clock: Clock, *, is_guest: bool
) -> tuple[MetabolismService, Promotion]:
    """Give the service that judges and the one that promotes."""
    cache: Path | None = None if is_guest else files.root / KB_FOLDER / "cache"
    metabolism = MetabolismService(vault.index, vault.graph, journal, GitHistory(files.root), config, clock, cache)
    return metabolism, Promotion(vault.index, files, metabolism, config, vault.apply)


def wire_agent(
    vault: OpenVault, files: VaultFiles, metabolism: MetabolismService, config: Callable[[], Config], clock: Clock
) -> AgentService:
    """Give what agents ask beyond what people ask."""
    return AgentService(vault.index, vault.graph, vault.search, vault.moc, files, metabolism, config, clock, vault.apply, cut_words)


def observing(thread: VaultThread, metabolism: MetabolismService) -> Callable[[], Coroutine[None, None, None]]:
    """Give what marks, once the vault is served, that signals are kept from now on."""

    async def observe() -> None:
        await thread.run(metabolism.observe)

    return observe


def wire_owner(vault: OpenVault, files: VaultFiles, metabolism: MetabolismService, config: Callable[[], Config], clock: Clock) -> Owner:
    """Give what only the owner may do; no service of the API knows of it."""
    return Owner(vault.index, files, metabolism, GitRepository(files.root), GitHistory(files.root), config, clock, vault.apply)
