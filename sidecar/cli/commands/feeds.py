"""``kb feeds``: the subscriptions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from sidecar.cli.client import Client
from sidecar.cli.context import Context, faint
from sidecar.cli.exit_codes import OK
from sidecar.errors import RequestInvalid

_BAD = 6
_LINE = 76


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    verbs.add_parser("list", help="list the subscriptions and how each did last")
    add = verbs.add_parser("add", help="subscribe to a feed, a site's page or a channel")
    add.add_argument("url", metavar="URL", help="of a feed, of a page that names one, or of a channel; uid:… for Bilibili")
    add.add_argument("--id", default="", help="its name (default: made from its title)")
    add.add_argument("--type", help="rss, youtube-channel, bilibili, xiaohongshu, site (default: found out)")
    add.add_argument("--title", default="", help="what to call it")
    add.add_argument("--tag", action="append", default=[], metavar="TAG", help="given to each of its items; may be repeated")
    add.add_argument("--weight", type=float, help="what it adds to the score of its items")
    for name, text in (("rm", "unsubscribe; what it brought stays"), ("on", "fetch it again"), ("off", "do not fetch it for now")):
        verbs.add_parser(name, help=text).add_argument("id", metavar="ID")
    change = verbs.add_parser("set", help="change a subscription: interval_min=60 weight=0.5 title='…'")
    change.add_argument("id", metavar="ID")
    change.add_argument("values", nargs="+", metavar="KEY=VALUE", help="an empty value takes the key out")
    test = verbs.add_parser("test", help="fetch or read a feed and show what it gives, keeping nothing")
    test.add_argument("target", metavar="FILE|URL|ID")
    test.add_argument("--url", default="", help="where a saved feed came from")
    verbs.add_parser("discover", help="find the feeds of a page").add_argument("url", metavar="URL")
    take = verbs.add_parser("import", help="subscribe to a list: OPML, addresses, or feeds.json")
    take.add_argument("file", metavar="FILE|-")
    take.add_argument("--dry-run", action="store_true", help="say what would be added")
    verbs.add_parser("export", help="write the watchlist as OPML").add_argument("file", nargs="?", metavar="FILE")
    verbs.add_parser("login", help="show the login code of a subscription's server").add_argument("id", metavar="ID")


def run(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    verb = args.verb or "list"
    if verb == "list":
        return _list(client, context)
    if verb == "add":
        return _add(args, client, context)
    if verb == "rm":
        done = client.call("DELETE", "/api/kb/feeds", id=args.id)
        context.print(done, [f"Unsubscribed from {args.id}."])
    elif verb in ("on", "off", "set"):
        wanted = {"enabled": verb == "on"} if verb != "set" else dict(map(_pair, args.values))
        done = client.call("POST", "/api/kb/feeds/set", id=args.id, set=wanted)
        context.print(done, _lines(done["subscription"]))
    elif verb == "test":
        return _test(args, client, context)
    elif verb == "discover":
        done = client.call("POST", "/api/kb/feeds/discover", url=args.url)
        lines = [f"{one['url']}  {faint(one['title'])}" for one in done["feeds"]] or ["No feed was found there."]
        context.print(done, lines)
    elif verb == "import":
        done = client.call("POST", "/api/kb/feeds/import", text=_text(args.file), dry_run=args.dry_run)
        head = f"{'Would add' if args.dry_run else 'Added'} {len(done['added'])}; {len(done['known'])} known already."
        context.print(done, [head, *(f"  + {name}" for name in done["added"]), *(f"  ! {problem}" for problem in done["problems"])])
    elif verb == "export":
        return _export(args, client, context)
    else:
        return _login(args, client, context)
    return OK


def _list(client: Client, context: Context) -> int:
    found = client.call("GET", "/api/kb/feeds")
    lines: list[str] = []
    if found["state"] == "not-set-up":
        lines = ["No subscriptions yet: there is no .kb/preference.yaml.", "    Begin with: kb feeds add URL"]
    elif found["state"] == "invalid":
        lines = [found["problem"]["message"], f"    {found['problem']['fix']} No run starts until then."]
    elif found["state"] == "empty":
        lines = ["The watchlist is empty.", "    Begin with: kb feeds add URL"]
    else:
        for one in found["subscriptions"]:
            lines += _lines(one)
        lines += ["", found["schedule"]]
    context.print(found, lines)
    return 9 if found["state"] == "invalid" else OK


def _lines(one: dict[str, Any]) -> list[str]:
    last = one["last"]
    state = "off" if not one["enabled"] else f"{last['status']}, {last['at'][:16].replace('T', ' ')}" if last else "not fetched yet"
    name = f"{one['id']}  {one['title']}".strip()
    out = [f"{name[:_LINE]}", faint(f"    {one['type']}  {state}  {one['url']}"[:_LINE])]
    if last and last["reason"]:
        out.append(f"    {last['reason']}"[: 2 * _LINE])
    return out


def _add(args: argparse.Namespace, client: Client, context: Context) -> int:
    url, kind = args.url, args.type
    if kind is None and url.startswith("uid:"):
        kind = "bilibili"
    given = {"url": url, "id": args.id, "type": kind, "title": args.title, "tags": args.tag, "weight": args.weight}
    done = client.call("POST", "/api/kb/feeds", **{key: value for key, value in given.items() if value not in (None, "", [])})
    one = done["subscription"]
    context.print(done, [f"Subscribed: {one['id']}  {one['title']}".rstrip(), faint(f"    {one['type']}  {one['url']}")])
    return OK


def _test(args: argparse.Namespace, client: Client, context: Context) -> int:
    target = args.target
    path = Path(target).expanduser()
    if "://" in target:
        asked: dict[str, Any] = {"url": target}
    elif path.is_file():
        asked = {"text": path.read_bytes().decode("latin-1"), "url": args.url}
    else:
        asked = {"id": target}
    done = client.call("POST", "/api/kb/feeds/test", **asked)
    feed = done["feed"]
    lines = [f"{feed['title'] or 'No title'}  ({feed['kind']}; {len(done['entries'])} entries)"]
    for entry in done["entries"][:15]:
        lines.append(f"  {(entry['published'] or '          ')[:10]}  {entry['title']}"[:_LINE])
        lines.append(faint(f"              {entry['body_state']}  {entry['url']}"[:_LINE]))
    if len(done["entries"]) > 15:
        lines.append(faint(f"  … and {len(done['entries']) - 15} more"))
    lines += [f"  ! {problem}" for problem in done["problems"]]
    context.print(done, lines)
    return OK if done["status"] in ("ok", "unchanged") else _BAD


def _export(args: argparse.Namespace, client: Client, context: Context) -> int:
    done = client.call("GET", "/api/kb/feeds/export")
    if args.file:
        Path(args.file).expanduser().write_text(done["opml"], encoding="utf-8")
        context.print(done, [f"Wrote {done['count']} subscriptions to {args.file}."])
    else:
        context.print(done, done["opml"].splitlines())
    return OK


def _login(args: argparse.Namespace, client: Client, context: Context) -> int:
    done = client.call("POST", "/api/kb/feeds/login", id=args.id)
    lines = [done["message"]]
    if done["image"]:
        kind, _, data = done["image"].partition(",")
        import base64
        import tempfile

        with tempfile.NamedTemporaryFile(prefix="kb-login-", suffix=".jpg" if "jpeg" in kind else ".png", delete=False) as file:
            file.write(base64.b64decode(data))
        lines.append(f"The login code lies in {file.name}: open it and scan it, then run: kb run --only {args.id}")
    context.print(done, lines)
    return OK


def _text(name: str) -> str:
    return sys.stdin.read() if name == "-" else Path(name).expanduser().read_text(encoding="utf-8-sig", errors="replace")


def _pair(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign:
        raise RequestInvalid(f"{text!r} is no KEY=VALUE.", fix="Write it like weight=0.5.", field="values")
    if value == "":
        return key, None
    if value.lower() in ("true", "false"):
        return key, value.lower() == "true"
    if key == "tags":
        return key, [tag.strip() for tag in value.split(",") if tag.strip()]
    try:
        number = float(value)
    except ValueError:
        return key, value
    return key, int(number) if number.is_integer() and "." not in value else number
