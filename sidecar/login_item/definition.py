"""What a login item is, whatever the system: a command, a vault, an environment. The systems' modules write it down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from sidecar.errors import ServiceRefused

Platform = Literal["macos", "linux", "xdg", "windows"]
State = Literal["running", "stopped", "failed", "unknown"]

KEPT_VARIABLES = ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "KB_SECRETS")
"""Variables of the terminal that the service must see as well, or it would look for its files elsewhere."""


@dataclass(frozen=True, slots=True)
class ServiceDefinition:
    """One vault's login item.

    Attributes:
        command: Absolute program and its first words, up to the verb.
        environment: Whole environment; service managers start programs with next to none.
        log_file: Where the manager puts what is printed before the sidecar's own log is open.
    """

    command: tuple[str, ...]
    vault: str
    vault_id: str
    vault_name: str
    environment: tuple[tuple[str, str], ...] = ()
    log_file: str = ""

    def __post_init__(self) -> None:
        for text in (*self.command, self.vault, *(value for _, value in self.environment)):
            if any(ord(char) < 32 or ord(char) == 127 for char in text):
                raise ServiceRefused(f"{text!r} has a control character, which no service manager takes.", fix="Rename the folder.")

    @property
    def key(self) -> str:
        """What tells this vault's item from those of others."""
        return self.vault_id[:8]

    @property
    def title(self) -> str:
        shown = "".join(char for char in self.vault_name if char.isprintable())
        return f"Vault Sidecar ({shown})"

    def arguments(self, *more: str) -> tuple[str, ...]:
        """Give the whole command line that serves the vault."""
        return (*self.command, "serve", "--service", *more, "--vault", self.vault)


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of this user and machine that definitions are written to, as the system spells them."""

    home: str
    config: str
    user_id: int = 0
    user_name: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the system's service manager.

    Attributes:
        may_fail: Its failure means that there was nothing to do.
        tries: How often it is tried, a second apart: some managers still tidy up after an answer.
    """

    argv: tuple[str, ...]
    may_fail: bool = False
    tries: int = 1


@dataclass(frozen=True, slots=True)
class Condition:
    """What the service manager says about the item."""

    state: State
    pid: int | None = None
    exit_code: int | None = None
    restarts: int | None = None


class LoginItem(Protocol):
    """One system's way. Its modules are pure: they write definitions and name commands."""

    def name(self, item: ServiceDefinition) -> str: ...
    def path(self, item: ServiceDefinition, places: Places) -> str: ...
    def text(self, item: ServiceDefinition, places: Places) -> str: ...
    def data(self, item: ServiceDefinition, places: Places) -> bytes: ...
    def read_command(self, data: bytes) -> tuple[str, ...]:
        """Give the command line that a definition on disk starts; empty if it cannot be read."""

    def install(self, item: ServiceDefinition, places: Places) -> tuple[Step, ...]: ...
    def uninstall(self, item: ServiceDefinition, places: Places) -> tuple[Step, ...]: ...
    def after_removal(self, item: ServiceDefinition, places: Places) -> tuple[Step, ...]: ...
    def start(self, item: ServiceDefinition, places: Places) -> tuple[Step, ...]: ...
    def stop(self, item: ServiceDefinition, places: Places) -> tuple[Step, ...]: ...
    def restart(self, item: ServiceDefinition, places: Places) -> tuple[Step, ...]: ...
    def query(self, item: ServiceDefinition, places: Places) -> Step | None: ...
    def condition(self, exit_code: int, output: str) -> Condition: ...
