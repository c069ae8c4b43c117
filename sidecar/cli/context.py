"""What every command needs: which vault, how to ask, how to print. Imports nothing heavy."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidecar.cli.client import Client, connect
from sidecar.cli.words import Words, find_language, words_in
from sidecar.errors import VaultMissing


@dataclass(slots=True)
class Context:
    """One call of ``kb``."""

    vault_option: str | None
    is_json: bool
    _client: Client | None = None
    _words: Words | None = None

    def vault(self) -> Path:
        """Find the vault: ``--vault``, then ``KB_VAULT``, then the one around the working folder.

        Raises:
            VaultMissing: None of these gives one.
        """
        named = self.vault_option or os.environ.get("KB_VAULT")
        if named:
            root = Path(named).expanduser()
            if not root.is_dir():
                raise VaultMissing(f"There is no folder at {root}.", fix="Give the folder of a vault, or make one with: kb init PATH")
            return root
        try:
            here = Path.cwd()
        except OSError as error:
            raise VaultMissing("The folder you are in is gone.", fix="Change to another, or add --vault PATH.") from error
        for folder in (here, *here.parents):
            if (folder / ".kb").is_dir() or (folder / ".obsidian").is_dir():
                return folder
        raise VaultMissing("No vault was named and none lies around this folder.", fix="Add --vault PATH, or set KB_VAULT.")

    def client(self) -> Client:
        """Give a connection to the vault's running sidecar, or one that works in this process."""
        if self._client is None:
            self._client = connect(self.vault(), show_progress=sys.stderr.isatty())
        return self._client

    @property
    def words(self) -> Words:
        """What is said, in the language of the vault or of this terminal."""
        if self._words is None:
            try:
                root: Path | None = self.vault()
            except VaultMissing:
                root = None
            self._words = words_in(find_language(root))
        return self._words

    def close(self) -> None:
        """Let go of the connection."""
        if self._client is not None:
            self._client.close()

    def print(self, value: Any, lines: list[str]) -> None:
        """Print the value as JSON if asked, else the lines."""
        if self.is_json:
            sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
        else:
            sys.stdout.write("".join(line + "\n" for line in lines))


def bold(text: str) -> str:
    """Set text in bold on a terminal that wants it."""
    return f"\x1b[1m{text}\x1b[0m" if _has_colour() else text


def faint(text: str) -> str:
    return f"\x1b[2m{text}\x1b[0m" if _has_colour() else text


def marked(text: str, highlights: list[list[int]]) -> str:
    """Mark passages of a text, in bold on a terminal."""
    out, at = "", 0
    for start, end in highlights:
        out += text[at:start] + bold(text[start:end])
        at = end
    return out + text[at:]


def _has_colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
