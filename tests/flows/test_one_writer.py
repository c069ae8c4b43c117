"""The one writer under attack: links that change, twins, bad names, full disks, kills; and that it is the only one."""

from __future__ import annotations

import ast
import errno
import os
import random
import re
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import sidecar
from sidecar.errors import (
    NameUnsafe,
    NoteExists,
    OutsideVault,
    TextUnsafe,
    VaultError,
    VaultMissing,
    WriteConflict,
    WriteFailed,
)
from sidecar.store import Journal
from sidecar.vault.files import ABSENT, VaultFiles
from sidecar.vault.property_edit import set_property

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
IS_SLOW = os.environ.get("KB_HYPOTHESIS") == "slow"
posix = pytest.mark.skipif(os.name == "nt", reason="links and attributes of POSIX")


def _listing(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


# ── changing a text ──────────────────────────────────────────────────────────────────────────────


def test_an_edit_keeps_every_byte_that_it_does_not_change(make_vault: MakeVault) -> None:
    data = b"\xef\xbb\xbf---\r\na: 1\r\n---\r\nCaf\xe9 \xff\0\r\nno end"
    root = make_vault({"a.md": data})
    VaultFiles(root).edit("a.md", lambda text: set_property(text, "a", 2))
    assert {"a.md": data.replace(b"a: 1", b"a: 2")} == _listing(root)


def test_an_edit_is_made_again_on_what_someone_saved_meanwhile(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "one"})
    saves = iter([b"two", b"three"])

    def change(text: str) -> str:
        typed = next(saves, None)
        if typed:
            (root / "a.md").write_bytes(typed)
        return text + "!"

    assert "three!" == VaultFiles(root).edit("a.md", change).after
    assert {"a.md": b"three!"} == _listing(root)


def test_an_edit_of_a_file_that_never_rests_is_given_up_and_nothing_lost(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "0"})

    def change(text: str) -> str:
        (root / "a.md").write_text(str(int(text) + 1))
        return "ours"

    with pytest.raises(WriteConflict):
        VaultFiles(root).edit("a.md", change)
    assert {"a.md": b"5"} == _listing(root)


def test_an_edit_from_an_old_reading_is_refused(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "new"})
    with pytest.raises(WriteConflict):
        VaultFiles(root).edit("a.md", lambda text: "x", expected="old hash")
    assert {"a.md": b"new"} == _listing(root)


def test_a_utf_16_note_is_left_alone(make_vault: MakeVault) -> None:
    data = "文".encode("utf-16")
    root = make_vault({"a.md": data})
    with pytest.raises(TextUnsafe):
        VaultFiles(root).edit("a.md", lambda text: "x")
    assert {"a.md": data} == _listing(root)


# ── names ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("there", "wanted"),
    [("Foo.md", "foo.md"), ("é.md", unicodedata.normalize("NFD", "é.md")), ("Dir/a.md", "dir/b.md"), ("STRASSE.md", "strasse.md")],
)
def test_a_name_that_another_disk_takes_for_one_that_is_there_is_refused(there: str, wanted: str, make_vault: MakeVault) -> None:
    root = make_vault({there: "mine"})
    with pytest.raises(NoteExists):
        VaultFiles(root).write(wanted, b"new", expected=ABSENT)
    assert {there: b"mine"} == _listing(root)


@pytest.mark.parametrize("name", ["CON.md", "nul", "com1.tar.md", "a?.md", "a*.md", 'a".md', "a<b.md", "a|b.md", "x/AUX/b.md", "a\x01.md"])
def test_a_new_name_that_some_system_refuses_is_refused_on_all(name: str, make_vault: MakeVault) -> None:
    root = make_vault({})
    with pytest.raises(NameUnsafe):
        VaultFiles(root).write(name, b"new", expected=ABSENT)
    assert {} == _listing(root)


@pytest.mark.parametrize("name", ["中" * 85 + ".md", "a" * 253 + ".md", "/".join(["d"] * 70) + "/n.md"], ids=["cjk", "latin", "deep"])
def test_a_name_too_long_for_a_disk_is_refused(name: str, make_vault: MakeVault) -> None:
    root = make_vault({})
    with pytest.raises(OutsideVault):
        VaultFiles(root).write(name, b"new", expected=ABSENT)
    assert {} == _listing(root)


