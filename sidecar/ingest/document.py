"""What a page is read into, before it becomes a note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BodyState = Literal["full", "summary_only", "missing"]


@dataclass(frozen=True, slots=True)
class Document:
    """A page, faithful and harmless: its Markdown holds no link, tag, comment or code of its own that would act in a vault.

    Attributes:
        published: ISO 8601, a day or a moment, only where the page itself says so; never guessed.
        lang: Two-letter language, or empty.
        body_state: ``summary_only`` if the page shows only a part, ``missing`` if it shows no text.
        warnings: What is missing and why, each a sentence.
        account: The account or channel it was published by, where that is not the site itself.
        images: Addresses of the images in the text, in order.
    """

    adapter: str
    url: str
    title: str
    author: str
    published: str
    site: str
    lang: str
    body_state: BodyState
    markdown: str
    images: tuple[str, ...] = ()
    transcript: str = ""
    account: str = ""
    warnings: tuple[str, ...] = ()
