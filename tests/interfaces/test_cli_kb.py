"""``kb`` as a script meets it: a process with arguments, output and an exit code."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.client import RunningSidecar
from sidecar.cli.exit_codes import EXIT_CODES
from sidecar.cli.main import COMMANDS, _parser
from sidecar.daemon.endpoint import Endpoint
from sidecar.daemon.init import init_vault

ROOT = Path(__file__).parent.parent.parent
NOTES = {
    "Garden.md": "---\ntags: [plants]\n---\n# Garden\nNettles grow here. See [[Soil]] and [[Not written]].\n",
    "Soil.md": "Soil feeds the [[Garden]]. 土壤是花园的根本。\n",
    "wiki/Compost.md": "---\ntags: [plants]\n---\nCompost becomes soil, and the Garden likes it.\n",
    "Broken.md": "---\ntitle: [open\n---\nThe text is there.\n",
}


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Kb:
    """Starts ``kb`` in processes of its own, with a private state folder."""

    environment: dict[str, str]
    cwd: Path
    serving: list[subprocess.Popen[str]] = field(default_factory=list)

    def __call__(self, *args: str | Path, cwd: Path | None = None, before: Callable[[], None] | None = None, **environment: str) -> Done:
        command = [sys.executable, "-m", "sidecar.cli.main", *map(str, args)]
        done = subprocess.run(
            command,
            cwd=cwd or self.cwd,
            env={**self.environment, **environment},
            capture_output=True,
            timeout=60,
            preexec_fn=before,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    def serve(self, vault: Path, *args: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "sidecar.cli.main", "serve", "--vault", str(vault), *args],
            cwd=self.cwd,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.serving.append(process)
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Serving "), process.stderr and process.stderr.read()
        return process

    def stop(self, process: subprocess.Popen[str]) -> int:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        return process.returncode

    def endpoint(self, vault: Path) -> Path:
        vault_id = str(json.loads((vault / ".kb" / "protocol.json").read_text())["vault_id"])
        return Path(self.environment["XDG_STATE_HOME"]) / "vault-sidecar" / vault_id / "endpoint.json"


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Kb]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    found = Kb(environment, tmp_path)
    yield found
    for process in found.serving:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=20)


def make(root: Path, notes: dict[str, str] = NOTES) -> Path:
    for name, text in notes.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = make(tmp_path / "vault")
    init_vault(root, "en")
    return root


def bytes_of(root: Path) -> dict[str, str]:
    return {p.relative_to(root).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in root.rglob("*") if p.is_file()}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def eventually(check: Any, what: str, seconds: float = 10.0) -> float:
    """Wait until ``check`` holds; give how long that took."""
    begun = time.monotonic()
    while not check():
        assert time.monotonic() - begun < seconds, f"not within {seconds} s: {what}"
        time.sleep(0.03)
    return time.monotonic() - begun


# ── bad input ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("status", "--vault", "nowhere"), 3),
        (("status",), 3),
        (("search",), 2),
        (("nonsense",), 2),
        (("search", "--nonsense", "x"), 2),
        (("links", "Nobody", "--vault", "VAULT"), 4),
        (("resolve", "x", "--from", "Nobody", "--vault", "VAULT"), 4),
        (("add", "http://10.0.0.7/", "--vault", "VAULT"), 5),
        (("add", "http://127.0.0.1/", "--vault", "VAULT"), 5),
        (("add", "http://example.com:22/", "--vault", "VAULT"), 5),
        (("add", "ftp://example.com/", "--vault", "VAULT"), 2),
        (("add", "--vault", "VAULT"), 2),
        (("add", "--file", "none.txt", "--vault", "VAULT"), 2),
        (("add", "https://example.com/", "--tag", "two words", "--vault", "VAULT"), 2),
        (("search", "x", "--limit", "0", "--vault", "VAULT"), 2),
        (("extract", "none.html", "--url", "https://example.com/", "--vault", "VAULT"), 7),
        (("extract", "none.html", "--url", "nothing", "--vault", "VAULT"), 7),
        (("open", "--print", "--vault", "VAULT"), 8),
        (("serve", "--port", "99999", "--vault", "VAULT"), 9),
    ],
)
def test_bad_input_ends_with_its_exit_code_one_sentence_and_advice(kb: Kb, vault: Path, args: tuple[str, ...], code: int) -> None:
    given = [str(vault) if arg == "VAULT" else arg for arg in args]
    done = kb(*given, "--json")
    assert code == done.code, done.err
    if done.err.startswith("usage:"):
        return
    assert re.match(r"kb: .+\n {4}.+\n$", done.err)
    if "error" in done.json:
        assert {"code", "message", "fix", "params"} == done.json["error"].keys()
    else:
        assert ["failed"] == [result["status"] for result in done.json["results"]]


def test_a_dead_link_ends_with_code_6_and_the_status(kb: Kb, vault: Path) -> None:
    class Gone(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Gone)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    done = kb("add", f"http://127.0.0.1:{port}/x", "--vault", vault, "--json", KB_ALLOW_LOOPBACK=str(port))
    server.shutdown()
    server.server_close()
    assert 6 == done.code
    assert 404 == done.json["results"][0]["error"]["params"]["status"]
    assert "gone" in done.err


def without_roots_rights() -> None:
    """Give up the right to read whatever one likes, which root has; runs in the child before the program starts."""
    libc = ctypes.CDLL(None)
    for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, right, 0, 0, 0)  # PR_CAPBSET_DROP


@pytest.mark.skipif(sys.platform != "linux", reason="rights are given up in Linux's way")
@pytest.mark.parametrize("hidden", [".", ".kb"])
def test_a_vault_that_may_not_be_read_is_said_to_be_so_at_once(kb: Kb, vault: Path, hidden: str) -> None:
    """W6: such a process once hung without a word."""
    (vault / hidden).chmod(0)
    try:
        probe = [sys.executable, "-c", f"import os; os.listdir({str(vault / hidden)!r})"]
        tried = subprocess.run(probe, capture_output=True, preexec_fn=without_roots_rights, check=False)
        assert b"PermissionError" in tried.stderr, "the child can read it, so this would test nothing"
        for command in (("search", "x"), ("serve",), ("list",), ("doctor",)):
            done = kb(*command, "--vault", vault, "--json", before=without_roots_rights)
            assert 3 == done.code, (command, done)
            assert "Traceback" not in done.err
            assert "cannot be read" in done.err + done.out
            assert done.json
    finally:
        (vault / hidden).chmod(0o755)


def test_broken_yaml_is_listed_and_its_note_is_found_all_the_same(kb: Kb, vault: Path) -> None:
    assert ["Broken.md"] == [item["path"] for item in kb("list", "problems", "--vault", vault, "--json").json["items"]]
    assert ["Broken.md"] == [hit["path"] for hit in kb("search", "text is there", "--vault", vault, "--json").json["hits"]]
    assert "line 3" in kb("list", "problems", "--vault", vault).out


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('langauge = "en"\n', "langauge"),
        ("[moc]\nhubs = 'many'\n", "moc.hubs"),
        ('[folders]\ncore = "../x"\n', "folders.core"),
        ("= broken", ""),
        ('language = "fr"\n', "language"),
        ("[watch]\nsettle_s = -1\n", "watch.settle_s"),
    ],
)
def test_a_broken_setting_is_named(kb: Kb, vault: Path, text: str, key: str) -> None:
    (vault / ".kb" / "config.toml").write_text(text)
    done = kb("search", "x", "--vault", vault, "--json")
    assert (9, "config-invalid", key) == (done.code, done.json["error"]["code"], done.json["error"]["params"]["key"])
    assert key in done.err
    assert done.json["error"]["fix"]


def test_a_bad_clock_is_named(kb: Kb, vault: Path) -> None:
    done = kb("search", "x", "--vault", vault, "--json", KB_NOW="yesterday")
    assert (9, "KB_NOW") == (done.code, done.json["error"]["params"]["key"])


# ── which vault ───────────────────────────────────────────────────────────────────────────────


def test_the_vault_is_named_before_or_after_the_verb_by_the_environment_or_by_the_folder(kb: Kb, vault: Path) -> None:
    wanted = kb("list", "--vault", vault, "--json").out
    assert "Garden.md" in wanted
    assert wanted == kb("--vault", vault, "list", "--json").out
    assert wanted == kb("--json", f"--vault={vault}", "list").out
    assert wanted == kb("list", "--json", KB_VAULT=str(vault)).out
    assert wanted == kb("list", "--json", cwd=vault / "wiki").out
    assert wanted == kb("list", "--json", cwd=vault, KB_VAULT="").out


def test_the_option_wins_over_the_environment(kb: Kb, vault: Path, tmp_path: Path) -> None:
    other = make(tmp_path / "search", {"Other.md": "x"})
    assert ["Other.md"] == [item["path"] for item in kb("--vault", "search", "list", "--json", KB_VAULT=str(vault)).json["items"]]
    assert {"Other.md"} == bytes_of(other).keys(), "a vault that is not set up is only looked at"


def test_output_is_utf_8_in_any_locale_and_one_json_value(kb: Kb, vault: Path) -> None:
    cases: list[dict[str, Any]] = [{"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "cp1252"}]
    for environment in cases:
        assert "土壤" in kb("search", "土壤", "--vault", vault, "--json", **environment).json["hits"][0]["snippets"][0]["text"]
        assert "土壤" in kb("search", "土壤", "--vault", vault, **environment).out


def test_a_reader_that_goes_away_is_no_error(kb: Kb, vault: Path) -> None:
    command = f'"{sys.executable}" -m sidecar.cli.main graph --json --vault "{vault}"; echo $? >&2'
    done = subprocess.run(
        ["bash", "-c", f"( {command} ) | true"], env=kb.environment, cwd=kb.cwd, capture_output=True, timeout=60, check=False
    )
    assert b"0\n" == done.stderr


# ── init ──────────────────────────────────────────────────────────────────────────────────────


def test_setting_up_a_vault_overwrites_nothing_and_twice_is_once(kb: Kb, tmp_path: Path) -> None:
    root = make(tmp_path / "old", {**NOTES, "index.md": "# My own index\n", ".obsidian/app.json": "{}", ".gitignore": "x\n"})
    before = bytes_of(root)
    first = kb("init", root, "--no-plugin", "--json").json
    assert not first["new"]
    assert {".kb/protocol.json", ".kb/.gitignore", ".kb/config.toml"} == set(first["added"])
    after = bytes_of(root)
    assert before.items() <= after.items()
    second = kb("init", root, "--no-plugin", "--json").json
    assert ([], first["vault_id"]) == (second["added"], second["vault_id"])
    assert after == bytes_of(root)


def test_settings_of_the_owner_survive_another_init(kb: Kb, vault: Path) -> None:
    (vault / ".kb" / "config.toml").write_text('language = "zh-CN"\n')
    before = bytes_of(vault)
    assert 0 == kb("init", vault, "--no-plugin", "--language", "en").code
    assert before == bytes_of(vault)


def test_an_empty_or_missing_folder_becomes_a_vault_and_a_file_does_not(kb: Kb, tmp_path: Path) -> None:
    assert kb("init", tmp_path / "new" / "vault", "--no-plugin", "--json").json["new"]
    assert 0 == kb("search", "x", "--vault", tmp_path / "new" / "vault").code
    (tmp_path / "file").write_text("x")
    assert 3 == kb("init", tmp_path / "file", "--no-plugin").code
    assert kb("init", "--no-plugin", "--json", KB_VAULT=str(tmp_path / "named")).json["vault"].endswith("named")


# ── serving ───────────────────────────────────────────────────────────────────────────────────

QUESTIONS = (
    ("search", "soil"),
    ("search", "土壤"),
    ("links", "Garden"),
    ("graph",),
    ("list",),
    ("list", "unresolved"),
    ("list", "problems"),
    ("resolve", "[[Soil]]", "--from", "Garden.md"),
    ("resolve", '[x](Soil.md "with a title")', "--from", "Garden.md"),
    ("moc",),
)


def test_a_running_sidecar_and_none_give_the_same_answers(kb: Kb, vault: Path) -> None:
    clock: dict[str, Any] = {"KB_NOW": "2026-03-05T12:00:00+00:00"}
    kb("moc", "--write", "--vault", vault, **clock)
    alone = {question: kb(*question, "--vault", vault, "--json", **clock) for question in QUESTIONS}
    kb.serve(vault, **clock)
    assert kb("status", "--vault", vault, "--json").json["running"]
    for question in QUESTIONS:
        served = kb(*question, "--vault", vault, "--json", **clock)
        assert (alone[question].code, alone[question].json) == (served.code, served.json), question
    assert 4 == kb("links", "Nobody", "--vault", vault).code
    assert 5 == kb("add", "http://10.0.0.7/", "--vault", vault).code
    assert 2 == kb("search", "x", "--limit", "0", "--vault", vault).code


def test_the_endpoint_file_is_private_and_goes_with_the_sidecar(kb: Kb, vault: Path) -> None:
    os.umask(0o000)
    try:
        process = kb.serve(vault)
    finally:
        os.umask(0o022)
    path = kb.endpoint(vault)
    assert (0o600, 0o700) == (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777)
    assert {"url", "token", "vault_id", "vault_path", "pid", "version", "protocol"} == json.loads(path.read_text()).keys()
    assert 8 == kb("serve", "--vault", vault).code, "a second sidecar on one vault is refused"
    assert path.exists()
    assert 0 == kb.stop(process)
    assert not path.exists()
    assert not kb("status", "--vault", vault, "--json").json["running"]


def test_the_token_is_not_in_the_vault(kb: Kb, vault: Path) -> None:
    kb.serve(vault, "--verbose")
    token = json.loads(kb.endpoint(vault).read_text())["token"]
    kb("search", "soil", "--vault", vault)
    assert not [path for path in vault.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]


def test_a_taken_port_is_said_to_be_taken(kb: Kb, vault: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        done = kb("serve", "--port", str(listener.getsockname()[1]), "--vault", vault, "--json")
    assert (8, "port-taken") == (done.code, done.json["error"]["code"])
    assert not kb.endpoint(vault).exists()


def fake_endpoint(kb: Kb, vault: Path, **values: Any) -> None:
    path = kb.endpoint(vault)
    path.parent.mkdir(parents=True, exist_ok=True)
    vault_id = json.loads((vault / ".kb" / "protocol.json").read_text())["vault_id"]
    whole = {
        "url": "http://127.0.0.1:9",
        "token": "t0ken",
        "vault_id": vault_id,
        "vault_path": str(vault),
        "pid": os.getpid(),
        "version": "1",
        "protocol": 1,
    }
    path.write_text(json.dumps(whole | values))


@pytest.mark.parametrize("pid", [2**22 + 12345, 0, -1, "x", 2**40, None])
def test_an_endpoint_file_left_by_a_dead_process_is_passed_over(kb: Kb, vault: Path, pid: object) -> None:
    fake_endpoint(kb, vault, pid=pid)
    assert not kb("status", "--vault", vault, "--json").json["running"]
    assert 0 == kb("search", "soil", "--vault", vault).code


def test_a_stranger_on_the_port_is_asked_for_proof_and_gets_no_token(kb: Kb, vault: Path) -> None:
    seen: list[str] = []

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(f"{self.path}\n{self.headers}")
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"ok": true, "proof": "0000"}')

        def log_message(self, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Stranger)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    fake_endpoint(kb, vault, url=f"http://127.0.0.1:{server.server_address[1]}")
    assert 0 == kb("search", "soil", "--vault", vault).code
    server.shutdown()
    server.server_close()
    assert 1 == len(seen)
    assert "/health?nonce=" in seen[0]
    assert "t0ken" not in seen[0]


def test_two_vaults_side_by_side_keep_apart(kb: Kb, vault: Path, tmp_path: Path) -> None:
    """P4: a second sidecar once talked to the first one's vault."""
    other = make(tmp_path / "other", {"Moon.md": "Only here."})
    kb("init", other, "--no-plugin")
    kb.serve(vault)
    kb.serve(other)
    assert kb("status", "--vault", vault, "--json").json["url"] != kb("status", "--vault", other, "--json").json["url"]
    assert 1 == kb("search", "only here", "--vault", other, "--json").json["total"]
    assert 0 == kb("search", '"only here"', "--vault", vault, "--json").json["total"]


