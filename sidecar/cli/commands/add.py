"""``kb add``: links, lists, saved pages and pasted text become notes."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidecar.cli.client import Client, RemoteError
from sidecar.cli.context import Context
from sidecar.cli.exit_codes import exit_code_of_name
from sidecar.cli.words import Words
from sidecar.errors import RequestInvalid
from sidecar.ingest.lists import ListedLink, is_bookmark_file, read_links, saved_from

_POLL_S = 0.15
_AT_ONCE = 500
_STEPS = {"fetch": "fetching", "read": "reading", "images": "images of", "write": "writing"}
_PAGES = {".html": "text/html", ".htm": "text/html", ".xhtml": "text/html", ".mhtml": "", ".md": "text/markdown", ".txt": "text/plain"}


@dataclass(slots=True)
class _Given:
    """What was asked for: links to fetch, and texts that are here already, each with its content type and address."""

    links: list[ListedLink] = field(default_factory=list)
    texts: list[tuple[str, str, str]] = field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "urls",
        nargs="*",
        metavar="URL",
        help="addresses, a saved HTML page, or a browser's exported bookmarks; - reads a list of links from standard input",
    )
    parser.add_argument("--file", metavar="LIST", help="take the links of a list, Markdown or exported bookmarks; # begins a comment")
    parser.add_argument("--paste", action="store_true", help="take the text or HTML on standard input itself as the page")
    parser.add_argument("--url", metavar="URL", help="where the pasted text or the saved page comes from")
    parser.add_argument("--tag", action="append", default=[], dest="tags", metavar="TAG", help="a tag for the notes; may be repeated")
    parser.add_argument("--folder-tags", action="store_true", help="make the folders of bookmarks into tags")
    parser.add_argument("--use-when", default="", metavar="TEXT", help="when you will want these notes again")
    parser.add_argument("--via", choices=("paste", "brief", "share", "agent"), default="paste", help="how the links came in")
    parser.add_argument("--force", action="store_true", help="write a new version even if the page is in the vault")
    parser.add_argument("--assets", action="store_true", default=None, help="download images into the vault")
    parser.add_argument("--distill", action="store_true", help="distil the notes as well (not built yet: says so)")
    parser.add_argument("--dry-run", action="store_true", help="print what would be written, and write nothing")
    parser.add_argument("--queue", action="store_true", help="list the links that wait for another try")
    parser.add_argument("--drop", metavar="ID", help="forget a waiting link; all forgets every one")


def run(args: argparse.Namespace, context: Context) -> int:
    if args.queue or args.drop:
        return _run_queue(args, context)
    given = _given(args)
    client = context.client()
    results: list[dict[str, Any]] = []
    notices: list[str] = []
    # All are handed over, and so kept, before the first is waited for.
    for begun in [client.call("POST", "/api/kb/ingest", **request) for request in _requests(given, args)]:
        job = _follow(client, begun)
        if job["state"] != "done":
            cancelled = {"detail": f"The job was {job['state']}.", "fix": "Add the links again.", "code": "job-cancelled"}
            raise RemoteError(job["error"] or cancelled)
        results += job["result"]["results"]
        notices += job["result"].get("notices", [])
    context.print({"results": results, "notices": list(dict.fromkeys(notices))}, [_line(result, context.words) for result in results])
    for notice in dict.fromkeys(notices):
        sys.stderr.write(f"kb: {notice}\n")
    failed = [result for result in results if result["status"] == "failed"]
    for result in failed:
        sys.stderr.write(f"kb: {result['error']['detail']}\n    {result['error']['fix']}\n")
    return exit_code_of_name(failed[0]["error"]["code"]) if failed else 0


def _run_queue(args: argparse.Namespace, context: Context) -> int:
    client = context.client()
    if args.drop:
        answer = client.call("DELETE", "/api/kb/ingest/queue", **({} if args.drop == "all" else {"link": args.drop}))
        context.print(answer, [f"{answer['dropped']} forgotten"])
        return 0
    answer = client.call("GET", "/api/kb/ingest/queue")
    lines = [f"{link['id']}  {link['url']}\n    {_state(link)}" for link in answer["links"]]
    context.print(answer, lines or ["Nothing waits."])
    return 0


def _state(link: dict[str, Any]) -> str:
    if link["retry_at"] is None:
        return "accepted, not begun"
    return f"{link['problem']} Tried {link['attempts']}×, again after {link['retry_at']}."


def _given(args: argparse.Namespace) -> _Given:
    given = _Given()
    if args.paste:
        text = sys.stdin.read()
        given.texts.append((text, "text/html" if text.lstrip()[:1] == "<" else "text/markdown", args.url or saved_from(text)))
    for word in args.urls:
        if word == "-":
            given.links += read_links(sys.stdin.read())
        elif "://" not in word and Path(word).suffix.lower() in _PAGES and Path(word).is_file():
            _take_file(word, args.url, given)
        else:
            given.links.append(ListedLink(word.strip()))
    if args.file:
        given.links += read_links(_text_of(args.file))
    if not given.links and not given.texts:
        raise RequestInvalid("No address was given.", fix="Type: kb add https://example.com/page")
    return given


def _take_file(name: str, url: str | None, given: _Given) -> None:
    """Take a file as bookmarks if it is such, else as a page that was saved."""
    kind = _PAGES[Path(name).suffix.lower()]
    if not kind:
        raise RequestInvalid(f"{name} is a web archive, which is not read.", fix="Save the page as HTML.")
    text = _text_of(name)
    if is_bookmark_file(text):
        given.links += read_links(text)
    else:
        given.texts.append((text, kind, url or saved_from(text)))


def _text_of(name: str) -> str:
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise RequestInvalid(f"{name} cannot be read: {error.strerror}.", fix="Give a text file.") from error
    if Path(name).suffix.lower() in (".html", ".htm", ".xhtml") and not data.startswith(b"\xef\xbb\xbf"):
        from sidecar.ingest.page.decode import decode_page

        return decode_page(data, "")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestInvalid(f"{name} is not UTF-8 text.", fix="Give a text file with one address a line.") from error


def _requests(given: _Given, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Give what is to be sent: links of the same tags together, at most as many as one request takes, then the texts."""
    tags = [tag.lstrip("#") for tag in args.tags]
    names = ("use_when", "via", "force", "assets", "distill", "dry_run")
    same = {name: getattr(args, name) for name in names}
    groups: dict[tuple[str, ...], list[str]] = {}
    for link in dict.fromkeys(given.links):
        own = tuple(dict.fromkeys([*tags, *(link.tags if args.folder_tags else ())]))
        groups.setdefault(own, []).append(link.url)
    for group, urls in groups.items():
        for n in range(0, len(urls), _AT_ONCE):
            yield {"urls": urls[n : n + _AT_ONCE], "tags": list(group), **same}
    for text, content_type, url in given.texts:
        yield {"text": text, "content_type": content_type, "url": url or None, "tags": tags, **same}


