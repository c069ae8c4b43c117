"""What tells documents apart: their address, or their text where there is none (pure)."""

from __future__ import annotations

import hashlib

from sidecar.ingest.document import Document
from sidecar.vault.address import url_hash


def document_hash(document: Document) -> str:
    """Give the key of the duplicates test, in hex.

    That of the address (see :func:`~sidecar.vault.address.url_hash`); for a paste without one the SHA-256 of its text,
    white space aside, so that the same words pasted twice are one note.
    """
    if document.url:
        return url_hash(document.url)
    return hashlib.sha256(" ".join(document.markdown.split()).encode("utf-8", "replace")).hexdigest()
