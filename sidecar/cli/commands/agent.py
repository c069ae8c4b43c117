"""``kb agent``: give an agent the vault's tools, or take them away."""

from __future__ import annotations

import argparse
import difflib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK
from sidecar.errors import AgentConfigUnreadable

NAMES = ("claude-code", "codex", "claude-desktop", "cursor")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    for name, text in (("install", "write the client's registration; shows the change first"), ("uninstall", "take it out again")):
        verb = verbs.add_parser(name, help=text)
        verb.add_argument("client", choices=NAMES)
        verb.add_argument("--dry-run", action="store_true", help="show the change, and write nothing")
        verb.add_argument("--yes", action="store_true", help="do not ask")
    verbs.add_parser("status", help="say which clients have it")


def run(args: argparse.Namespace, context: Context) -> int:
    from sidecar.agent.clients import CLIENTS

    environment = {**os.environ, "HOME": str(Path.home()), "platform": sys.platform}
    command = (shutil.which("kb") or str(Path(sys.argv[0]).resolve()), "--vault", str(context.vault().resolve()))
    if args.verb in (None, "status"):
        value = {}
        for name, client in CLIENTS.items():
            texts = [(file, _text(Path(file.place(environment)))) for file in client.files]
            value[name] = all(text and file.uninstall(text) != text for file, text in texts)
        context.print(value, [f"{name:15} {'installed' if is_there else 'not installed'}" for name, is_there in value.items()])
        return OK
    client = CLIENTS[args.client]
    changes = []
    for file in client.files:
        path = Path(file.place(environment))
        before = _text(path)
        try:
            after = file.install(before, command) if args.verb == "install" else file.uninstall(before)
        except AgentConfigUnreadable as error:
            raise AgentConfigUnreadable(f"{path}: {error.message}", fix=error.fix) from error
        if after != before:
            changes.append((path, before, after))
    diff = [line for path, before, after in changes for line in _diff(path, before, after)]
    if args.dry_run or not changes:
        context.print({"changed": [], "diff": diff}, diff or ["Nothing to change."])
        return OK
    if not args.yes and not context.is_json and sys.stdin.isatty():
        sys.stdout.write("\n".join(diff) + "\nWrite this? [y/N] ")
        sys.stdout.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            return OK
    for path, before, after in changes:
        if _text(path) != before:
            raise AgentConfigUnreadable(f"{path} was changed meanwhile; it was not written.", fix="Try again.")
        _write(path, after)
    lines = [*diff, *(f"Wrote {path}" for path, *_ in changes), *([client.hint] if client.hint and args.verb == "install" else [])]
    context.print({"changed": [str(path) for path, *_ in changes], "diff": diff}, lines)
    return OK


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise AgentConfigUnreadable(f"{path} is not UTF-8 text.", fix="Mend it by hand; nothing was written.") from error


def _diff(path: Path, before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm="", n=2)
    return list(lines)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    real = path.resolve()
    handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if real.exists():
            shutil.copymode(real, name)
        Path(name).replace(real)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
