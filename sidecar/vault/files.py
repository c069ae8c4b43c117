"""The disk under a vault: what files there are, reading them, and the one writer.

Nothing else in the package writes inside a vault. A write is atomic (a temporary file beside the target, flushed, renamed
over it) and compare-and-swap: it happens only if the file still is what the caller last read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from sidecar.config import KB_FOLDER
from sidecar.errors import NoteExists, NoteNotFound, OutsideVault, TextUnsafe, VaultMissing, VaultUnreadable, WriteConflict, WriteFailed
from sidecar.vault.changes import FileStat
from sidecar.vault.cloud import cloud_name, is_elsewhere, only_in_cloud, placeholder_name
from sidecar.vault.disk import Folder, open_folder, plain_stat, remove_leftovers
from sidecar.vault.note import NotePath, fold_name
from sidecar.vault.paths import check_listed_path, check_new_name, check_path

MAX_NOTE_BYTES: Final = 20_000_000
ABSENT: Final = ""
"""The hash of a file that does not exist."""
_TRIES: Final = 5
_LEFTOVER_AGE_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Content:
    """A file's text and the hash of its bytes."""

    text: str
    hash: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A file's text before and after a change, equal if nothing was to be done, and the hash it has now."""

    before: str
    after: str
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
        self.on_write: Callable[[NotePath], None] = lambda path: None
        """Told of each file that was written, for git; called on the thread that wrote."""

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
        """Whether a path leads to something in the vault that is not hidden."""
        try:
            return self._parts_inside(path.resolve()) is not None
        except (OSError, RuntimeError):  # links that lead in a circle; Python 3.11 and 3.12 raise the latter
            return False

    def stat(self, path: NotePath) -> FileStat | None:
        """Give the state of one file; ``None`` if it is absent, not listed by name, no plain file or a link out of the vault."""
        if any(part.startswith(".") for part in path.split("/")) or not _is_text(path):
            return None
        where = self.root / path
        try:
            if (plain := plain_stat(self.root, path)) is not None:
                return _stat_of(plain, is_here=True) if self._is_spelt_so(where) else None
            is_here = where.exists() or not _placeholder_of(where).is_file()
            where = where if is_here else _placeholder_of(where)
            found = where.stat()
            if not stat.S_ISREG(found.st_mode) or not self._is_inside(self.root / path) or not self._is_spelt_so(where):
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
            plain = plain_stat(self.root, path)
            inside = tuple(path.split("/")) if plain else self._parts_inside(where.resolve())
            if inside is None:
                raise OutsideVault(f"{path} is a link out of the vault.", fix="Move the file into the vault.")
            found = plain or where.stat()
            if found.st_size > MAX_NOTE_BYTES:
                raise VaultUnreadable(f"{path} is larger than {MAX_NOTE_BYTES // 1_000_000} MB.", fix="Split the file.")
            if is_elsewhere(getattr(found, "st_flags", 0), getattr(found, "st_file_attributes", 0)):
                raise only_in_cloud(path)
            with open_folder(self.real_root, inside[:-1]) as folder:
                data = folder.read(inside[-1])
            if found.st_size and getattr(found, "st_blocks", 1) == 0 and not data.strip(b"\0"):
                raise only_in_cloud(path)
            return data
        except FileNotFoundError as error:
            if _placeholder_of(where).is_file():
                raise only_in_cloud(path) from error
            raise NoteNotFound(f"There is no {path} in the vault.", fix="Look for it with: kb search", path=path) from error
        except OSError as error:
            raise VaultUnreadable(f"{path} cannot be read: {error.strerror}.", fix="Check its permissions.", path=path) from error

    def siblings(self, path: NotePath) -> list[str]:
        """List the names of the other files in a file's folder, hidden ones included; nothing if there is no such folder."""
        where = self.root / path
        with contextlib.suppress(OSError):
            return sorted(entry.name for entry in where.parent.iterdir() if entry.name != where.name)
        return []

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
            NoteExists: A new file was wanted, but the name is taken, maybe in other letters' case or Unicode form.
            NameUnsafe: A new file or folder was wanted under a name that some system refuses.
            WriteFailed: The disk refused; the old file is whole.
            OutsideVault: The path leads out of the vault.
        """
        where = self.root / check_path(path)
        self._check_present()
        try:
            where = where.resolve() if where.is_symlink() else where.parent.resolve() / where.name
            inside = self._parts_inside(where)
            if inside is None:
                raise OutsideVault(f"{path} leads out of the vault.", fix="Move the folder into the vault.")
            if expected == ABSENT:
                self._make_folders(inside[:-1], path)
            with open_folder(self.real_root, inside[:-1]) as folder:
                _put(folder, inside[-1], data, path, expected)
            self.on_write("/".join(inside))
        except FileNotFoundError as error:
            raise WriteConflict(f"{path} is gone; nothing was written.", fix="Look where it is now.", path=path) from error
        except (OSError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise WriteFailed(f"{path} could not be written: {reason}.", fix="Check free space and permissions.", path=path) from error

    def edit(self, path: NotePath, change: Callable[[str], str], *, expected: str | None = None, dry_run: bool = False) -> Edit:
        """Change a file's text; every byte that ``change`` leaves alone stays, also such as are no UTF-8.

        If someone saves at the same moment, the file is read again and ``change`` asked again.

        Args:
            change: Given the text, with a BOM if there is one and bytes that are no UTF-8 as lone surrogates.
            expected: Hash the file must still have; any will do if it is ``None``.
            dry_run: Write nothing; only tell what would be written.
        Raises:
            WriteConflict: The file is not what was expected, or is saved again and again; nothing was written.
            TextUnsafe: It is UTF-16 or no text; nothing was written.
        """
        for _ in range(_TRIES):
            data = self.read_bytes(path)
            seen = content_hash(data)
            if expected not in (None, seen):
                raise WriteConflict(f"{path} is not what it was; nothing was written.", fix="Read it again.", path=path)
            before = _exact_text(data, path)
            after = change(before)
            wanted = after.encode("utf-8", "surrogateescape")
            if wanted == data or dry_run:
                return Edit(before, after, seen)
            try:
                self.write(path, wanted, expected=seen)
            except WriteConflict:
                continue
            return Edit(before, after, content_hash(wanted))
        raise WriteConflict(f"{path} is being edited; nothing was written.", fix="Try again when it is quiet.", path=path)

    def write_own(self, name: str, data: bytes) -> bool:
        """Replace a file of the sidecar's own under ``.kb/`` if its bytes differ; tell whether they did."""
        self._check_present()
        parts = (KB_FOLDER, *name.split("/"))
        try:
            self.real_root.joinpath(*parts[:-1]).mkdir(parents=True, exist_ok=True)
            with open_folder(self.real_root, parts[:-1]) as folder:
                if folder.has(parts[-1]) and folder.read(parts[-1]) == data:
                    return False
                temporary = folder.create(data, parts[-1])
                try:
                    folder.replace(temporary, parts[-1])
                finally:
                    folder.remove(temporary)
                folder.flush()
        except OSError as error:
            raise WriteFailed(
                f"{KB_FOLDER}/{name} could not be written: {error.strerror}.", fix="Check free space and permissions."
            ) from error
        return True

    def remove_leftovers(self, now: datetime) -> int:
        """Remove what a killed writer left more than a minute ago; give how many files went."""
        return remove_leftovers(self.real_root, now.timestamp() - _LEFTOVER_AGE_S)

    def _parts_inside(self, where: Path) -> tuple[str, ...] | None:
        """Give the parts of a resolved path below the vault's root; ``None`` if it lies outside or in a hidden folder."""
        if not where.is_relative_to(self.real_root):
            return None
        parts = where.relative_to(self.real_root).parts
        return parts if parts and not any(part.startswith(".") for part in parts) else None

    def _make_folders(self, parts: tuple[str, ...], path: NotePath) -> None:
        for depth, part in enumerate(parts):
            with open_folder(self.real_root, parts[:depth]) as folder:
                if not folder.has(part):
                    check_new_name(part)
                    _refuse_twin(folder, part, path)
                    folder.make(part)

    def _check_present(self) -> None:
        """Refuse to write while the vault is away: what is written would stand in the way of its return."""
        if not self.root.is_dir():
            raise VaultMissing(f"There is no folder at {self.root} any more.", fix="Bring the vault back to its place.")


