"""The disk under a vault: what files there are, reading them, and the one writer.

Nothing else in the package writes inside a vault. A write is atomic (a temporary file beside the target, flushed, renamed
over it) and compare-and-swap: it happens only if the file still is what the caller last read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sidecar.config import KB_FOLDER
from sidecar.errors import NoteExists, NoteNotFound, OutsideVault, VaultMissing, VaultUnreadable, WriteConflict, WriteFailed
from sidecar.vault.changes import FileStat
from sidecar.vault.note import NotePath
from sidecar.vault.paths import check_listed_path, check_path

MAX_NOTE_BYTES: Final = 20_000_000
ABSENT: Final = ""
"""The hash of a file that does not exist."""


@dataclass(frozen=True, slots=True)
class Content:
    """A file's text and the hash of its bytes."""

    text: str
    hash: str


class VaultFiles:
    """Access to the files of the vault at ``root``.

    Raises:
        VaultMissing: There is no such folder.
        VaultUnreadable: It cannot be listed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        if not root.is_dir():
            raise VaultMissing(
                f"There is no folder at {root}.", fix="Give the folder of an Obsidian vault, or create one with: kb init PATH"
            )
        try:
            with os.scandir(root):
                pass
        except OSError as error:
            raise VaultUnreadable(
                f"The folder {root} cannot be read: {error.strerror}.",
                fix="Give this user read access; on macOS allow the terminal in Privacy & Security → Files and Folders.",
            ) from error
        self.real_root = root.resolve()
        self._links: dict[NotePath, NotePath] = {}
        """Links within the vault, as the last scan met them, each with the path of what it leads to."""
        self.closed: dict[NotePath, str] = {}
        """Folders that the last scan could not enter, each with the reason. What lies in them still exists."""
        self._folds_case = _folds_case(root)

    def scan(self) -> dict[NotePath, FileStat]:
        """List every file that is not hidden, with its state.

        Folders that cannot be entered are noted in :attr:`closed`. Names that are no UTF-8, which Obsidian cannot open either,
        are passed over.
        """
        found: dict[NotePath, FileStat] = {}
        self._links.clear()
        self.closed.clear()
        for path, entry in self._walk(self.root, "", frozenset()):
            with contextlib.suppress(OSError):
                found[path] = _stat_of(entry.stat(), is_here=cloud_name(entry.name) == entry.name)
        return found

    def _walk(self, folder: Path, prefix: str, above: frozenset[tuple[int, int]]) -> Iterator[tuple[NotePath, os.DirEntry[str]]]:
        try:
            own = folder.stat()
            entries = sorted(os.scandir(folder), key=lambda e: e.name)
            names = {entry.name for entry in entries}
        except FileNotFoundError:
            return
        except OSError as error:
            self.closed[prefix.rstrip("/")] = f"this folder cannot be read: {error.strerror}"
            return
        if (own.st_dev, own.st_ino) in above:  # a link back to a folder we came through
            return
        above |= {(own.st_dev, own.st_ino)}
        for entry in entries:
            name = cloud_name(entry.name)
            if (name.startswith(".") or not _is_text(name)) or (name != entry.name and name in names):
                continue
            path = prefix + name
            try:
                if entry.is_symlink():
                    if not self._is_inside(Path(entry.path)):
                        continue
                    self._links[path] = Path(entry.path).resolve().relative_to(self.real_root).as_posix()
                if entry.is_dir():
                    yield from self._walk(Path(entry.path), path + "/", above)
                elif entry.is_file():
                    yield path, entry
            except OSError:
                continue

    def is_link(self, path: NotePath) -> bool:
        """Whether a path is a link, or was one when the vault was last scanned."""
        return path in self._links or (self.root / path).is_symlink()

    def other_names(self, path: NotePath) -> list[NotePath]:
        """Give the paths under which links within the vault show the file at ``path`` once more."""
        return [link + path[len(target) :] for link, target in self._links.items() if path == target or path.startswith(target + "/")]

    def folder_id(self) -> tuple[int, int] | None:
        """Tell the vault's folder from another one at its place; ``None`` while it is away: moved, or its disk not mounted."""
        try:
            found = self.root.stat()
            with os.scandir(self.root) as entries:
                return (found.st_dev, found.st_ino) if any(entries) else None
        except OSError:
            return None

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self.real_root)
        except (OSError, RuntimeError):  # links that lead in a circle; Python 3.11 and 3.12 raise the latter
            return False

    def stat(self, path: NotePath) -> FileStat | None:
        """Give the state of one file; ``None`` if it is absent, not listed by name, no plain file or a link out of the vault."""
        if any(part.startswith(".") for part in path.split("/")) or not _is_text(path):
            return None
        where = self.root / path
        try:
            is_here = where.exists() or not _placeholder_of(where).is_file()
            where = where if is_here else _placeholder_of(where)
            found = where.stat()
            if not stat.S_ISREG(found.st_mode) or not self._is_inside(where) or not self._is_spelt_so(where):
                return None
            return _stat_of(found, is_here=is_here)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise VaultUnreadable(f"{path} cannot be looked at: {error.strerror}.", fix="Check its permissions.") from error

    def _is_spelt_so(self, where: Path) -> bool:
        """Whether the folder lists the name in this very spelling; a case-insensitive disk answers to others as well."""
        if not self._folds_case:
            return True
        return any(where.name == entry.name for entry in where.parent.iterdir())

    def read(self, path: NotePath) -> Content:
        """Read a file as text. Bytes that are no UTF-8 become replacement characters; a BOM stays in the text.

        Raises:
            NoteNotFound: There is no such file.
            VaultUnreadable: It is there, but cannot be read.
        """
        data = self.read_bytes(path)
        return Content(_decode(data), content_hash(data))

    def read_bytes(self, path: NotePath) -> bytes:
        """Read a file of at most :data:`MAX_NOTE_BYTES`."""
        # On Windows a colon or a dot at the end leads to another file; elsewhere people have notes of such names.
        where = self.root / (check_path(path) if os.name == "nt" else check_listed_path(path))
        try:
            if not self._is_inside(where):
                raise OutsideVault(f"{path} is a link out of the vault.", fix="Move the file into the vault.")
            found = where.stat()
            if found.st_size > MAX_NOTE_BYTES:
                raise VaultUnreadable(f"{path} is larger than {MAX_NOTE_BYTES // 1_000_000} MB.", fix="Split the file.")
            if getattr(found, "st_flags", 0) & _DATALESS or getattr(found, "st_file_attributes", 0) & _RECALLED:
                raise _only_in_cloud(path)
            data = where.read_bytes()
            if found.st_size and getattr(found, "st_blocks", 1) == 0 and not data.strip(b"\0"):
                raise _only_in_cloud(path)
            return data
        except FileNotFoundError as error:
            if _placeholder_of(where).is_file():
                raise _only_in_cloud(path) from error
            raise NoteNotFound(f"There is no {path} in the vault.", fix="Look for it with: kb search", path=path) from error
        except OSError as error:
            raise VaultUnreadable(f"{path} cannot be read: {error.strerror}.", fix="Check its permissions.", path=path) from error

    def read_app_settings(self) -> str:
        """Give the text of ``.obsidian/app.json``; empty if there is none that can be read."""
        try:
            return (self.root / ".obsidian" / "app.json").read_text(encoding="utf-8-sig", errors="replace")
        except OSError:
            return ""

    def write(self, path: NotePath, data: bytes, *, expected: str) -> None:
        """Replace or create a file whole.

        Args:
            expected: Hash of the content the caller worked from, or :data:`ABSENT` for a new file.
        Raises:
            WriteConflict: The file is not what was expected; nothing was written.
            NoteExists: A new file was wanted, but the name is taken.
            WriteFailed: The disk refused; the old file is whole.
            OutsideVault: The path leads out of the vault.
        """
        where = self.root / check_path(path)
        if not self._is_inside(where.parent if not where.is_symlink() else where):
            raise OutsideVault(f"{path} leads out of the vault.", fix="Move the folder into the vault.")
        where = where.resolve() if where.is_symlink() else where
        temporary = where.with_name(f".kb-{secrets.token_hex(6)}.tmp")
        self._check_present()
        try:
            where.parent.mkdir(parents=True, exist_ok=True)
            try:
                _write_flushed(temporary, data, where)
                self._put_in_place(temporary, where, path, expected)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            raise WriteFailed(
                f"{path} could not be written: {error.strerror}.", fix="Check free space and permissions.", path=path
            ) from error
        _flush_folder(where.parent)

    def write_own(self, name: str, data: bytes) -> bool:
        """Replace a file of the sidecar's own under ``.kb/`` if its bytes differ; tell whether they did."""
        where = self.root / KB_FOLDER / name
        self._check_present()
        try:
            if where.is_file() and where.read_bytes() == data:
                return False
            where.parent.mkdir(parents=True, exist_ok=True)
            temporary = where.with_name(f".kb-{secrets.token_hex(6)}.tmp")
            try:
                _write_flushed(temporary, data, where)
                temporary.replace(where)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            raise WriteFailed(
                f"{KB_FOLDER}/{name} could not be written: {error.strerror}.", fix="Check free space and permissions."
            ) from error
        _flush_folder(where.parent)
        return True

    def _check_present(self) -> None:
        """Refuse to write while the vault is away: what is written would stand in the way of its return."""
        if not self.root.is_dir():
            raise VaultMissing(f"There is no folder at {self.root} any more.", fix="Bring the vault back to its place.")

    def _put_in_place(self, temporary: Path, where: Path, path: NotePath, expected: str) -> None:
        if expected == ABSENT:
            try:
                os.link(temporary, where)  # unlike a rename it never replaces what came in between
            except FileExistsError as error:
                raise NoteExists(f"{path} already exists.", fix="Choose another name.", path=path) from error
            except OSError:  # a file system without hard links
                if where.exists():
                    raise NoteExists(f"{path} already exists.", fix="Choose another name.", path=path) from None
                temporary.replace(where)
            return
        try:
            current = content_hash(where.read_bytes())
        except FileNotFoundError:
            current = ABSENT
        if current != expected:
            raise WriteConflict(f"{path} was changed meanwhile; nothing was written.", fix="Try again; the change is kept.", path=path)
        temporary.replace(where)


