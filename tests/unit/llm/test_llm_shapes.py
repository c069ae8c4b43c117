"""What embedding endpoints answer, well or badly."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sidecar.errors import EndpointError
from sidecar.llm.shapes import Shape, address_of, read_answer


def openai(*items: object) -> bytes:
    return json.dumps({"data": list(items)}).encode()


def test_vectors_come_in_the_order_of_the_texts_and_with_length_1() -> None:
    found = read_answer("openai", openai({"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}), 2)
    assert np.allclose(np.array([[0.6, 0.8], [0.0, 1.0]]), found)
    assert np.allclose([[0.6, 0.8]], read_answer("ollama", b'{"embeddings": [[3, 4]]}', 1))


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        ("openai", b""),
        ("openai", b"<html>busy</html>"),
        ("openai", b"[" * 100_000),
        ("openai", b"[]"),
        ("openai", openai()),
        ("openai", openai({"index": 5, "embedding": [1]})),
        ("openai", openai({"index": 0, "embedding": "AAAA"})),
        ("openai", openai({"index": 0, "embedding": []})),
        ("openai", openai({"index": 0, "embedding": [1] * 9_000})),
        ("openai", openai({"index": True, "embedding": [1]})),
        ("ollama", b'{"embeddings": [[NaN]]}'),
        ("ollama", b'{"embeddings": [[1e999]]}'),
        ("ollama", b'{"embeddings": [[' + b"9" * 400 + b"]]}"),
        ("ollama", b'{"embeddings": [[0, 0]]}'),
        ("ollama", b'{"embeddings": [["1"]]}'),
        ("ollama", b'{"embeddings": [[true]]}'),
        ("ollama", b'{"error": "no such model"}'),
    ],
)
def test_what_is_no_vector_is_refused(shape: Shape, body: bytes) -> None:
    with pytest.raises(EndpointError):
        read_answer(shape, body, 1)


def test_vectors_of_several_lengths_are_refused() -> None:
    with pytest.raises(EndpointError, match="lengths"):
        read_answer("ollama", b'{"embeddings": [[1], [1, 2]]}', 2)


def test_the_address_may_be_given_short_or_whole() -> None:
    assert "https://host/v1/embeddings" == address_of("https://host/v1/", "openai") == address_of("https://host/v1/embeddings", "openai")
    assert "http://127.0.0.1:11434/api/embed" == address_of("http://127.0.0.1:11434", "ollama")