def _put(folder: Folder, name: str, data: bytes, path: NotePath, expected: str) -> None:
    if expected == ABSENT:
        check_new_name(name)
        _refuse_twin(folder, name, path)
    temporary = folder.create(data, name)
    try:
        if expected == ABSENT:
            folder.put_new(temporary, name)
        else:
            # The last look and the rename lie microseconds apart; no system offers to do both at once.
            if content_hash(folder.read(name)) != expected:
                raise WriteConflict(f"{path} was changed meanwhile; nothing was written.", fix="Try again; the change is kept.", path=path)
            folder.replace(temporary, name)
    except FileExistsError as error:
        raise NoteExists(f"{path} already exists.", fix="Choose another name.", path=path) from error
    finally:
        folder.remove(temporary)
    folder.flush()


def _refuse_twin(folder: Folder, name: str, path: NotePath) -> None:
    """Refuse a name that another disk would take for one that is there: the vault may be synced to it."""
    wanted = fold_name(name)
    twin = next((other for other in folder.names() if fold_name(other) == wanted), None)
    if twin is not None:
        raise NoteExists(f"{path} already exists" + (f" as {twin}." if twin != name else "."), fix="Choose another name.", path=path)


def _exact_text(data: bytes, path: NotePath) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise TextUnsafe(f"{path} is UTF-16, so it is not touched.", fix="Save it as UTF-8.", path=path)
    return data.decode("utf-8", "surrogateescape")


def _placeholder_of(where: Path) -> Path:
    return where.with_name(placeholder_name(where.name))


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
