"""``kb secrets``: cookies and keys, kept outside every vault. A secret is typed or piped in, never an argument."""

from __future__ import annotations

import argparse
import getpass
import sys

from sidecar.cli.context import Context
from sidecar.daemon.endpoint import user_folder
from sidecar.errors import SecretInvalid
from sidecar.store.secrets import Secrets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("set", "list", "rm"))
    parser.add_argument("name", nargs="?", help="like cookie:example.com; the value is asked for, or read from a pipe")


def run(args: argparse.Namespace, context: Context) -> int:
    store, words = Secrets(user_folder()), context.words
    if args.action == "list":
        names = store.names()
        context.print({"place": store.place, "names": names}, names or [context.words.kept_none])
        return 0
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
