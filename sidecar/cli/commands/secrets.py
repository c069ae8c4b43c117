"""``kb secrets``: cookies and keys, kept outside every vault. A secret is typed or piped in, never an argument."""

from __future__ import annotations

import argparse
import getpass
import re
import sys

from sidecar.cli.context import Context
from sidecar.daemon.endpoint import user_folder
from sidecar.errors import SecretInvalid, VaultMissing
from sidecar.store.secrets import Secrets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("set", "list", "rm"))
    parser.add_argument("name", nargs="?", help="like cookie:example.com; the value is asked for, or read from a pipe")


def run(args: argparse.Namespace, context: Context) -> int:
    store, words = Secrets(user_folder()), context.words
    if args.action == "list":
        return _list(store, context)
    if not args.name:
        raise SecretInvalid("No name was given.", fix=f"Type: kb secrets {args.action} NAME")
    if args.action == "rm":
        was_there = store.remove(args.name)
        context.print({"removed": was_there}, [(words.kept_removed if was_there else words.kept_absent).format(name=args.name)])
        return 0 if was_there else 1
    value = getpass.getpass(f"{args.name}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
    place = store.put(args.name, value.strip())
    where = words.kept_in_keyring if place == "keyring" else words.kept_in_file
    context.print({"name": args.name, "place": place}, [words.kept_done.format(name=args.name, place=where)])
    return 0


def _list(store: Secrets, context: Context) -> int:
    """List what is kept and where, and what the vault's files name that is not kept; never a value."""
    places = store.places()
    missing = {name: "preference.yaml" for name in _wanted(context) if name not in places}
    entries = [{"name": name, "place": place, "wanted_by": ""} for name, place in places.items()]
    entries += [{"name": name, "place": "", "wanted_by": file} for name, file in missing.items()]
    words = context.words
    shown = {"keyring": words.kept_in_keyring, "file": words.kept_in_file}
    lines = [f"{name:<32}  {shown[place]}" for name, place in places.items()]
    lines += [f"{name:<32}  {words.kept_not.format(file=file, name=name)}" for name, file in missing.items()]
    context.print({"place": store.place, "names": list(places), "entries": entries}, lines or [words.kept_none])
    return 0


def _wanted(context: Context) -> list[str]:
    try:
        text = (context.vault() / ".kb" / "preference.yaml").read_text(encoding="utf-8", errors="replace")
    except (VaultMissing, OSError):
        return []
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return list(dict.fromkeys(re.findall(r"\$\{secret:([\w.@-]{1,100})\}", "\n".join(lines))))
