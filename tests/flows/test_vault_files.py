"""The disk under a vault: nothing is lost, nothing outside is touched, nothing hidden is seen."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.daemon.open_vault import OpenVault
from sidecar.errors import NoteExists, NoteNotFound, OutsideVault, VaultError, VaultMissing, VaultUnreadable, WriteConflict, WriteFailed
from sidecar.vault.files import ABSENT, MAX_NOTE_BYTES, VaultFiles, content_hash

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
OpenVaultAt = Callable[..., OpenVault]

posix = pytest.mark.skipif(os.name == "nt", reason="symbolic links and permissions of POSIX")


def _listing(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def test_a_write_replaces_the_file_and_leaves_nothing_else(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "old", "b.md": "other"})
    files = VaultFiles(root)
    files.write("a.md", b"new", expected=files.read("a.md").hash)
    assert {"a.md": b"new", "b.md": b"other"} == _listing(root)


def test_a_write_over_someone_elses_edit_is_refused_and_the_edit_kept(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "old"})
    files = VaultFiles(root)
    seen = files.read("a.md").hash
    (root / "a.md").write_bytes(b"typed meanwhile")
    with pytest.raises(WriteConflict):
        files.write("a.md", b"new", expected=seen)
    assert {"a.md": b"typed meanwhile"} == _listing(root)


def test_a_write_over_a_file_deleted_meanwhile_is_refused(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "old"})
    files = VaultFiles(root)
    seen = files.read("a.md").hash
    (root / "a.md").unlink()
    with pytest.raises(WriteConflict):
        files.write("a.md", b"new", expected=seen)
    assert {} == _listing(root)


def test_a_new_note_never_replaces_one(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "mine"})
    with pytest.raises(NoteExists):
        VaultFiles(root).write("a.md", b"new", expected=ABSENT)
    assert {"a.md": b"mine"} == _listing(root)


def test_a_new_note_makes_its_folders(make_vault: MakeVault) -> None:
    root = make_vault({})
    VaultFiles(root).write("x/y/新.md", b"new", expected=ABSENT)
    assert {"x/y/新.md": b"new"} == _listing(root)


def test_of_two_writers_from_the_same_text_one_wins_whole(make_vault: MakeVault) -> None:
    root = make_vault({})
    files = VaultFiles(root)
    outcomes: list[str] = []

    def create(text: bytes) -> None:
        try:
            files.write("n.md", text, expected=ABSENT)
            outcomes.append("written")
        except NoteExists:
            outcomes.append("exists")

    threads = [threading.Thread(target=create, args=(bytes([65 + n]) * 50_000,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ["exists"] * 7 + ["written"] == sorted(outcomes)
    (content,) = _listing(root).values()
    assert len(content) == 50_000
    assert len(set(content)) == 1


@posix
def test_permissions_are_kept(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "old"})
    (root / "a.md").chmod(0o640)
    files = VaultFiles(root)
    files.write("a.md", b"new", expected=files.read("a.md").hash)
    assert stat.S_IMODE((root / "a.md").stat().st_mode) == 0o640


@posix
def test_a_link_within_the_vault_stays_a_link(make_vault: MakeVault) -> None:
    root = make_vault({"real.md": "old"})
    (root / "link.md").symlink_to("real.md")
    files = VaultFiles(root)
    files.write("link.md", b"new", expected=files.read("link.md").hash)
    assert ((root / "link.md").is_symlink(), (root / "real.md").read_bytes()) == (True, b"new")


# ── never outside ────────────────────────────────────────────────────────────────────────────────


@posix
def test_links_out_of_the_vault_are_neither_read_nor_written_nor_listed(make_vault: MakeVault, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    canary = outside / "canary.md"
    canary.write_text("canary")
    root = make_vault({"own.md": "own"})
    (root / "file.md").symlink_to(canary)
    (root / "folder").symlink_to(outside)
    files = VaultFiles(root)
    for path in ("file.md", "folder/canary.md"):
        with pytest.raises(OutsideVault):
            files.read(path)
        with pytest.raises(OutsideVault):
            files.write(path, b"evil", expected=content_hash(b"canary"))
        assert files.stat(path) is None
    with pytest.raises(OutsideVault):
        files.write("folder/new.md", b"evil", expected=ABSENT)
    with pytest.raises(OutsideVault):
        files.write("folder/deep/new.md", b"evil", expected=ABSENT)
    assert {"canary.md": b"canary"} == _listing(outside)
    assert ["own.md"] == list(files.scan())


SEGMENTS = st.sampled_from(
    ["..", ".", ".. ", "...", "..\\", "C:", "a:b", "CON", "\0", "x" * 300, "é", ".OBSIDIAN", ".obſidian", "．．", "in", "n.md"]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SEGMENTS, min_size=1, max_size=5), st.sampled_from(["/", "\\"]))
def test_no_path_reaches_a_file_outside(make_vault: MakeVault, tmp_path: Path, segments: list[str], between: str) -> None:
    root = make_vault({"in/n.md": "inside", ".obsidian/app.json": "{}"})
    canary = tmp_path / "canary.md"
    canary.write_text("canary")
    files = VaultFiles(root)
    path = between.join(segments)
    before = _listing(tmp_path / "vault" / ".obsidian")
    for asked in (path, f"{path}/../../canary.md", f"../{path}", f"{path}/canary.md"):
        with contextlib.suppress(VaultError):
            assert files.read(asked).text == "inside"
        try:
            files.write(asked, b"written", expected=ABSENT)
        except VaultError:
            continue
        written = (root / asked.replace("\\", "/")).resolve()
        assert written.is_relative_to(root.resolve())
        written.unlink()
    assert (canary.read_text(), before) == ("canary", _listing(root / ".obsidian"))
    assert {"canary.md", "vault"} == {entry.name for entry in tmp_path.iterdir()}


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def test_hidden_files_and_folders_are_never_listed(make_vault: MakeVault) -> None:
    root = make_vault(
        {"a.md": "", "b/c.md": "", "b/p.png": b"", ".obsidian/app.json": "", ".git/x.md": "", "b/.trash/d.md": "", ".x.md": ""}
    )
    files = VaultFiles(root)
    assert ["a.md", "b/c.md", "b/p.png"] == sorted(files.scan())
    assert [None, None] == [files.stat(".x.md"), files.stat("b/.trash/d.md")]


@posix
def test_loops_of_links_end(make_vault: MakeVault) -> None:
    root = make_vault({"a/n.md": ""})
    (root / "a/self").symlink_to("..")
    (root / "a/b").symlink_to(".")
    (root / "dead.md").symlink_to("dead.md")
    assert "a/n.md" in VaultFiles(root).scan()
    assert len(VaultFiles(root).scan()) < 10


@posix
def test_a_pipe_in_the_vault_is_passed_over(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": ""})
    os.mkfifo(root / "pipe.md")
    files = VaultFiles(root)
    assert ["a.md"] == list(files.scan())
    assert files.stat("pipe.md") is None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"Caf\xe9", "Caf\ufffd"),
        (b"\xef\xbb\xbfx", "\ufeffx"),
        (b"a\r\nb\r\n", "a\r\nb\r\n"),
        ("中文".encode("utf-16"), "\ufeff中文"),
        (b"", ""),
        (b"a\0b", "a\0b"),
    ],
    ids=["latin-1", "bom", "crlf", "utf-16", "empty", "nul"],
)
def test_any_bytes_are_read_as_text(data: bytes, text: str, make_vault: MakeVault) -> None:
    content = VaultFiles(make_vault({"a.md": data})).read("a.md")
    assert (text.removeprefix("\ufeff"), content_hash(data)) == (content.text.removeprefix("\ufeff"), content.hash)


@posix
@pytest.mark.parametrize("name", ["a: b.md", "end .md", "folder./x.md", "back\\slash.md"])
def test_names_that_only_windows_refuses_are_read_where_the_disk_has_them(name: str, make_vault: MakeVault) -> None:
    files = VaultFiles(make_vault({name: "text"}))
    assert [name] == list(files.scan())
    assert files.read(name).text == "text"


def test_an_absent_note_is_named(make_vault: MakeVault) -> None:
    with pytest.raises(NoteNotFound) as raised:
        VaultFiles(make_vault({})).read("gone.md")
    assert {"path": "gone.md"} == raised.value.params


def test_a_file_too_large_is_named_not_read(make_vault: MakeVault) -> None:
    root = make_vault({"big.md": ""})
    with (root / "big.md").open("wb") as file:
        file.truncate(MAX_NOTE_BYTES + 1)
    with pytest.raises(VaultUnreadable, match="larger than 20 MB"):
        VaultFiles(root).read("big.md")


def test_a_missing_vault_is_named(tmp_path: Path) -> None:
    with pytest.raises(VaultMissing, match="no folder"):
        VaultFiles(tmp_path / "nowhere")


# ── without permission ───────────────────────────────────────────────────────────────────────────

_UNPRIVILEGED = """
import os, sys
from pathlib import Path
from sidecar.errors import SidecarError
from sidecar.store import NoteCache  # imported before privileges go, with which parts of an interpreter may be out of reach
from sidecar.vault.files import ABSENT, VaultFiles
from sidecar.vault.indexer import VaultIndex
root = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setegid(65534); os.seteuid(65534)
def tell(call):
    try:
        print(call())
    except SidecarError as error:
        print(error.code)
