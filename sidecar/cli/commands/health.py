"""``kb health``: how the vault lives, and what needs you."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from sidecar.cli.context import Context, bold
from sidecar.cli.exit_codes import OK

_BARS = "▁▂▃▄▅▆▇█"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(args: argparse.Namespace, context: Context) -> int:
    found = context.client().call("GET", "/api/kb/health")
    alive = found["alive"]
    share = f"{alive['share']:.0%}" if alive["share"] is not None else "none to judge"
    core = found["core"]
    lines = [
        "  ".join(f"{name} {number}" for name, number in found["layers"].items()),
        f"alive {share} ({alive['count']} of {alive['of']})   docket {found['docket']}   core {core['count']}/{core['cap']}",
        f"born     {spark(found['births'])}  {sum(found['births'])} in 12 months",
        f"buried   {spark(found['deaths'])}  {sum(found['deaths'])}",
        f"promoted {spark(found['promotions'])}  {sum(found['promotions'])}",
        f"inbox {found['inbox']['count']}, the oldest {found['inbox']['oldest_days']} days",
        "signals " + (", ".join(f"{name} {number}" for name, number in found["signals"].items()) or "none yet"),
        f"orphans {found['orphans']}   broken links {found['broken_links']}   without a stated use {found['without_use_when']}",
        "",
    ]
    if found["needs"]:
        lines += [bold("This week:"), *(f"  {need}" for need in found["needs"])]
    else:
        lines.append("Nothing needs you this week.")
    context.print(found, lines)
    return OK


def spark(values: Sequence[int]) -> str:
    """Draw figures as one line of bars."""
    top = max(values, default=0)
    return "".join(_BARS[round(value / top * (len(_BARS) - 1))] if top else _BARS[0] for value in values)
