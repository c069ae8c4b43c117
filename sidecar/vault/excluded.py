"""Obsidian's "Excluded files": notes that the owner wants to see last (pure).

Obsidian stores them as ``userIgnoreFilters`` in ``.obsidian/app.json``. What it does in the odd cases is not known, so the
choice is: a plain filter is the beginning of a path (``Templates`` also takes in ``Templates old/``, ``Templates/`` does not),
without regard to case and Unicode form, as its file names are compared; a filter between slashes is a regular expression,
found anywhere in the path, with regard to case; one that does not compile excludes nothing and harms no other.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from sidecar.vault.note import NotePath, fold_name

EXCLUDED_PATH: Final = ".obsidian/app.json"
"""The file that holds the filters."""

_NAMED_GROUP = re.compile(r"\(\?<(?=[A-Za-z_])")


@dataclass(frozen=True, slots=True)
class ExcludedFiles:
    """The filters: folded beginnings of paths, and regular expressions."""

    prefixes: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()

    def matches(self, path: NotePath) -> bool:
        """Whether a filter takes in the path."""
        if self.prefixes and fold_name(path).startswith(self.prefixes):
            return True
        return any(pattern.search(path) for pattern in self.patterns)


def parse_excluded(app_json: str) -> ExcludedFiles:
    """Read the filters from the text of ``.obsidian/app.json``; what cannot be read excludes nothing."""
    try:
        filters = json.loads(app_json).get("userIgnoreFilters") or []
    except (ValueError, AttributeError, RecursionError):
        return ExcludedFiles()
    texts = [text for text in filters if isinstance(text, str) and text.strip("/ ")] if isinstance(filters, list) else []
    compiled = [_compile(text[1:-1]) for text in texts if _is_pattern(text)]
    prefixes = tuple(fold_name(text.lstrip("/")) for text in texts if not _is_pattern(text))
    return ExcludedFiles(prefixes, tuple(pattern for pattern in compiled if pattern is not None))


def _is_pattern(text: str) -> bool:
    return len(text) > 2 and text.startswith("/") and text.endswith("/")


def _compile(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(_NAMED_GROUP.sub("(?P<", pattern))  # JavaScript's spelling of a named group
    except (re.error, RecursionError, OverflowError):
        return None
