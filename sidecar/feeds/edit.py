"""Changes of the owner's ``preference.yaml`` that leave every other byte as it was: comments, order, quoting, line ends.

A change is put in where the file's own nodes say it belongs. What came out is read again and must say exactly what was wanted;
where the owner's way of writing does not allow that, a round-trip library writes the file, which keeps comments and order.
"""

from __future__ import annotations

import copy
import io
import itertools
import json
from collections.abc import Sequence
from typing import Any

import yaml

from sidecar.errors import PreferenceError
from sidecar.feeds.preference import parse_preference

Path = Sequence[str | int]
"""Keys and positions that lead to a value."""


def set_value(text: str, path: Path, value: Any) -> str:
    """Give the text with the value at ``path`` set; what leads there is made if it is missing. A position equal to the length of
    its list adds to it.

    Raises:
        PreferenceError: The text is not valid, before or after.
    """
    return _changed(text, path, value, remove=False)


def remove_value(text: str, path: Path) -> str:
    """Give the text without what lies at ``path``; a missing one is no error.

    Raises:
        PreferenceError: The text is not valid, before or after.
    """
    return _changed(text, path, None, remove=True)


def append_all(text: str, key: str, values: Sequence[Any]) -> str:
    """Give the text with values added to the list of a key of the first level.

    Raises:
        PreferenceError: The text is not valid, before or after.
    """
    parse_preference(text)
    wanted = yaml.safe_load(text.removeprefix("\ufeff")) or {}
    if not wanted.get(key):
        return set_value(text, (key,), list(values))
    wanted[key] = [*wanted[key], *values]
    root = yaml.SafeLoader(text).get_single_node()
    node = _child(root, key) if root is not None else None
    found = None
    if node is not None and isinstance(node[1], yaml.SequenceNode) and not node[1].flow_style:
        end = "\r\n" if "\r\n" in text else "\n"
        found = _with_lines_after(text, node[1], _block((), list(values), node[1].start_mark.column, end), end)
    if found is None or not _says(found, wanted):
        return set_value(text, (key,), wanted[key])
    parse_preference(found)
    return found


def _changed(text: str, path: Path, value: Any, *, remove: bool) -> str:
    parse_preference(text)
    data = yaml.safe_load(text.removeprefix("\ufeff")) or {}
    wanted = copy.deepcopy(data)
    if not _apply(wanted, path, value, remove=remove):
        return text
    for way in (_spliced, _round_trip):
        found = way(text, path, value, remove=remove)
        if found is not None and _says(found, wanted):
            parse_preference(found)
            return found
    raise PreferenceError("preference.yaml cannot be changed as it is written.", fix="Change it by hand.", line=1, column=1)


def _says(text: str, wanted: Any) -> bool:
    try:
        return bool(_bare(yaml.safe_load(text.removeprefix("\ufeff")) or {}) == _bare(wanted))
    except yaml.YAMLError:
        return False


def _bare(value: Any) -> Any:
    """Take away what is empty: it does not matter whether ``sources:`` stands there without anything."""
    if isinstance(value, dict):
        return {key: inner for key, found in value.items() if (inner := _bare(found)) not in (None, {}, [])}
    return [_bare(inner) for inner in value] if isinstance(value, list) else value


def _apply(data: Any, path: Path, value: Any, *, remove: bool) -> bool:
    """Change plain data; tell whether there was anything to change."""
    at = data
    for step, following in itertools.pairwise(path):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(at, dict):
            if at.get(step) is None:
                if remove:
                    return False
                at[step] = empty
        elif not (isinstance(at, list) and isinstance(step, int) and step < len(at)):
            return False
        at = at[step]
    last = path[-1]
    if remove:
        if (isinstance(at, dict) and last in at) or (isinstance(at, list) and isinstance(last, int) and last < len(at)):
            at.pop(last)  # type: ignore[arg-type]
            return True
        return False
    if isinstance(at, list) and last == len(at):
        at.append(value)
    else:
        at[last] = value
    return True


def _round_trip(text: str, path: Path, value: Any, *, remove: bool) -> str | None:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    library = YAML()
    library.preserve_quotes = True
    library.width = 10_000
    try:
        data = library.load(text) or {}
        _apply(data, path, value, remove=remove)
        out = io.StringIO()
        library.dump(data, out)
        return out.getvalue()
    except YAMLError:
        return None


