"""Moving a note within the vault: whole, to a name that is free, and nothing of it changed but what is asked for."""

from __future__ import annotations

from collections.abc import Callable

from sidecar.errors import NoteExists, OutsideVault, WriteConflict, WriteFailed
from sidecar.vault.disk import open_folder
from sidecar.vault.files import ABSENT, VaultFiles, content_hash
from sidecar.vault.note import NotePath
from sidecar.vault.paths import check_path


def move_note(files: VaultFiles, path: NotePath, target: NotePath, change: Callable[[bytes], bytes]) -> None:
    """Write the note under its new name, then take the old one away; a crash in between leaves both, whole.

    Raises:
        NoteExists: The new name is taken; nothing is moved.
        WriteConflict: Somebody saved the note meanwhile; it stays as it is, and the new one goes again.
    """
    if files.stat(target) is not None:
        raise NoteExists(f"{target} is there already.", fix="Move or rename that note first.", path=target)
    data = files.read_bytes(path)
    changed = change(data)
    files.write(target, changed, expected=ABSENT)
    try:
        remove_note(files, path, content_hash(data))
    except (WriteConflict, WriteFailed, OutsideVault):
        remove_note(files, target, content_hash(changed))
        raise


def remove_note(files: VaultFiles, path: NotePath, expected: str) -> None:
    """Take a file away that still has the content the caller worked from.

    Raises:
        WriteConflict: It was changed meanwhile, or is gone.
        OutsideVault: It is reached through a link that leads elsewhere.
    """
    parts = tuple(check_path(path).split("/"))
    if files.is_link(path) or (files.real_root / path).parent.resolve() != files.real_root.joinpath(*parts[:-1]):
        raise OutsideVault(f"{path} is reached through a link.", fix="Move the file it leads to by hand.")
    try:
        with open_folder(files.real_root, parts[:-1]) as folder:
            if content_hash(folder.read(parts[-1])) != expected:
                raise WriteConflict(f"{path} was changed meanwhile; it stays where it is.", fix="Try again.", path=path)
            folder.remove(parts[-1])
            folder.flush()
    except FileNotFoundError as error:
        raise WriteConflict(f"{path} is gone.", fix="Look where it is now.", path=path) from error
    except OSError as error:
        raise WriteFailed(f"{path} could not be taken away: {error.strerror}.", fix="Check permissions.", path=path) from error
    files.on_write(path)
