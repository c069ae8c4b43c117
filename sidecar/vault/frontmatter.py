"""Reading a note's frontmatter the way Obsidian does.

Splitting and loading stand behind python-frontmatter's handler seam, with our own rules: its YAML handler would read
``12:30`` as 750 and ``on`` as true, and lose offsets. Writing properties never goes through a YAML dump.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import yaml
from frontmatter.default_handlers import BaseHandler

MAX_BYTES = 64 * 1024
MAX_ALIASES = 20
MAX_DEPTH = 32

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The head of a note.

    Attributes:
        properties: What the YAML says; empty if there is none or it is broken.
        error: Why the YAML could not be read, or empty.
        raw: The YAML text between the two fences, or ``None`` without frontmatter.
        body_start: Offset of the first character of the body in the whole text.
    """

    properties: dict[str, Any]
    error: str
    raw: str | None
    body_start: int


_KINDS: dict[type[yaml.Node], str] = {yaml.SequenceNode: "tag:yaml.org,2002:seq", yaml.MappingNode: "tag:yaml.org,2002:map"}


class _PropertyLoader(yaml.CSafeLoader):
    """YAML as Obsidian's properties understand it: text unless plainly a number, true, false or nothing."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        """Tell the type of a value: the base's way without its search for paths and wildcards, of which there are none."""
        if kind is not yaml.ScalarNode:
            return _KINDS[kind]
        if implicit[0]:
            for tag, pattern in self.yaml_implicit_resolvers.get(value[:1], ()):
                if pattern.match(value):
                    return str(tag)
        return "tag:yaml.org,2002:str"

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else str(self.construct_object(key_node, deep=True))
            mapping[key] = self.construct_object(value_node, deep=True)
        return mapping


_PropertyLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("tag:yaml.org,2002:int", r"^[-+]?(?:0|[1-9][0-9]{0,17})$", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"^[-+]?(?:0|[1-9][0-9]*)\.[0-9]+$", "-+0123456789"),
    ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
):
    _PropertyLoader.add_implicit_resolver(_tag, re.compile(_pattern), list(_first))
_PropertyLoader.add_constructor("tag:yaml.org,2002:map", _PropertyLoader.construct_mapping)

_CONVERT: dict[str, Callable[[str], Any]] = {
    "tag:yaml.org,2002:bool": lambda text: text.lower() == "true",
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": float,
    "tag:yaml.org,2002:null": lambda _: None,
}


class ObsidianHandler(BaseHandler):
    """python-frontmatter handler with Obsidian's rules for where frontmatter begins and ends."""

    FM_BOUNDARY = _OPENING

    def detect(self, text: str) -> bool:
        return _span(text) is not None

    def split(self, text: str) -> tuple[str, str]:
        span = _span(text)
        if span is None:  # python-frontmatter does not ask detect() of a handler it is given; this error tells it
            raise ValueError("the text does not open with frontmatter")
        start, end, body = span
        return text[start:end], text[body:]

    def load(self, fm: str, **_: object) -> dict[str, Any]:
        return load_properties(fm)


def read_frontmatter(text: str) -> Frontmatter:
    """Split the frontmatter off a note's text and read it. Never raises: a broken head leaves the body whole."""
    span = _span(text)
    if span is None:
        return Frontmatter({}, "", None, body_offset(text))
    start, end, body = span
    raw = text[start:end]
    try:
        return Frontmatter(load_properties(raw), "", raw, body)
    except ValueError as error:
        return Frontmatter({}, str(error), raw, body)


def body_offset(text: str) -> int:
    """Give where the body begins, without reading the YAML before it."""
    span = _span(text)
    return span[2] if span else int(text.startswith("\ufeff"))


def load_properties(raw: str) -> dict[str, Any]:
    """Read the YAML of a frontmatter.

    Raises:
        ValueError: It is broken, not a mapping, too large or built to explode; the message has the line in the note.
    """
    if len(raw.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise ValueError(f"frontmatter is longer than {MAX_BYTES // 1024} KB")
    if not raw.strip():
        return {}
    try:
        _refuse_bombs(raw)
        value = _load(raw)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 2}: " if error.problem_mark else ""
        raise ValueError(f"{line}{error.problem or 'not valid YAML'}") from error
    except (yaml.YAMLError, ValueError, RecursionError, LookupError, TypeError, AttributeError, OverflowError) as error:
        # PyYAML itself trips over values that do not fit a written tag, like `!!int` with nothing behind it.
        raise ValueError(str(error).splitlines()[0] if str(error) else "not valid YAML") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("line 2: properties must be written as `name: value`")
    return value


def _load(raw: str) -> Any:
    loader = _PropertyLoader(raw)
    try:
        if "&" in raw or "!" in raw:  # anchors and tags need PyYAML's own way of building values
            return loader.get_single_data()
        node = loader.get_single_node()
        return None if node is None else _value(node)
    finally:
        loader.dispose()


def _value(node: yaml.Node) -> Any:
    """Build the value of a node without anchors and written tags, as the loader would, only faster."""
    if isinstance(node, yaml.ScalarNode):
        convert = _CONVERT.get(node.tag)
        return convert(node.value) if convert else node.value
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    return {key.value if isinstance(key, yaml.ScalarNode) else str(_value(key)): _value(value) for key, value in node.value}


def _span(text: str) -> tuple[int, int, int] | None:
    """Give start and end of the YAML and start of the body, or ``None`` if the text does not open with frontmatter."""
    opening = _OPENING.match(text)
    if not opening:
        return None
    closing = _CLOSING.search(text, opening.end())
    if not closing:
        return None
    end = closing.end()
    return opening.end(), closing.start(), end + 1 if end < len(text) else end


def _refuse_bombs(raw: str) -> None:
    if "*" not in raw and raw.count("[") + raw.count("{") < MAX_DEPTH and "\n" + " " * MAX_DEPTH not in raw:
        return
    aliases = depth = 0
    for event in yaml.parse(raw, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            aliases += 1
        elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            depth += 1
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            depth -= 1
        if aliases > MAX_ALIASES or depth > MAX_DEPTH:
            raise ValueError("frontmatter has too many YAML aliases or levels")
