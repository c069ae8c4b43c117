"""The texts that panes asked for last, kept within bounds: a much-linked note's pane looks into many notes (pure)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from sidecar.vault.note import NotePath

_MOST_CHARS = 4_000_000


@dataclass(slots=True)
class KeptText:
    """A note's text, and its running text once someone looked for mentions there.

    Attributes:
        is_indexed: Whether it is the very text that the index parsed, so that the note's links stand where it says.
    """

    text: str
    is_indexed: bool
    masked: str | None = None


class NoteTexts:
    """Gives texts, those asked for lately without reading them again. Who learns of a change calls :meth:`forget`.

    Args:
        read: Reads a text anew; gives an empty one for a file that is gone.
        most_chars: Of so many characters in all, masked ones included, the ones asked for last are kept.
    """

    def __init__(self, read: Callable[[NotePath], KeptText], most_chars: int = _MOST_CHARS) -> None:
        self._read = read
        self._most = most_chars
        self._kept: OrderedDict[NotePath, KeptText] = OrderedDict()
        self._chars = 0

    def get(self, path: NotePath) -> KeptText:
        known = self._kept.get(path)
        if known is not None:
            self._kept.move_to_end(path)
            return known
        found = self._read(path)
        if found.is_indexed:  # else it is on its way into the index, and another look will see more
            self._kept[path] = found
            self._chars += _weight(found)
            self._trim()
        return found

    def forget(self, path: NotePath) -> None:
        known = self._kept.pop(path, None)
        if known is not None:
            self._chars -= _weight(known)

    def clear(self) -> None:
        self._kept.clear()
        self._chars = 0

    def _trim(self) -> None:
        while self._chars > self._most:
            _, dropped = self._kept.popitem(last=False)
            self._chars -= _weight(dropped)


def _weight(kept: KeptText) -> int:
    """Count a text twice: it may be masked at any time, and a text of its own length then stands beside it."""
    return 2 * len(kept.text) + 100