def test_a_restart_ends_with_code_75(kb: Kb, vault: Path) -> None:
    from sidecar.cli.client import RunningSidecar
    from sidecar.daemon.endpoint import Endpoint

    process = kb.serve(vault)
    client = RunningSidecar(Endpoint(**json.loads(kb.endpoint(vault).read_text())))
    assert {"done": True} == client.call("POST", "/api/kb/restart")
    process.communicate(timeout=20)
    assert 75 == process.returncode
    assert not kb.endpoint(vault).exists()


def test_a_save_shows_in_back_links_and_in_the_map_soon(kb: Kb, vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from sidecar.cli.client import RunningSidecar
    from sidecar.daemon.endpoint import Endpoint

    kb.serve(vault)
    client = RunningSidecar(Endpoint(**json.loads(kb.endpoint(vault).read_text())))
    (vault / "New.md").write_text("---\ntags: [fresh]\n---\nA new note about [[Compost]].\n")
    back = eventually(lambda: "New.md" in str(client.call("GET", "/api/kb/links", note="Compost")["back"]), "the back-link")
    mapped = back + eventually(lambda: "fresh" in (vault / "index.md").read_text(), "the map")
    with capsys.disabled():
        sys.stdout.write(f"\n  saved → back-link {back:.2f} s, map {mapped:.2f} s\n")
    (vault / "New.md").unlink()
    eventually(lambda: "New.md" not in str(client.call("GET", "/api/kb/links", note="Compost")["back"]), "the end of the back-link")


def test_settings_are_taken_over_while_serving_and_broken_ones_are_said(kb: Kb, vault: Path) -> None:
    kb.serve(vault)
    config = vault / ".kb" / "config.toml"

    def status() -> dict[str, Any]:
        found: dict[str, Any] = kb("status", "--vault", vault, "--json").json
        return found

    config.write_text('language = "zh-CN"\n')
    eventually(lambda: status()["language"] == "zh-CN", "the new language")
    config.write_text('langauge = "en"\n')
    eventually(lambda: "langauge" in status()["problem"], "the broken setting")
    assert "zh-CN" == status()["language"]
    assert "langauge" in kb("status", "--vault", vault).out
    config.write_text('language = "en"\n')
    eventually(lambda: status()["language"] == "en" and not status()["problem"], "the mended setting")


def test_links_are_added_with_and_without_a_sidecar(kb: Kb, vault: Path) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            words = "Plain words of a page that is long enough to be read. " * 8
            body = f"<title>Page {self.path[1:]}</title><article><p>{words}</p></article>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    allow: dict[str, Any] = {"KB_ALLOW_LOOPBACK": str(port)}
    (kb.cwd / "list.txt").write_text(f"# mine\nhttp://127.0.0.1:{port}/two\n\nhttp://127.0.0.1:{port}/one\n")
    alone = kb("add", f"http://127.0.0.1:{port}/one", "--tag", "#x", "--vault", vault, "--json", **allow)
    assert (0, ["sources/page-one.md"]) == (alone.code, [result["path"] for result in alone.json["results"]])
    kb.serve(vault, **allow)
    served = kb("add", "--file", "list.txt", "--vault", vault)
    assert (0, ["saved      sources/page-two.md", "is there   sources/page-one.md  (--force writes a new version)"]) == (
        served.code,
        served.out.splitlines(),
    )
    assert "2" == str(kb("search", "plain words", "--vault", vault, "--json").json["total"])
    server.shutdown()
    server.server_close()


def test_a_saved_page_is_read_without_writing(kb: Kb, vault: Path) -> None:
    before = bytes_of(vault)
    page = ROOT / "fixtures" / "pages" / "article--english.html"
    done = kb("extract", page, "--url", "https://example.com/a", "--vault", vault, "--json")
    keys = {
        "adapter",
        "title",
        "author",
        "account",
        "published",
        "site",
        "lang",
        "body_state",
        "transcript",
        "images",
        "markdown",
        "warnings",
    }
    assert keys == done.json.keys()
    assert "Slow gardens" == done.json["title"]
    assert before == bytes_of(vault)


def test_saved_answers_of_a_video_site_are_read_together(kb: Kb, vault: Path) -> None:
    files = [ROOT / "fixtures" / "web" / f"bilibili-{name}.json" for name in ("subtitle-cc", "player-v2-three-tracks")]
    done = kb("extract", *files, "--as", "bilibili", "--url", "https://www.bilibili.com/video/BV1ZF411g7EZ", "--vault", vault, "--json")
    assert ("bilibili", "manual:zh-CN", "full") == (done.json["adapter"], done.json["transcript"], done.json["body_state"])
    assert "### 开场" in done.json["markdown"]
    refused = kb("extract", files[0], files[1], "--url", "https://example.com/", "--vault", vault)
    assert 7 == refused.code
    assert "--as" in refused.err


# ── what is documented ────────────────────────────────────────────────────────────────────────


def documented() -> str:
    """Write the page of commands and exit codes from what the code says."""
    lines = ["# The command line", "", "Written from the code; a test compares it.", "", "## Commands", ""]
    lines += ["| command | what it does |", "| --- | --- |", *(f"| `kb {name}` | {text} |" for name, text in COMMANDS.items())]
    lines += [
        "",
        "Every command takes `--vault PATH` before or after its name (else `KB_VAULT`, else the vault around the working",
        "folder) and `--json`, which prints one JSON value and nothing else.",
    ]
    for name in COMMANDS:
        usage = next(a for a in _parser(name)._actions if a.dest == "==SUPPRESS==").choices[name]  # type: ignore[index]
        lines += ["", f"### kb {name}", "", "```text", usage.format_help().rstrip(), "```"]
    meanings = {0: "Done", 1: "Something unexpected", 2: "The command or its input is not as it should be"}
    meanings |= {code: meaning for _, code, meaning in EXIT_CODES if meaning}
    meanings |= {75: "`kb serve` was asked to restart", 130: "Interrupted from the keyboard"}
    lines += [
        "",
        "## Exit codes",
        "",
        "| code | meaning |",
        "| --- | --- |",
        *(f"| {code} | {meanings[code]} |" for code in sorted(meanings)),
    ]
    lines += ["", "`kb add` with several links ends with the code of the first that failed; `kb doctor` with 9 if something is bad."]
    return "\n".join(lines) + "\n"


def test_the_page_of_commands_and_exit_codes_is_what_the_code_says(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    page = ROOT / "docs" / "cli.md"
    if request.config.getoption("--update-golden", default=False):
        page.write_text(documented(), encoding="utf-8")
    assert page.read_text(encoding="utf-8") == documented()


# ── odd surroundings ──────────────────────────────────────────────────────────────────────────


def test_a_working_folder_that_is_gone_is_said(kb: Kb, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = kb("list", cwd=gone, before=gone.rmdir)
    assert (3, "", "kb: The folder you are in is gone.\n    Change to another, or add --vault PATH.\n") == (done.code, done.out, done.err)


def test_a_state_folder_that_cannot_be_made_is_said(kb: Kb, vault: Path) -> None:
    done = kb("serve", "--vault", vault, XDG_STATE_HOME="/dev/null")
    assert 9 == done.code
    assert "cannot be made" in done.err
    assert "Traceback" not in done.err


def test_a_time_beyond_the_calendar_is_a_wrong_setting(kb: Kb, vault: Path) -> None:
    assert 9 == kb("list", "--vault", vault, KB_NOW="0001-01-01T00:00:00+14:00").code


@pytest.mark.skipif(sys.platform != "linux", reason="the device that is always full is Linux's")
@pytest.mark.parametrize("option", [(), ("--json",)])
def test_output_to_a_full_disk_is_an_error_and_no_traceback(kb: Kb, vault: Path, option: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:

        def print_there() -> None:
            os.dup2(full.fileno(), 1)

        done = kb("list", "--vault", vault, *option, before=print_there)
    assert 10 == done.code
    assert "No space left on device" in done.err
    assert "Traceback" not in done.err


def test_a_name_as_long_as_a_path_may_be_and_one_with_a_blank_are_found(kb: Kb, vault: Path) -> None:
    deep = vault.joinpath(*["f" * 200] * 6, "n.md")
    make(vault, {deep.relative_to(vault).as_posix(): "deep", " lead.md": "led"})
    for path in (deep.relative_to(vault).as_posix(), " lead.md"):
        assert path == kb("links", path, "--vault", vault, "--json").json["note"]


# ── the vault changes under a running sidecar ─────────────────────────────────────────────────


def test_settings_that_break_the_reader_do_not_end_the_watching(kb: Kb, vault: Path) -> None:
    kb.serve(vault)
    settings = vault / ".kb/config.toml"

    def problem() -> str:
        return str(kb("status", "--vault", vault, "--json").json["problem"])

    settings.write_text("a = " + "[" * 20_000)
    eventually(lambda: "recursion" in problem(), "the settings are refused")
    settings.unlink()
    settings.mkdir()
    eventually(lambda: "directory" in problem(), "the folder in their place is refused")
    settings.rmdir()
    settings.write_bytes(b"\xef\xbb\xbf[moc]\nhubs = 3\n")  # as Windows' editor saves it
    eventually(lambda: not problem(), "the mended settings are in force")
    make(vault, {"Late.md": "zebrafish"})
    eventually(lambda: kb("search", "zebrafish", "--vault", vault, "--json").json["total"] == 1, "a later note is found")


def test_a_vault_that_is_moved_away_finds_its_place_free_and_is_followed_again(kb: Kb, vault: Path) -> None:
    endpoint_file = kb.endpoint(vault)
    kb.serve(vault)
    sidecar = RunningSidecar(Endpoint(**json.loads(endpoint_file.read_text())))
    away = vault.with_name("away")
    vault.rename(away)
    eventually(lambda: "no vault" in sidecar.call("GET", "/api/kb/status")["problem"], "it is said that the vault is away")
    assert len(NOTES) + 1 == sidecar.call("GET", "/api/kb/status")["notes"]
    sidecar.call("POST", "/api/kb/moc")
    assert not vault.exists()
    shutil.copytree(away, vault)  # another folder in its place: the system's watch on the old one tells nothing
    eventually(lambda: not sidecar.call("GET", "/api/kb/status")["problem"], "it is seen that the vault is back")
    make(vault, {"Late.md": "zebrafish"})
    eventually(lambda: sidecar.call("GET", "/api/kb/search", q="zebrafish")["total"] == 1, "a later note is found")


@pytest.mark.skipif(os.name == "nt", reason="symbolic links of POSIX")
def test_a_folder_linked_into_the_vault_a_second_time_is_seen_at_once(kb: Kb, vault: Path) -> None:
    kb.serve(vault)
    (vault / "again").symlink_to("wiki")

    def paths() -> set[str]:
        return {item["path"] for item in kb("list", "--vault", vault, "--json").json["items"]}

    eventually(lambda: "again/Compost.md" in paths(), "the notes under the link are listed")
    (vault / "again").unlink()
    eventually(lambda: "again/Compost.md" not in paths(), "and no longer when it is gone")


def test_listeners_that_hang_up_are_nothing_to_report(kb: Kb, vault: Path) -> None:
    endpoint_file = kb.endpoint(vault)
    process = kb.serve(vault)
    endpoint = json.loads(endpoint_file.read_text())
    host, port = endpoint["url"].removeprefix("http://").split(":")
    head = f"Host: {host}:{port}\r\nAuthorization: Bearer {endpoint['token']}\r\nAccept: text/event-stream\r\n\r\n"
    for _ in range(50):
        with socket.create_connection((host, int(port))) as listener:
            listener.sendall(b"GET /api/kb/events HTTP/1.1\r\n" + head.encode())
    assert kb("status", "--vault", vault, "--json").json["running"]
    process.terminate()
    assert "" == process.communicate(timeout=20)[1]
