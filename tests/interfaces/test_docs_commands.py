"""Every ``kb`` command in the documents works: it is run against a vault, or, where it needs a network or a terminal, read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.cli.main import COMMANDS, _parser
from sidecar.daemon.init import init_vault
from sidecar.ingest.adapters.base import PAGE, Page, Wishes
from tests.conftest import ROOT
from tests.interfaces.near_kb import NearKb

DOCS = [ROOT / "README.md", ROOT / "README.zh-CN.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"(?P<mark><!-- not run: [^>]+-->\n+)?```(?:sh|bash|console)\n(?P<text>.*?)```", re.DOTALL)

NOT_RUN = {
    "serve": "serves until it is stopped",
    "open": "opens a browser",
    "service": "needs a service manager; run against played ones in test_login_item_life.py",
    "token": "needs a running sidecar",
    "trial": "needs a terminal",
    "bench": "needs thirty notes with kb_use_when",
    "hook": "reads what a client sends",
}
NETWORK = ("http://", "https://", "feeds add", "feeds test", "--file", "saved.html", "run", "judge", "distill")
FILES = {
    "Garden.md": "# Garden\nNettles. See [[Soil]]. kb search finds 知识库 and 渐进式总结 and a slow garden.\n",
    "Soil.md": "Soil feeds the [[Garden]].\n",
    "Compost.md": "Compost becomes soil in the garden.\n",
    "Some note.md": "x [[Garden]]\n",
    "某篇笔记.md": "y\n",
    "NOTE.md": "n\n",
}


def commands_of(path: Path) -> Iterator[tuple[list[str], bool]]:
    """Give each command line of a document in words, and whether it is to be run."""
    for fence in FENCE.finditer(path.read_text("utf-8")):
        for line in fence["text"].splitlines():
            for part in re.split(r"\s(?:\|\||&&|\|)\s", line):
                if part.strip().startswith("kb "):
                    words = shlex.split(part, comments=True)
                    words = words[: next((n for n, word in enumerate(words) if word.startswith(">")), len(words))]
                    yield words, fence["mark"] is None


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_command_in_a_document_is_understood(path: Path) -> None:
    for words, _ in commands_of(path):
        if words[1] != "COMMAND":
            assert words[1] in COMMANDS or words[1].startswith("-"), words
            _parser(words[1]).parse_args(words[1:])


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_command_in_a_document_works(path: Path, tmp_path: Path) -> None:
    vault = tmp_path / "Notes"
    for name, text in FILES.items():
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text(text, encoding="utf-8")
    init_vault(vault, "en")
    (vault / "index.md").write_text("# Mine\n", encoding="utf-8")
    due = [
        [word.replace("~/", f"{tmp_path}/") for word in words]
        for words, is_run in commands_of(path)
        if is_run and (words[1] not in NOT_RUN) and (words[1] != "mcp" or "--list" in words) and not _needs_network(words)
    ]
    if not due:
        return
    kb = NearKb({"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "KB_VAULT": str(vault), "KB_SECRETS": "file", "LANG": "C.UTF-8"}, ROOT)
    answers = [kb(*words[1:], XDG_STATE_HOME=str(tmp_path / "state")) for words in due]
    failed = [
        (words, done) for words, done in zip(due, answers, strict=True) if done.code not in ((0, 9) if words[1] == "doctor" else (0,))
    ]
    assert [] == failed


def _needs_network(words: list[str]) -> bool:
    return words[1] in NETWORK or (words[1] == "add" and "--queue" not in words) or " ".join(words[1:3]) in NETWORK


def test_the_adapter_in_ten_minutes_is_one() -> None:
    text = (ROOT / "docs" / "contributing.md").read_text("utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    module: dict[str, object] = {"__name__": "mysite"}
    exec(compile(code[1], "mysite.py", "exec"), module)
    adapter = module["ADAPTER"]
    page = Page("https://mysite.example/a", "text/html", 'x window.STATE = {"title": "Slow", "body": "See [[x]]\\n# no"}; y')
    document = adapter.read("https://mysite.example/a", {PAGE: page}, Wishes())  # type: ignore[attr-defined]
    assert ("Slow", True) == (document.title, "[[" not in document.markdown)


def test_the_front_page_of_the_documents_names_each_of_them() -> None:
    text = (ROOT / "docs" / "README.md").read_text("utf-8")
    named = set(re.findall(r"\]\(([\w.-]+\.md)\)", text))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"} - named == set(), "a document that nobody finds"
    links = {(path, link) for path in DOCS for link in re.findall(r"\]\(((?!https?:|#)[^)#]+)[^)]*\)", _prose(path))}
    assert [] == sorted(f"{path.name}: {link}" for path, link in links if not (path.parent / link).exists())


def _prose(path: Path) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text("utf-8"), flags=re.DOTALL)
