"""Pictures of the vault, for notes shown outside Obsidian."""

from __future__ import annotations

import asyncio
import base64

from sidecar.api.models.pictures import PictureAnswer, PictureRequest
from sidecar.api.operations.base import Operation
from sidecar.api.services import Services
from sidecar.errors import NoteNotFound, VaultUnreadable
from sidecar.ingest.assets import image_kind
from sidecar.vault.pictures import names_picture

_MAX_PICTURE_BYTES = 12_000_000


async def _picture(services: Services, request: PictureRequest) -> PictureAnswer:
    path = request.path

    def is_listed() -> bool:
        return names_picture(path) and path in services.index.files

    # Only what Obsidian itself would list: nothing hidden, nothing outside, nothing that is no picture by name and by content.
    if not await services.thread.run(is_listed):
        raise NoteNotFound(
            f"There is no picture {path[:200]!r} in the vault.", fix="Give the path of an image in the vault.", note=path[:200]
        )
    data = await asyncio.to_thread(services.files.read_bytes, path)
    kind = image_kind(data)
    if not kind:
        raise VaultUnreadable(f"{path} is no picture that can be shown.", fix="Open it in Obsidian.", path=path)
    if len(data) > _MAX_PICTURE_BYTES:
        raise VaultUnreadable(f"{path} is larger than {_MAX_PICTURE_BYTES // 1_000_000} MB.", fix="Open it in Obsidian.", path=path)
    return PictureAnswer(path=path, type="image/" + ("jpeg" if kind == "jpg" else kind), data=base64.b64encode(data).decode("ascii"))


OPERATIONS = (Operation("GET", "/api/kb/picture", "A picture of the vault, to be shown", PictureRequest, PictureAnswer, _picture),)
