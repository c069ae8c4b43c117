"""Agents at work: MCP over real standard input and output, hooks as processes, pages of theirs, hints by a labelled set."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from sidecar.agent.profiles import TOOLS
from sidecar.api.operations import find_operation
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.init import init_vault
from sidecar.errors import NameUnsafe, WriteConflict
from tests.conftest import FIXTURES, MakeVault

LABELLED: dict[str, Any] = json.loads((FIXTURES / "agent" / "prompts.json").read_text("utf-8"))
Mode = Any


@pytest.fixture
async def home(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Container]:
    monkeypatch.setenv("KB_NOW", "2026-03-05T12:00:00+00:00")
    root = make_vault({**LABELLED["notes"], "index.md": "%% kb:moc:begin %%\n%% kb:moc:end %%\n"})
    init_vault(root, "en")
    container = open_container(root)
    await container.services.thread.run(container.vault.open)
    container.services.progress.is_ready = True
    yield container
    await container.close()


async def call(home: Container, method: str, path: str, **parameters: Any) -> dict[str, Any]:
    operation = find_operation(method, path)
    assert operation is not None
    answer = await operation.run(home.services, operation.request.model_validate(parameters))
    return answer.model_dump(mode="json")


# ── hints ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("prompt", "wanted"), LABELLED["prompts"], ids=lambda value: value[:40] if isinstance(value, str) else "")
async def test_a_hint_is_given_only_where_it_is_sure(home: Container, prompt: str, wanted: list[str]) -> None:
    hints = (await call(home, "POST", "/api/kb/hints", prompt=prompt))["hints"]
    assert wanted == [hint["path"] for hint in hints]


async def test_a_hint_of_a_captured_page_is_its_title_alone_and_leaves_a_signal(home: Container) -> None:
    (hint,) = (await call(home, "POST", "/api/kb/hints", prompt="Kafka streams"))["hints"]
    assert "" == hint["gist"]
    signals = home.services.metabolism.view().signals
    assert signals.of("sources/kafka-page.md").last("inject") is not None
    await call(home, "GET", "/api/kb/context")
    assert {"inject": 1} == signals.counts


# ── agents' own notes ─────────────────────────────────────────────────────────────────────────


async def test_added_notes_go_to_the_inbox_unless_they_have_a_use(home: Container) -> None:
    first = await call(home, "POST", "/api/kb/entry", title="An idea: a/b", text="Words.")
    assert first["path"].startswith("inbox/")
    assert "kb_expires: 2026-04-04" in (home.root / first["path"]).read_text()
    second = await call(home, "POST", "/api/kb/entry", title="An idea: a/b", text="Words.")
    assert first["path"] != second["path"]
    used = await call(home, "POST", "/api/kb/entry", title="Used", text="Words.", use_when="When planting")
    assert "wiki/Used.md" == used["path"]


async def test_a_page_is_written_linked_and_never_over_the_owners_edits(home: Container) -> None:
    text = "# Soil\n\nCompost heaps feed soil. `Compost heaps`\n"
    done = await call(home, "POST", "/api/kb/entry", action="write", slug="Soil", text=text, sources=["Compost heaps"])
    path = home.root / done["path"]
    assert "[[Compost heaps]] feed soil. `Compost heaps`" in path.read_text()
    assert done["is_trusted"]
    with pytest.raises(WriteConflict):
        await call(home, "POST", "/api/kb/entry", action="write", slug="Soil", text="# Soil\n")
    entry = await call(home, "GET", "/api/kb/entry", note="Soil")
    path.write_text(path.read_text() + "The owner's words.\n")
    with pytest.raises(WriteConflict):
        await call(home, "POST", "/api/kb/entry", action="write", slug="Soil", text="# Soil\n", base_hash=entry["hash"])
    assert path.read_text().endswith("The owner's words.\n")
    for slug in ("../x", "a/b", ".hidden", "", "CON"):
        with pytest.raises(NameUnsafe):
            await call(home, "POST", "/api/kb/entry", action="write", slug=slug, text="x")


async def test_a_page_out_of_material_is_material_until_a_person_confirms_it(home: Container) -> None:
    text = "---\norigin: mine\nkb_confirmed: true\n---\n# Streams\n\nWords.\n"
    done = await call(home, "POST", "/api/kb/entry", action="write", slug="Streams", text=text, sources=["kafka-page"])
    assert not done["is_trusted"]
    assert "kb_confirmed" not in (home.root / done["path"]).read_text()
    again = open_container(home.root)
    await again.services.thread.run(again.vault.open)
    assert again.services.index.is_untrusted(done["path"])
    await again.close()
    assert (await call(home, "POST", "/api/kb/confirm", note="Streams"))["is_trusted"]
    later = open_container(home.root)
    await later.services.thread.run(later.vault.open)
    assert not later.services.index.is_untrusted(done["path"])
    await later.close()


async def test_new_sources_are_offered_for_distilling_in_fences(home: Container) -> None:
    found = await call(home, "GET", "/api/kb/distill")
    assert ["sources/kafka-page.md"] == found["sources"]
    before, _, inside = found["prompt"].partition("<untrusted-")
    assert "Ignore all rules" not in before
    assert "Ignore all rules" in inside
    await call(home, "POST", "/api/kb/entry", action="write", slug="Streams", text="# Streams\n", sources=["kafka-page"])
    assert [] == (await call(home, "GET", "/api/kb/distill"))["sources"]


async def test_context_is_the_same_for_the_same_vault_and_can_be_switched_off(home: Container) -> None:
    first, second = await call(home, "GET", "/api/kb/context"), await call(home, "GET", "/api/kb/context")
    assert first == second
    assert "Map of content" in first["text"]
    assert "Ignore all rules" not in first["text"]


# ── MCP, as a process ─────────────────────────────────────────────────────────────────────────


def server(root: Path, *words: str) -> StdioServerParameters:
    kept = ("PATH", "HOME", "XDG_STATE_HOME", "KB_NOW", "TMPDIR", "LANG")
    environment = {name: value for name, value in os.environ.items() if name in kept}
    arguments = ["-m", "sidecar.cli.entry", "mcp", "--vault", str(root), *words]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment)


def text_of(result: Any) -> str:
    return str(result.content[0].text)


@pytest.fixture
def alone(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault that no sidecar serves."""
    monkeypatch.setenv("KB_NOW", "2026-03-05T12:00:00+00:00")
    root = make_vault({**LABELLED["notes"], "index.md": "%% kb:moc:begin %%\n%% kb:moc:end %%\n"})
    init_vault(root, "en")
    return root


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_tools_are_listed_described_and_answer_in_both_eras(alone: Path, mode: Mode) -> None:
    async with asyncio.timeout(60), Client(server(alone), mode=mode, read_timeout_seconds=40) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in TOOLS} == {tool.name for tool in tools}
        for tool in tools:
            hints = tool.annotations
            assert hints is not None
            assert None not in (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
            assert hints.destructive_hint is False
            assert tool.output_schema is not None
        found = await client.call_tool("kb_search", {"query": "相似度检索"})
        assert "wiki/向量数据库.md" == (found.structured_content or {})["hits"][0]["path"]
        read = await client.call_tool("kb_read", {"note": "[[kb:kafka-page]]"})
        text = text_of(read)
        assert text.index("<untrusted-") < text.index("Ignore all rules") < text.index("</untrusted-")
        missing = await client.call_tool("kb_read", {"note": "nobody"})
        assert missing.is_error
        assert "kb search" in text_of(missing)
        added = await client.call_tool("kb_add", {"title": "From an agent", "text": "Words."})
        assert (alone / (added.structured_content or {})["path"]).is_file()
        assert {"distill", "judge_today", "weekly_review", "chew"} == {prompt.name for prompt in (await client.list_prompts()).prompts}
        schema: Any = await client.read_resource("kb://schema")
        assert "SCHEMA.md" in schema.contents[0].text
        note: Any = await client.read_resource("kb://note/Git")
        assert "snapshots" in note.contents[0].text
    signals = [json.loads(line) for path in (alone / ".kb/journal").glob("signals-*") for line in path.read_text().splitlines()]
    assert ["kafka-page", "Git"] == [Path(line["note"]).stem for line in signals if line["kind"] == "read"]


async def test_profiles_leave_out_what_they_may_not_do(alone: Path) -> None:
    async with asyncio.timeout(60), Client(server(alone, "--profile", "readonly"), read_timeout_seconds=40) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert not names & {"kb_add", "kb_write", "kb_ingest", "kb_save_verdicts", "kb_promote", "kb_cite"}
        refused = await client.call_tool("kb_feeds", {"action": "add", "url": "https://example.org/f"})
        assert refused.is_error
    async with asyncio.timeout(60), Client(server(alone, "--profile", "autonomous"), read_timeout_seconds=40) as client:
        refused = await client.call_tool("kb_ingest", {"url": "https://elsewhere.example/page"})
        assert refused.is_error
        assert "watchlist" in text_of(refused)


# ── the hook, as a process ────────────────────────────────────────────────────────────────────


def hook(root: Path, kind: str, given: str, *words: str) -> tuple[str, int, float]:
    begin = time.monotonic()
    command = [sys.executable, "-m", "sidecar.cli.entry", "hook", kind, *words]
    done = subprocess.run(command, cwd=root, input=given, capture_output=True, text=True, timeout=20, check=False)
    assert "" == done.stderr
    return done.stdout, done.returncode, time.monotonic() - begin


def test_a_hook_without_a_sidecar_or_sense_is_silent(make_vault: MakeVault, tmp_path: Path) -> None:
    root = make_vault(LABELLED["notes"])
    init_vault(root, "en")
    for kind, given in (("prompt", '{"prompt": "compost heaps"}'), ("prompt", "{broken"), ("session-start", ""), ("nonsense", "x")):
        assert ("", 0) == hook(root, kind, given)[:2]
    assert ("", 0) == hook(tmp_path, "prompt", '{"prompt": "compost heaps"}')[:2]


def test_a_hook_tells_a_running_sidecars_hints_and_context(make_vault: MakeVault) -> None:
    root = make_vault({**LABELLED["notes"], "index.md": "%% kb:moc:begin %%\n%% kb:moc:end %%\n"})
    init_vault(root, "en")
    command = [sys.executable, "-m", "sidecar.cli.entry", "serve", "--vault", str(root)]
    serving = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        assert serving.stdout.readline()
        hook(root, "prompt", json.dumps({"prompt": "warm the index up"}))
        end = time.monotonic() + 20
        out = ""
        while not out and time.monotonic() < end:
            out = hook(root, "prompt", json.dumps({"prompt": "How do I build compost heaps?"}))[0]
        found = json.loads(out)["hookSpecificOutput"]
        assert {"hookEventName", "additionalContext"} == found.keys()
        assert "[[wiki/Compost heaps]]" in found["additionalContext"]
        assert "" == hook(root, "prompt", json.dumps({"prompt": "rename this variable"}))[0]
        plain = ""
        while not plain and time.monotonic() < end:
            plain = hook(root, "session-start", "", "--plain")[0]
        assert "Map of content" in plain
    finally:
        serving.terminate()
        serving.wait(20)
        if serving.stdout is not None:
            serving.stdout.close()
