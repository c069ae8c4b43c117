"""What an agent is given at the start of a session, within budgets of bytes, the same for the same vault."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence

SCHEMA_BYTES = 4096
MOC_BYTES = 2600
MEMORY_BYTES = 8192
DAY_CHARS = 200
_KB_LINK = re.compile(r"\[\[kb:([^\]|#\n]{1,200})\]\](?!\()")


def cut_at_line(text: str, budget: int) -> str:
    """Give as many whole lines as fit into a budget of bytes."""
    data = text.encode("utf-8")
    if len(data) <= budget:
        return text
    return data[: data.rfind(b"\n", 0, budget) + 1].decode("utf-8", "ignore")


def expand_links(text: str, title_of: Callable[[str], str | None]) -> str:
    """Put the title behind each ``[[kb:slug]]``; one that leads nowhere stays as it is."""

    def expanded(found: re.Match[str]) -> str:
        title = title_of(found[1].strip())
        return f"{found[0]}({title})" if title is not None else found[0]

    return _KB_LINK.sub(expanded, text)


def dangling_links(text: str, title_of: Callable[[str], str | None]) -> list[str]:
    """List the slugs of ``[[kb:slug]]`` that lead nowhere."""
    return [found[1].strip() for found in _KB_LINK.finditer(text) if title_of(found[1].strip()) is None]


def grow_links(text: str, slug: str, title: str, max_bytes: int) -> str:
    """Append a link to each line that names a title as a whole word and has none to it; not past ``max_bytes`` in all."""
    border = r"(?<![\w])" + re.escape(title) + r"(?![\w])" if title.isascii() else re.escape(title)
    wanted = f" [[kb:{slug}]]"
    lines = text.splitlines(keepends=True)
    size = len(text.encode("utf-8"))
    for n, line in enumerate(lines):
        bare = line.rstrip("\r\n")
        if "[[" in line or not re.search(border, bare) or size + len(wanted.encode()) > max_bytes:
            continue
        lines[n] = bare + wanted + line[len(bare) :]
        size += len(wanted.encode("utf-8"))
    return "".join(lines)


def compose(parts: Sequence[tuple[str, str]]) -> str:
    """Put the parts together, each under a heading; empty ones are left out."""
    return "\n".join(f"# {name}\n\n{text.strip()}\n" for name, text in parts if text.strip())


def fingerprint(text: str) -> str:
    """Give what tells whether anything changed."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
