"""Settings of one vault, read from ``.kb/config.toml``.

One frozen :class:`Config` per vault; it is replaced whole when the file changes. Unknown keys are an error that names the
key, so that a misspelt setting is never silently without effect.
"""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

from sidecar.errors import ConfigError
from sidecar.selection import Selection, parse_selection
from sidecar.settings import (
    Config,
    EndpointShape,
    Filename,
    Folders,
    GitSettings,
    IngestSettings,
    JudgeChannel,
    JudgeSettings,
    Language,
    MapSection,
    MapSettings,
    MapSort,
    MocSettings,
    Robots,
    SearchMode,
    SearchSettings,
    ServerSettings,
    VectorSource,
    WatchSettings,
)

__all__ = [
    "KB_FOLDER",
    "Config",
    "EndpointShape",
    "Filename",
    "Folders",
    "GitSettings",
    "IngestSettings",
    "JudgeChannel",
    "JudgeSettings",
    "Language",
    "MapSection",
    "MapSettings",
    "MapSort",
    "MocSettings",
    "Robots",
    "SearchMode",
    "SearchSettings",
    "ServerSettings",
    "VectorSource",
    "WatchSettings",
    "load_config",
    "parse_config",
    "with_setting",
]

KB_FOLDER = ".kb"
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")


def parse_config(text: str) -> Config:
    """Read the text of a ``config.toml``.

    Raises:
        ConfigError: The TOML is broken, a key is unknown or a value has the wrong type or range. ``key`` names it.
    """
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"config.toml cannot be read: {error}.", fix="Mend the line it names.", key="") from error
    tables = raw.pop("moc", {})
    config: Config = _build(Config, raw, "")
    return _with_maps(config, tables)


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


def with_setting(text: str, table: str, key: str, value: str | float | bool) -> str:
    """Give the text of a ``config.toml`` with one setting changed and every other byte as it was, comments included.

    Args:
        table: A table of the first level, such as ``search``.
    Raises:
        ConfigError: The table is written in a way that no line can be put into (``search = {…}``, ``search.mode = …``).
    """
    written = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else f"{value:g}"
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
    if found != (value if isinstance(value, (str, bool)) else float(written)):
        raise ConfigError(f"config.toml: {table}.{key} cannot be changed as it is written.", fix=f"Set it by hand: {written}.", key=key)
    return changed


def _build(cls: type[Any], raw: dict[str, Any], prefix: str, hint: str = "") -> Any:
    """Fill a settings class from a table. ``hint`` is added to the fix for an unknown key."""
    known = {f.name: f for f in fields(cls) if f.metadata.get("is_key", True)}
    values: dict[str, Any] = {}
    for key, value in raw.items():
        name = f"{prefix}{key}"
        if key not in known:
            near = ", ".join(sorted(known))
            raise ConfigError(f"config.toml: {name!r} is not a known key.", fix=f"{hint}Known here: {near}.", key=name)
        default = getattr(cls(), key)
        if hasattr(default, "__dataclass_fields__"):
            if not isinstance(value, dict):
                raise ConfigError(f"config.toml: {name!r} must be a table.", fix=f"Write it as [{name}].", key=name)
            values[key] = _build(type(default), value, f"{name}.")
        else:
            values[key] = _checked(name, value, default)
    return cls(**values)


