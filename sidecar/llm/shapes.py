"""What embedding endpoints are asked and answer: OpenAI's shape and Ollama's (pure)."""

from __future__ import annotations

import json
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sidecar.errors import EndpointError

Shape = Literal["openai", "ollama"]
Matrix = npt.NDArray[np.float32]

PATHS: dict[Shape, str] = {"openai": "embeddings", "ollama": "api/embed"}
"""What is put behind the configured address, unless it ends so already."""
MAX_DIMENSION = 8_192


def address_of(endpoint: str, shape: Shape) -> str:
    """Give the full address for a configured one: ``https://host/v1`` or ``http://127.0.0.1:11434``."""
    base = endpoint.rstrip("/")
    return base if base.endswith("/" + PATHS[shape]) else f"{base}/{PATHS[shape]}"


def request_body(shape: Shape, model: str, texts: list[str]) -> dict[str, Any]:
    """Give what is sent: both shapes take a list of texts."""
    return {"model": model, "input": texts} | ({"encoding_format": "float"} if shape == "openai" else {"truncate": True})


def read_answer(shape: Shape, body: bytes, count: int) -> Matrix:
    """Read the vectors out of an answer, in the order of the texts, each of length 1.

    Raises:
        EndpointError: It is no JSON of that shape, has another number of vectors than texts, vectors of several lengths or of
            zeros, or a number that is none.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _bad("is not JSON") from error
    rows = _openai_rows(answer) if shape == "openai" else (answer.get("embeddings") if isinstance(answer, dict) else None)
    if not isinstance(rows, list) or len(rows) != count:
        raise _bad(f"does not hold {count} vectors")
    if not all(isinstance(row, list) and 0 < len(row) == len(rows[0]) <= MAX_DIMENSION for row in rows):
        raise _bad("holds vectors of different or impossible lengths")
    if not all(type(value) in (int, float) for row in rows for value in row):
        raise _bad("holds something that is no number")
    try:
        vectors = np.array(rows, np.float64)
    except (OverflowError, ValueError) as error:
        raise _bad("holds a number too large to be one") from error
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not (lengths > 0).all():
        raise _bad("holds a vector of zeros or a number that is not finite")
    scaled: Matrix = (vectors / lengths).astype(np.float32)
    return scaled


def _openai_rows(answer: Any) -> list[Any] | None:
    """Give the vectors by their ``index``, for the order of ``data`` is not promised."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        return None
    numbers = [item.get("index", n) for n, item in enumerate(data)]
    if sorted(number for number in numbers if type(number) is int) != list(range(len(data))):
        return None
    by_number = {number: item.get("embedding") for number, item in zip(numbers, data, strict=True)}
    return [by_number[n] for n in range(len(data))]


def _bad(what: str) -> EndpointError:
    return EndpointError(
        f"The answer of the embedding endpoint {what}.", fix="Check [search] endpoint, shape and model in .kb/config.toml.", status=None
    )
