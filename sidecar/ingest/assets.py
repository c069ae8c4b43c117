"""Images of a page as files of the vault: which, where, under what name (pure)."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from sidecar.errors import OutsideVault
from sidecar.ingest.document import Document
from sidecar.ingest.page.safe_text import safe_destination
from sidecar.vault.note import NotePath
from sidecar.vault.paths import check_path

_IMAGE = re.compile(r"(!\[(?:\\.|[^\]\\\n])*\]\()(https?://[^)\s]+)(?=\))")
_FENCE = re.compile(r"[ >]*(`{3,}|~{3,})")
_MAGIC: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "png"),
    (re.compile(rb"\xff\xd8\xff"), "jpg"),
    (re.compile(rb"GIF8[79]a"), "gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "webp"),
    (re.compile(rb"....ftypavi[fs]", re.DOTALL), "avif"),
    (re.compile(rb"BM.{4}\x00{4}", re.DOTALL), "bmp"),
)
"""What Obsidian shows as an image and nothing can run from. SVG is not among them: it can carry script."""
_NO_REFERER = ("qpic.cn", "weixin.qq.com")
"""WeChat's images are refused to whoever says which page they stand on."""


def image_kind(data: bytes) -> str:
    """Tell an image's file extension by its first bytes, whatever its server calls it; empty for what is not taken."""
    return next((kind for magic, kind in _MAGIC if magic.match(data)), "")


def image_name(data: bytes, kind: str) -> str:
    """Name an image by its content, so that the same image is one file however often it is met."""
    return f"image-{hashlib.sha256(data).hexdigest()[:16]}.{kind}"


def wanted_images(document: Document, at_most: int) -> list[str]:
    """List the addresses of a document's images, each once, in order."""
    shown = {match[2] for line in _prose(document.markdown) for match in _IMAGE.finditer(line)}
    addresses = dict.fromkeys(safe_destination(address) for address in document.images)
    return [address for address in addresses if address in shown][:at_most]


def with_local_images(markdown: str, paths: Mapping[str, NotePath]) -> str:
    """Let a text's images lead to files of the vault; those that are not among ``paths``, and code, stay as they are."""

    def local(match: re.Match[str]) -> str:
        path = paths.get(match[2])
        return match[0] if path is None else match[1] + quote(path, safe="/")

    lines = markdown.split("\n")
    is_prose = _prose_flags(lines)
    return "\n".join(_IMAGE.sub(local, line) if prose else line for line, prose in zip(lines, is_prose, strict=True))


def _prose(markdown: str) -> list[str]:
    lines = markdown.split("\n")
    return [line for line, prose in zip(lines, _prose_flags(lines), strict=True) if prose]


def _prose_flags(lines: list[str]) -> list[bool]:
    """Tell for each line whether it is outside fenced code."""
    flags, fence = [], ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            flags.append(False)
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        else:
            fence = mark[1] if mark else ""
            flags.append(not fence)
    return flags


def attachment_folder(app_settings: str, note: NotePath) -> str:
    """Give the folder that Obsidian would put a note's attachments into; empty for the vault's root.

    ``attachmentFolderPath`` is absent or ``/`` for the root, ``./`` for the note's own folder, ``./name`` for a folder beside the
    note, and a plain path for one folder of the vault. A path that leads out of the vault counts as absent.

    Args:
        app_settings: Text of ``.obsidian/app.json``.
    """
    try:
        value = json.loads(app_settings or "{}").get("attachmentFolderPath", "/")
    except (ValueError, AttributeError, RecursionError):
        value = "/"
    value = value if isinstance(value, str) else "/"
    base = posixpath.dirname(note) if value == "." or value.startswith("./") else ""
    rest = value.removeprefix(".") if base or value.startswith("./") or value == "." else value
    folder = "/".join(part for part in (base, rest.strip("/ ")) if part)
    if not folder:
        return ""
    try:
        return check_path(folder)
    except OutsideVault:
        return ""


def referer_for(page: str, image: str) -> str:
    """Give the ``Referer`` that a browser would send for an image: the page's origin, nothing from https to http, none for WeChat."""
    ours, theirs = urlsplit(page), urlsplit(image)
    hosts = (ours.hostname or "", theirs.hostname or "")
    if any(host == name or host.endswith("." + name) for host in hosts for name in _NO_REFERER):
        return ""
    if not ours.netloc or (ours.scheme == "https" and theirs.scheme != "https"):
        return ""
    return f"{ours.scheme}://{ours.netloc}/"
