"""An embedding endpoint as it is met: right, busy, broken, hostile."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np
import pytest

from sidecar.errors import ConfigError, EndpointError
from sidecar.llm import EmbeddingEndpoint, EndpointSettings
from sidecar.llm.shapes import Shape
from tests.flows.embedding_server import Answer, EmbeddingServer

KEY = "sk-canary-1234"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    found = EmbeddingServer()
    yield found
    found.close()


def refused(status: int, **headers: str) -> Answer:
    return status, headers, b'{"error": "no"}'


class Ask:
    def __init__(self, server: EmbeddingServer, shape: Shape = "openai", **settings: str) -> None:
        self.slept: list[float] = []
        self.endpoint = EmbeddingEndpoint(EndpointSettings(server.url, shape, "m", timeout_s=5, **settings), self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def __call__(self, *texts: str, is_query: bool = False) -> list[list[float]]:
        found: list[list[float]] = (await self.endpoint.embed(list(texts), is_query=is_query)).tolist()
        return found


@pytest.mark.parametrize(("shape", "path"), [("openai", "/embeddings"), ("ollama", "/api/embed")])
async def test_both_shapes_give_a_vector_for_each_text_in_order(server: EmbeddingServer, shape: Shape, path: str) -> None:
    tea, wing = await Ask(server, shape, passage_prefix="passage: ")("tea", "wing")
    assert (0, 1) == (int(np.argmax(tea)), int(np.argmax(wing)))
    assert (path, ["passage: tea", "passage: wing"]) == (server.requests[0][0], server.requests[0][2]["input"])


async def test_busy_and_broken_are_asked_again_after_a_growing_pause(server: EmbeddingServer) -> None:
    server.script = [lambda: refused(503), lambda: refused(429, **{"Retry-After": "7"}), lambda: refused(500)]
    ask = Ask(server)
    await ask("tea")
    assert [1, 7, 4] == ask.slept


async def test_it_is_not_asked_without_end(server: EmbeddingServer) -> None:
    server.script = [lambda: refused(429, **{"Retry-After": "1e12"})] * 9
    ask = Ask(server)
    with pytest.raises(EndpointError):
        await ask("tea")
    assert (4, [60, 60, 60]) == (len(server.requests), ask.slept)


async def test_a_refusal_is_not_asked_again_and_the_key_is_never_told(server: EmbeddingServer, caplog: pytest.LogCaptureFixture) -> None:
    server.script = [lambda: refused(401)]
    ask = Ask(server, key=KEY)
    with caplog.at_level(logging.DEBUG), pytest.raises(EndpointError) as caught:
        await ask("tea")
    assert [f"Bearer {KEY}"] == [headers["Authorization"] for _, headers, _ in server.requests]
    assert KEY not in caplog.text + str(caught.value) + repr(vars(caught.value)) + repr(ask.endpoint._settings) + ask.endpoint.model


async def test_texts_go_to_no_other_host(server: EmbeddingServer) -> None:
    other = EmbeddingServer()
    server.script = [lambda: (307, {"Location": other.url + "/embeddings"}, b"")]
    with pytest.raises(EndpointError, match="307"):
        await Ask(server, key=KEY)("tea")
    assert [] == other.requests
    other.close()


async def test_an_answer_larger_than_vectors_is_cut_off(server: EmbeddingServer) -> None:
    server.script = [lambda: (200, {}, b" " * 5_000_000)]
    with pytest.raises(EndpointError, match="more than vectors need"):
        await Ask(server)("tea")


async def test_one_that_is_gone_is_said(server: EmbeddingServer) -> None:
    ask = Ask(server)
    server.close()
    with pytest.raises(EndpointError, match="does not answer"):
        await ask("tea")


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("ftp://host", ""),
        ("host/v1", ""),
        ("http://me:pw@host/v1", ""),
        ("http://example.org/v1", KEY),
        ("http://[::1", ""),
        ("https://a b/", ""),
    ],
)
def test_addresses_that_are_none_or_would_tell_the_key_are_refused(address: str, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        EmbeddingEndpoint(EndpointSettings(address, "openai", "m", key=key))
    assert "pw" not in str(caught.value)


def test_another_prefix_host_or_name_is_another_model(server: EmbeddingServer) -> None:
    models = {Ask(server).endpoint.model, Ask(server, query_prefix="q: ").endpoint.model, Ask(server, "ollama").endpoint.model}
    assert 3 == len(models)
