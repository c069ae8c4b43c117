"""The command line is good to read and good for scripts: help, examples, near misses, JSON in all cases, two languages, completion."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import shutil
import string
import subprocess
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import pytest

from sidecar.cli.examples import EXAMPLES
from sidecar.cli.exit_codes import EXIT_CODES
from sidecar.cli.main import COMMANDS, _parser
from sidecar.cli.parsing import GROUPS
from sidecar.cli.shapes import NO_JSON, SHAPES, adapter_of, schema_of
from sidecar.cli.words import find_language
from sidecar.cli.words.en import WORDS as EN
from sidecar.cli.words.text import Words
from sidecar.cli.words.zh import WORDS as ZH
from sidecar.daemon.init import init_vault
from tests.conftest import ROOT
from tests.interfaces.near_kb import Kb, kb, vault

__all__ = ["kb", "vault"]


def help_of(name: str | None) -> str:
    parser = _parser(name)
    if name is None:
        return parser.format_help()
    choices = next(action for action in parser._actions if action.dest == "==SUPPRESS==").choices
    assert isinstance(choices, dict)
    return str(choices[name].format_help())


def width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


# ── help ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_fits_80_columns(name: str | None, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("KB_LANGUAGE", language)
    assert [] == [line for line in help_of(name).splitlines() if width(line) > 80]


def test_each_command_has_examples_and_a_schema() -> None:
    assert COMMANDS.keys() == EXAMPLES.keys(), "cli/examples.py"
    assert COMMANDS.keys() - NO_JSON == SHAPES.keys(), "cli/shapes.py"


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_command_teaches_by_examples_that_it_understands(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = help_of(name)
    for line in EXAMPLES[name]:
        assert line in text
        words = shlex.split(line, comments=True)
        words = words[: next((n for n, word in enumerate(words) if word in "<>"), len(words))]
        assert ["kb", name] == words[:2]
        _parser(name).parse_args(words[1:])  # ends the program if it does not understand


def test_every_command_stands_in_the_list_once_and_groups_name_no_strangers() -> None:
    text = help_of(None)
    for name in COMMANDS:
        assert 1 == len(re.findall(rf"^  {name} ", text, re.MULTILINE)), name
    grouped = [name for _, names in GROUPS for name in names]
    assert len(grouped) == len(set(grouped))


def test_a_word_with_a_dash_before_it_is_left_out_of_a_search(kb: Kb, vault: Path) -> None:
    def total(*words: str) -> int:
        return int(kb("search", *words, "--vault", vault, "--json").json["total"])

    assert total("garden") - 1 == total("garden", "-nettles") > 0
    assert total("soil", "-herbs") == total("soil"), "and is no option, whatever it begins with"


@pytest.mark.parametrize(("typed", "meant"), [("serch", "search"), ("docter", "doctor"), ("stauts", "status")])
def test_a_misspelt_command_is_answered_with_the_near_one(kb: Kb, typed: str, meant: str) -> None:
    done = kb(typed)
    assert 2 == done.code
    assert f"Did you mean: {meant}" in done.err


def test_vault_and_json_may_stand_anywhere_even_behind_a_command_of_a_command(kb: Kb, vault: Path) -> None:
    wanted = kb("--vault", vault, "--json", "feeds", "list").json
    assert wanted == kb("feeds", "--json", "list", f"--vault={vault}").json == kb("feeds", "list", "--json", "--vault", vault).json


# ── for scripts ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "args", [("serch",), (), ("search", "--limit", "x", "a"), ("search", "--nonsense"), ("resolve",), ("moc", "a", "b", "c")]
)
def test_a_wrong_command_line_is_json_too_if_json_was_asked_for(kb: Kb, args: tuple[str, ...]) -> None:
    for given in ((*args, "--json"), ("--json", *args)):
        done = kb(*given)
        assert 2 == done.code
        adapter_of("error").validate_json(done.out)
        assert "usage" == done.json["error"]["code"]
        assert done.json["error"]["fix"]


def test_every_command_has_a_recorded_schema_made_from_the_models() -> None:
    folder = ROOT / "docs" / "json"
    assert {f"{name}.schema.json" for name in (*SHAPES, "error")} == {path.name for path in folder.iterdir()}
    for name in (*SHAPES, "error"):
        recorded = json.loads((folder / f"{name}.schema.json").read_text("utf-8"))
        assert recorded == schema_of(name), "write it anew with: python .ci/openapi.py"


PRINTED = """status
search soil|search --like Garden|links Garden|list|list unresolved|list tags|list problems|moc|graph|graph --around Garden
graph --components|graph --path Garden Soil|resolve [[Soil]] --from Garden.md|set Soil a=1 --dry-run|plugin status|doctor|doctor --report
secrets list|add --queue|add http://10.0.0.7/|completion bash|init --no-plugin|open --print|service install --dry-run --platform xdg
service logs|links Nobody|feeds|feeds export|feeds rm nothing
brief|items|judge --candidates 3|rebuild|run --dry-run
read Garden|read Garden --no-signal|cite Garden|docket|docket Garden|chew|health|resurrect Garden
agent status|agent install codex --dry-run|mcp --list|context|distill"""


def test_what_is_printed_is_what_the_schemas_say(kb: Kb, vault: Path) -> None:
    """In this process, for speed: the commands themselves, as a script calls them."""
    printed = [line.split() for line in re.split(r"[|\n]", PRINTED)]
    calls = [[*args, "--json", "--vault", str(vault)] for args in printed]
    script = f"""
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from sidecar.cli.main import main
for call in {calls!r}:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = main(call)
    print(json.dumps([code, out.getvalue()]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], env=kb.environment, cwd=vault, capture_output=True, text=True, timeout=120, check=False
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(printed) == len(answers), done.stderr
    for args, (code, out) in zip(printed, answers, strict=True):
        shape = "error" if '"error"' in out[:9] else args[0]
        assert shape != "error" or code, (args, out[:200])
        adapter_of(shape).validate_json(out)


def test_the_table_of_commands_in_the_docs_links_each_schema() -> None:
    text = (ROOT / "docs" / "json.md").read_text("utf-8")
    assert {f"json/{name}.schema.json" for name in (*SHAPES, "error")} == set(re.findall(r"json/[\w-]+\.schema\.json", text))


# ── two languages ─────────────────────────────────────────────────────────────────────────────


def fields_of(template: str) -> set[str]:
    return {field.partition("[")[0] for _, field, _, _ in string.Formatter().parse(template) if field}


def test_both_languages_fill_in_the_same_things() -> None:
    for field in dataclasses.fields(Words):
        english, chinese = getattr(EN, field.name), getattr(ZH, field.name)
        if isinstance(english, str):
            assert fields_of(english) == fields_of(chinese), field.name
            assert english != chinese, field.name
    assert EN.states.keys() == ZH.states.keys()


def test_chinese_has_a_line_for_each_command_and_nearly_every_error() -> None:
    assert COMMANDS.keys() - ZH.summaries.keys() == set()
    pending, codes = [kind for kind, _, _ in EXIT_CODES], set()
    while pending:
        kind = pending.pop()
        codes.add(kind.code)
        pending += kind.__subclasses__()
    assert len(codes - ZH.errors.keys()) < len(codes) / 5, "those without one are told in English"
    assert all(sentence.endswith("。") for sentence in ZH.errors.values())


def test_the_language_is_the_vaults_unless_the_terminal_asks_for_another(kb: Kb, vault: Path, tmp_path: Path) -> None:
    other = tmp_path / "chinese"
    init_vault(other, "zh-CN")
    assert "没有运行" in kb("status", "--vault", other).out
    assert "No sidecar runs" in kb("status", "--vault", other, KB_LANGUAGE="en").out
    assert "没有运行" in kb("status", "--vault", vault, KB_LANGUAGE="zh_CN.UTF-8").out
    said = kb("links", "Nobody", "--vault", other).err
    assert "没有这条笔记。" in said
    assert "Nobody" in said
    assert kb("status", "--vault", other, "--json").json == kb("status", "--vault", other, "--json", KB_LANGUAGE="en").json


def test_a_broken_setting_does_not_keep_the_error_from_being_told(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KB_LANGUAGE", raising=False)
    (vault / ".kb" / "config.toml").write_text('language = "zh-CN"\n= broken')
    assert "zh-CN" == find_language(vault)
    (vault / ".kb" / "config.toml").write_bytes(b"\xff\xfe\x00 language")
    environment: Mapping[str, str] = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": "zh_TW.UTF-8"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert "zh-CN" == find_language(vault)


# ── terminals ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("encoding", ["ascii", "cp936"])
def test_a_console_of_any_encoding_shows_something_and_never_fails(kb: Kb, vault: Path, encoding: str) -> None:
    for args in (("search", "土壤", "--vault", str(vault)), ("links", "没有", "--vault", str(vault))):
        done = Kb(kb.environment, kb.cwd)(*args, PYTHONIOENCODING=encoding, PYTHONUTF8="0", KB_LANGUAGE="zh-CN")
        assert "Traceback" not in done.err
        assert done.out or done.err


def test_no_colour_without_a_terminal_or_where_it_is_not_wanted(kb: Kb, vault: Path) -> None:
    pty = pytest.importorskip("pty", reason="terminals of POSIX")
    assert "\x1b" not in kb("search", "soil", "--vault", vault).out
    command = [sys.executable, "-m", "sidecar.cli.main", "search", "soil", "--vault", str(vault)]

    def on_terminal(**environment: str) -> str:
        main, side = pty.openpty()
        with subprocess.Popen(command, env={**kb.environment, "TERM": "xterm", **environment}, stdout=side, stderr=side, stdin=side):
            import os

            os.close(side)
            out = b""
            try:
                while data := os.read(main, 65536):
                    out += data
            except OSError:  # how the end of a terminal reads on Linux
                pass
        os.close(main)
        return out.decode("utf-8", "replace")

    assert "\x1b[1m" in on_terminal()
    assert "\x1b[1m" not in on_terminal(NO_COLOR="1")


# ── completion ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_the_completion_script_knows_every_command_and_its_options(kb: Kb, shell: str) -> None:
    script = kb("completion", shell).out
    assert [] == [name for name in COMMANDS if name not in script]
    assert "use-when" in script
    if shutil.which(shell) and shell in ("bash", "zsh", "fish"):
        checked = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False)
        assert (0, "") == (checked.returncode, checked.stderr)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed here")
def test_bash_completes_a_command_and_a_choice(kb: Kb) -> None:
    script = kb("completion", "bash").out
    ask = 'COMP_WORDS=({words}); COMP_CWORD={at}; _shtab_kb kb "{last}" ""; printf "%s\\n" "${{COMPREPLY[@]}}"'
    found = {}
    for words, last in (("kb sea", "sea"), ("kb completion z", "z")):
        text = script + "\n" + ask.format(words=words, at=len(words.split()) - 1, last=last)
        found[words] = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=False).stdout.split()
    assert (["search"], ["zsh"]) == (found["kb sea"], found["kb completion z"])