"""


def _as_nobody(root: Path, code: str) -> list[str]:
    script = _UNPRIVILEGED + textwrap.dedent(code)
    ran = subprocess.run([sys.executable, "-c", script, str(root)], capture_output=True, text=True, timeout=30, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.fixture
def open_way(tmp_path: Path) -> None:
    """Let any user walk down to the vault; pytest keeps its folders private."""
    if os.name == "nt":
        pytest.skip("permissions of POSIX")
    for folder in [tmp_path, *tmp_path.parents][:5]:
        if folder.name.startswith(("pytest-", "test_", "popen-")):
            folder.chmod(0o755)


@pytest.mark.usefixtures("open_way")
def test_an_unreadable_note_still_exists_and_is_named(make_vault: MakeVault) -> None:
    root = make_vault({"closed.md": "secret", "open.md": "x", "dir/n.md": "y"})
    (root / "closed.md").chmod(0)
    (root / "dir").chmod(0)
    told = _as_nobody(
        root,
        """
        files = VaultFiles(root)
        tell(lambda: sorted(files.scan()))
        tell(lambda: files.read("closed.md"))
        tell(lambda: files.stat("closed.md") is not None)
        tell(lambda: files.stat("dir/n.md"))
        """,
    )
    (root / "dir").chmod(0o755)
    assert ["['closed.md', 'open.md']", "vault-unreadable", "True", "vault-unreadable"] == told


@pytest.mark.usefixtures("open_way")
def test_a_note_is_read_once_it_may_be(make_vault: MakeVault) -> None:
    root = make_vault({})
    root.chmod(0o777)
    told = _as_nobody(
        root,
        """
        note, folder = root / "n.md", root / "dir"
        folder.mkdir()
        for path in (note, folder / "m.md"):
            path.write_text("[[x]]")
        index = VaultIndex(VaultFiles(root), NoteCache(None, ""), lambda note, text: b"")
        note.chmod(0)
        index.open()
        links = lambda: [[link.path for link in index.notes[path].links] for path in sorted(index.notes)]
        tell(lambda: (links(), index.problems))
        folder.chmod(0)
        index.refresh(index.rescan())
        tell(lambda: (links(), sorted(index.problems)))
        note.chmod(0o600)
        folder.chmod(0o700)
        index.refresh(["n.md", "dir/m.md"])
        tell(lambda: (links(), index.problems))
        """,
    )
    assert [
        "([['x'], []], {'n.md': 'n.md cannot be read: Permission denied.'})",
        "([['x'], []], ['dir', 'n.md'])",
        "([['x'], ['x']], {})",
    ] == told


@pytest.mark.usefixtures("open_way")
def test_an_unreadable_vault_is_named_at_once(make_vault: MakeVault) -> None:  # W6
    root = make_vault({"a.md": ""})
    root.chmod(0)
    told = _as_nobody(root, "tell(lambda: VaultFiles(root))")
    root.chmod(0o755)
    assert ["vault-unreadable"] == told


@pytest.mark.usefixtures("open_way")
def test_a_read_only_folder_leaves_the_old_file_whole(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "old"})
    (root / "a.md").chmod(0o644)
    root.chmod(0o555)
    told = _as_nobody(
        root,
        """
        files = VaultFiles(root)
        tell(lambda: files.write("a.md", b"new", expected=files.read("a.md").hash))
        tell(lambda: files.write("b.md", b"new", expected=ABSENT))
        tell(lambda: files.write_own("index.json", b"{}"))
        """,
    )
    root.chmod(0o755)
    assert ["write-failed"] * 3 == told
    assert {"a.md": b"old"} == _listing(root)


def test_a_disk_that_refuses_leaves_the_old_file_whole(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "old", "plain": "a file where a folder is wanted"})
    files = VaultFiles(root)
    with pytest.raises(WriteFailed):
        files.write("plain/new.md", b"new", expected=ABSENT)
    assert {"a.md": b"old", "plain": b"a file where a folder is wanted"} == _listing(root)


# ── the sidecar's own files ──────────────────────────────────────────────────────────────────────


def test_own_files_are_written_only_when_they_differ(make_vault: MakeVault) -> None:
    root = make_vault({})
    files = VaultFiles(root)
    assert [True, False, True] == [files.write_own("index.json", data) for data in (b"1", b"1", b"2")]
    assert {".kb/index.json": b"2"} == _listing(root)


# ── names and places that change ─────────────────────────────────────────────────────────────────


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a name be any bytes")
def test_a_name_that_is_no_text_is_passed_over(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "text"})
    (Path(os.fsdecode(os.fsencode(root) + b"/bad\xff.md"))).write_text("unnamed")
    files = VaultFiles(root)
    assert ["a.md"] == list(files.scan())
    assert files.stat(os.fsdecode(b"bad\xff.md")) is None


def test_nothing_is_written_while_the_vault_is_away(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "text"})
    files = VaultFiles(root)
    root.rename(root.with_name("elsewhere"))
    for write in (lambda: files.write("b.md", b"new", expected=ABSENT), lambda: files.write_own("index.json", b"{}")):
        with pytest.raises(VaultMissing):
            write()
    assert not root.exists()


def test_a_folder_that_cannot_be_entered_keeps_its_notes_and_is_named(
    make_vault: MakeVault, open_vault: OpenVaultAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault({"secret/a.md": "[[b]] pineapple", "b.md": ""})
    first = open_vault(root, keep=True)
    first.open()
    first.close()
    real = os.scandir

    def scandir(path: object = ".") -> object:  # tests may run as root, whom no mode bits stop
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied")
        return real(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", scandir)
    again = open_vault(root, keep=True)
    again.open()
    assert {"b.md", "secret/a.md"} == set(again.index.notes)
    assert {"secret": "this folder cannot be read: Permission denied"} == again.index.problems
    assert ["secret/a.md"] == [edge.source for edge in again.graph.graph.links_to("b.md")]
    again.apply(again.index.rescan())
    assert {"b.md", "secret/a.md"} == set(again.index.notes)
    monkeypatch.setattr(os, "scandir", real)
    again.apply(again.index.rescan())
    assert {} == again.index.problems
    assert 1 == again.search.search("pineapple").total


def test_a_note_that_was_too_large_for_a_while_is_searched_again(make_vault: MakeVault, open_vault: OpenVaultAt) -> None:
    root = make_vault({"a.md": "pineapple"})
    vault = open_vault(root)
    vault.open()
    assert 1 == vault.search.search("pineapple").total
    with (root / "a.md").open("r+b") as file:
        file.truncate(20_000_001)
    vault.apply(["a.md"])
    assert ["a.md"] == list(vault.index.problems)
    (root / "a.md").write_text("pineapple")
    vault.apply(["a.md"])
    assert 1 == vault.search.search("pineapple").total
    assert {} == vault.index.problems
