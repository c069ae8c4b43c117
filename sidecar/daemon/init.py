"""Setting a vault up: a new one from the template, an existing one by adding only what is missing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sidecar import PROTOCOL_VERSION
from sidecar.config import KB_FOLDER, Config, Language, load_config
from sidecar.daemon.bundle import template_folder
from sidecar.daemon.migrations import migrate
from sidecar.daemon.protocol import find_version, make_vault_id, read_vault_id
from sidecar.daemon.wire_init import open_journal
from sidecar.errors import VaultMissing, WriteFailed
from sidecar.moc.text import adopt
from sidecar.vault.files import ABSENT, VaultFiles
from sidecar.vault.generated import has_trace

_GITIGNORE = "cache/\n"


@dataclass(frozen=True, slots=True)
class InitReport:
    """What was done: files added, relative to the vault, and whether it had been set up before."""

    vault_id: str
    is_new_vault: bool
    was_set_up: bool
    added: tuple[str, ...]
    map_hint: str = ""
    """What to do for a map if the vault has a file of that name which is the owner's; else empty."""
    migrated: tuple[str, ...] = ()
    """What was taken over from an older version, in sentences."""


def init_vault(root: Path, language: Language) -> InitReport:
    """Set the vault at ``root`` up; twice is the same as once.

    An empty or missing folder becomes a vault from the template. A folder with files in it keeps every one of them.

    Raises:
        VaultMissing: The path is a file.
        WriteFailed: The disk refused.
    """
    if root.exists() and not root.is_dir():
        raise VaultMissing(f"{root} is a file.", fix="Give a folder.")
    added: list[str] = []
    try:
        root.mkdir(parents=True, exist_ok=True)
        is_new = not any(root.iterdir())
        if is_new:
            added += _lay_template(root)
        files = VaultFiles(root)
        version = find_version(files)
        was_set_up = version == PROTOCOL_VERSION
        told: list[str] = []
        if was_set_up:
            vault_id = read_vault_id(files)
        else:
            (root / KB_FOLDER).mkdir(exist_ok=True)
            told = migrate(root, open_journal(root), version)
            vault_id = make_vault_id(files)
            added.append(f"{KB_FOLDER}/protocol.json")
        for name, text in ((".gitignore", _GITIGNORE), ("config.toml", config_text(language, autocommit=is_new))):
            if not (root / KB_FOLDER / name).exists():
                files.write_own(name, text.encode("utf-8"))
                added.append(f"{KB_FOLDER}/{name}")
        if not is_new and not _has_map(root):
            files.write(Config().moc.path, adopt("").encode("utf-8"), expected=ABSENT)
            added.append(Config().moc.path)
    except OSError as error:
        raise WriteFailed(f"{root} could not be set up: {error.strerror}.", fix="Check free space and permissions.") from error
    return InitReport(vault_id, is_new, was_set_up, tuple(added), _map_hint(root), tuple(told))


def _map_hint(root: Path) -> str:
    path = root / load_config(root).moc.path
    try:
        is_ours = has_trace(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
    return "" if is_ours else f"{path.name} is yours and stays as it is; for a map in it, type: kb moc --adopt"


def _has_map(root: Path) -> bool:
    """Whether there is a file for the map, or one that sync has set aside or not delivered yet."""
    stem = Path(Config().moc.path).stem.lower()
    return any(path.name.lower().lstrip(".").startswith(stem + ".") for path in root.iterdir())


def config_text(language: Language, *, autocommit: bool = False) -> str:
    """Give the first ``config.toml``: every setting with its default, commented out but for the language and, in a new vault, git."""
    moc, ingest, watch = Config().moc, Config().ingest, Config().watch
    return f"""# Settings of Vault Sidecar for this vault. A line without # is in force.
# Changes are seen at once, but for [server], [watch] and the limits of [ingest], which need a restart.
language = "{language}"  # en or zh-CN: the words of the map

[moc]
# path = "{moc.path}"
# hubs = {moc.hubs}
# topics = {moc.topics}
# recent = {moc.recent}
# orphans = {moc.orphans}
# frozen = false  # true: the map stays as it is. More maps and settings: docs/moc.md

[ingest]
# filename = "{ingest.filename}"  # slug, or title for the page's own title

[git]
{"" if autocommit else "# "}autocommit = {str(autocommit).lower()}  # true: each write of the sidecar becomes a commit, its own files only

[server]
# port = 0  # 0 takes any free port

[watch]
# polling = {str(watch.polling).lower()}  # true for network drives
"""


def _lay_template(root: Path) -> list[str]:
    template = template_folder()
    if template is None:
        return []
    added: list[str] = []
    for path in sorted(template.rglob("*")):
        if path.is_file():
            name = path.relative_to(template).as_posix()
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(path.read_bytes())
            added.append(name)
    return added


def default_language() -> Language:
    """Give the language of this machine's locale."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            return "zh-CN" if value.lower().startswith("zh") else "en"
    return "en"
