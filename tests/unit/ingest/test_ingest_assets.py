"""Images of a page as files: what is taken for an image, where it goes, and how the text then leads there."""

from __future__ import annotations

import json

import pytest

from sidecar.ingest.assets import attachment_folder, image_kind, image_name, referer_for, wanted_images, with_local_images
from sidecar.ingest.document import Document

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def document(markdown: str, *images: str) -> Document:
    return Document("generic", "https://example.com/a", "A", "", "", "", "en", "full", markdown, images)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "png"),
        (b"\xff\xd8\xff\xe0", "jpg"),
        (b"GIF89a..", "gif"),
        (b"RIFF\x10\x00\x0a\x00WEBPVP8 ", "webp"),
        (b"\x00\x00\x00\x20ftypavif", "avif"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", ""),
        (b"<?xml version='1.0'?><svg/>", ""),
        (b"<html>404</html>", ""),
        (b"", ""),
        (b" \x89PNG\r\n\x1a\n", ""),
    ],
)
def test_an_image_is_known_by_its_bytes_and_svg_is_none(data: bytes, kind: str) -> None:
    assert kind == image_kind(data)


def test_the_same_image_has_one_name() -> None:
    assert image_name(PNG, "png") == image_name(bytes(PNG), "png") != image_name(PNG + b"x", "png")


@pytest.mark.parametrize(
    ("setting", "folder"),
    [
        (None, ""),
        ("/", ""),
        ("", ""),
        ("files/pictures", "files/pictures"),
        ("files/", "files"),
        ("./", "sources"),
        (".", "sources"),
        ("./pictures", "sources/pictures"),
        ("../outside", ""),
        ("./../..", ""),
        (".obsidian/x", ""),
        ("C:/x", ""),
        (7, ""),
    ],
)
def test_images_go_where_obsidian_puts_attachments_and_never_out_of_the_vault(setting: object, folder: str) -> None:
    text = json.dumps({} if setting is None else {"attachmentFolderPath": setting})
    assert folder == attachment_folder(text, "sources/a.md")


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"attachmentFolderPath": null}'])
def test_odd_settings_of_obsidian_mean_the_root(text: str) -> None:
    assert attachment_folder(text, "sources/a.md") == ""


def test_a_note_at_the_root_has_its_attachments_beside_it() -> None:
    assert ["", "x"] == [attachment_folder(json.dumps({"attachmentFolderPath": path}), "a.md") for path in ("./", "./x")]


def test_links_of_images_lead_to_the_files_and_code_and_the_rest_stay() -> None:
    text = "![A \\] b](https://e.com/1.png) and [![](https://e.com/2.png)](https://e.com)\n\n```\n![](https://e.com/1.png)\n```\n![x](https://e.com/3.png)\n"
    local = with_local_images(text, {"https://e.com/1.png": "my files/图 1.png", "https://e.com/2.png": "b.png"})
    assert (
        "![A \\] b](my%20files/%E5%9B%BE%201.png) and [![](b.png)](https://e.com)\n\n"
        "```\n![](https://e.com/1.png)\n```\n![x](https://e.com/3.png)\n"
    ) == local


def test_only_images_that_the_text_shows_are_wanted_each_once_and_not_too_many() -> None:
    found = document(
        "![](https://e.com/1) ![](https://e.com/2)\n![](https://e.com/1)\n",
        "https://e.com/1",
        "https://e.com/2",
        "https://e.com/1",
        "https://e.com/9",
    )
    assert ["https://e.com/1", "https://e.com/2"] == wanted_images(found, 10)
    assert ["https://e.com/1"] == wanted_images(found, 1)


@pytest.mark.parametrize(
    ("page", "image", "referer"),
    [
        ("https://example.com/a?private=1", "https://cdn.example/x.png", "https://example.com/"),
        ("https://mp.weixin.qq.com/s/x", "https://mmbiz.qpic.cn/x", ""),
        ("https://other.example/", "https://mmbiz.qpic.cn/x", ""),
        ("https://example.com/a", "http://example.com/x.png", ""),
        ("", "https://example.com/x.png", ""),
    ],
)
def test_a_site_is_told_no_more_than_a_browser_would_tell_it(page: str, image: str, referer: str) -> None:
    assert referer == referer_for(page, image)
