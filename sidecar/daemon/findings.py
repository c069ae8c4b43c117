"""What a check finds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

State = Literal["ok", "note", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check. ``note`` is worth knowing and needs nothing done at once."""

    name: str
    state: State
    text: str
    fix: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
