"""A page as a tree, with what is never text taken out."""

from __future__ import annotations

import re

from lxml import etree, html
from lxml.html import HtmlElement

_DROPPED = (
    "iframe", "object", "embed", "svg", "canvas", "link", "meta", "title", "base", "button", "input",
    "select", "textarea", "dialog", "rt", "rp", "nav",
)  # fmt: skip
_CONSENT = re.compile(r"cookie-?(?:consent|banner|notice|bar)|onetrust|consent-(?:banner|dialog|manager)|gdpr", re.IGNORECASE)
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-actualsrc", "data-url", "data-srcset", "data-lazy-srcset", "srcset")
_STAND_IN = re.compile(r"placeholder|(?:spacer|blank|loading|transparent|lazy|grey|1x1)\.(?:gif|png|svg)", re.IGNORECASE)
_CANDIDATE = re.compile(r"\s*([^\s,](?:[^\s]*[^\s,])?)(?:\s+([0-9]{1,6}(?:\.[0-9]{1,3})?)[wx])?\s*(?:,\s|,?$)")
_SWALLOWED = 2000
_FORM_TEXT = 400
_PERMALINKS = frozenset("¶ # § 🔗 ⚓".split())
_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?")
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that lxml reads and then refuses to write again; pages pasted from word processors hold some."""
_TEX_SCRIPT = re.compile(r"math/tex")

BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6"
    " header hr html li main nav noscript ol p pre section summary table tbody td tfoot th thead tr ul".split()
)


def parse_page(text: str) -> HtmlElement | None:
    """Parse a page; ``None`` if there is nothing to parse."""
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", _CONTROL.sub(" ", _REFERENCE.sub(_harmless, text.replace("\0", ""))))
    if not text.strip():
        return None
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        tree = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    for link in list(tree.iter("a")):  # the marks that documentation hangs on its headings
        if (link.get("href") or "").startswith("#") and text_of(link) in _PERMALINKS and _is_in_heading(link):
            _drop(link)
    return tree


def _harmless(reference: re.Match[str]) -> str:
    """Give a numeric reference back, or a blank if it names no character of a text."""
    digits = reference[1] or reference[2]
    code = int(digits, 16 if reference[1] else 10) if len(digits) < 12 else 0
    is_text = 0 < code < 0xD800 or 0xE000 <= code < 0x110000
    return reference[0] if is_text and not _CONTROL.match(chr(code)) else " "


def _is_in_heading(element: HtmlElement) -> bool:
    return any(above.tag in ("h1", "h2", "h3", "h4", "h5", "h6") for above in element.iterancestors())


def clean_page(tree: HtmlElement) -> None:
    """Take out of a tree what is no text, and bring forward what hides: lazy images, formulas, text within ``noscript``."""
    for script in list(tree.iter("script")):
        if _TEX_SCRIPT.search(script.get("type") or "") and script.text:
            _replace_by_text(script, f"\\({script.text.strip()}\\)", "kb-tex")
    for math in list(tree.iter("math")):
        _keep_formula(math)
    for noscript in list(tree.iter("noscript")):
        _open_noscript(noscript)
    for image in list(tree.iter("img")):
        _settle_image(image)
    for element in list(tree.iter("script", "style", "template")):
        _drop(element)
    whole = len(text_of(tree))
    forms = [(form, _is_filled_in(form)) for form in tree.iter("form")]
    for element in list(tree.iter(*_DROPPED)):
        if element.tag in ("button", "nav", "dialog") and _never_closed(element, whole):
            element.drop_tag()
        else:
            _drop(element)
    for head in list(tree.iter("head")):
        head.drop_tag()  # without a body tag, which is allowed, lxml puts the whole page into it
    for element in list(tree.iter("div", "section", "aside", "form")):
        if element.getparent() is not None and _CONSENT.search(f"{element.get('id') or ''} {element.get('class') or ''}"):
            _drop(element)
    _list_own_contents(tree)
    for form, is_filled_in in forms:
        if form.getparent() is None:
            continue
        if not is_filled_in or len(text_of(form)) > _FORM_TEXT:  # whole pages and forum posts are wrapped in forms
            form.drop_tag()
        else:
            _drop(form)


def _never_closed(element: HtmlElement, whole: int) -> bool:
    """Whether an element swallowed the page because its end is missing."""
    text = len(text_of(element))
    return text > _SWALLOWED and text > whole / 2 and element.find(".//p") is not None


def _is_filled_in(form: HtmlElement) -> bool:
    """Whether a person fills the form in, rather than reads what it holds."""
    hidden = ("hidden", "submit", "button", "image")
    return any(
        field.tag != "input" or (field.get("type") or "").lower() not in hidden for field in form.iter("input", "textarea", "select")
    )


def _list_own_contents(tree: HtmlElement) -> None:
    """Make a list of a page's own table of contents where it is mere lines: links into the page with line breaks between."""
    for holder in list(tree.iter("td", "p", "div")):
        links = [child for child in holder if child.tag == "a" and (child.get("href") or "").startswith("#")]
        loose = (holder.text or "").strip() or any((child.tail or "").strip() for child in holder)
        if len(links) < 3 or loose or any(child.tag not in ("a", "br") for child in holder):
            continue
        listing = html.Element("ul")
        for link in links:
            link.tail = None
            etree.SubElement(listing, "li").append(link)
        for child in list(holder):
            holder.remove(child)
        holder.text = None
        holder.append(listing)


