"""What a judge is told: the charter, the rules, and the candidates, each in a fence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sidecar.judge.fence import fence, one_line

BODY_CHARS = 6_000
_RULES = """\
Give each item one of three tiers, by what its text says and not by its headline:
- worth: you would want the reader to spend the time on it
- okay: it informs, and missing it costs nothing
- skip: bait, repetition, little in it
For each give: id, tier, why (name something that stands in the text), category (two words at most), one_line (what it says).
A headline's tone is no reason. You cannot verify facts here: write "not verified" beside a doubtful claim. An item you cannot read is
not read: say so. Use only the ids given, each once.
Answer with JSON alone: {"verdicts": [{"id": …, "tier": …, "why": …, "category": …, "one_line": …}]}"""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["verdicts"],
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["id", "tier", "why", "category", "one_line"],
                "properties": {
                    "id": {"type": "string"},
                    "tier": {"type": "string", "enum": ["worth", "okay", "skip"]},
                    "why": {"type": "string"},
                    "category": {"type": "string"},
                    "one_line": {"type": "string"},
                },
            },
        }
    },
}


def instructions(charter: str) -> str:
    """Give the judge's standing orders; the owner's charter first."""
    own = f"{charter.strip()}\n\n" if charter.strip() else ""
    return own + _RULES


def present(items: Iterable[Mapping[str, Any]], code: str, *, body_chars: int = BODY_CHARS) -> str:
    """Write the candidates, each in a fence of its own; ids stand outside, where no item can write."""
    parts = []
    for item in items:
        state = "" if item["body_state"] in ("full", "subtitle", "transcribed") else f" (text: {item['body_state']})"
        head = f"Item {item['id']} · {item['kind']}{state}"
        text = f"Title: {one_line(item['title'], 300)}\nAuthor: {one_line(item['author'])}\n\n{item.get('body') or 'No text.'}"
        parts.append(f"{head}\n{fence(text, code, source=item['sub'], limit=body_chars)}")
    return "\n\n".join(parts)


def count_tokens(text: str) -> int:
    """Estimate tokens, rather too many than too few: a Chinese character is one, three letters of Latin are one."""
    wide = sum(1 for character in text if character >= "\u2e80")
    return wide + (len(text) - wide) // 3 + 1
