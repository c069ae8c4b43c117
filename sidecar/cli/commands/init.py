"""``kb init``: set a vault up."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from sidecar.cli.context import Context


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", help="the folder; it is made if it does not exist (default: --vault, KB_VAULT or this folder)")
    parser.add_argument("--language", choices=("en", "zh-CN"), help="words of the map (default: by locale)")
    parser.add_argument("--no-plugin", action="store_true", help="do not put the Obsidian plugin into the vault")


def run(args: argparse.Namespace, context: Context) -> int:
    from sidecar.daemon.init import default_language, init_vault
    from sidecar.daemon.plugin_files import install_plugin

    root = Path(args.path or context.vault_option or os.environ.get("KB_VAULT") or ".").expanduser()
    report = init_vault(root, args.language or default_language())
    plugin = () if args.no_plugin else install_plugin(root)
    value = {
        "vault": str(root.resolve()),
        "vault_id": report.vault_id,
        "new": report.is_new_vault,
        "added": list(report.added),
        "plugin_files": list(plugin),
        "migrated": list(report.migrated),
    }
    if report.is_new_vault:
        first = f"Made a new vault at {root} with {len(report.added)} files."
    elif report.added:
        first = f"Set up {root}; your notes are as they were. Added:"
    else:
        first = f"{root} was set up already; nothing was changed."
    added = [] if report.is_new_vault else [f"  {name}" for name in report.added]
    plugin_line = ["Put the plugin into .obsidian/plugins; switch it on under Settings → Community plugins."] if plugin else []
    hint = [report.map_hint] if report.map_hint else []
    context.print(value, [first, *added, *report.migrated, *hint, *plugin_line])
    return 0
