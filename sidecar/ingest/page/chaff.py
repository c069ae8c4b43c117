"""Parts of a page that are not what it is about, told by element, role and class name."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

_BOXES = frozenset("div section aside ul ol header footer table p form details figure span dl center".split())
_ROLES = frozenset("navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar".split())
_WORD = re.compile(
    r"(?:^|[\s_-])(?:side-?bar|breadcrumbs?|pagination|pager|share-?(?:bar|buttons?|links|icons|tools)?|sharing|social(?:-?(?:links|icons|media|share|bar))?"
    r"|related(?:-?(?:posts?|articles?|content|links|stories|products|topics|questions))?|recommend(?:ed|ations?)|newsletter(?:-?sign-?up)?"
    r"|subscri(?:be|ption)(?:-?form)?|promo(?:tion)?|advert(?:isement|ising|s)?|ads?|sponsor(?:ed|s)?|site-?(?:header|footer|nav|menu)|footer|nav(?:bar|igation)?|menu"
    r"|toolbar|cookies?|consent|gdpr|pop-?up|modal|skip-?link|sign-?up|log-?in|page-?tools|edit-?page|feedback|print-?only|noprint"
    r"|sr-only|visually-?hidden|screen-?reader-?text|signature|tag-?cloud)(?:$|[\s_-])",
    re.IGNORECASE,
)


_SLUG_DASHES = 4
"""A name with so many dashes is a heading's words, which may well speak of menus and sharing."""
_ASIDE_OF_TEXT = re.compile(r"quote|note|admonition|call-?out|tip|warning|info|hint|important|caution|footnote", re.IGNORECASE)


def is_chaff(element: HtmlElement) -> bool:
    """Whether an element says of itself that it is navigation, advertising or the like."""
    tag = element.tag
    names = " ".join(name for name in f"{element.get('class') or ''} {element.get('id') or ''}".split() if name.count("-") < _SLUG_DASHES)
    if tag == "aside":
        return not _ASIDE_OF_TEXT.search(names) and element.get("role") != "note"
    if tag == "footer" and not _is_in_article(element):
        return True
    if (element.get("role") or "").lower() in _ROLES:
        return True
    # Headings carry their words in ids, and body and article the names of themes: only boxes are judged by name.
    return tag in _BOXES and bool(_WORD.search(names))


def _is_in_article(element: HtmlElement) -> bool:
    return any(above.tag in ("article", "blockquote") for above in element.iterancestors())
