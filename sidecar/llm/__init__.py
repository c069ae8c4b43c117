"""Models that turn texts into vectors: one behind an address the owner names, one installed beside the sidecar."""

from sidecar.llm.chat import ChatEndpoint, ChatSettings
from sidecar.llm.endpoint import EmbeddingEndpoint, EndpointSettings, host_of
from sidecar.llm.installed import InstalledModel, is_installed
from sidecar.llm.key import JUDGE_VARIABLE, find_key

__all__ = [
    "JUDGE_VARIABLE",
    "ChatEndpoint",
    "ChatSettings",
    "EmbeddingEndpoint",
    "EndpointSettings",
    "InstalledModel",
    "find_key",
    "host_of",
    "is_installed",
]
