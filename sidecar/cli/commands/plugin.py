"""``kb plugin``: the Obsidian plugin of a vault."""

from __future__ import annotations

import argparse

from sidecar.cli.context import Context

ACTIONS = ("install", "update", "uninstall", "status")
_SWITCH_ON = "Switch it on in Obsidian under Settings → Community plugins."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help=" | ".join(ACTIONS))
    parser.add_argument("--keep-settings", action="store_true", help="with uninstall: leave the plugin's own settings in the vault")


def run(args: argparse.Namespace, context: Context) -> int:
    from sidecar.daemon.plugin_files import install_plugin, look_at_plugin, uninstall_plugin

    root = context.vault()
    changed: tuple[str, ...] = ()
    if args.action in ("install", "update"):
        before = look_at_plugin(root)
        changed = install_plugin(root)
        state = look_at_plugin(root)
        if not changed:
            lines = [f"The plugin is up to date ({state.version})."]
        elif before.is_installed:
            lines = [f"Updated the plugin from {before.version or 'an unknown version'} to {state.version}; reload Obsidian to use it."]
        else:
            lines = [f"Put the plugin {state.version} into {state.path}."]
        lines += [] if state.is_enabled else [_SWITCH_ON]
    elif args.action == "uninstall":
        was_there = uninstall_plugin(root, keep_settings=args.keep_settings)
        state = look_at_plugin(root)
        lines = ["Took the plugin out of the vault; reload Obsidian." if was_there else "The plugin is not in this vault."]
        lines += (
            [f"What stays: your notes, {root.resolve() / '.kb'} (settings and journals), and the block in your map."] if was_there else []
        )
        lines += (
            [f"{state.path} stays: it holds files that are not the plugin's."] if state.path.exists() and not args.keep_settings else []
        )
    else:
        state = look_at_plugin(root)
        lines = _status(state.is_installed, state.is_current, state.is_enabled, state.version, state.shipped_version)
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


def _status(is_installed: bool, is_current: bool, is_enabled: bool, version: str, shipped: str) -> list[str]:
    if not is_installed:
        return ["The plugin is not in this vault.", "Put it there with: kb plugin install"]
    lines = [
        f"The plugin is in this vault, version {version or 'unknown'}" + (", up to date." if is_current else f"; {shipped} is at hand.")
    ]
    lines += [] if is_current else ["Bring it up to date with: kb plugin update"]
    return lines + ([] if is_enabled else [_SWITCH_ON])
