"""Requests and answers about pictures that lie in the vault."""

from __future__ import annotations

from pydantic import Field

from sidecar.api.models.base import Answer, NoteName, Request


class PictureRequest(Request):
    path: NoteName = Field(description="Path of an image in the vault.")


class PictureAnswer(Answer):
    path: str
    type: str = Field(description="Media type by the file's first bytes, never by its name.")
    data: str = Field(description="The file in Base64.")
