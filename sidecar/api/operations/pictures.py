"""Pictures of the vault and of items, for views that may load none from elsewhere."""

from __future__ import annotations

import asyncio
import base64

from sidecar.api.models.pictures import PictureAnswer, PictureRequest
from sidecar.api.operations.base import Operation
from sidecar.api.services import Services
from sidecar.errors import NoteNotFound, VaultUnreadable
from sidecar.ingest.assets import image_kind, referer_for
from sidecar.net import Ask
from sidecar.vault.pictures import names_picture

_MAX_PICTURE_BYTES = 12_000_000


async def _picture(services: Services, request: PictureRequest) -> PictureAnswer:
    path = request.path
    data = await _of_item(services, request.item) if request.item else await _of_vault(services, path)
    kind = image_kind(data)
    if not kind:
        raise VaultUnreadable("This is no picture that can be shown.", fix="Open it in Obsidian or in the browser.", path=path)
    if len(data) > _MAX_PICTURE_BYTES:
        raise VaultUnreadable(f"It is larger than {_MAX_PICTURE_BYTES // 1_000_000} MB.", fix="Open it in Obsidian.", path=path)
    return PictureAnswer(path=path, type="image/" + ("jpeg" if kind == "jpg" else kind), data=base64.b64encode(data).decode("ascii"))


async def _of_vault(services: Services, path: str) -> bytes:
    def is_listed() -> bool:
        return names_picture(path) and path in services.index.files

    # Only what Obsidian itself would list: nothing hidden, nothing outside, nothing that is no picture by name and by content.
    if not await services.thread.run(is_listed):
        raise NoteNotFound(
            f"There is no picture {path[:200]!r} in the vault.", fix="Give the path of an image in the vault.", note=path[:200]
        )
    return await asyncio.to_thread(services.files.read_bytes, path)


async def _of_item(services: Services, item_id: str) -> bytes:
    """Fetch the picture that an item's subscription named, through the one door: no cookie, public addresses only."""
    item = await services.item_thread.run(services.items.get, item_id)
    if not item["thumb"]:
        raise NoteNotFound("This item came without a picture.", fix="Open it in the browser.", note=item_id)
    ask = Ask(accept=("image/", "application/octet-stream", ""), with_cookie=False, referer=referer_for(item["url"], item["thumb"]))
    return (await services.watchlist.fetcher.tools.fetcher.fetch(item["thumb"], ask)).body


OPERATIONS = (
    Operation("GET", "/api/kb/picture", "A picture of the vault or of an item, to be shown", PictureRequest, PictureAnswer, _picture),
)
