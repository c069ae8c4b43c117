"""``kb extract``: a saved page as ingest would read it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from sidecar.cli.context import Context
from sidecar.errors import ExtractionError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a saved page; - reads standard input")
    parser.add_argument("--url", required=True, help="the address it came from")


def run(args: argparse.Namespace, context: Context) -> int:
    from sidecar.ingest.adapters import read_page
    from sidecar.ingest.page.decode import decode_page
    from sidecar.vault.address import clean_url

    try:
        body = sys.stdin.buffer.read() if args.file == "-" else Path(args.file).read_bytes()
    except OSError as error:
        raise ExtractionError(f"{args.file} cannot be read: {error.strerror}.", fix="Give a saved page.", step="open") from error
    kind = "text/plain" if args.file.endswith((".txt", ".md")) else "text/html"
    url = clean_url(args.url)
    document = read_page(url, kind, decode_page(body))
    value = {key: None if field == "" and key != "markdown" else field for key, field in asdict(document).items() if key != "url"}
    lines = [f"{key}: {value[key]}" for key in ("adapter", "title", "author", "published", "site", "lang", "body_state") if value[key]]
    context.print(value, [*lines, *(f"warning: {w}" for w in document.warnings), "", document.markdown.rstrip("\n")])
    return 0
