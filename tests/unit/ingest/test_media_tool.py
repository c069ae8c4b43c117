"""yt-dlp as a foreign program: whatever it does, it is bounded, gets nothing of ours and leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from pathlib import Path

import pytest

from sidecar.ingest.adapters import Need, Page
from sidecar.ingest.media_tool import MediaTool, ToolLimits, arguments, find_command, shortened

URL = "https://www.youtube.com/watch?v=AAAAAAAAAAA"
NEED = Need("tool", URL, tool="yt-dlp", languages=("zh", "en"))
FAST = ToolLimits(timeout_s=20.0, max_bytes=100_000)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in is a script with a first line that names its interpreter")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the file that is found as yt-dlp."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder / "yt-dlp"


def write(program: Path, body: str) -> None:
    program.write_text(f"#!{sys.executable}\nimport sys, os, json, time\n{body}\n", "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


async def ask(body: str, program: Path, limits: ToolLimits = FAST, need: Need = NEED) -> Page:
    write(program, body)
    return await MediaTool(limits=limits).ask(need)


async def test_its_answer_is_the_page(program: Path) -> None:
    page = await ask("print(json.dumps({'title': '标题'}))", program)
    assert (URL, "application/json", 200, "") == (page.url, page.content_type, page.status, page.problem)
    assert {"title": "标题"} == json.loads(page.text)


async def test_it_is_told_what_to_do_and_nothing_else(program: Path) -> None:
    said = json.loads((await ask("print(json.dumps({'a': sys.argv[1:]}))", program)).text)["a"]
    assert ["--", URL] == said[-2:]
    assert {"--ignore-config", "--no-cache-dir", "--skip-download", "--dump-single-json", "--no-playlist"} <= set(said)
    assert "zh,en" == said[said.index("--sub-langs") + 1]
    assert not any("cookie" in word or "exec" in word for word in said)


async def test_it_gets_no_secret_and_no_proxy_and_runs_in_a_folder_that_goes(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "http_proxy", "KB_API_KEY", "OPENAI_API_KEY", "PYTHONPATH"):
        monkeypatch.setenv(name, "secret")
    said = json.loads((await ask("print(json.dumps({'env': dict(os.environ), 'cwd': os.getcwd()}))", program)).text)
    assert "secret" not in said["env"].values()
    assert str(program.parent) == said["env"]["PATH"]
    assert not Path(said["cwd"]).exists()


def test_a_language_cannot_become_an_option() -> None:
    said = arguments(Need("tool", URL, languages=("--exec=rm", "all", "en", "zh-Hans", ".*")))
    assert "en,zh-Hans" == said[said.index("--sub-langs") + 1]
    said = arguments(Need("tool", URL, languages=("--exec=rm", ".*")))
    assert "en" == said[said.index("--sub-langs") + 1]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            "sys.stderr.write('WARNING: x\\nERROR: [youtube] AAA: Sign in to confirm. Use --cookies-from-browser\\n'); sys.exit(1)",
            "yt-dlp: Sign in to confirm.",
        ),
        ("sys.exit(3)", "yt-dlp: it ended with code 3."),
        ("print('no json')", "yt-dlp answered with something that is no JSON."),
        ("sys.stdout.buffer.write(bytes(range(256)) * 9)", "yt-dlp answered with something that is no JSON."),
        ("pass", "yt-dlp answered with something that is no JSON."),
        ("while True: sys.stdout.write('x' * 65536)", "yt-dlp answered with more than is taken."),
        ("print('{}'); sys.stderr.write('y' * 30_000_000); sys.exit(1)", f"yt-dlp: {'y' * 159}…"),
    ],
    ids=["fails", "fails-silently", "garbage", "binary", "nothing", "floods", "complains-without-end"],
)  # fmt: skip
async def test_whatever_goes_wrong_is_a_reason(program: Path, body: str, problem: str) -> None:
    assert Page(URL, status=0, problem=problem) == await ask(body, program)


def is_running(pid: int) -> bool:
    try:
        return "Z" != Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


HANG = """
import subprocess
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])
with open({pids!r} + '.new', 'w') as out: out.write(f'{{os.getpid()}} {{child.pid}}')
os.rename({pids!r} + '.new', {pids!r})
time.sleep(600)
"""


async def gone(pids: Path) -> bool:
    for _ in range(100):
        if not any(is_running(int(pid)) for pid in pids.read_text().split()):
            return True
        await asyncio.sleep(0.05)
    return False


async def appeared(path: Path) -> bool:
    for _ in range(1000):
        if path.exists():
            return True
        await asyncio.sleep(0.02)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
async def test_one_that_hangs_ends_with_all_it_started(program: Path, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    page = await ask(HANG.format(pids=str(pids)), program, ToolLimits(timeout_s=3.0))
    assert "yt-dlp took longer than 3 s." == page.problem
    assert await gone(pids)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
async def test_an_ingest_that_is_called_off_takes_it_along(program: Path, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    task = asyncio.create_task(ask(HANG.format(pids=str(pids)), program))
    assert await appeared(pids)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await gone(pids)


async def test_without_it_or_against_the_owners_will_it_is_not_asked(program: Path) -> None:
    assert "yt-dlp is not installed." == (await MediaTool().ask(NEED)).problem
    write(program, "open(sys.argv[0] + '.ran', 'w').close(); print('{}')")
    assert "switched off" in (await MediaTool(lambda: False).ask(NEED)).problem
    assert not Path(f"{program}.ran").exists()


@pytest.mark.parametrize(
    "url", ["https://example.com/v", "http://www.youtube.com/watch?v=1", "https://youtube.com.evil.test/", "file:///etc/passwd", "--exec"]
)
async def test_it_is_asked_about_two_sites_only(program: Path, url: str) -> None:
    assert "only" in (await ask("print('{}')", program, need=Need("tool", url))).problem


async def test_a_program_that_cannot_run_is_a_reason(program: Path) -> None:
    program.write_bytes(b"\x7fELF garbage")
    program.chmod(0o755)
    assert "could not be started" in (await MediaTool().ask(NEED)).problem


def test_a_relative_path_is_not_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "yt-dlp", "print('{}')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert not any("yt-dlp" in word for word in find_command())


def test_what_it_says_is_told_in_one_harmless_sentence() -> None:
    assert "Video unavailable." == shortened("ERROR: [BiliBili] BV1: Video unavailable. See https://x\n")
    assert "no line ends" == shortened("no line\u202e ends")
    assert "" == shortened("\n \n")
