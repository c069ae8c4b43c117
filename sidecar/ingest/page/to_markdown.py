"""From an element of a page to Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urljoin

from lxml import html
from lxml.html import HtmlElement

from sidecar.errors import InvalidUrl
from sidecar.ingest.page.choose import is_data_table
from sidecar.ingest.page.safe_text import (
    code_span,
    disarm_code,
    disarm_formula,
    escape_joins,
    escape_line_start,
    escape_text,
    safe_destination,
    safe_language,
    strip_invisible,
)
from sidecar.ingest.page.tree import BLOCKS, text_of
from sidecar.vault.address import clean_url

_CJK = "\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_SPACE = re.compile(r"[ \t\r\n\f\u00a0]+")
_CJK_BREAK = re.compile(rf"(?<=[{_CJK}])[ \t\r\f]*\n\s*(?=[{_CJK}])")
_LANGUAGE_CLASS = re.compile(r"(?:^|[\s:])(?:language-|lang-|highlight-source-|brush:\s*|highlight-|sourceCode\s+)([A-Za-z0-9+#._-]+)")
_BREAK = "\ue000"  # stands for <br> until a block is put together
_HEADINGS = {f"h{n}": n for n in range(1, 7)}


class MarkdownWriter:
    """Writes elements as Markdown.

    Args:
        base: Address that relative links are joined to.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self.images: list[str] = []
        """Addresses of the images written, in order."""

    def write(self, element: HtmlElement) -> str:
        """Write an element with all it holds; ends with one line break unless empty."""
        blocks = [block for block in self._blocks(element) if block.strip()]
        return "\n\n".join(blocks).strip("\n") + "\n" if blocks else ""

    # ── blocks ────────────────────────────────────────────────────────────────────────────────

    def _blocks(self, element: HtmlElement) -> Iterator[str]:
        """Give the blocks within an element; inline content between them forms paragraphs."""
        inline: list[str] = []
        if element.text:
            inline.append(self._text(element.text))
        for child in element:
            if isinstance(child.tag, str):
                if child.tag in BLOCKS or (child.tag not in ("a", "span") and _holds_block(child)) or _is_block_link(child):
                    yield self._paragraph(inline)
                    inline = []
                    yield from self._block(child)
                else:
                    inline.append(self._inline(child))
            if child.tail:
                inline.append(self._text(child.tail))
        yield self._paragraph(inline)

    def _block(self, element: HtmlElement) -> Iterator[str]:
        tag = str(element.tag)
        if tag in _HEADINGS:
            text = self._joined(self._inline_children(element)).replace("\n", " ").strip()
            yield f"{'#' * _HEADINGS[tag]} {text}" if text.strip("*") else ""
        elif tag == "pre":
            yield self._code(element)
        elif tag in ("ul", "ol"):
            yield self._list(element)
        elif tag == "blockquote":
            inner = self.write(element).strip("\n")
            yield "\n".join(f"> {line}".rstrip() for line in inner.split("\n")) if inner else ""
        elif tag == "table":
            if is_data_table(element):
                yield self._table(element)
            else:
                yield from self._blocks(element)
        elif tag == "hr":
            yield "---"
        elif tag == "dl":
            yield from self._definitions(element)
        elif tag == "summary" and not _holds_block(element):
            text = self._joined(self._inline_children(element)).strip()
            yield f"**{text}**" if text else ""
        else:
            yield from self._blocks(element)

    def _paragraph(self, parts: list[str]) -> str:
        text = self._joined("".join(parts))
        return "\n".join(escape_line_start(line) for line in text.split("\n")) if text else ""

    def _joined(self, text: str) -> str:
        """Fold white space as a browser does, without blanks between CJK lines, and set the line breaks."""
        text = _SPACE.sub(" ", _CJK_BREAK.sub("", text))
        lines = [escape_joins(line.strip(" \u3000")) for line in text.split(_BREAK)]  # Chinese pages indent with wide blanks
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n ")

    def _code(self, pre: HtmlElement) -> str:
        text = disarm_code(strip_invisible(_code_text(pre))).replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        if not text.strip():
            return ""
        ticks = "`" * max(3, max((len(run) for run in re.findall("`+", text)), default=0) + 1)
        return f"{ticks}{_language(pre)}\n{text}\n{ticks}"

    def _list(self, listing: HtmlElement) -> str:
        number = _count(listing.get("start"), 999_999)
        lines: list[str] = []
        for item in _items(listing):
            if item.tag in ("ul", "ol"):  # a list straight within a list belongs to the item before it
                lines += ["    " + line for line in self._list(item).split("\n")]
                continue
            mark = f"{number}. " if listing.tag == "ol" else "- "
            blocks = [block for block in self._item_blocks(item) if block.strip()]
            if not blocks:
                continue
            number += 1
            body = blocks[0]
            for block in blocks[1:]:
                nested = re.match(r"(?:- |\d+\. )", block)
                body += ("\n" if nested else "\n\n") + block
            indent = " " * len(mark)
            first, *rest = body.split("\n")
            lines += [mark + first, *(indent + line if line else "" for line in rest)]
        return "\n".join(lines)

    def _item_blocks(self, item: HtmlElement) -> Iterator[str]:
        """Give the blocks of a list's child: what stands there without being an item is one all the same."""
        return self._blocks(item) if item.tag == "li" or item.tag in BLOCKS else iter([self._paragraph([self._inline(item)])])

    def _definitions(self, listing: HtmlElement) -> Iterator[str]:
        for item in _items(listing):
            if item.tag == "div":  # groups a term with its meanings
                yield from self._definitions(item)
            elif item.tag == "dt" and not _holds_block(item):
                text = self._joined(self._inline_children(item)).replace("\n", " ")
                yield f"**{text}**" if text and "**" not in text else text
            else:
                yield from self._blocks(item) if item.tag in ("dt", "dd") else self._item_blocks(item)

    def _table(self, table: HtmlElement) -> str:
        rows = [self._row(row) for row in table.iter("tr")]
        rows = [row for row in rows if any(cell.strip() for cell in row)]
        if not rows:
            return ""
        width = max(len(row) for row in rows)
        rows = [row + [""] * (width - len(row)) for row in rows]
        first_row = next((row for row in table.iter("tr") if any(c.tag in ("td", "th") for c in row)), None)
        if first_row is not None and not any(cell.tag == "th" for cell in first_row) and table.find("thead") is None:
            rows.insert(0, [""] * width)
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, f"|{' --- |' * width}")
        caption = table.find("caption")
        title = [self._joined(self._inline_children(caption)) + "\n"] if caption is not None and text_of(caption) else []
        return "\n".join([*title, *lines])

    def _row(self, row: HtmlElement) -> list[str]:
        cells: list[str] = []
        for cell in row:
            if cell.tag not in ("td", "th"):
                continue
            text = " ".join(block.replace("\n", " ") for block in self._cell_blocks(cell) if block.strip())
            text = re.sub(r"(?<!\\)\|", r"\\|", text)
            cells += [text] + [""] * (_count(cell.get("colspan"), 20) - 1)
        return cells

    def _cell_blocks(self, cell: HtmlElement) -> Iterator[str]:
        """Give a cell's content as inline text: a code block in a cell becomes inline code."""
        for pre in list(cell.iter("pre")):
            pre.tag = "code"
        if any(child.tag in ("ul", "ol", "table", "blockquote") for child in cell.iter()):
            for inner in list(cell.iter("ul", "ol", "li", "table", "tbody", "tr", "td", "blockquote")):
                if inner is not cell:
                    inner.tag = "p"
        yield from self._blocks(cell)

    # ── inline ────────────────────────────────────────────────────────────────────────────────

    def _inline_children(self, element: HtmlElement) -> str:
        parts = [self._text(element.text)] if element.text else []
        for child in element:
            if isinstance(child.tag, str):
                parts.append(self._inline(child))
            if child.tail:
                parts.append(self._text(child.tail))
        return "".join(parts)

    def _inline(self, element: HtmlElement) -> str:
        tag = str(element.tag)
        if tag == "br":
            return _BREAK
        if tag == "img":
            return self._image(element)
        if tag in ("code", "kbd", "samp", "tt"):
            if element.find(".//img") is not None:
                return self._inline_children(element)
            return code_span(_code_text(element))
        if tag == "span" and element.get("class") == "kb-tex":
            return _formula(element.text or "")
        inner = self._inline_children(element)
        if tag in ("b", "strong"):
            return _wrapped(inner, "**")
        if tag in ("i", "em", "cite", "dfn"):
            return _wrapped(inner, "*")
        if tag in ("del", "s", "strike"):
            return _wrapped(inner, "~~")
        if tag == "a":
            return self._link(element, inner)
        if tag == "q":
            return f"“{inner}”"
        return inner

    def _link(self, link: HtmlElement, inner: str) -> str:
        href = (link.get("href") or "").strip()
        text = self._joined(inner).replace("\n", " ")
        if not text or not href or href.startswith("#"):
            return inner
        destination = self._address(href)
        if not destination:
            return inner
        if text.startswith("!") and not text.startswith("!["):
            text = "\\" + text  # in a quote, ``[!words]`` would be a callout
        lead, tail = inner[: len(inner) - len(inner.lstrip())], inner[len(inner.rstrip()) :]
        return f"{' ' if lead else ''}[{text}]({destination}){' ' if tail else ''}"

    def _image(self, image: HtmlElement) -> str:
        address = self._address(image.get("src") or "")
        if not address:
            return ""
        self.images.append(address)
        return f"![{escape_text(' '.join((image.get('alt') or '').split()))}]({address})"

    def _address(self, href: str) -> str:
        try:
            joined = urljoin(self._base, href)
            if joined.lower().startswith("mailto:"):
                return safe_destination(joined)
            fragment = joined.partition("#")[2]
            cleaned = clean_url(joined)
        except (ValueError, InvalidUrl):
            return ""
        return safe_destination(f"{cleaned}#{fragment}" if fragment else cleaned)

    def _text(self, text: str) -> str:
        return escape_text(text.replace(_BREAK, ""))