_DATALESS = 0x40000000
"""macOS: ``SF_DATALESS``; reading would fetch the file."""
_RECALLED = 0x400000 | 0x1000
"""Windows: ``FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS`` and ``FILE_ATTRIBUTE_OFFLINE``."""


def cloud_name(name: str) -> str:
    """Give the file that a name stands for: iCloud keeps ``.Note.md.icloud`` in place of a file that is not on this machine."""
    return name[1:-7] if name.startswith(".") and name.endswith(".icloud") and len(name) > 8 else name


def _placeholder_of(where: Path) -> Path:
    return where.with_name(f".{where.name}.icloud")


def _only_in_cloud(path: NotePath) -> VaultUnreadable:
    return VaultUnreadable(
        f"{path} is in the cloud and not on this machine; it stays as it was last known.",
        fix="Let the cloud's program keep the vault on this machine.",
        path=path,
    )


def _is_text(name: str) -> bool:
    """Whether a file name is text: on Linux it may be any bytes, which neither cache nor JSON could carry."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _folds_case(folder: Path) -> bool:
    """Whether the disk under ``folder`` takes ``A`` and ``a`` for the same name."""
    flipped = folder.with_name(folder.name.swapcase())
    with contextlib.suppress(OSError):
        return flipped.name != folder.name and flipped.samefile(folder)
    return False


def content_hash(data: bytes) -> str:
    """Give the hash by which contents are compared."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _decode(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8", "replace")


def _stat_of(found: os.stat_result, *, is_here: bool) -> FileStat:
    """Give a file's state; a placeholder's size is none that a file can have."""
    return FileStat(found.st_mtime_ns, found.st_size if is_here else -1, found.st_ino)


def _write_flushed(temporary: Path, data: bytes, like: Path) -> None:
    with temporary.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    with contextlib.suppress(FileNotFoundError):
        temporary.chmod(stat.S_IMODE(like.stat().st_mode))


def _flush_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows cannot open a folder for this
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
