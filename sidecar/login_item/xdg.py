"""An autostart entry for desktops without systemd. Nobody supervises it, so the sidecar supervises itself (``--supervise``)."""

from __future__ import annotations

import re

from sidecar.login_item.definition import Condition, Places, ServiceDefinition, Step

_ENTRY = """[Desktop Entry]
Type=Application
Name={title}
Comment=Keeps a vault's map, search and captures current
Exec={command}
Terminal=false
NoDisplay=true
X-GNOME-Autostart-enabled=true
"""


def name(item: ServiceDefinition) -> str:
    return f"vault-sidecar-{item.key}.desktop"


def path(item: ServiceDefinition, places: Places) -> str:
    return f"{places.config}/autostart/{name(item)}"


def text(item: ServiceDefinition, places: Places) -> str:
    """Write the entry. ``env`` carries the environment, for which the format has no key."""
    del places
    words = ["/usr/bin/env", *(f"{key}={value}" for key, value in item.environment), *item.arguments("--supervise")]
    return _ENTRY.format(title=item.title.replace("\\", "\\\\"), command=" ".join(map(_quoted, words)))


def data(item: ServiceDefinition, places: Places) -> bytes:
    return text(item, places).encode("utf-8")


def read_command(found: bytes) -> tuple[str, ...]:
    line = re.search(r"^Exec=(.*)$", found.decode("utf-8", errors="replace"), re.MULTILINE)
    words = re.findall(r'"((?:[^"\\]|\\.)*)"', line[1].replace("\\\\", "\\")) if line else []
    plain = [re.sub(r"\\(.)", r"\1", word).replace("%%", "%") for word in words]
    program = next((n for n, word in enumerate(plain) if n and "=" not in word.partition("/")[0]), len(plain))
    return tuple(plain[program:])


def install(item: ServiceDefinition, places: Places) -> tuple[Step, ...]:
    del item, places
    return ()


uninstall = after_removal = start = stop = restart = install


def query(item: ServiceDefinition, places: Places) -> Step | None:
    del item, places
    return None


def condition(exit_code: int, output: str) -> Condition:
    del exit_code, output
    return Condition("unknown")


def _quoted(word: str) -> str:
    """Quote a word twice: for the command line, then for the file, where a backslash is written double."""
    escaped = re.sub(r'(["`$\\])', r"\\\1", word)
    return '"' + escaped.replace("\\", "\\\\").replace("%", "%%") + '"'
