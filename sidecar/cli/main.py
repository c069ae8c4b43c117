"""The entry point of ``kb``. Only the module of the command that was typed is imported."""

from __future__ import annotations

import argparse
import importlib
import io
import json
import os
import sys
from collections.abc import Sequence

from sidecar import __version__
from sidecar.cli.client import RemoteError
from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK, UNEXPECTED, exit_code_of, exit_code_of_name
from sidecar.cli.parsing import Parser, examples_of, globals_first, grouped, no_such_command
from sidecar.cli.words import find_language, words_in
from sidecar.daemon.hints import access_hint
from sidecar.errors import SidecarError, VaultUnreadable, WriteFailed

COMMANDS: dict[str, str] = {
    "init": "set a vault up: a new one, or one you have",
    "serve": "run the sidecar of a vault in this terminal",
    "status": "say what the sidecar serves and how far it is",
    "service": "start the sidecar at login, and look after it",
    "plugin": "put the Obsidian plugin into the vault, or take it out",
    "open": "open the console in a browser",
    "add": "make notes of links",
    "feeds": "subscribe to feeds, channels and sites",
    "run": "fetch the subscriptions now, sift, judge and write the brief",
    "brief": "show the day's brief, or write it and the week's",
    "judge": "judge what waits: by the endpoint, or with verdicts given",
    "items": "look through what subscriptions brought",
    "read": "print a note; a sign that it was used",
    "cite": "say that notes were really used",
    "docket": "list the notes that wait for your decision, with reasons",
    "trial": "decide on the docket, full screen, at a terminal",
    "promote": "move a note up: out of the inbox, or into the core",
    "chew": "turn much-used notes into a judgement of your own",
    "resurrect": "bring a buried note back to where it was",
    "purge": "delete a buried note that git holds",
    "health": "how the vault lives, and what needs you this week",
    "agent": "give an agent the vault's tools, or take them away",
    "mcp": "give agents the vault's tools, over standard input and output",
    "hook": "answer an agent's hook: hints for a prompt, context for a session",
    "context": "show what an agent's session begins with",
    "distill": "show what an agent is asked to make of new sources",
    "confirm": "take a distilled page for your own",
    "rebuild": "make the items' database anew from the journals",
    "search": "find notes, in Chinese and in Latin scripts",
    "bench": "judge search on your own notes, or on a test set",
    "links": "show what a note links to and what links to it",
    "set": "set or remove properties of a note; only their lines change",
    "list": "list notes, hubs, orphans, dead ends, unwritten notes, tags or problems",
    "moc": "show or write the map of content",
    "graph": "show or export the graph",
    "resolve": "say where a link leads",
    "extract": "show what a saved page would become, without writing it",
    "secrets": "keep a site's cookie or a key, outside every vault",
    "token": "print the running sidecar's key, for scripts",
    "doctor": "check vault, index, plugin and system, with fixes",
    "export": "copy notes, graph, feeds and journals to a folder",
    "completion": "print a script that lets the shell complete commands",
}


def main(argv: Sequence[str]) -> int:
    """Run one command; give its exit code."""
    argv = globals_first(argv)
    at = next((n for n, word in enumerate(argv) if not word.startswith("-") and (n == 0 or argv[n - 1] != "--vault")), None)
    name = argv[at] if at is not None else None
    parser = _parser(name)
    if name is not None and name not in COMMANDS:
        parser.error(no_such_command(name, COMMANDS))
    args = parser.parse_args(list(argv))
    if name is None and "--json" in argv:
        parser.error("no command was given")
    if name is None:
        parser.print_help()
        return OK
    context = Context(getattr(args, "vault", None), getattr(args, "json", False))
    try:
        code = int(args.run(args, context))
        sys.stdout.flush()
        return code
    except SidecarError as error:
        return _report(error, context)
    except BrokenPipeError:  # the reader has seen enough; nothing is left to be flushed at exit
        _drop_output()
        return OK
    except PermissionError as error:
        return _report(VaultUnreadable(f"{error.filename} cannot be read: {error.strerror}.", fix="Check its permissions."), context)
    except OSError as error:  # a full disk behind a pipe or a file
        _drop_output()
        return _report(WriteFailed(f"The system refused: {error.strerror or error}.", fix="Check free space."), context)
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130
    finally:
        context.close()


def _parser(name: str | None, *, whole: bool = False) -> Parser:
    """Make the parser; only the named command, or with ``whole`` every one, has its arguments."""
    common = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    vault = common.add_argument("--vault", metavar="PATH", help="the vault; else KB_VAULT, else the one around this folder")
    vault.complete = {"bash": "_shtab_compgen_dirs", "zsh": "_files -/", "fish": "__fish_complete_directories"}  # type: ignore[attr-defined]
    common.add_argument("--json", action="store_true", help="print one JSON value and nothing else")
    words = words_in(find_language(None))
    parser = Parser(
        prog="kb", parents=[common], usage="kb [--vault PATH] [--json] COMMAND …",
        description=words.tagline + "\n" + grouped(COMMANDS, words),
        epilog=words.help_end,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"kb {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", help="what to do" if whole else argparse.SUPPRESS, prog="kb")
    for command, help_text in COMMANDS.items():
        if not whole and command != name:
            continue
        description = words.summaries.get(command, help_text[0].upper() + help_text[1:] + ".")
        sub = commands.add_parser(command, parents=[common], help=help_text, description=description, epilog=examples_of(command, words))
        module = importlib.import_module(f"sidecar.cli.commands.{command}")
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
    return parser


def whole_parser() -> Parser:
    """Make the parser with the arguments of all commands, for shells that complete them."""
    return _parser(None, whole=True)


def _drop_output() -> None:
    """Send what is still to be printed nowhere, so that the interpreter's last flush does not fail as well."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(error: SidecarError, context: Context) -> int:
    code = exit_code_of_name(error.code) if isinstance(error, RemoteError) else exit_code_of(error)
    if error.code == VaultUnreadable.code:
        error.fix = f"{error.fix} {access_hint()}".strip()
    if context.is_json:
        body = {"code": error.code, "message": error.message, "fix": error.fix, "params": error.params}
        sys.stdout.write(json.dumps({"error": body}, ensure_ascii=False) + "\n")
    sentence = context.words.errors.get(error.code, "")
    sys.stderr.write(f"kb: {sentence}{error.message}\n" + (f"    {error.fix}\n" if error.fix else ""))
    return code or UNEXPECTED


def run() -> None:
    """Console-script entry. What is printed is UTF-8 everywhere: a pipe on Windows or a bare locale would refuse Chinese."""
    if sys.stdout is None or sys.stderr is None:  # Windows without a console
        sys.stdout = sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
