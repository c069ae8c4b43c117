"""Changes of other programs' settings that leave every other byte as it was (pure)."""

from __future__ import annotations

import json
import re
from json.decoder import JSONDecodeError
from typing import Any

from sidecar.errors import AgentConfigUnreadable

NAME = "kb"
_BLANK = re.compile(r"[ \t\r\n]*")


def set_member(text: str, path: tuple[str, ...], value: Any) -> str:
    """Give JSON text with a member set; objects on the way are made if they are missing.

    Raises:
        AgentConfigUnreadable: It is no JSON object; nothing is to be written then.
    """
    data = _load(text)
    at: Any = data
    for key in path[:-1]:
        at = at.get(key, {}) if isinstance(at, dict) else None
        if not isinstance(at, dict):
            raise AgentConfigUnreadable(f"{key} is no object there.", fix="Mend the file by hand.")
    if at.get(path[-1]) == value:
        return text
    if not text.strip():
        return json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
    begin = text.index("{")
    for depth, key in enumerate(path):
        members, end = _members(text, begin)
        known = next((member for member in members if member[0] == key), None)
        if known is None:
            return _inserted(text, begin, end, bool(members), depth, key, _nested(path[depth + 1 :], value))
        if depth == len(path) - 1:
            written = _indented(json.dumps(value, indent=2, ensure_ascii=False), depth + 1)
            return text[: known[1]] + written + text[known[2] :]
        begin = known[1]
    raise AssertionError("the path has a last key")


def remove_member(text: str, path: tuple[str, ...]) -> str:
    """Give JSON text without a member; without it already, as it is. Objects that :func:`set_member` made go with it if it was all."""
    data = _load(text)
    at: Any = data
    for key in path:
        if not isinstance(at, dict) or key not in at:
            return text
        at = at[key]
    begin = text.index("{")
    for depth, key in enumerate(path):
        members, end = _members(text, begin)
        place = next(n for n, member in enumerate(members) if member[0] == key)
        if depth == len(path) - 1:
            return _taken_out(text, begin, end, members, place)
        inner, _ = _members(text, members[place][1])
        if len(inner) == 1 and depth == len(path) - 2:
            return _taken_out(text, begin, end, members, place)
        begin = members[place][1]
    raise AssertionError("the path has a last key")


def set_table(text: str, table: str, lines: list[str]) -> str:
    """Give TOML text with a table of ours at its end, or where it stands."""
    block = "\n".join([f"[{table}]", *lines]) + "\n"
    if block in text:
        return text
    bare = remove_table(text, table)
    gap = "" if not bare or bare.endswith("\n\n") else "\n" if bare.endswith("\n") else "\n\n"
    return bare + gap + block


def remove_table(text: str, table: str) -> str:
    """Give TOML text without a table; the blank line before it goes, too."""
    return re.sub(rf"(?m)(?:^\n)?^\[{re.escape(table)}\][ \t]*\n(?:(?!\[).*\n?)*", "", text)


def _load(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text) if text.strip() else {}
    except (JSONDecodeError, RecursionError) as error:
        raise AgentConfigUnreadable(f"It is no JSON: {error}.", fix="Mend it by hand; nothing was written.") from error
    if not isinstance(value, dict):
        raise AgentConfigUnreadable("It is no JSON object.", fix="Mend it by hand; nothing was written.")
    return value


def _members(text: str, begin: int) -> tuple[list[tuple[str, int, int, int]], int]:
    """List the members of the object at ``begin``: name, where its value begins and ends, where its name begins; and the object's end."""
    decoder = json.JSONDecoder()
    found: list[tuple[str, int, int, int]] = []
    at = _skip(text, begin + 1)
    while text[at] != "}":
        start = at
        name, at = decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        value_at = at
        _, at = decoder.raw_decode(text, at)
        found.append((name, value_at, at, start))
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found, at


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _inserted(text: str, begin: int, end: int, has_members: bool, depth: int, key: str, value: Any) -> str:
    written = f"{json.dumps(key)}: " + _indented(json.dumps(value, indent=2, ensure_ascii=False), depth + 1)
    pad = "  " * (depth + 1)
    if not has_members:
        return text[: begin + 1] + f"\n{pad}{written}\n{'  ' * depth}" + text[end:]
    last = len(text[:end].rstrip())
    return text[:last] + f",\n{pad}{written}" + text[last:]


def _taken_out(text: str, begin: int, end: int, members: list[tuple[str, int, int, int]], place: int) -> str:
    if len(members) == 1:
        return text[: begin + 1] + text[end:]
    if place:
        return text[: members[place - 1][2]] + text[members[place][2] :]
    return text[: members[place][3]] + text[members[place + 1][3] :]


def _indented(text: str, depth: int) -> str:
    return text.replace("\n", "\n" + "  " * depth)


def _nested(path: tuple[str, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value
