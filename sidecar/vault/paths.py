"""Which paths a caller may name: everything inside the vault that Obsidian itself would show."""

from __future__ import annotations

import re
import unicodedata

from sidecar.errors import NameUnsafe, OutsideVault
from sidecar.vault.note import NotePath

_MAX_SEGMENTS = 64
_MAX_NAME_BYTES = 255
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?= *(?:\.|$))", re.IGNORECASE)
_WINDOWS_REFUSES = re.compile(r"[\\/:*?\"<>|\x00-\x1f]")
_UNSAFE = re.compile(r"[\\/:*?\"<>|#^\[\]\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+|%{2,}")


def check_path(path: str) -> NotePath:
    """Bring a path from outside to a vault path.

    Refuses absolute paths, ``..``, hidden folders (``.obsidian``, ``.git``, ``.kb``), drive letters and streams (``:``), NUL,
    and names that Windows would read as others (trailing dots and blanks).

    Raises:
        OutsideVault: The path is none of a vault's.
    """
    folded = path.replace("\\", "/")
    parts = folded.split("/")
    bad = (
        not path
        or "\0" in path
        or ":" in path
        or len(parts) > _MAX_SEGMENTS
        or any(_is_bad_segment(part) for part in parts)
        or _is_hidden_when_folded(folded)
    )
    if bad:
        raise OutsideVault(f"{path[:200]!r} is not a path inside the vault.", fix="Give a path like folder/Note.md.")
    return folded


def check_listed_path(path: str) -> NotePath:
    """Accept a path as a listing of the disk may give it: also names that only other systems refuse.

    Raises:
        OutsideVault: The path is absolute, goes upwards or is hidden.
    """
    if "\0" in path or any(not part or part.startswith(".") for part in path.split("/")):
        raise OutsideVault(f"{path[:200]!r} is not a path inside the vault.", fix="Give a path like folder/Note.md.")
    return path


def check_new_name(name: str) -> None:
    """Refuse a name for a new file or folder that Windows, macOS or Linux would not take; what is there already stays usable.

    Raises:
        NameUnsafe: It is a device's name, holds a sign that Windows refuses, or is too long.
    """
    if _RESERVED.match(name) or _WINDOWS_REFUSES.search(name) or _is_bad_segment(name):
        raise NameUnsafe(f"{name[:80]!r} cannot be a name on every system.", fix="Choose another name.", name=name[:80])


def safe_name(title: str, max_bytes: int = 120) -> str:
    """Make a file name (without extension) of a title that Windows, macOS and Linux accept and Obsidian can link to.

    Bad characters become spaces, dots and blanks at the ends go, reserved device names get an underscore behind the device
    (Windows looks no further than the first dot); the result is NFC and at most ``max_bytes`` long in UTF-8. May be empty.
    """
    name = " ".join(_UNSAFE.sub(" ", unicodedata.normalize("NFC", title)).split()).strip(". ")
    while _is_hidden_when_folded(name):
        name = name[1:].strip(". ")
    name = _RESERVED.sub(r"\1_", name, count=1) if _RESERVED.match(name) else name
    while len(name.encode("utf-8", "ignore")) > max_bytes:
        name = name[:-1]
    return name.encode("utf-8", "ignore").decode("utf-8").strip(". ")


def _is_hidden_when_folded(path: str) -> bool:
    """Whether a path would name a hidden file, ``.`` or ``..`` if full-width dots and slashes were plain ones.

    An ellipsis at the begin of a name is none of these.
    """
    parts = unicodedata.normalize("NFKC", path).split("/")
    return any(part == ".." or (part.startswith(".") and not part.startswith("..")) for part in parts)


def _is_bad_segment(part: str) -> bool:
    return not part or part.startswith(".") or part != part.rstrip(". ") or len(part.encode("utf-8", "surrogatepass")) > _MAX_NAME_BYTES