def _items(listing: HtmlElement) -> Iterator[HtmlElement]:
    """Give the children of a list, with loose text between them as items of its own."""
    for text, child in [(listing.text, None), *((child.tail, child) for child in listing)]:
        if child is not None and isinstance(child.tag, str):
            yield child
        if text and text.strip():
            loose = html.Element("li")
            loose.text = text
            yield loose


def _count(text: str | None, most: int) -> int:
    """Read a number from an attribute; 1 if it is none."""
    found = re.fullmatch(r"\s*([0-9]{1,9})\s*", text or "")
    return max(1, min(int(found[1]), most)) if found else 1


def _wrapped(inner: str, mark: str) -> str:
    """Put emphasis round the words, not the blanks at their ends."""
    core = inner.strip(f" \n\t\r\u00a0{_BREAK}")
    if not core or core.startswith("!["):
        return inner
    start = inner.index(core)
    lead, tail = inner[:start], inner[start + len(core) :]
    return lead + _BREAK.join(f"{mark}{part.strip()}{mark}" if part.strip() else "" for part in core.split(_BREAK)) + tail


def _formula(text: str) -> str:
    block = text.startswith("\\[")
    tex = disarm_formula(" ".join(strip_invisible(text[2:-2]).split()))
    if not tex:
        return ""
    return f"{_BREAK}$${tex}$${_BREAK}" if block else f"${tex}$"


