"""The owner's switches for what agents are given unasked; kept in ``.kb/config.toml``, whose other bytes stay."""

from __future__ import annotations

from sidecar.api.models.switches import ChangeSwitchesRequest, SwitchesAnswer, SwitchesRequest
from sidecar.api.operations.base import Operation
from sidecar.api.services import Services
from sidecar.config import KB_FOLDER, load_config, parse_config, with_setting
from sidecar.errors import ConfigError
from sidecar.settings import AgentSettings


async def _switches(services: Services, request: SwitchesRequest) -> SwitchesAnswer:
    def look() -> AgentSettings:
        # What the file says: settings in force follow it a moment later.
        try:
            return load_config(services.files.root).agent
        except ConfigError:
            return services.config().agent

    agent = await services.thread.run(look)
    return SwitchesAnswer(context=agent.context, inject=agent.inject)


async def _change(services: Services, request: ChangeSwitchesRequest) -> SwitchesAnswer:
    def change() -> SwitchesAnswer:
        path = services.files.root / KB_FOLDER / "config.toml"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for key, value in request.model_dump(exclude_none=True).items():
            text = with_setting(text, "agent", key, value)
        services.files.write_own("config.toml", text.encode("utf-8"))
        agent = parse_config(text.removeprefix("\ufeff")).agent
        return SwitchesAnswer(context=agent.context, inject=agent.inject)

    return await services.thread.run(change)


OPERATIONS = (
    Operation(
        "GET", "/api/kb/agent/switches", "What agents are given unasked", SwitchesRequest, SwitchesAnswer, _switches,
        needs_index=False,
    ),
    Operation(
        "POST", "/api/kb/agent/switches", "Switch what agents are given unasked", ChangeSwitchesRequest, SwitchesAnswer, _change,
        needs_index=False,
    ),
)  # fmt: skip
