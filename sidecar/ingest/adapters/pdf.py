"""PDF files: their text in reading order, as headings and paragraphs."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters.base import PAGE, PASTED, Adapter, Pages, Wishes
from sidecar.ingest.document import BodyState, Document
from sidecar.ingest.page.metadata import language_of
from sidecar.ingest.page.safe_text import escape_line_start, escape_text, strip_invisible
from sidecar.ingest.pdf_layout import Block, Line, blocks_of, body_size, lines_of, outline_key, without_furniture

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

TYPES = ("application/pdf", "application/x-pdf")
_MAX_PAGES = 500
_MAX_CONTENT_BYTES = 8_000_000
"""Of the pages' drawing instructions; a page of text has some 10 to 50 KB. Beyond it the worker's time would run out."""
_MAX_PAGE_BYTES = 2_000_000
_OPEN = "Open it in a PDF reader, copy its text there and paste it here."
_NO_TITLE = re.compile(
    r"(?:untitled|title|document\d*|slide \d+|powerpoint.*|microsoft (?:word|powerpoint|excel).*|.*\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|ps"
    r"|indd|rtf|odt|qxd|md|html?)|[\W\d_]*|.*[\\/].*\.\w{2,4}|无标题|未命名)$",
    re.IGNORECASE,
)
_DATE = re.compile(r"D?:?\s*(\d{4})(\d\d)?(\d\d)?")
_PRIVATE = re.compile(r"[\ufffd\ue000-\uf8ff\x00-\x08]|\(cid:\d+\)")


@dataclass(slots=True)
class _Text:
    pages: list[list[Line]]
    whole: int
    read: int = 0
    broken: int = 0


def matches(url: str, content_type: str) -> bool:
    return content_type in TYPES


def read(url: str, pages: Pages, wishes: Wishes) -> Document:
    page = pages.get(PAGE) or pages[PASTED]
    return read_pdf(page.url, page.data)


def read_pdf(url: str, data: bytes) -> Document:
    """Read a file. One without text (a scan) is a document whose body is missing.

    Raises:
        ExtractionError: It is no PDF, broken, or locked with a password.
    """
    reader = _open(url, data)
    text = _text_of(reader, url)
    info = _info(reader)
    outline = _outline(reader)
    pages = without_furniture(text.pages)
    title, pages = _titled(info.get("title", ""), pages)
    blocks = blocks_of(pages, outline or None)
    markdown, state, warnings = _body(blocks, text)
    name = unquote(urlsplit(url).path.rpartition("/")[2])
    return Document(
        adapter="pdf",
        url=url,
        title=title or name.removesuffix(".pdf") or urlsplit(url).hostname or "PDF",
        author=info.get("author", ""),
        published=info.get("date", ""),
        site=(urlsplit(url).hostname or "").removeprefix("www."),
        lang=language_of(info.get("lang", ""), markdown[:3000]),
        body_state=state,
        markdown=markdown,
        warnings=tuple(warnings),
    )


def _open(url: str, data: bytes) -> PdfReader:
    from pypdf import PdfReader

    if b"%PDF-" not in data[:1024]:
        raise ExtractionError(
            "This is no PDF, whatever its name says.", fix="Open it in a browser and paste the text.", url=url, step="parse"
        )
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")  # many are locked against changes only
        len(reader.pages)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # the library raises whatever a broken file breaks
        if "ecrypt" in type(error).__name__ or "ecrypt" in str(error) or "cryptography" in str(error):
            locked = True
        else:
            raise ExtractionError(f"The PDF is broken ({type(error).__name__}).", fix=_OPEN, url=url, step="parse") from error
    if locked:
        raise ExtractionError("The PDF is locked with a password.", fix=_OPEN, url=url, step="decrypt")
    return reader


def _text_of(reader: PdfReader, url: str) -> _Text:
    found = _Text([], len(reader.pages))
    content_bytes = 0
    for page in reader.pages:
        if found.read + found.broken >= _MAX_PAGES or content_bytes >= _MAX_CONTENT_BYTES:
            break
        try:
            content = page.get_contents()
            size = len(content.get_data()) if content is not None else 0
            content_bytes += size
            if size > _MAX_PAGE_BYTES:  # a drawing, or made to keep a reader busy
                raise ValueError("too much on one page")
            found.pages.append(lines_of(_pieces(page)))
            found.read += 1
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - one bad page must not cost the others; how many there were is said
            found.broken += 1
    if found.broken and not found.read:
        raise ExtractionError("None of the PDF's pages can be read.", fix=_OPEN, url=url, step="text")
    return found


def _pieces(page: PageObject) -> list[tuple[str, float, float, float]]:
    """Give a page's text, piece by piece, with its size and its place."""
    pieces: list[tuple[str, float, float, float]] = []

    def visit(text: str, cm: Any, tm: Any, font: Any, size: Any) -> None:
        if text:
            scale = (abs(tm[0] * tm[3] - tm[1] * tm[2]) * abs(cm[0] * cm[3] - cm[1] * cm[2])) ** 0.5
            left, up = (tm[4] * cm[0] + tm[5] * cm[2] + cm[4], tm[4] * cm[1] + tm[5] * cm[3] + cm[5])
            pieces.append((text, float(size) * float(scale), float(left), float(up)))

    page.extract_text(visitor_text=visit)
    return pieces


