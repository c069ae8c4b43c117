"""``kb init``: set a vault up."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from sidecar.cli.context import Context
from sidecar.cli.words import find_language, words_in


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
    words = words_in(find_language(root))
    if report.is_new_vault:
        first = words.init_new
    elif report.added:
        first = words.init_added
    else:
        first = words.init_nothing
    added = [] if report.is_new_vault else [f"  {name}" for name in report.added]
    plugin_line = [words.init_plugin] if plugin else []
    hint = [report.map_hint] if report.map_hint else []
    lines = [first.format(vault=root, count=len(report.added)), *added, *report.migrated, *hint, *plugin_line]
    context.print(value, lines)
    return 0