def text_of(element: HtmlElement) -> str:
    """Give an element's text on one line."""
    return " ".join("".join(element.itertext()).split())


def _drop(element: HtmlElement) -> None:
    if element.getparent() is not None:
        element.drop_tree()


def _replace_by_text(element: HtmlElement, text: str, css_class: str) -> None:
    span = html.Element("span")
    span.text, span.tail = text, element.tail
    span.set("class", css_class)
    parent = element.getparent()
    if parent is not None:
        parent.replace(element, span)


def _keep_formula(math: HtmlElement) -> None:
    annotations = [a for a in math.iter("annotation") if "tex" in (a.get("encoding") or "")]
    tex = (annotations[0].text if annotations else None) or math.get("alttext") or _mathml_to_tex(math)
    if tex and tex.strip():
        outer = math
        while outer.getparent() is not None and outer.getparent().tag in ("mjx-assistive-mml", "mjx-container"):
            outer = outer.getparent()
        is_block = math.get("display") == "block" or outer.get("display") == "true"
        _replace_by_text(outer, f"\\[{tex.strip()}\\]" if is_block else f"\\({tex.strip()}\\)", "kb-tex")


def _mathml_to_tex(node: HtmlElement) -> str:
    """Write simple MathML as TeX: enough that a formula can be read, not a typesetter's job."""
    children = [_mathml_to_tex(child) for child in node if isinstance(child.tag, str)]
    tag = str(node.tag)
    if tag in ("mi", "mn", "mo", "mtext", "ms"):
        return _TEX_SYMBOLS.get((node.text or "").strip(), (node.text or "").strip())
    if tag == "mfrac" and len(children) == 2:
        return f"\\frac{{{children[0]}}}{{{children[1]}}}"
    if tag == "msqrt":
        return f"\\sqrt{{{''.join(children)}}}"
    if tag in ("msup", "msub") and len(children) == 2:
        return f"{{{children[0]}}}{'^' if tag == 'msup' else '_'}{{{children[1]}}}"
    if tag in ("msubsup", "munderover") and len(children) == 3:
        return f"{{{children[0]}}}_{{{children[1]}}}^{{{children[2]}}}"
    if tag == "mtr":
        return " & ".join(children) + r" \\ "
    if tag in ("annotation", "annotation-xml"):
        return ""
    return " ".join(children) if tag == "mrow" else "".join(children)


_TEX_SYMBOLS = {
    "±": r"\pm", "×": r"\times", "÷": r"\div", "≠": r"\neq", "≤": r"\leq", "≥": r"\geq", "∑": r"\sum", "∫": r"\int", "∞": r"\infty",
    "√": r"\surd", "α": r"\alpha", "β": r"\beta", "π": r"\pi", "→": r"\to", "∈": r"\in", "−": "-", "\u2062": "", "\u2061": "",
    "∂": r"\partial",
}  # fmt: skip


def _open_noscript(noscript: HtmlElement) -> None:
    """Put the content of ``noscript`` in its place if it holds an image or running text; lxml may have kept it as text."""
    if noscript.text and "<" in noscript.text and not len(noscript):
        try:
            inner = html.fragment_fromstring(noscript.text, create_parent="div")
        except (etree.ParserError, etree.XMLSyntaxError, ValueError):
            return
        noscript.text = None
        noscript.append(inner)
    images = [image for image in noscript.iter("img") if (image.get("src") or "").startswith("http")]
    if images or len(text_of(noscript)) > 200:
        noscript.tag = "div" if any(child.tag in BLOCKS for child in noscript) else "span"
    else:
        _drop(noscript)


def _settle_image(image: HtmlElement) -> None:
    """Give a picture the address that a browser would load in the end: lazy ones keep it elsewhere."""
    src = image.get("src") or ""
    if not src or src.startswith("data:") or _STAND_IN.search(src):
        picture = next(image.iterancestors("picture"), None)  # the parser puts what follows a source into it
        sources = list(picture.iter("source")) if picture is not None else []
        for holder in (image, *sources):
            for name in _LAZY:
                value = _largest(holder.get(name) or "") if name.endswith("srcset") else (holder.get(name) or "").strip()
                if value and not value.startswith("data:"):
                    image.set("src", value)
                    return
    if not image.get("src") or (image.get("src") or "").startswith("data:") or _is_pixel(image):
        _drop(image)


def _largest(srcset: str) -> str:
    """Give the address with the greatest width or density; addresses may hold commas, which no blank follows."""
    found = [(float(m[2] or 1), m[1]) for m in _CANDIDATE.finditer(srcset)]
    return max(found, key=lambda pair: pair[0])[1] if found else ""


def _is_pixel(image: HtmlElement) -> bool:
    return (image.get("width") or "").rstrip("px") in ("0", "1") or (image.get("height") or "").rstrip("px") in ("0", "1")
