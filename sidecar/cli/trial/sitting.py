"""What the owner has decided so far in one trial: nothing is carried out before its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from sidecar.metabolism.docket import Judgement

Choice = Literal["bury", "spare", "promote"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice for one note; ``days`` for a spare, ``use_when`` for a promotion."""

    path: str
    choice: Choice
    days: int = 0
    use_when: str = ""


@dataclass(slots=True)
class Sitting:
    """The notes shown and the decisions, the last one on top."""

    shown: Sequence[Judgement]
    made: list[Decision] = field(default_factory=list)

    def decide(self, decision: Decision) -> None:
        """Decide on a note; a later decision on it counts."""
        self.made.append(decision)

    def undo(self) -> Decision | None:
        """Take the last decision back; one made before on the same note counts again."""
        return self.made.pop() if self.made else None

    def of(self, path: str) -> Decision | None:
        """Give the decision on a note that counts."""
        return next((one for one in reversed(self.made) if one.path == path), None)

    def counted(self) -> dict[str, Decision]:
        """Give the decision that counts on each note decided."""
        return {one.path: one for one in self.made}

    def visible(self, words: str) -> list[Judgement]:
        """Give the notes whose path or title holds all words."""
        wanted = words.casefold().split()
        return [one for one in self.shown if all(word in f"{one.path} {one.title}".casefold() for word in wanted)]
