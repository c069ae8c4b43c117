"""``kb extract``: a saved page as ingest would read it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from sidecar.cli.context import Context
from sidecar.errors import ExtractionError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="+", help="a saved page; - reads standard input")
    parser.add_argument("--url", required=True, help="the address it came from")
    parser.add_argument(
        "--as", dest="site", choices=("bilibili", "youtube"), help="the files are saved answers of this site: about one video, in any order"
    )


def run(args: argparse.Namespace, context: Context) -> int:
    from sidecar.ingest.adapters import read_page, read_saved
    from sidecar.vault.address import clean_url

    texts = [_text_of(file) for file in args.file]
    url = clean_url(args.url)
    if args.site:
        document = read_saved(args.site, url, texts)
    elif len(texts) > 1:
        raise ExtractionError("More than one page was given.", fix="Give one, or say with --as whose answers they are.", step="open")
    else:
        document = read_page(url, "text/plain" if args.file[0].endswith((".txt", ".md")) else "text/html", texts[0])
    value = {key: None if field == "" and key != "markdown" else field for key, field in asdict(document).items() if key != "url"}
    lines = [
        f"{key}: {value[key]}"
        for key in ("adapter", "title", "author", "published", "site", "lang", "body_state", "transcript")
        if value[key]
    ]
    context.print(value, [*lines, *(f"warning: {w}" for w in document.warnings), "", document.markdown.rstrip("\n")])
    return 0


def _text_of(file: str) -> str:
    from sidecar.ingest.page.decode import decode_page

    try:
        return decode_page(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes())
    except OSError as error:
        raise ExtractionError(f"{file} cannot be read: {error.strerror}.", fix="Give a saved page.", step="open") from error
