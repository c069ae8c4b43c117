"""The Obsidian plugin in a vault: put there, brought up to date, taken away again."""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidecar.daemon.bundle import plugin_folder
from sidecar.errors import WriteFailed

PLUGIN_ID = "vault-sidecar"
_FILES = ("main.js", "manifest.json", "styles.css")
_SETTINGS = "data.json"


@dataclass(frozen=True, slots=True)
class PluginState:
    """How the plugin of a vault stands. ``is_enabled``: the owner switched it on in Obsidian."""

    path: Path
    version: str
    shipped_version: str
    is_installed: bool
    is_current: bool
    is_enabled: bool


def plugin_path(root: Path) -> Path:
    return root / ".obsidian" / "plugins" / PLUGIN_ID


def look_at_plugin(root: Path) -> PluginState:
    """Compare what lies in the vault with what this version ships."""
    folder, shipped = plugin_path(root), plugin_folder()
    is_installed = (folder / "main.js").is_file()
    is_current = is_installed and shipped is not None and all(_bytes(folder / name) == _bytes(shipped / name) for name in _FILES)
    return PluginState(
        folder,
        str(_json(folder / "manifest.json", {}).get("version", "")) if is_installed else "",
        str(_json(shipped / "manifest.json", {}).get("version", "")) if shipped else "",
        is_installed,
        is_current,
        PLUGIN_ID in _enabled(root),
    )


def install_plugin(root: Path) -> tuple[str, ...]:
    """Put the built plugin into the vault; give the names of files that changed. Its settings (``data.json``) are left alone.

    Raises:
        WriteFailed: The disk refused, or this installation has no built plugin.
    """
    source = plugin_folder()
    if source is None:
        raise WriteFailed("This installation has no built plugin.", fix="Build it: cd obsidian-plugin && npm run build")
    target = plugin_path(root)
    changed: list[str] = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in _FILES:
            data = (source / name).read_bytes()
            if _bytes(target / name) != data:
                _write(target / name, data)
                changed.append(name)
    except OSError as error:
        raise WriteFailed(f"The plugin could not be put into {target}: {error.strerror}.", fix="Check permissions.") from error
    return tuple(changed)


def uninstall_plugin(root: Path, *, keep_settings: bool = False) -> bool:
    """Take the plugin out of the vault and out of Obsidian's list; tell whether anything was there. Files of others stay.

    Raises:
        WriteFailed: The disk refused.
    """
    folder = plugin_path(root)
    was_there = folder.is_dir() or folder.is_symlink() or PLUGIN_ID in _enabled(root)
    try:
        if folder.is_symlink():  # a developer's link to a checkout: what it points at is not ours
            folder.unlink()
        elif folder.is_dir():
            for name in _FILES if keep_settings else (*_FILES, _SETTINGS):
                (folder / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # something of the owner's lies there
                folder.rmdir()
        _forget(root)
    except OSError as error:
        raise WriteFailed(f"The plugin could not be taken out of {folder}: {error.strerror}.", fix="Check permissions.") from error
    return was_there


def _forget(root: Path) -> None:
    """Take the plugin out of the list of those that are switched on; a list that cannot be read stays as it is."""
    enabled = _enabled(root)
    if PLUGIN_ID in enabled:
        text = json.dumps([name for name in enabled if name != PLUGIN_ID], ensure_ascii=False, indent=2)
        _write(_list_path(root), text.encode("utf-8"))


def _enabled(root: Path) -> list[Any]:
    found = _json(_list_path(root), [])
    return found if isinstance(found, list) else []


def _list_path(root: Path) -> Path:
    return root / ".obsidian" / "community-plugins.json"


def _json(path: Path, default: Any) -> Any:
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return default
    return found if isinstance(found, type(default)) else default


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        temporary.write_bytes(data)
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