def _follow(client: Client, job: dict[str, Any]) -> dict[str, Any]:
    shown = ""
    while job["state"] == "running":
        time.sleep(_POLL_S)
        job = client.call("GET", "/api/kb/jobs/{id}", id=job["id"])
        if sys.stderr.isatty() and job["steps"]:
            step = job["steps"][-1]
            line = f"{step['number']} of {step['of']}: {_STEPS.get(step['step'], step['step'])} {step['url']}"[:78]
            if line != shown:
                sys.stderr.write(f"\r\x1b[K{line}")
                shown = line
    if shown:
        sys.stderr.write("\r\x1b[K")
    return job


def _line(result: dict[str, Any], words: Words) -> str:
    match result["status"]:
        case "created":
            notice = f"\n           {result['warnings'][0]}" if result["warnings"] else ""
            images = f"  ({len(result['assets'])} images)" if result["assets"] else ""
            return f"{words.add_saved}{result['path']}{images}{notice}"
        case "planned":
            return f"{words.add_would_save}{result['path']}\n\n{result['text']}"
        case "duplicate":
            return words.add_is_there.format(path=result["path"])
        case "buried":
            return words.add_buried.format(path=result["path"])
        case _:
            later = words.add_again.format(at=result["retry_at"]) if result.get("retry_at") else ""
            if result["error"]["code"] == "verification-wall":
                return words.add_blocked.format(url=result["url"]) + later
            return words.add_failed.format(url=result["url"]) + later
