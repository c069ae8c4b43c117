"""``kb trial``: decide on the docket, at a terminal. Nobody else buries."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from sidecar.cli.context import Context
from sidecar.cli.exit_codes import OK
from sidecar.errors import PromotionRefused, SidecarError, TrialRefused

_AGENT_MARKS = ("CLAUDECODE", "CLAUDE_CODE", "CODEX_SANDBOX", "CURSOR_AGENT", "KB_AGENT", "AI_AGENT")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(args: argparse.Namespace, context: Context) -> int:
    refuse_without_person()
    from sidecar.cli.trial.sitting import Sitting
    from sidecar.cli.trial.words import words_of
    from sidecar.daemon.owner_desk import OwnerDesk

    with OwnerDesk(context.vault()) as desk:
        obstacle = desk.owner.obstacle()
        if obstacle:
            raise TrialRefused(f"Not now: {obstacle}.", fix="Finish that first, then try again.")
        words = words_of(desk.config.language)
        shown = desk.docket()[: desk.owner.room_this_week()]
        if not shown:
            sys.stdout.write(words.nothing + "\n")
            return OK
        from sidecar.cli.trial.screen import TrialScreen

        sitting = TrialScreen(Sitting(shown), words, desk.config.trial.spare_days, lambda path: _open(desk.name, path)).run()
        if sitting is None:
            sys.stdout.write(words.broken_off + "\n")
            return OK
        figures, problems = carry_out(sitting, desk)
        sys.stdout.write(words.done.format(*figures) + "\n")
        for problem in problems:
            sys.stderr.write(f"kb: {problem}\n")
        return 10 if problems else OK


def refuse_without_person() -> None:
    """Let nobody but a person at a terminal through.

    Raises:
        TrialRefused: Input or output is no terminal, or an agent started this.
    """
    if any(os.environ.get(name) for name in _AGENT_MARKS):
        raise TrialRefused("A trial is the owner's alone; an agent cannot hold it.", fix="Ask the owner to run kb trial in a terminal.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise TrialRefused("A trial needs a terminal and a person at it.", fix="Run kb trial in a terminal.")


def carry_out(sitting: Any, desk: Any) -> tuple[tuple[int, int, int], list[str]]:
    """Do what was decided; what was shown and not decided is spared. Give figures, and what did not work."""
    made = sitting.counted()
    problems: list[str] = []
    promoted = 0
    for one in made.values():
        if one.choice == "promote":
            try:
                desk.promote(one.path, one.use_when)
                promoted += 1
            except (PromotionRefused, SidecarError) as error:
                problems.append(f"{one.path}: {error.message}")
    graves = [path for path, one in made.items() if one.choice == "bury"]
    buried = 0
    problems += [f"{path} is gone." for path in graves if not desk.exists(path)]
    try:
        buried = len(desk.owner.bury([path for path in graves if desk.exists(path)]))
    except SidecarError as error:
        problems.append(error.message)
    spared = 0
    for one in made.values():
        if one.choice == "spare":
            desk.owner.spare([one.path], one.days)
            spared += 1
    rest = [one.path for one in sitting.shown if one.path not in made]
    desk.owner.spare(rest, desk.config.trial.spare_days)
    return (buried, promoted, spared + len(rest)), problems


def _open(vault: str, path: str) -> None:
    import webbrowser
    from urllib.parse import quote

    webbrowser.open(f"obsidian://open?vault={quote(vault)}&file={quote(path)}")
