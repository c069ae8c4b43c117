"""Obsidian's "Excluded files": notes that the owner wants to see last (pure)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from sidecar.vault.note import NotePath


@dataclass(frozen=True, slots=True)
class ExcludedFiles:
    """The filters of ``userIgnoreFilters``: beginnings of paths, or regular expressions between slashes."""

    prefixes: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()

    def matches(self, path: NotePath) -> bool:
        """Whether a filter takes in the path."""
        return path.startswith(self.prefixes) or any(pattern.search(path) for pattern in self.patterns)


def parse_excluded(app_json: str) -> ExcludedFiles:
    """Read the filters from the text of ``.obsidian/app.json``; what cannot be read excludes nothing."""
    try:
        filters = json.loads(app_json).get("userIgnoreFilters") or []
    except (ValueError, AttributeError, RecursionError):
        return ExcludedFiles()
    texts = [text for text in filters if isinstance(text, str) and text] if isinstance(filters, list) else []
    patterns: list[re.Pattern[str]] = []
    for text in texts:
        if _is_pattern(text):
            try:
                patterns.append(re.compile(text[1:-1]))
            except re.error:
                continue
    return ExcludedFiles(tuple(text for text in texts if not _is_pattern(text)), tuple(patterns))


def _is_pattern(text: str) -> bool:
    return len(text) > 2 and text.startswith("/") and text.endswith("/")
