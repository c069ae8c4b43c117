"""Reads pages with one of the Python peers; runs in their environment, so it imports nothing of the project."""

import json
import sys
import time
from importlib import import_module


def trafilatura_(url: str, html: str) -> dict[str, object]:
    trafilatura = import_module("trafilatura")
    markdown = trafilatura.extract(html, url=url, output_format="markdown", include_links=True, include_images=True, include_tables=True)
    # Its plain text is better than its Markdown, so its text is judged by that.
    return {"markdown": markdown, "text": trafilatura.extract(html, url=url) or ""}


def readability(url: str, html: str) -> dict[str, object]:
    # By name: these live in the peers' environment only.
    markdownify, document = import_module("markdownify"), import_module("readability").Document
    return {"markdown": markdownify.markdownify(document(html, url=url).summary(), heading_style="ATX")}


def main() -> None:
    read = {"trafilatura": trafilatura_, "readability-lxml": readability}[sys.argv[1]]
    for line in sys.stdin:
        page = json.loads(line)
        begin = time.perf_counter()
        try:
            answer = read(page["url"], page["html"])
        except Exception as error:  # noqa: BLE001 - a page that breaks a peer counts as empty
            answer = {"error": repr(error)}
        answer["ms"] = (time.perf_counter() - begin) * 1000
        sys.stdout.write(json.dumps(answer) + "\n")


main()
