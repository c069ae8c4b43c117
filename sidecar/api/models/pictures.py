"""Requests and answers about pictures: those that lie in the vault, and those that items came with."""

from __future__ import annotations

from pydantic import Field

from sidecar.api.models.base import Answer, Request


class PictureRequest(Request):
    path: str = Field("", max_length=4096, description="Path of an image in the vault.")
    item: str = Field("", max_length=64, description="Or the id of an item: its picture is fetched as a page would be.")


class PictureAnswer(Answer):
    path: str
    type: str = Field(description="Media type by the file's first bytes, never by its name.")
    data: str = Field(description="The file in Base64.")
