"""The map of content as Markdown (pure): same plan, same bytes.

Ordered so that cutting the tail loses the least: the counts line and the hubs come first and fit in a budget of bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sidecar.moc.plan import HubEntry, MocPlan
from sidecar.moc.words import MocWords
from sidecar.vault.generated import BEGIN, END, find_block
from sidecar.vault.note import NotePath

_MAX_TITLE_CHARS = 100
"""A title longer than that would take the place of other hubs."""
_TAG_SIGN = re.compile(r"(?<!\S)#(?=\S)")

LinkWriter = Callable[[NotePath, str], str]
"""Writes a link to a path that shows a title."""


def render_moc(plan: MocPlan, words: MocWords, link: LinkWriter, budget_bytes: int) -> str:
    """Write the generated block, without its markers; ends with a line break."""
    link = _plainly(link)
    sections = [_head(plan, words, link, budget_bytes)]
    if plan.topics:
        line = words.separator.join(f"#{tag} {count}" for tag, count in plan.topics)
        sections.append(_section(words.topics, [line, *_left_out(plan.topics_total - len(plan.topics), words)]))
    if plan.recent:
        lines = [f"- {entry.day.isoformat() + ' ' if entry.day else ''}{link(entry.path, entry.title)}" for entry in plan.recent]
        sections.append(_section(words.recent, lines))
    if plan.orphans_total:
        lines = [_orphan_line(plan.orphans_total, words), "", *(f"- {link(path, title)}" for path, title in plan.orphans)]
        sections.append(_section(words.orphans, lines + _left_out(plan.orphans_total - len(plan.orphans), words)))
    return "\n\n".join(sections) + "\n"


def replace_block(text: str, block: str) -> str | None:
    """Put a new generated block between the markers of ``text``; ``None`` if it has no usable pair of them.

    Nothing outside the block changes. Its lines end as the file's do.
    """
    found = find_block(text)
    if found is None:
        return None
    ending = "\r\n" if text[: found.start].endswith("\r\n") else "\n"
    return text[: found.start] + block.replace("\n", ending) + text[found.end :]


def adopt(text: str) -> str:
    """Add an empty pair of markers at the end of a file that has none."""
    ending = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else ending if text.endswith(("\n", "\r\n")) else ending * 2
    return f"{text}{gap}{BEGIN}{ending}{END}{ending}"


def _head(plan: MocPlan, words: MocWords, link: LinkWriter, budget: int) -> str:
    """Write counts line and hubs within the budget: gists go first, then tags, both from the last hub up, then hubs."""
    counts = _counts_line(plan, words)
    if not plan.hubs:
        return counts
    forms = [[_hub_line(hub, words, link, tags=t, gist=g) for t, g in ((True, True), (True, False), (False, False))] for hub in plan.hubs]
    levels = [0] * len(forms)
    size = sum(_bytes(form[0]) + 1 for form in forms)
    room = budget - _bytes(f"{counts}\n\n## {words.hubs}\n\n\n\n- {words.more.format(n=plan.hubs_total)}\n")
    for level in (1, 2):
        for n in range(len(forms) - 1, -1, -1):
            if size <= room:
                break
            size -= _bytes(forms[n][levels[n]]) - _bytes(forms[n][level])
            levels[n] = level
    kept = len(forms)
    while kept and size > room:
        kept -= 1
        size -= _bytes(forms[kept][levels[kept]]) + 1
    lines = [form[level] for form, level in zip(forms[:kept], levels, strict=False)]
    return counts + "\n\n" + _section(words.hubs, lines + _left_out(plan.hubs_total - kept, words))


def _counts_line(plan: MocPlan, words: MocWords) -> str:
    c = plan.counts
    first = f"{c['notes']} {words.notes}"
    rest = [
        f"{words.wiki} {c['wiki']}",
        f"{words.sources} {c['sources']}",
        f"{words.core} {c['core']}",
        f"{words.inbox} {c['inbox']}",
    ]
    newest = [f"{words.newest} {plan.newest.isoformat()}"] if plan.newest else []
    return words.separator.join([first, *rest, *newest])


def _hub_line(hub: HubEntry, words: MocWords, link: LinkWriter, *, tags: bool, gist: bool) -> str:
    parts = [f"- {link(hub.path, hub.title)}", str(hub.in_links)]
    if tags and hub.tags:
        parts.append(" ".join(f"#{tag}" for tag in hub.tags))
    line = words.separator.join(parts)
    return f"{line} — {_plain(hub.gist)}" if gist and hub.gist else line


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n\n" + "\n".join(lines)


def _left_out(count: int, words: MocWords) -> list[str]:
    return ["", f"*{words.more.format(n=count)}*"] if count > 0 else []


def _plainly(link: LinkWriter) -> LinkWriter:
    """Make a writer of links show titles as plain words, of a length that leaves room for others."""

    def write(path: NotePath, title: str) -> str:
        shown = _plain(title)
        return link(path, shown if len(shown) <= _MAX_TITLE_CHARS else shown[: _MAX_TITLE_CHARS - 1].rstrip() + "…")

    return write


def _plain(text: str) -> str:
    """Put a title or gist on one line and take from it what would be a link, tag, comment, formula or code on the map."""
    text = _TAG_SIGN.sub("＃", " ".join(text.split()))
    for mark, instead in _MARKS:
        text = text.replace(mark, instead)
    return text


_MARKS = (("[[", "[ ["), ("]]", "] ]"), ("](", "] ("), ("%%", "% %"), ("$$", "$ $"), ("`", "'"), ("<", "‹"), ("kb:moc", "kb-moc"))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _orphan_line(count: int, words: MocWords) -> str:
    return words.one_orphan if count == 1 else words.orphan_line.format(n=count)