def _with_maps(config: Config, tables: Any) -> Config:
    """Read ``[moc]`` or the tables of ``[[moc]]``, which TOML does not let stand side by side."""
    if isinstance(tables, dict):
        named = [("moc", tables)]
    elif isinstance(tables, list) and all(isinstance(table, dict) for table in tables):
        named = [(f"moc[{n}]", table) for n, table in enumerate(tables, 1)]
    else:
        raise ConfigError("config.toml: 'moc' must be a table.", fix="Write it as [moc], or several as [[moc]].", key="moc")
    mains = [(name, table) for name, table in named if "query" not in table]
    if len(mains) > 1:
        name = mains[1][0]
        raise ConfigError(f"config.toml: {name} is a second map without a query.", fix="Give it one, like path:wiki/.", key=f"{name}.query")
    main_name, main_table = mains[0] if mains else ("moc", {})
    main: MocSettings = _build(MocSettings, main_table, f"{main_name}.", _MAIN_HINT)
    maps = {name: _further_map(name, table) for name, table in named if "query" in table}
    taken: dict[str, str] = {}
    for name, path in ((main_name, main.path), *((name, found.path) for name, found in maps.items())):
        _check_map_path(f"{name}.path", path, config.folders, taken)
    return replace(config, moc=main, maps=tuple(maps.values()))


_MAIN_HINT = "The table with a query is a map of its own: it takes path, query, sort, notes, language, frozen. "


def _further_map(name: str, table: dict[str, Any]) -> MapSettings:
    found: MapSettings = _build(MapSettings, table, f"{name}.")
    selection = parse_selection(found.query)
    if not isinstance(selection, Selection):
        wrong = f"{selection!r} in {name}.query is neither a folder nor a tag" if selection else f"{name}.query is empty"
        raise ConfigError(f"config.toml: {wrong}.", fix="Write path:dir/ or tag:#name, with - before it for not.", key=f"{name}.query")
    return found


def _check_map_path(key: str, path: str, folders: Folders, taken: dict[str, str]) -> None:
    """Check where a map is to lie, and that no other map of ``taken`` lies there."""
    folded = _folded(path)
    if not path:
        raise ConfigError(f"config.toml: {key} is missing.", fix="Give the map a note of its own, like maps/Topic.md.", key=key)
    if not folded.endswith(".md") or not _is_plain_folder(path):
        raise ConfigError(f"config.toml: {key} is {path!r}.", fix="Give a note inside the vault, like maps/Topic.md.", key=key)
    if folded.startswith(_folded(folders.graveyard) + "/"):
        raise ConfigError(f"config.toml: {key} lies in the graveyard.", fix="Give a note among the living, like maps/Topic.md.", key=key)
    if folded in taken:
        raise ConfigError(f"config.toml: {key} is the path of {taken[folded]}, too.", fix="Give each map a note of its own.", key=key)
    taken[folded] = key.removesuffix(".path")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).lower()


_CHOICES: dict[str, tuple[str, ...]] = {
    "language": get_args(Language),
    "ingest.filename": get_args(Filename),
    "ingest.robots": get_args(Robots),
    "judge.channel": get_args(JudgeChannel),
    "search.mode": get_args(SearchMode),
    "search.source": get_args(VectorSource),
    "search.shape": get_args(EndpointShape),
    "moc.language": get_args(Language),
    "moc.sort": get_args(MapSort),
}
"""Values that a setting may have; ``moc`` stands for each of its tables."""


def _checked(name: str, value: Any, default: Any) -> Any:
    choices = _CHOICES.get(re.sub(r"\[\d+\]", "", name))
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
    if name.endswith(".sections") and (unknown := set(value) - set(get_args(MapSection))):
        known = ", ".join(get_args(MapSection))
        raise ConfigError(f"config.toml: {name} names {min(unknown)!r}.", fix=f"Sections: {known}.", key=name)
    if name.startswith("folders.") and not all(map(_is_plain_folder, value)):
        raise ConfigError(f"config.toml: {name} is {value!r}.", fix="Give folders inside the vault, like output.", key=name)
    if name == "ingest.caption_languages" and not all(map(_LANGUAGE.fullmatch, value)):
        raise ConfigError(f"config.toml: {name} is {value!r}.", fix="Give languages like zh, zh-Hant or en.", key=name)
    return tuple(value)


def _is_plain_folder(name: str) -> bool:
    parts = name.split("/")
    return bool(name) and all(part and not part.startswith(".") for part in parts) and "\\" not in name
