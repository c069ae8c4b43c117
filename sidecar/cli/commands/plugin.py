"""``kb plugin``: the Obsidian plugin of a vault."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sidecar.cli.context import Context
from sidecar.cli.words import Words

if TYPE_CHECKING:
    from sidecar.daemon.plugin_files import PluginState

ACTIONS = ("install", "update", "uninstall", "status")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help=" | ".join(ACTIONS))
    parser.add_argument("--keep-settings", action="store_true", help="with uninstall: leave the plugin's own settings in the vault")


def run(args: argparse.Namespace, context: Context) -> int:
    from sidecar.daemon.plugin_files import install_plugin, look_at_plugin, uninstall_plugin

    root, words = context.vault(), context.words
    changed: tuple[str, ...] = ()
    if args.action in ("install", "update"):
        before = look_at_plugin(root)
        changed = install_plugin(root)
        state = look_at_plugin(root)
        template = words.plugin_current if not changed else words.plugin_updated if before.is_installed else words.plugin_put
        lines = [template.format(version=state.version, before=before.version or "?", path=state.path)]
        lines += [] if state.is_enabled else [words.plugin_switch_on]
    elif args.action == "uninstall":
        was_there = uninstall_plugin(root, keep_settings=args.keep_settings)
        state = look_at_plugin(root)
        lines = [words.plugin_removed if was_there else words.plugin_absent]
        lines += [words.plugin_stays.format(folder=root.resolve() / ".kb")] if was_there else []
        lines += [words.plugin_folder_stays.format(path=state.path)] if state.path.exists() and not args.keep_settings else []
    else:
        state = look_at_plugin(root)
        lines = _status(state, words)
    value = {
        "path": str(state.path),
        "installed": state.is_installed,
        "version": state.version,
        "shipped_version": state.shipped_version,
        "current": state.is_current,
        "enabled": state.is_enabled,
        "changed": list(changed),
    }
    context.print(value, lines)
    return 0


def _status(state: PluginState, words: Words) -> list[str]:
    if not state.is_installed:
        return [words.plugin_absent, words.plugin_put_it]
    how = words.up_to_date if state.is_current else words.at_hand.format(version=state.shipped_version)
    lines = [words.plugin_is_here.format(version=state.version or "?", state=how)]
    lines += [] if state.is_current else [words.plugin_update_it]
    return lines + ([] if state.is_enabled else [words.plugin_switch_on])
