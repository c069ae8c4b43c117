"""Settings of one vault, read from ``.kb/config.toml``.

One frozen :class:`Config` per vault; it is replaced whole when the file changes. Unknown keys are an error that names the
key, so that a misspelt setting is never silently without effect.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from sidecar.errors import ConfigError

Language = Literal["en", "zh-CN"]
Filename = Literal["slug", "title"]
Robots = Literal["unattended", "always"]

KB_FOLDER = ".kb"


@dataclass(frozen=True, slots=True)
class Folders:
    """Names of the folders with a meaning, relative to the vault."""

    core: str = "core"
    wiki: str = "wiki"
    sources: str = "sources"
    inbox: str = "inbox"
    graveyard: str = "_graveyard"
    outputs: tuple[str, ...] = ()
    """Folders of what the owner makes out of the notes: what is linked from there always counts as used."""


@dataclass(frozen=True, slots=True)
class MocSettings:
    """The map of content. Lengths count entries; ``budget_bytes`` bounds counts line and hubs together."""

    path: str = "index.md"
    hubs: int = 20
    topics: int = 40
    recent: int = 10
    orphans: int = 5
    budget_bytes: int = 2600
    settle_s: float = 0.3


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """How links become notes.

    Attributes:
        filename: ``slug`` for ASCII names, ``title`` for the page's own title made safe.
        require_use_when: A link without a stated use goes to the inbox, where it expires.
        assets: Whether images are downloaded into Obsidian's attachment folder.
        max_assets: Images for one note.
        robots: Whether robots.txt is asked only for links that nobody pasted, or for each.
    """

    filename: Filename = "slug"
    max_bytes: int = 10_000_000
    timeout_s: float = 60.0
    require_use_when: bool = False
    assets: bool = False
    max_assets: int = 60
    robots: Robots = "unattended"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """``port`` 0 takes any free one; the endpoint file tells clients which."""

    port: int = 0


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """``settle_s``: how long a path must be quiet before it is read; ``polling`` for network drives."""

    settle_s: float = 0.15
    polling: bool = False


@dataclass(frozen=True, slots=True)
class GitSettings:
    """``autocommit``: record each write of the sidecar in git, its own paths only."""

    autocommit: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one vault."""

    language: Language = "en"
    folders: Folders = field(default_factory=Folders)
    moc: MocSettings = field(default_factory=MocSettings)
    ingest: IngestSettings = field(default_factory=IngestSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
    git: GitSettings = field(default_factory=GitSettings)


def parse_config(text: str) -> Config:
    """Read the text of a ``config.toml``.

    Raises:
        ConfigError: The TOML is broken, a key is unknown or a value has the wrong type or range. ``key`` names it.
    """
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"config.toml cannot be read: {error}.", fix="Mend the line it names.", key="") from error
    config: Config = _build(Config, raw, "")
    return config


def load_config(vault: Path) -> Config:
    """Read the settings of the vault at ``vault``; without a file, the defaults."""
    path = vault / KB_FOLDER / "config.toml"
    try:
        return parse_config(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return Config()
    except UnicodeDecodeError as error:
        raise ConfigError("config.toml is not UTF-8 text.", fix="Save it as UTF-8.", key="") from error
    except OSError as error:
        raise ConfigError(f"config.toml cannot be read: {error.strerror}.", fix="Check its permissions.", key="") from error


def _build(cls: type[Any], raw: dict[str, Any], prefix: str) -> Any:
    known = {f.name: f for f in fields(cls)}
    values: dict[str, Any] = {}
    for key, value in raw.items():
        name = f"{prefix}{key}"
        if key not in known:
            near = ", ".join(sorted(known))
            raise ConfigError(f"config.toml: {name!r} is not a known key.", fix=f"Known here: {near}.", key=name)
        default = getattr(cls(), key)
        if hasattr(default, "__dataclass_fields__"):
            if not isinstance(value, dict):
                raise ConfigError(f"config.toml: {name!r} must be a table.", fix=f"Write it as [{name}].", key=name)
            values[key] = _build(type(default), value, f"{name}.")
        else:
            values[key] = _checked(name, value, default)
    return cls(**values)


_CHOICES: dict[str, tuple[str, ...]] = {
    "language": get_args(Language),
    "ingest.filename": get_args(Filename),
    "ingest.robots": get_args(Robots),
}


def _checked(name: str, value: Any, default: Any) -> Any:
    choices = _CHOICES.get(name)
    if choices and value not in choices:
        raise ConfigError(f"config.toml: {name} is {value!r}.", fix=f"Use one of: {', '.join(choices)}.", key=name)
    if isinstance(default, tuple):
        return _checked_list(name, value)
    if isinstance(default, float) and type(value) in (int, float):
        value = float(value)
    if type(value) is not type(default):
        wanted = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}[type(default)]
        raise ConfigError(f"config.toml: {name} is {value!r}.", fix=f"It must be {wanted}.", key=name)
    if isinstance(value, (int, float)) and not 0 <= value < math.inf:
        raise ConfigError(f"config.toml: {name} is {value}.", fix="It must be a number from 0 on.", key=name)
    if name.startswith("folders.") and not _is_plain_folder(value):
        raise ConfigError(f"config.toml: {name} is {value!r}.", fix="Give a folder inside the vault, like wiki.", key=name)
    return value


def _checked_list(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"config.toml: {name} is {value!r}.", fix="It must be a list of texts.", key=name)
    if name.startswith("folders.") and not all(map(_is_plain_folder, value)):
        raise ConfigError(f"config.toml: {name} is {value!r}.", fix="Give folders inside the vault, like output.", key=name)
    return tuple(value)


def _is_plain_folder(name: str) -> bool:
    parts = name.split("/")
    return bool(name) and all(part and not part.startswith(".") for part in parts) and "\\" not in name
