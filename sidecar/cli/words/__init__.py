"""What a person reads on the command line, in English and Chinese. A key that one language lacks does not type-check."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sidecar.cli.words.text import Words

__all__ = ["Words", "find_language", "words_in"]

_LINE = re.compile(r"""^\s*language\s*=\s*["'](en|zh-CN)["']""", re.MULTILINE)


def words_in(language: str) -> Words:
    """Give the words of a language; only its own module is loaded."""
    if language == "zh-CN":
        from sidecar.cli.words.zh import WORDS

        return WORDS
    from sidecar.cli.words.en import WORDS as IN_ENGLISH

    return IN_ENGLISH


def find_language(vault: Path | None) -> str:
    """Find which language to speak: ``KB_LANGUAGE``, else the vault's setting, else the locale.

    The setting is looked for by its line alone: a broken file must not keep an error from being told.
    """
    wanted = os.environ.get("KB_LANGUAGE", "")
    if wanted:
        return "zh-CN" if wanted.lower().startswith("zh") else "en"
    if vault is not None:
        try:
            found = _LINE.search((vault / ".kb" / "config.toml").read_text(encoding="utf-8", errors="replace"))
        except OSError:
            found = None
        if found:
            return found[1]
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name, ""):
            return "zh-CN" if value.lower().startswith("zh") else "en"
    return "en"
