"""The reference of ``preference.yaml`` in the documents, made from the models that check the file."""

from __future__ import annotations

from typing import Any

from sidecar.feeds.preference import Preference

_HEAD = """# `.kb/preference.yaml`

What you follow and what is worth your time. The file is yours: comments and order survive every change that the sidecar makes,
and it is read again when you save it. Made from the code that checks it; a test compares. No key is needed; a wrong one is named
with line and column, and no run starts until it is mended.

```sh
kb feeds
```

"""
_TITLES = {"Theme": "`themes[]`", "Follow": "`follow`", "Source": "`sources[]`", "Tool": "`sources[].tool`", "Schedule": "`schedule`",
           "Limits": "`limits`", "Tuning": "`tuning`"}  # fmt: skip
_TAIL = """## How words match

A keyword of plain letters and digits matches whole words: `UI` is not found in “building”. One with a capital letter minds case,
one without does not. Any other keyword (知识库) matches wherever it stands. They are looked for in title, tags and text; each item
says which it hit and where.

## The two buttons

“Not interested” puts an item away and takes 0.1 from its subscription's weight, “more of this” adds 0.1; both end at 0.5. They
are written under `tuning` and can be reset there. Nothing else ever changes themes, follow or sources.

## Private addresses

Write `${secret:name}` for the private part of an address, and keep it with `kb secrets set name`. A key that stands in the file
itself is left out wherever addresses are shown, and `kb doctor` says so.
"""


def preference_page() -> str:
    """Write the page."""
    schema = Preference.model_json_schema()
    parts = schema["$defs"]
    lines = ["## The keys", "", *_table(schema, parts), ""]
    for name, title in _TITLES.items():
        about = str(parts[name].get("description", "")).split("\n")[0]
        lines += [f"## {title}", "", about, "", *_table(parts[name], parts), ""]
    return _HEAD + "\n".join(lines) + "\n" + _TAIL


def _table(model: dict[str, Any], parts: dict[str, Any]) -> list[str]:
    required = set(model.get("required", ()))
    rows = ["| key | what | default | meaning |", "|---|---|---|---|"]
    for key, field in model["properties"].items():
        default = "needed" if key in required else _default(field)
        rows.append(f"| `{key}` | {_kind(field, parts)} | {default} | {field.get('description', '')} |")
    return rows


def _default(field: dict[str, Any]) -> str:
    value = field.get("default")
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, list):
        return ", ".join(f"`{one}`" for one in value)
    return "" if isinstance(value, dict) else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _kind(field: dict[str, Any], parts: dict[str, Any]) -> str:
    if "$ref" in field:
        return _TITLES.get(field["$ref"].rpartition("/")[2], "a table")
    if "anyOf" in field:
        return " or ".join(kind for one in field["anyOf"] if (kind := _kind(one, parts)) != "nothing")
    if "enum" in field:
        return ", ".join(f"`{one}`" for one in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    kind = field.get("type", "anything")
    if kind == "array":
        items = field.get("items", {})
        return "list of " + (_kind(items, parts) if items else "anything")
    if kind in ("integer", "number"):
        low, high = field.get("minimum"), field.get("maximum")
        word = "whole number" if kind == "integer" else "number"
        return f"{word} from {low:,} to {high:,}" if low is not None and high is not None else word
    if kind == "object":
        return "names, each with a value"
    return {"string": "text", "boolean": "`true` or `false`", "null": "nothing"}.get(kind, str(kind))
