"""Requests and answers about what agents are given unasked."""

from __future__ import annotations

from pydantic import Field

from sidecar.api.models.base import Answer, Nothing, Request


class SwitchesRequest(Nothing):
    """No parameters."""


class ChangeSwitchesRequest(Request):
    context: bool | None = Field(None, description="Whether an agent's session begins with what the vault holds.")
    inject: bool | None = Field(None, description="Whether an agent's prompt gets hints to notes; without, none lives on by being told of.")


class SwitchesAnswer(Answer):
    context: bool
    inject: bool
