"""Settings of one vault, read from ``.kb/config.toml``.

One frozen :class:`Config` per vault; it is replaced whole when the file changes. Unknown keys are an error that names the
key, so that a misspelt setting is never silently without effect.
"""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from sidecar.errors import ConfigError

Language = Literal["en", "zh-CN"]
Filename = Literal["slug", "title"]
SearchMode = Literal["lexical", "semantic", "hybrid"]
VectorSource = Literal["auto", "lsa", "installed", "endpoint"]
EndpointShape = Literal["openai", "ollama"]

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
    """``filename``: ``slug`` for ASCII names, ``title`` for the page's own title made safe."""

    filename: Filename = "slug"
    max_bytes: int = 10_000_000
    timeout_s: float = 60.0


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
class SearchSettings:
    """How notes are ranked, and where vectors come from.

    ``weight``: what vectors count in ``hybrid``: a number, or ``auto`` for the source's own (LSA 0, a model 1). ``source`` ``auto``: the
    endpoint if one is named, else the installed model, else LSA. Only ``endpoint`` sends anything; ``daily_requests`` and
    ``daily_texts`` bound it.
    """

    mode: SearchMode = "lexical"
    weight: float | Literal["auto"] = "auto"
    source: VectorSource = "auto"
    endpoint: str = ""
    shape: EndpointShape = "openai"
    model: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    timeout_s: float = 30.0
    batch: int = 32
    daily_requests: int = 2_000
    daily_texts: int = 20_000


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
    search: SearchSettings = field(default_factory=SearchSettings)


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


def with_setting(text: str, table: str, key: str, value: str | float) -> str:
    """Give the text of a ``config.toml`` with one setting changed and every other byte as it was, comments included.

    Args:
        table: A table of the first level, such as ``search``.
    Raises:
        ConfigError: The table is written in a way that no line can be put into (``search = {…}``, ``search.mode = …``).
    """
    written = f'"{value}"' if isinstance(value, str) else f"{value:g}"
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    head = next((n for n, line in enumerate(lines) if re.match(rf"\s*\[\s*{table}\s*\]", line)), None)
    if head is None:
        gap = end if text and not text.endswith("\n") else ""
        changed = f"{text}{gap}{end if text.strip() else ''}[{table}]{end}{key} = {written}{end}"
    else:
        last = next((n for n in range(head + 1, len(lines)) if re.match(r"\s*\[", lines[n])), len(lines))
        place = next((n for n in range(head + 1, last) if re.match(rf"\s*{key}\s*=", lines[n])), None)
        if place is None:
            if not lines[head].endswith("\n"):
                lines[head] += end
            lines.insert(head + 1, f"{key} = {written}{end}")
        else:
            lines[place] = re.sub(r"(=\s*)(\"[^\"]*\"|'[^']*'|[^\s#]+)", lambda m: m[1] + written, lines[place], count=1)
        changed = "".join(lines)
    try:
        found = getattr(getattr(parse_config(changed), table), key)
    except ConfigError:
        found = None
    if found != (value if isinstance(value, str) else float(written)):
        raise ConfigError(f"config.toml: {table}.{key} cannot be changed as it is written.", fix=f"Set it by hand: {written}.", key=key)
    return changed


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
    "search.mode": get_args(SearchMode),
    "search.source": get_args(VectorSource),
    "search.shape": get_args(EndpointShape),
}


def _checked(name: str, value: Any, default: Any) -> Any:
    choices = _CHOICES.get(name)
    if choices and value not in choices:
        raise ConfigError(f"config.toml: {name} is {value!r}.", fix=f"Use one of: {', '.join(choices)}.", key=name)
    if name == "search.weight":
        if value == "auto":
            return value
        default = 0.0
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