def _spliced(text: str, path: Path, value: Any, *, remove: bool) -> str | None:
    """Change the lines of one value; ``None`` where the file is written in a way that has no such lines."""
    root = yaml.SafeLoader(text).get_single_node() if text.strip() else None
    end = "\r\n" if "\r\n" in text else "\n"
    if root is None:
        gap = "" if not text or text.endswith("\n") else end
        return None if remove else text + gap + _block(path, value, 0, end)
    node: yaml.Node = root
    above: yaml.Node | None = None
    for depth, step in enumerate(path):
        pair = _child(node, step)
        is_last = depth == len(path) - 1
        if pair is None or (not is_last and _is_null(pair[1])):
            if remove:
                return None
            if pair is not None:  # the key stands there with nothing under it
                return _with_lines_after(text, pair[0], _block(path[depth + 1 :], value, pair[0].start_mark.column + 2, end), end)
            return _added(text, node, path[depth:], value, end)
        if is_last:
            return _without(text, node, step, above) if remove else _replaced(text, pair[1], value)
        above = pair[0] if isinstance(node, yaml.MappingNode) else None
        node = pair[1]
    return None


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    return None


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")


def _replaced(text: str, node: yaml.Node, value: Any) -> str | None:
    is_scalar = isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">") and not (isinstance(value, str) and "\n" in value)
    if not is_scalar and not (isinstance(node, (yaml.SequenceNode, yaml.MappingNode)) and node.flow_style):
        return None
    written = json.dumps(value, ensure_ascii=False)
    gap = " " if text[node.start_mark.index - 1 : node.start_mark.index] == ":" else ""
    return text[: node.start_mark.index] + gap + written + text[node.end_mark.index :]


def _added(text: str, node: yaml.Node, path: Path, value: Any, end: str) -> str | None:
    if not isinstance(node, (yaml.MappingNode, yaml.SequenceNode)):
        return None
    if node.flow_style:
        inner = _nested(path[1:], value)
        written = (
            json.dumps(inner, ensure_ascii=False) if isinstance(path[0], int) else f"{path[0]}: {json.dumps(inner, ensure_ascii=False)}"
        )
        close = node.end_mark.index - 1
        before = text[:close].rstrip()
        comma = "" if not node.value or before.endswith(",") else ", "
        return before + comma + written + text[close:]
    if not node.value:
        return None
    first = node.value[0][0] if isinstance(node, yaml.MappingNode) else node.value[0]
    column = first.start_mark.column
    if isinstance(node, yaml.SequenceNode):
        column = node.start_mark.column
    last = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return _with_lines_after(text, last, _block(path, value, column, end), end)


def _with_lines_after(text: str, node: yaml.Node, lines: str, end: str) -> str:
    """Put whole lines after the last line that has something of a node."""
    index = _end_of(text, node)
    stop = text.find("\n", index)
    if stop < 0:
        return text + end + lines
    return text[: stop + 1] + lines + text[stop + 1 :]


def _without(text: str, node: yaml.Node, step: str | int, above: yaml.Node | None) -> str | None:
    """Take out one entry; ``above`` is the key that the node is the value of."""
    if not isinstance(node, (yaml.MappingNode, yaml.SequenceNode)):
        return None
    starts = [entry[0] if isinstance(entry, tuple) else entry for entry in node.value]
    values = [entry[1] if isinstance(entry, tuple) else entry for entry in node.value]
    place = next((n for n, key in enumerate(starts) if n == step or (isinstance(node, yaml.MappingNode) and key.value == step)), None)
    if place is None:
        return None
    if node.flow_style:
        first, last = starts[place].start_mark.index, values[place].end_mark.index
        if place + 1 < len(starts):
            last = starts[place + 1].start_mark.index
        elif place:
            first = values[place - 1].end_mark.index
        return text[:first] + text[last:]
    if len(starts) == 1:
        if above is None:
            return None
        colon = text.index(":", above.end_mark.index) + 1
        begin = text.find("\n", colon) + 1
        stop = text.find("\n", _end_of(text, values[0]))
        empty = " {}" if isinstance(node, yaml.MappingNode) else " []"
        return text[:colon] + empty + text[colon:begin] + (text[stop + 1 :] if stop >= 0 else "")
    begin = text.rfind("\n", 0, starts[place].start_mark.index) + 1
    stop = text.find("\n", _end_of(text, values[place]))
    return text[:begin] + (text[stop + 1 :] if stop >= 0 else "")


def _end_of(text: str, node: yaml.Node) -> int:
    """Give where the last character of a node stands; a block ends for the library where the next one begins."""
    while isinstance(node, (yaml.MappingNode, yaml.SequenceNode)) and not node.flow_style and node.value:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return len(text[: node.end_mark.index].rstrip(" \t\r\n"))
    return node.end_mark.index


def _nested(path: Path, value: Any) -> Any:
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _block(path: Path, value: Any, column: int, end: str) -> str:
    """Write a value under its keys, in block style, each line indented by ``column``."""
    nested = _nested(path, value)
    lines = yaml.safe_dump(nested, allow_unicode=True, sort_keys=False, default_flow_style=False, width=10_000).splitlines()
    return "".join(f"{' ' * column}{line}{end}" for line in lines)
