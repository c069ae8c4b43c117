"""Other readers of pages, each in an environment of its own beside this program: never among the project's dependencies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_PACKAGES = ("trafilatura==2.3.1", "readability-lxml==0.9", "markdownify==1.2.3")
_MODULES = (
    "@mozilla/readability@0.6.0",
    "turndown@7.2.5",
    "turndown-plugin-gfm@1.0.2",
    "defuddle@0.19.4",
    "linkedom@0.18.15",
)
_INSTALL_S = 300
_PAGE_S = 60
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Peer:
    name: str
    command: tuple[str, ...]
    """Reads one JSON line for each page (``url``, ``html``) and answers with one (``markdown``, ``text``, ``ms``)."""


@dataclass(frozen=True, slots=True)
class Answer:
    markdown: str
    text: str | None
    milliseconds: float


def cache_folder() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "vault-sidecar-benchmark"


def install(folder: Path) -> tuple[list[Peer], list[str]]:
    """Install what can be installed; give the peers that are ready, and a sentence for each that is not."""
    peers: list[Peer] = []
    missing: list[str] = []
    for names, prepare in ((("trafilatura", "readability-lxml"), _python), (("readability.js", "defuddle"), _node)):
        try:
            command = prepare(folder)
        except (OSError, subprocess.SubprocessError) as error:
            missing.append(f"{', '.join(names)}: not installed ({type(error).__name__}: {str(error)[:200]})")
            continue
        peers += [Peer(name, (*command, name)) for name in names]
    return peers, missing


def _python(folder: Path) -> tuple[str, ...]:
    home = folder / "python"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (home / ".ready").is_file():
        venv.create(home, with_pip=True, clear=True)
        _run([str(python), "-m", "pip", "install", "--quiet", "--upgrade", "pip"], home)  # older ones stumble over an extra of lxml's
        _run([str(python), "-m", "pip", "install", "--quiet", *_PACKAGES], home)
        (home / ".ready").touch()
    return (str(python), "-P", str(_HERE / "peer_runner.py"))


def _node(folder: Path) -> tuple[str, ...]:
    home = folder / "node"
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise OSError("node and npm are needed")
    home.mkdir(parents=True, exist_ok=True)
    if not (home / ".ready").is_file():
        (home / "package.json").write_text('{"private": true, "type": "module"}\n', encoding="utf-8")
        _run([npm, "install", "--silent", "--no-audit", "--no-fund", *_MODULES], home)
        (home / ".ready").touch()
    runner = home / "runner.mjs"  # beside its modules, or node would not find them
    shutil.copyfile(_HERE / "peer_runner.mjs", runner)
    return (node, str(runner))


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, timeout=_INSTALL_S, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"{' '.join(command[:4])}: {done.stderr.strip()[-160:]}")


def ask_all(peer: Peer, pages: Iterable[tuple[str, str]]) -> list[Answer]:
    """Let a peer read pages (address, HTML), one process for all; a page that it cannot read counts as empty."""
    requests = [json.dumps({"url": url, "html": html}) for url, html in pages]
    done = subprocess.run(
        peer.command,
        input="\n".join(requests) + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_PAGE_S * len(requests),
        env={**os.environ, "PYTHONPATH": "", "PYTHONIOENCODING": "utf-8"},
    )
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
    if len(answers) != len(requests):
        print(f"{peer.name}: {len(answers)} answers to {len(requests)} pages; {done.stderr[-300:]}", file=sys.stderr)
    answers += [{}] * (len(requests) - len(answers))
    return [Answer(a.get("markdown") or "", a.get("text"), a.get("ms") or 0.0) for a in answers]