@posix
def test_a_note_whose_name_windows_would_refuse_can_still_be_edited(make_vault: MakeVault) -> None:
    root = make_vault({"what?.md": "x"})
    VaultFiles(root).edit("what?.md", str.upper)
    assert {"what?.md": b"X"} == _listing(root)


# ── never outside ────────────────────────────────────────────────────────────────────────────────

OUTSIDE = [
    "../canary.md", "in/../../canary.md", "/etc/passwd", "C:/x.md", "C:x.md", "\\\\host\\share\\x.md", "//host/share/x.md", "a\0.md", "",
    ".obsidian/app.json", ".git/config", ".kb/config.toml", "in/.hidden.md", "．．/canary.md", "．．／canary.md", "in\\..\\..\\canary.md",
    "chain/canary.md", "one.md", "dots/app.json", "x/" * 5000 + "n.md", "n.md:stream", "in/...", "in/. ./n.md",
]  # fmt: skip


@posix
@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: ascii(path)[:30])
def test_no_door_of_the_writer_leads_outside_or_into_hidden_folders(path: str, make_vault: MakeVault, tmp_path: Path) -> None:
    hidden: dict[str, str | bytes] = {".obsidian/app.json": "{}", ".git/config": "x", ".kb/config.toml": ""}
    root = make_vault({**hidden, "in/n.md": "x"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "canary.md").write_text("canary")
    (tmp_path / "canary.md").write_text("canary")
    (root / "chain").symlink_to("link2")
    (root / "link2").symlink_to(outside)
    (root / "one.md").symlink_to("two.md")
    (root / "two.md").symlink_to(outside / "canary.md")
    (root / "dots").symlink_to(".obsidian")
    before = _listing(tmp_path)
    files = VaultFiles(root)
    for call in (
        lambda: files.read(path),
        lambda: files.write(path, b"evil", expected=ABSENT),
        lambda: files.edit(path, lambda text: text + "evil"),
    ):
        with pytest.raises(VaultError):
            call()
    assert before == _listing(tmp_path)


@posix
def test_a_link_put_in_the_way_between_check_and_use_never_leads_outside(make_vault: MakeVault, tmp_path: Path) -> None:
    root = make_vault({"dir/n.md": "inside"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "n.md").write_text("canary")
    is_done = threading.Event()

    def swap() -> None:
        while not is_done.is_set():
            (root / "dir").rename(root / "aside")
            (root / "dir").symlink_to(outside)
            (root / "dir").unlink()
            (root / "aside").rename(root / "dir")
            is_done.wait(0.0005)  # else the folder is hardly ever there, and nothing is written at all

    swapping = threading.Thread(target=swap)
    swapping.start()
    files, written = VaultFiles(root), 0
    try:
        for n in range(1500 if not IS_SLOW else 20_000):
            try:
                assert files.read("dir/n.md").text != "canary"
                files.edit("dir/n.md", lambda text, n=n: f"inside {n}")  # type: ignore[misc]
                written += 1
            except VaultError:
                continue
    finally:
        is_done.set()
        swapping.join()
    assert {"n.md": b"canary"} == _listing(outside)
    assert written


@posix
def test_owner_and_attributes_are_kept_where_this_user_may(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "old"})
    path = root / "a.md"
    try:
        os.setxattr(path, "user.colour", b"red")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes here")
    if os.geteuid() == 0:
        os.chown(path, 1234, 1235)
    owner = (path.stat().st_uid, path.stat().st_gid)
    VaultFiles(root).edit("a.md", str.upper)
    assert (b"red", owner) == (os.getxattr(path, "user.colour"), (path.stat().st_uid, path.stat().st_gid))


# ── disks that fail ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a folder on a disk of 256 KB, where this user may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("no disk can be mounted here; the injected failure below stands in for it")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts of Linux")
def test_a_full_disk_leaves_the_old_file_whole(small_disk: Path) -> None:
    (small_disk / "a.md").write_bytes(b"old")
    files = VaultFiles(small_disk)
    for call in (
        lambda: files.edit("a.md", lambda text: "x" * 400_000),
        lambda: files.write("b.md", b"x" * 400_000, expected=ABSENT),
        lambda: files.write_own("index.json", b"x" * 400_000),
    ):
        with pytest.raises(WriteFailed, match="No space"):
            call()
    assert {"a.md": b"old"} == _listing(small_disk)
    files.edit("a.md", lambda text: "new")
    assert {"a.md": b"new"} == _listing(small_disk)


def test_a_disk_that_fills_at_the_last_moment_leaves_the_old_file_whole(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_vault({"a.md": "old"})

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    files = VaultFiles(root)
    with pytest.raises(WriteFailed):
        files.edit("a.md", lambda text: "new")
    with pytest.raises(WriteFailed):
        files.write("b.md", b"new", expected=ABSENT)
    assert {"a.md": b"old"} == _listing(root)


def test_nothing_is_edited_while_the_vault_is_away(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "text"})
    files = VaultFiles(root)

    def change(text: str) -> str:
        root.rename(root.with_name("elsewhere"))
        return text + "!"

    with pytest.raises(VaultMissing):
        files.edit("a.md", change)
    assert ([], b"text") == (sorted(root.parent.glob("vault*")), (root.parent / "elsewhere" / "a.md").read_bytes())


# ── kills ────────────────────────────────────────────────────────────────────────────────────────

_WRITER = """
import itertools, os, signal, sys, time
from pathlib import Path
from sidecar.clock import clock_from_environment
from sidecar.moc.text import replace_block
from sidecar.store import Journal
from sidecar.vault.files import VaultFiles
from sidecar.vault.property_edit import set_property
root = Path(sys.argv[1])
def write(start, told):
    files, journal = VaultFiles(root), Journal(root / ".kb" / "journal", clock_from_environment(), "m")
    for n in itertools.count(start):
        files.edit("note.md", lambda text: set_property(text, "n", n))
        files.edit("index.md", lambda text: replace_block(text, f"map {n} " + "x" * 50_000 + "\\n") or text)
        journal.append("notes", n=n)
        files.write_own("index.json", (f"{n:09}" * 20_000).encode())
        os.write(told, f"{n}\\n".encode())
for line in sys.stdin:
    start, delay_s = line.split()
    out, told = os.pipe()
    child = os.fork()  # a fork has all modules loaded; hundreds of new interpreters would take minutes
    if not child:
        write(int(start), told)
    os.close(told)
    time.sleep(float(delay_s))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(out) as said:
        print(*said.read().split()[-1:], flush=True)
"""


@posix
def test_a_writer_killed_at_any_moment_leaves_whole_files_and_every_record(make_vault: MakeVault) -> None:
    body = "body 文\r\n" * 2_000
    marks = "%% kb:moc:begin %%\n%% kb:moc:end %%\n"
    root = make_vault({"note.md": f"---\nn: 0\n---\n{body}", "index.md": f"mine\n{marks}after\n", ".kb/journal/x": ""})
    moments = random.Random(7)
    files = VaultFiles(root)
    told = 0
    command = [sys.executable, "-c", _WRITER, str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killer:
        assert killer.stdin is not None
        assert killer.stdout is not None
        for _ in range(300 if IS_SLOW else 30):
            killer.stdin.write(f"{told + 1} {moments.uniform(0.001, 0.12)}\n")
            killer.stdin.flush()
            last = int(killer.stdout.readline().strip() or told)
            note, index = files.read("note.md").text, files.read("index.md").text
            number = int(note.split("\n")[1].removeprefix("n: "))
            assert note == f"---\nn: {number}\n---\n{body}"
            assert last <= number
            middle = index.removeprefix("mine\n%% kb:moc:begin %%\n").removesuffix("%% kb:moc:end %%\nafter\n")
            assert not middle or re.fullmatch(r"map \d+ x{50000}\n", middle)
            own = root / ".kb" / "index.json"
            assert not own.exists() or len(own.read_bytes()) == 180_000
            records = [record["n"] for record in Journal(root / ".kb" / "journal", lambda: datetime.now(UTC), "m").read("notes")]
            assert records == list(range(1, len(records) + 1))
            assert last <= len(records) <= number
            told = len(records)
        killer.stdin.close()
    assert told > 2
    later = datetime.now(UTC) + timedelta(hours=1)
    files.remove_leftovers(later)
    assert {".kb/index.json", "index.md", "note.md"} == {name for name in _listing(root) if "journal" not in name}


@posix
def test_only_old_temporary_files_of_our_own_are_cleaned_up(make_vault: MakeVault, tmp_path: Path) -> None:
    ours = ".kb-0123456789abcdef.tmp"
    names = [ours, f".kb/{ours}", f".obsidian/{ours}", f"deep/er/{ours}"]
    kept = [".kb-note.tmp", "x.tmp", ".kb-0123456789abcdef.tmp.md", f".git/{ours}"]
    root = make_vault(dict.fromkeys([*names, *kept], ""))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ours).write_text("")
    (root / "link").symlink_to(outside)
    files = VaultFiles(root)
    assert 0 == files.remove_leftovers(datetime.now(UTC))
    assert len(names) == files.remove_leftovers(datetime.now(UTC) + timedelta(minutes=2))
    assert sorted(kept) == sorted(_listing(root))
    assert (outside / ours).exists()


# ── the only one ─────────────────────────────────────────────────────────────────────────────────

WRITES_ELSEWHERE = {
    "sidecar.cli.commands.graph": "a picture or export, where its user says",
    "sidecar.store.vectors": "SQLite in .kb/cache, and its removal when damaged",
    "sidecar.store.secrets": "the user's secrets, outside every vault",
    "sidecar.vault.disk": "the one writer itself",
    "sidecar.store.journal": "appends to .kb/journal",
    "sidecar.store.cache": "SQLite in .kb/cache, and its removal when damaged",
    "sidecar.daemon.endpoint": "outside the vault",
    "sidecar.daemon.init": "lays the template down, installs the plugin",
    "sidecar.cli.main": "the null device",
    "sidecar.cli.commands.agent": "settings of agents, outside the vault",
    "sidecar.cli.commands.feeds": "an OPML file where its user says, a login code in the system's own place",
    "sidecar.cli.commands.export": "copies where their user says",
    "sidecar.daemon.own_files": "folders of .kb that were deleted",
    "sidecar.daemon.logs": "logs, outside the vault",
    "sidecar.daemon.plugin_files": "the plugin's own folder",
    "sidecar.login_item.service": "the system's definitions of login items",
    "sidecar.items.store": "SQLite in .kb/cache, and its removal when damaged",
    "sidecar.items.runner": "the folder of .kb/cache, for its lock",
    "sidecar.metabolism.service": "what the git pass found, in .kb/cache",
}
_WRITING = {
    "write_text",
    "write_bytes",
    "unlink",
    "rename",
    "renames",
    "rmdir",
    "rmtree",
    "mkdir",
    "makedirs",
    "symlink_to",
    "truncate",
}
_OF_OS = {
    "os.replace",
    "os.link",
    "os.remove",
    "os.symlink",
    "os.open",
    "os.fdopen",
    "shutil.move",
    "shutil.copy",
    "shutil.copyfile",
    "shutil.copytree",
}


def _writes(call: ast.Call) -> bool:
    name = ast.unparse(call.func)
    last = name.rpartition(".")[2]
    if last in _WRITING or name in _OF_OS:
        return True
    if last == "replace" and len(call.args) == 1 and not call.keywords:  # Path.replace; str.replace takes two
        return True
    constants = [
        arg for arg in (*call.args, *(word.value for word in call.keywords if word.arg == "mode")) if isinstance(arg, ast.Constant)
    ]
    modes = [constant.value for constant in constants if isinstance(constant.value, str)]
    return last == "open" and any(len(mode) <= 3 and set(mode) & set("wax+") for mode in modes)


def test_nothing_but_the_one_writer_writes_files() -> None:
    package = Path(sidecar.__file__).parent
    found = set()
    for path in package.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        if any(map(_writes, calls)):
            found.add(".".join(path.relative_to(package.parent).with_suffix("").parts))
    assert found - WRITES_ELSEWHERE.keys() - {"sidecar.vault.files"} == set()
