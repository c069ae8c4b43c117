"""Asking a chat endpoint in OpenAI's shape: the configured host and no other, within limits of time and size."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import httpx

from sidecar.errors import ConfigError, EndpointError
from sidecar.llm.endpoint import checked_address

_MAX_ANSWER = 2_000_000


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Where to ask and how. ``key`` goes to that host only and is never shown."""

    endpoint: str
    model: str
    timeout_s: float = 120.0
    key: str = field(default="", repr=False)


class ChatEndpoint:
    """A language model behind an address.

    Raises:
        ConfigError: The address is none, or would send the key unencrypted over a network.
    """

    def __init__(self, settings: ChatSettings) -> None:
        base = settings.endpoint.rstrip("/")
        whole = base if base.endswith("/chat/completions") else f"{base}/chat/completions"
        self._settings = settings
        self._url = checked_address(whole, has_key=bool(settings.key))
        if not settings.model:
            raise ConfigError("No model is named.", fix="Set model under [judge] in .kb/config.toml.", key="judge.model")

    async def ask(self, system: str, text: str, schema: Any) -> tuple[str, int]:
        """Give the model's answer and the tokens it says it used (0 if it does not).

        Raises:
            EndpointError: It does not answer, refuses, or answers in another shape.
        """
        body: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": text}],
            "temperature": 0,
        }
        if schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
        headers = {"Authorization": f"Bearer {self._settings.key}"} if self._settings.key else {}
        host = self._url.host
        try:
            async with (
                asyncio.timeout(self._settings.timeout_s),
                httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=self._settings.timeout_s) as client,
                client.stream("POST", self._url, json=body, headers=headers) as response,
            ):
                if response.status_code != 200:
                    fix = (
                        "Check the key." if response.status_code in (401, 403) else "Check [judge] endpoint and model, or try again later."
                    )
                    raise EndpointError(f"{host} answered {response.status_code}.", fix=fix, status=response.status_code)
                data = bytearray()
                async for chunk in response.aiter_bytes():
                    data += chunk
                    if len(data) > _MAX_ANSWER:
                        raise EndpointError(f"{host} answers without end.", fix="Check [judge] endpoint and model.", status=200)
        except (httpx.HTTPError, TimeoutError) as error:
            raise EndpointError(f"{host} does not answer.", fix="Check that it runs.", status=None) from error
        return _read(bytes(data), host)


def _read(data: bytes, host: str) -> tuple[str, int]:
    try:
        answer = json.loads(data)
        text = answer["choices"][0]["message"]["content"]
        used = (answer.get("usage") or {}).get("total_tokens")
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise EndpointError(f"{host} answers in a shape that is not known.", fix="Check [judge] endpoint.", status=200) from error
    if not isinstance(text, str):
        raise EndpointError(f"{host} answers without a text.", fix="Check [judge] endpoint and model.", status=200)
    return text, used if isinstance(used, int) and 0 <= used < 10_000_000 else 0
