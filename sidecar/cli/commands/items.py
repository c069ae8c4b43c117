"""``kb items``: the library of what subscriptions brought."""

from __future__ import annotations

import argparse
from typing import Any

from sidecar.cli.context import Context, bold, faint
from sidecar.cli.exit_codes import OK

_LINE = 78
_ACTIONS = ("dismiss", "more", "save", "archive", "unarchive")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="*", metavar="WORD", help="words that title, author or tags hold")
    parser.add_argument("--id", help="show one item with its text")
    for name in ("subscription", "tier", "theme"):
        parser.add_argument(f"--{name}", default="", help=f"of this {name} only")
    parser.add_argument("--kind", default="", choices=("video", "article", "note"))
    parser.add_argument("--status", default="", choices=("new", "queued", "judged", "digest", "archived"))
    parser.add_argument("--since", default="", metavar="DATE", help="published on or after this day")
    parser.add_argument("--until", default="", metavar="DATE", help="published on or before this day")
    parser.add_argument("--sort", default="new", choices=("new", "weight", "tier"))
    parser.add_argument("--limit", type=int, default=20, metavar="N")
    parser.add_argument("--offset", type=int, default=0, metavar="N")
    for action in _ACTIONS:
        parser.add_argument(f"--{action}", action="store_true", help=f"with --id: {_HELP[action]}")
    parser.add_argument("--overrule", metavar="TIER", help="with --id: your own verdict, which wins")
    parser.add_argument("--export", action="store_true", help="print what was found as Markdown")


_HELP = {
    "dismiss": "not interested: put it away and lower its subscription's weight",
    "more": "more of this subscription",
    "save": "bring its page into the vault",
    "archive": "put it away",
    "unarchive": "bring it back",
}


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    action = next((name for name in _ACTIONS if getattr(args, name)), "overrule" if args.overrule else "")
    if args.id and action:
        done = client.call("POST", "/api/kb/items/{id}/feedback", id=args.id, action=action, tier=args.overrule or "")
        said = [f"{done['item']['title']}: {done['item']['status']}"]
        said += [f"Weight of {done['item']['sub']}: {done['delta']:+.1f}"] if done["delta"] is not None else []
        said += [f"Saved: {done['note']}"] if done["note"] else []
        context.print(done, said)
        return OK
    if args.id:
        item = client.call("GET", "/api/kb/items/{id}", id=args.id)["item"]
        context.print(item, [bold(item["title"]), *_details(item), "", item["body"]])
        return OK
    wanted = {name: getattr(args, name) for name in ("subscription", "kind", "tier", "theme", "status", "since", "until", "sort")}
    wanted |= {"q": " ".join(args.query), "limit": args.limit, "offset": args.offset}
    if args.export:
        done = client.call("POST", "/api/kb/items/export", filter=wanted)
        context.print(done, done["markdown"].splitlines())
        return OK
    found = client.call("GET", "/api/kb/items", **wanted)
    lines: list[str] = []
    for item in found["items"]:
        tier = f"[{item['tier']}] " if item["tier"] else ""
        lines.append(f"{tier}{item['title']}"[:_LINE])
        lines.append(faint(f"    {item['id']}  {item['sub']}  {item['published'][:10]}  {item['status']} {item['reason']}"[:_LINE]))
    lines.append(f"{len(found['items'])} of {found['total']:,} items.")
    context.print(found, lines)
    return OK


def _details(item: dict[str, Any]) -> list[str]:
    lines = [f"{item['sub']} · {item['author']} · {item['published'][:10]} · {item['kind']} · text: {item['body_state']}", item["url"]]
    lines.append(f"score {item['score']:g}: " + ", ".join(f"{name} {value:+g}" for name, value in item["match"].get("parts", {}).items()))
    if item["tier"]:
        lines.append(f"{item['tier']} ({item['judged_by']}): {item['why']}")
    return lines
