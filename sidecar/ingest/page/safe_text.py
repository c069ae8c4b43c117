"""Text from outside as Markdown that shows it and does nothing.

A vault acts on more than links: tags, comments, embeds, HTML, Dataview and Templater code. Whatever a page's text looks
like, it comes out as plain characters.
"""

from __future__ import annotations

import re

_INLINE = re.compile(
    r"<%|%>|[\\`*<>\[\]]|(?<![^\W_])_|_(?![^\W_])|%%+|==+|~~+|::+|\$\$+|(?<![^\W_])#(?=[^\s#])|(?<!\S)\^(?=[A-Za-z0-9-]+\s*$)|&(?=#?\w{1,32};)"
)
_JOINED = re.compile(
    r"(?P<whole>\\[<%](?!%)|\\[^<%]|(?P<ticks>`+)[^`].*?(?<!`)(?P=ticks)(?!`)|\]\([^()\s]*\))"
    r"|(?P<live>\\<%+|\\%%+|<%|%%+|::+|(?<![^\W_])#(?=[^\s#*_~])|(?<!\S)\^(?=[A-Za-z0-9-]+[ \t]*(?:$|\n)))",
    re.DOTALL,
)
_MAYBE_LIVE = re.compile(r"[\\`*<>\[\]_%=~:$#^&]")
"""Every character that the two patterns above, or a scheme, need to match at all."""
_LINE_START = re.compile(
    r"^(\s*)(?:(#{1,6})(?=\s|$)|([-+])(?=\s|$)|(\d{1,9})([.)])(?=\s|$)|([=-]{3,})(?=\s*$)|(~{3,})|(\w[\w ]{0,40}):(:)(?=\s))"
)
_SCHEME = re.compile(r"\b(obsidian|javascript|file|app|data|vbscript)(:)(?=\S)", re.IGNORECASE)
_INVISIBLE = re.compile(r"[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#._-]{1,24}$")
_ACTIVE_LANGUAGES = frozenset(
    "dataview dataviewjs dataviewdql tasks query templater button meta-bind meta-bind-js-view meta-bind-button js-engine jsengine execute"
    " buttons kanban excalidraw bases base cardlink embed chart tracker ad run customjs timeline leaflet itinerary".split()
)


def escape_text(text: str, *, in_table: bool = False) -> str:
    """Escape a run of plain text so that Markdown and Obsidian show it as it is."""
    text = strip_invisible(text)
    if _MAYBE_LIVE.search(text):  # most text holds none of these, and the search is far cheaper than the mending
        text = _SCHEME.sub(r"\1\\\2", _INLINE.sub(lambda m: "".join(f"\\{char}" for char in m[0]), text))
    return text.replace("|", "\\|") if in_table else text


def escape_joins(text: str) -> str:
    """Escape what came alive when runs of text were put together: a page may spread ``%%`` or ``#tag`` over two elements.

    Code spans, addresses and what is escaped already stay as they are.
    """

    def mend(found: re.Match[str]) -> str:
        live = found["live"]
        return found[0] if live is None else "".join(f"\\{char}" for char in live.removeprefix("\\"))

    return _JOINED.sub(mend, text) if _MAYBE_LIVE.search(text) else text


def disarm_code(text: str) -> str:
    """Take the life out of code that acts in spite of its fence: Templater runs ``<%`` wherever it stands in a new file, and
    the marks of the generated block are looked for in plain text.
    """
    return text.replace("<%", "< %").replace("kb:moc:", "kb: moc:").replace("kb:brief:", "kb: brief:")


def disarm_formula(tex: str) -> str:
    """Take the life out of TeX. A dollar before a digit ends no formula, and what stands in it would be text: blanks, which
    TeX does not mind, keep it from being a link, a tag, a comment, HTML or a field.
    """
    tex = disarm_code(tex.replace("$", ""))
    for live, dead in (("[[", "[ ["), ("](", "] ("), ("%%", "% %"), ("::", ": :"), (" #", " \\#"), ("`", "'")):
        while live in tex:
            tex = tex.replace(live, dead)
    return re.sub(r"<(?=[A-Za-z/!?])", "< ", tex).removeprefix("#").strip()


def escape_line_start(line: str) -> str:
    """Escape what at the begin of a line would make a heading, list, rule, fence or Dataview field of text."""

    def mend(found: re.Match[str]) -> str:
        lead, heading, bullet, number, dot, rule, tilde, field, colon = found.groups()
        if number:
            return f"{lead}{number}\\{dot}"
        if field:
            return f"{lead}{field}:\\{colon}"
        return f"{lead}\\{heading or bullet or rule or tilde}"

    return _LINE_START.sub(mend, line)


def strip_invisible(text: str) -> str:
    """Take out characters that change how others read (bidirectional marks) or hide (zero width, control)."""
    return _INVISIBLE.sub("", text)


def safe_language(name: str) -> str:
    """Give a code fence's language; ``text`` for one that plugins run."""
    name = name.strip().lower()
    if not _LANGUAGE.match(name):
        return ""
    return "text" if name in _ACTIVE_LANGUAGES or name.startswith(("dataview", "meta-bind", "ad-", "run-")) else name


def safe_destination(url: str) -> str:
    """Give an address fit to stand in a Markdown link; empty if it is none that a reader should follow."""
    url = strip_invisible(url.strip())
    if not re.match(r"(?:https?://|mailto:)[^\s]", url, re.IGNORECASE):
        return ""
    for char, code in ((" ", "%20"), ("(", "%28"), (")", "%29"), ("<", "%3C"), (">", "%3E"), ("\\", "%5C"), ("|", "%7C"), ("[", "%5B"),
                       ("]", "%5D"), ("`", "%60"), ("\n", ""), ("\t", "")):  # fmt: skip
        url = url.replace(char, code)
    return url.replace("%%", "%25%25")


def code_span(text: str) -> str:
    """Write inline code; text that Dataview would run (``= …``, ``$= …``) comes out as plain text."""
    text = " ".join(strip_invisible(text).split())
    if not text:
        return ""
    if text.startswith(("=", "$=")) or "<%" in text:
        return re.sub(r"^(\$?)=", r"\1\\=", escape_text(text))
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"
