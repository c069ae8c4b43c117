"""How the command line is read: help of 80 columns with examples, near misses named, errors in JSON if that was asked for."""

from __future__ import annotations

import argparse
import difflib
import json
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from sidecar.cli.exit_codes import USAGE
from sidecar.cli.words import Words, find_language, words_in

_WIDEST, _NARROW = 100, 78

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("group_start", ("init", "serve", "open", "status")),
    ("group_notes", ("add", "read", "links", "set", "moc", "graph", "list")),
    ("group_find", ("search", "resolve", "bench")),
    ("group_feeds", ("feeds", "run", "brief", "items", "judge")),
    ("group_life", ("health", "docket", "trial", "promote", "chew", "resurrect", "purge")),
    ("group_agents", ("agent", "mcp", "hook", "context", "cite", "distill", "confirm")),
    ("group_keep", ("service", "plugin", "doctor", "secrets", "rebuild", "export", "completion")),
)
"""Which commands stand together in ``kb --help``; what is in none stands under the last title."""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help no wider than the terminal nor than is good to read."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=min(shutil.get_terminal_size((80, 24)).columns, _WIDEST) - 2)


class Parser(argparse.ArgumentParser):
    """A parser whose errors say what to do."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": HelpFormatter, **options})

    takes_dashed_words = False
    """Whether a word like ``-winter`` that is no option is a word: a query turns it round."""

    def _parse_optional(self, arg_string: str) -> Any:
        # Before argparse (3.11 to 3.14) looks for options that begin like it.
        if self.takes_dashed_words and arg_string[:1] == "-" != arg_string[1:2] and arg_string not in self._option_string_actions:
            return None
        return super()._parse_optional(arg_string)

    def error(self, message: str) -> NoReturn:
        words = words_in(find_language(None))
        command = self.prog
        fix = words.see_help.format(command=command)
        if "--json" in sys.argv:
            body = {"code": "usage", "message": message[0].upper() + message[1:], "fix": fix, "params": {}}
            sys.stdout.write(json.dumps({"error": body}, ensure_ascii=False) + "\n")
        self.print_usage(sys.stderr)
        first = words.errors.get("usage", "")
        self.exit(USAGE, f"kb: {first}{message}\n    {fix}\n")


def globals_first(argv: Sequence[str]) -> list[str]:
    """Give the same words with ``--vault`` and ``--json`` in front: they may stand anywhere, also behind a command of a command."""
    end = argv.index("--") if "--" in argv else len(argv)
    first: list[str] = []
    rest: list[str] = []
    words = iter(argv[:end])
    for word in words:
        if word == "--vault":
            first += [word, *([value] if (value := next(words, None)) is not None else [])]
        elif word == "--json" or word.startswith("--vault="):
            first.append(word)
        else:
            rest.append(word)
    return [*first, *rest, *argv[end:]]


def no_such_command(name: str, commands: Mapping[str, str]) -> str:
    """Say that there is no such command, and which come near."""
    words = words_in(find_language(None))
    near = difflib.get_close_matches(name, commands, n=3, cutoff=0.5)
    hint = " " + words.did_you_mean.format(names=", ".join(near)) if near else ""
    return words.no_command.format(name=name[:60]) + hint


def grouped(commands: Mapping[str, str], words: Words) -> str:
    """Write the list of commands, in groups, each with what it is for."""
    known = {name for _, names in GROUPS for name in names}
    groups = [*GROUPS, ("group_more", tuple(name for name in commands if name not in known))]
    lines: list[str] = []
    for title, names in groups:
        there = [name for name in names if name in commands]
        if there:
            lines += ["", getattr(words, title) + ":"]
            lines += [_row(name, words.summaries.get(name, commands[name])) for name in there]
    return "\n".join(lines)


def _row(name: str, text: str) -> str:
    return textwrap.fill(text, _NARROW, initial_indent=f"  {name:<12}", subsequent_indent=" " * 14)


def examples_of(name: str, words: Words) -> str:
    """Write the examples of a command as its help ends with them; empty if it has none."""
    from sidecar.cli.examples import EXAMPLES

    lines = EXAMPLES.get(name, ())
    return words.examples + "\n" + "\n".join(f"  {line}" for line in lines) if lines else ""