def _info(reader: PdfReader) -> dict[str, str]:
    """Give what the document says of itself: title, author, date, lang."""
    found: dict[str, str] = {}
    try:
        info: Any = reader.metadata or {}
        for name, key in (("title", "/Title"), ("author", "/Author"), ("date", "/CreationDate")):
            value = info.get(key)
            found[name] = " ".join(strip_invisible(value).split())[:500] if isinstance(value, str) else ""
        found["lang"] = str(reader.root_object.get("/Lang") or "")[:10]
    except (MemoryError, RecursionError):
        raise
    except Exception:  # noqa: BLE001 - a text without its data is better than none
        found.setdefault("title", "")
    date = _DATE.match(found.get("date", ""))
    ok = date is not None and 1980 <= int(date[1]) <= 2100 and 1 <= int(date[2] or 1) <= 12 and 1 <= int(date[3] or 1) <= 31
    found["date"] = f"{date[1]}-{date[2] or '01'}-{date[3] or '01'}" if date and ok and date[2] and date[3] else ""
    found["title"] = "" if _NO_TITLE.match(found.get("title", "")) or _PRIVATE.search(found.get("title", "")) else found["title"]
    found["author"] = (
        "" if re.match(r"(?:user|admin\w*|owner|author|unknown|\W*)$", found.get("author", ""), re.IGNORECASE) else found["author"]
    )
    return found


def _outline(reader: PdfReader) -> dict[str, int]:
    """Give the outline's titles and how deep they lie."""
    found: dict[str, int] = {}

    def walk(entries: Any, depth: int) -> None:
        for entry in entries:
            if len(found) > 2000 or depth > 8:
                return
            if isinstance(entry, list):
                walk(entry, depth + 1)
            elif outline_key(str(entry.title)):
                found.setdefault(outline_key(str(entry.title)), depth)

    try:
        walk(reader.outline, 0)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - sizes tell headings, too
        return {}
    return found


def _titled(title: str, pages: list[list[Line]]) -> tuple[str, list[list[Line]]]:
    """Give the title, and the pages without it: the document's own, else the largest text of the first page, else its first line."""
    first = next((page for page in pages if page), [])
    if not first:
        return title, pages
    if title:
        count = next((n for n in range(1, 5) if outline_key("".join(line.text for line in first[:n])) == outline_key(title)), 0)
    else:
        size = max(line.size for line in first[:20])
        begin = next(n for n, line in enumerate(first) if line.size == size)
        lines = [line for line in first[begin : begin + 4] if line.size == size]
        is_largest = size > 1.1 * body_size([line for page in pages for line in page]) and begin < 6
        title = " ".join(line.text for line in lines) if is_largest else first[0].text
        title = title if len(title) <= 200 else title[:200].rsplit(" ", 1)[0] + "…"
        count = len(lines) if is_largest and begin == 0 else 0
    at = pages.index(first)
    return title, [*pages[:at], first[count:], *pages[at + 1 :]]


def _body(blocks: list[Block], text: _Text) -> tuple[str, BodyState, list[str]]:
    plain = " ".join(block.text for block in blocks)
    if len(_PRIVATE.findall(plain)) * 4 > len(plain) > 0:
        return "", "missing", ["The PDF's fonts do not tell which characters they show, so its text cannot be read out."]
    if not re.search(r"\w", plain):
        why = "it is probably a scan" if text.whole else "it has no pages"
        return "", "missing", [f"The PDF ({text.whole} pages) holds no text; {why}."]
    markdown = "\n".join(_lines(blocks)).strip("\n") + "\n"
    warnings = []
    if text.read + text.broken < text.whole:
        warnings.append(f"The PDF has {text.whole} pages; only the first {text.read + text.broken} are here.")
    if text.broken:
        warnings.append(f"{text.broken} of its pages could not be read.")
    return markdown, "summary_only" if warnings else "full", warnings


def _lines(blocks: list[Block]) -> list[str]:
    lines: list[str] = []
    was_item = False
    for block in blocks:
        shown = escape_text(block.text)
        if block.is_item:
            lines += ["- " + shown] if was_item else ["", "- " + shown]
        else:
            lines += ["", f"{'#' * block.level} {shown}" if block.level else escape_line_start(shown)]
        was_item = block.is_item
    return lines


ADAPTER = Adapter("pdf", read, takes=matches, accept=TYPES)
