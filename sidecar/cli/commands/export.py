"""``kb export``: a copy of what the vault holds, as plain files, for another program or for keeping."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from sidecar.cli.client import Client
from sidecar.cli.context import Context
from sidecar.errors import RequestInvalid, SidecarError, WriteFailed

PARTS = ("notes", "graph", "feeds", "journals")
_EVERY = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="a new or empty folder outside the vault")
    parser.add_argument("--only", choices=PARTS, action="append", help="only this part; may be repeated (default: all)")


def run(args: argparse.Namespace, context: Context) -> int:
    root, target = context.vault().resolve(), Path(args.folder).expanduser().absolute()
    if target.resolve() == root or root in target.resolve().parents:
        raise RequestInvalid(f"{target} lies in the vault, which would then hold every note twice.", fix="Name a folder outside it.")
    writers: dict[str, Callable[[Path, Path, Context], int]] = {
        "notes": _notes,
        "graph": lambda root, target, context: _graph(target, context.client()),
        "feeds": lambda root, target, context: _feeds(target, context.client()),
        "journals": _journals,
    }
    try:
        if target.is_dir() and any(target.iterdir()):
            raise RequestInvalid(f"{target} is not empty.", fix="Name a new folder, so that nothing is mixed up.")
        target.mkdir(parents=True, exist_ok=True)
        counts = {part: writers[part](root, target, context) for part in PARTS if args.only is None or part in args.only}
    except OSError as error:
        raise WriteFailed(
            f"{error.filename or target} cannot be written: {error.strerror}.", fix="Check free space and permissions."
        ) from error
    context.print(
        {"folder": str(target), "counts": counts}, [f"Exported to {target}:", *(f"  {part:<9} {count:,}" for part, count in counts.items())]
    )
    return 0


def _notes(root: Path, target: Path, context: Context) -> int:
    """Copy every file that is not hidden, as it is: what can be read, and what a link leads to inside the vault."""
    from sidecar.vault.files import VaultFiles

    files = VaultFiles(root)
    paths = sorted(files.scan())
    unread: list[str] = []
    for n, path in enumerate(paths, 1):
        try:
            data = files.read_bytes(path)
        except SidecarError as error:
            unread.append(f"{path}: {error.message}")
            continue
        copy = target / "notes" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(data)
        if sys.stderr.isatty() and (n % _EVERY == 0 or n == len(paths)):
            sys.stderr.write(f"\rCopying: {n:,} of {len(paths):,}" + ("\r\x1b[K" if n == len(paths) else ""))
    for line in unread:
        sys.stderr.write(f"kb: left out {line}\n")
    return len(paths) - len(unread)


def _graph(target: Path, client: Client) -> int:
    from sidecar.graph.export import to_graphml

    graph = client.call("GET", "/api/kb/graph")
    (target / "graph.json").write_text(json.dumps(graph, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (target / "graph.graphml").write_text(to_graphml(graph), encoding="utf-8", newline="\n")
    return len(graph["nodes"])


def _feeds(target: Path, client: Client) -> int:
    """Write the watchlist as OPML, without the private parts of addresses."""
    found = client.call("GET", "/api/kb/feeds/export")
    if found["count"]:
        (target / "feeds.opml").write_text(found["opml"], encoding="utf-8")
    return int(found["count"])


def _journals(root: Path, target: Path, context: Context) -> int:
    """Copy what cannot be worked out again: items with their texts, runs, verdicts, signals, and what became of each note."""
    del context
    paths = sorted((root / ".kb" / "journal").glob("*.jsonl"))
    for path in paths:
        (target / "journal").mkdir(exist_ok=True)
        (target / "journal" / path.name).write_bytes(path.read_bytes())
    return len(paths)
