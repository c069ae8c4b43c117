"""Where the files that ship beside the code lie: plugin, console, template vault; in a wheel or in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_CHECKOUT = _PACKAGE.parent


def plugin_folder() -> Path | None:
    """Give the folder with the built plugin."""
    return _first(_PACKAGE / "bundle" / "plugin", _CHECKOUT / "obsidian-plugin" / "dist" / "plugin")


def console_folder() -> Path | None:
    """Give the folder with the built console."""
    return _first(_PACKAGE / "bundle" / "console", _CHECKOUT / "obsidian-plugin" / "dist" / "console")


def template_folder() -> Path | None:
    """Give the template of a new vault."""
    return _first(_PACKAGE / "vault_template", _CHECKOUT / "vault_template")


def _first(*folders: Path) -> Path | None:
    return next((folder for folder in folders if folder.is_dir()), None)
