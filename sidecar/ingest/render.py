"""A document as the text of a source note (pure)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml

from sidecar.ingest.document import Document
from sidecar.ingest.page.safe_text import strip_invisible
from sidecar.vault.paths import safe_name

_LINK_VALUE = re.compile(r"!?\[")


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a document came in. ``layer`` is ``L1`` for sources, ``inbox`` for what is staged."""

    created: date
    url: str
    hash: str
    via: str
    layer: str = "L1"
    tags: tuple[str, ...] = ()
    use_when: str = ""
    supersedes: str = ""
    expires: date | None = None


def render_note(document: Document, provenance: Provenance) -> str:
    """Write frontmatter and body. Empty values are left out; the order is always the same."""
    title = property_text(document.title)
    values: dict[str, Any] = {
        "title": title,
        "aliases": [title] if title else "",
        "tags": list(provenance.tags),
        "created": provenance.created,
        "origin": "web",
        "url": provenance.url,
        "site": property_text(document.site),
        "author": property_text(document.author),
        "account": property_text(document.account),
        "published": _date_or_text(document.published),
        "lang": document.lang,
        "hash": provenance.hash,
        "via": provenance.via,
        "body_state": document.body_state,
        "transcript": document.transcript,
        "supersedes": provenance.supersedes,
        "kb_layer": provenance.layer,
        "kb_use_when": provenance.use_when,
        "kb_expires": provenance.expires,
    }
    kept = {key: value for key, value in values.items() if value not in ("", None) and (value != [] or key == "tags")}
    head = yaml.safe_dump(kept, allow_unicode=True, sort_keys=False, width=10**6)
    notice = "".join(f"> [!warning] {warning}\n" for warning in document.warnings)
    return f"---\n{head}---\n\n" + (f"{notice}\n" if notice else "") + document.markdown


def property_text(text: str) -> str:
    """Give text from outside as a property: on one line, and never a link, which a property that opens with ``[[`` would be."""
    line = " ".join(strip_invisible(text).split())
    line = line.encode("utf-8", "ignore").decode("utf-8").replace("<%", "< %")  # Templater runs that in properties, too
    if _LINK_VALUE.match(line):
        line = line.replace("[[", "[ [").replace("]]", "] ]").replace("](", "] (")
    return line


def make_slug(title: str, day: date, url_hash: str, *, as_title: bool = False) -> str:
    """Name the note: the ASCII words of its title, or the safe title itself; else date and eight characters of the hash."""
    if as_title:
        name = safe_name(title)
    else:
        plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii")
        name = safe_name("-".join(re.findall(r"[a-z0-9]+", plain.replace("'", "").lower())), 80).strip("-")
    # Numbers alone (2026, 10-3) are words of a title, but say nothing of it.
    says_something = len(name) >= 3 and not re.fullmatch(r"[\d-]+", name)
    return name if says_something or (as_title and name) else f"{day.isoformat()}-{url_hash[:8]}"


def _date_or_text(text: str) -> date | str:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return text
