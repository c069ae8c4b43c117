"""Which files are named as pictures (pure)."""

from __future__ import annotations

from typing import Final

PICTURE_ENDINGS: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp")
"""Of files that may be shown. SVG is left out: it is a document that can hold scripts."""


def names_picture(path: str) -> bool:
    """Whether a path ends as a picture's does."""
    return path.lower().endswith(PICTURE_ENDINGS)
