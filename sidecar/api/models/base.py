"""What all requests and answers are made of. The OpenAPI document is made from these models, and requests are checked by them.

Offsets (``highlights``, ``start``, ``end``) count Unicode code points of the text they belong to.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

NoteName = Annotated[str, StringConstraints(min_length=1, max_length=4096)]  # the longest path of common systems
Highlight = tuple[int, int]


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Nothing(Request):
    """No parameters."""


class NoteRequest(Request):
    note: NoteName = Field(description="Path of a note, or its name as in a link from the vault's root.")


class ProblemBody(Answer):
    """RFC 9457, with a stable ``code``, its ``params`` and the ``fix``."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    fix: str
    params: dict[str, Any]