def _code_text(element: HtmlElement) -> str:
    """Give code exactly: ``<br>`` and line elements as line breaks, line numbers left out."""
    parts: list[str] = []
    _collect_code(element, parts)
    return "".join(parts)


def _collect_code(element: HtmlElement, parts: list[str]) -> None:
    css = element.get("class") or ""
    if re.search(r"\b(?:line-?numbers?(?:-rows)?|lineno|gutter|linenos)\b", css) and element.tag in ("span", "td", "div", "a"):
        return
    if element.tag == "br":
        parts.append("\n")
    parts.append(element.text or "")
    for child in element:
        if isinstance(child.tag, str):
            if child.tag in ("div", "p", "li", "tr") and parts and not "".join(parts[-3:]).endswith("\n"):
                parts.append("\n")
            _collect_code(child, parts)
        parts.append(child.tail or "")


def _language(pre: HtmlElement) -> str:
    nearby = [pre, *pre.iter("code"), *list(pre.iterancestors())[:3]]
    for element in nearby:
        for name in ("data-lang", "data-language", "lang"):
            value = element.get(name)
            if value and element.tag in ("pre", "code", "div") and (name != "lang" or element.tag == "code"):
                return safe_language(value)
        found = _LANGUAGE_CLASS.search(element.get("class") or "")
        if found and found[1] not in ("text", "plaintext", "none", "notranslate", "default"):
            return safe_language(found[1])
    return ""


def _holds_block(element: HtmlElement) -> bool:
    return any(isinstance(inner.tag, str) and inner.tag in BLOCKS for inner in element.iterdescendants())


def _is_block_link(element: HtmlElement) -> bool:
    """Whether a link or span wraps whole blocks, as cards and code wrappers do."""
    return element.tag in ("a", "span") and _holds_block(element)
