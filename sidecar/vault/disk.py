"""One folder of the vault, held open while something in it is read or replaced.

Where the system offers it, the folder is opened part by part from the vault's root without following links, and everything
else is done relative to that open folder. A link that someone puts in the way between check and use is then met as an error, and
never leads outside. Windows offers no such thing; there names are looked at once more, and making a link needs rights.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_CAN_HOLD: Final = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY") and hasattr(os, "O_NOFOLLOW")
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_BINARY: Final = getattr(os, "O_BINARY", 0)
_LEFTOVER: Final = re.compile(r"\.kb-[0-9a-f]{16}\.tmp")


class Folder:
    """An open folder. ``handle`` is ``None`` where folders cannot be held open."""

    def __init__(self, path: Path, handle: int | None) -> None:
        self._path = path
        self._handle = handle

    def _at(self, name: str) -> str:
        return name if self._handle is not None else str(self._path / name)

    def read(self, name: str) -> bytes:
        with os.fdopen(os.open(self._at(name), os.O_RDONLY | _NO_FOLLOW | _BINARY, dir_fd=self._handle), "rb") as file:
            return file.read()

    def names(self) -> list[str]:
        return os.listdir(self._path if self._handle is None else self._handle)  # noqa: PTH208 - of a handle

    def create(self, data: bytes, like: str) -> str:
        """Write a temporary file, flushed, with the rights of ``like`` if there is such a file; give its name."""
        name = f".kb-{secrets.token_hex(8)}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
        handle = os.open(self._at(name), flags, 0o666, dir_fd=self._handle)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                self._keep_rights(file.fileno(), name, like)
                os.fsync(file.fileno())
        except BaseException:
            self.remove(name)
            raise
        return name

    def _keep_rights(self, handle: int, name: str, like: str) -> None:
        try:
            model = os.stat(self._at(like), dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return
        if hasattr(os, "fchown"):  # owner and attributes as far as this user may set them; then the mode, which chown may clear
            with contextlib.suppress(OSError):
                os.fchown(handle, model.st_uid, model.st_gid)
            self._keep_attributes(handle, like)
            os.fchmod(handle, stat.S_IMODE(model.st_mode))
        else:
            (self._path / name).chmod(stat.S_IMODE(model.st_mode))

    def _keep_attributes(self, handle: int, like: str) -> None:
        if not hasattr(os, "listxattr"):
            return
        with contextlib.suppress(OSError):
            source = os.open(self._at(like), os.O_RDONLY | _NO_FOLLOW, dir_fd=self._handle)
            try:
                for key in os.listxattr(source):
                    with contextlib.suppress(OSError):
                        os.setxattr(handle, key, os.getxattr(source, key))
            finally:
                os.close(source)

    def replace(self, name: str, target: str) -> None:
        os.replace(self._at(name), self._at(target), src_dir_fd=self._handle, dst_dir_fd=self._handle)

    def put_new(self, name: str, target: str) -> None:
        """Give a file its name unless that is taken: unlike a rename, a hard link never replaces what came in between.

        Raises:
            FileExistsError: The name is taken.
        """
        try:
            os.link(self._at(name), self._at(target), src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except FileExistsError:
            raise
        except OSError as error:  # a file system without hard links
            if self.has(target):
                raise FileExistsError(target) from error
            self.replace(name, target)

    def has(self, name: str) -> bool:
        try:
            os.stat(self._at(name), dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def make(self, name: str) -> None:
        """Make a folder, unless someone else does so at the same moment."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(self._at(name), dir_fd=self._handle)

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._at(name), dir_fd=self._handle)

    def flush(self) -> None:
        """Have the folder's own entries on disk. Windows needs and offers nothing for this."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._handle)


@contextlib.contextmanager
def open_folder(root: Path, parts: tuple[str, ...]) -> Iterator[Folder]:
    """Open the folder at ``parts`` below ``root``, following no link below it.

    Raises:
        OSError: A part is missing, no folder or a link.
    """
    path = root.joinpath(*parts)
    if not _CAN_HOLD:
        if path.resolve() != path:
            raise NotADirectoryError(20, "a link came in between")
        yield Folder(path, None)
        return
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield Folder(path, handle)
    finally:
        os.close(handle)


def plain_stat(root: Path, path: str) -> os.stat_result | None:
    """Look at a plain file to which no link leads; ``None`` if it is anything else, of which a slower look tells.

    Resolving a path costs ten times as much, and a checkout asks for thousands. Windows has junctions, which this would miss.
    """
    if os.name == "nt":
        return None
    where = str(root)
    try:
        for part in path.split("/"):
            where = f"{where}/{part}"
            found = os.lstat(where)
            if stat.S_ISLNK(found.st_mode):
                return None
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def remove_leftovers(root: Path, before_s: float) -> int:
    """Remove temporary files that a killed writer left, in hidden folders too, if last written before ``before_s`` (Unix time).

    Only names that :meth:`Folder.create` makes count, and no link is followed. Gives how many went.
    """
    removed = 0
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in filter(_LEFTOVER.fullmatch, names):
            with contextlib.suppress(OSError):
                left = Path(folder, name)
                found = left.lstat()
                if stat.S_ISREG(found.st_mode) and found.st_mtime < before_s:
                    left.unlink()
                    removed += 1
    return removed
