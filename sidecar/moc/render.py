"""The map of content as Markdown (pure): same plan, same bytes.

Ordered so that cutting the tail loses the least: the counts line and the hubs come first and fit in a budget of bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from sidecar.moc.plan import HubEntry, ListEntry, ListPlan, MocPlan
from sidecar.moc.words import MocWords
from sidecar.vault.note import NotePath

_MAX_TITLE_CHARS = 100
"""A title longer than that would take the place of other hubs."""
_MAX_GIST_CHARS = 120

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
        lines = [_orphan_line(plan.orphans_total, words)]
        if plan.orphans:
            lines += ["", *(f"- {link(path, title)}" for path, title in plan.orphans)]
            lines += _left_out(plan.orphans_total - len(plan.orphans), words)
        sections.append(_section(words.orphans, lines))
    return "\n\n".join(sections) + "\n"


def render_list(plan: ListPlan, words: MocWords, link: LinkWriter) -> str:
    """Write the generated block of a further map: how many notes it selects, then their list; ends with a line break."""
    link = _plainly(link)
    head = words.one_selected if plan.total == 1 else words.selected.format(n=plan.total)
    lines = [_list_line(entry, words, link) for entry in plan.entries]
    lines += _left_out(plan.total - len(plan.entries), words) if plan.entries else []
    return "\n".join([head, *(["", *lines] if lines else [])]) + "\n"


def _list_line(entry: ListEntry, words: MocWords, link: LinkWriter) -> str:
    day = f"{entry.day.isoformat()} " if entry.day else ""
    shown = f"- {day}{link(entry.path, entry.title)}"
    return words.separator.join([shown, str(entry.in_links)]) if entry.in_links else shown


def _head(plan: MocPlan, words: MocWords, link: LinkWriter, budget: int) -> str:
    """Write counts line and hubs within the budget: gists go first, then tags, both from the last hub up, then hubs.

    A hub whose bare line has no room even alone is passed over, so that one endless name does not push out the rest.
    """
    counts = _counts_line(plan, words)
    if not plan.hubs:
        return counts
    room = budget - _bytes(f"{counts}\n\n## {words.hubs}\n\n\n\n*{words.more.format(n=plan.hubs_total)}*\n")
    forms = [
        [_hub_line(hub, words, link, tags=tags, gist=gist) for tags, gist in ((True, True), (True, False), (False, False))]
        for hub in plan.hubs
    ]
    lines = _fit([form for form in forms if _bytes(form[-1]) < room], room)
    left_out = _left_out(plan.hubs_total - len(lines), words)
    return counts + "\n\n" + _section(words.hubs, lines + (left_out if lines else left_out[1:]))


def _fit(forms: list[list[str]], room: int) -> list[str]:
    """Choose of each line, given from its longest to its shortest form, the one that lets all fit, or as many as do."""
    levels = [0] * len(forms)
    size = sum(_bytes(form[0]) + 1 for form in forms)
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
    return [form[level] for form, level in zip(forms[:kept], levels, strict=False)]


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
    return f"{line} — {_cut(_plain(hub.gist), _MAX_GIST_CHARS)}" if gist and hub.gist else line


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n\n" + "\n".join(lines)


def _left_out(count: int, words: MocWords) -> list[str]:
    return ["", f"*{words.more.format(n=count)}*"] if count > 0 else []


def _plainly(link: LinkWriter) -> LinkWriter:
    """Make a writer of links show titles as plain words, of a length that leaves room for others."""
    return cache(lambda path, title: link(path, _cut(_plain(title), _MAX_TITLE_CHARS)))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _plain(text: str) -> str:
    """Put a title or gist on one line and take from it what would act on the map.

    That is: links, embeds, footnotes and block ids, tags, comments, formulas, code (Dataview runs some), inline fields of
    Dataview, HTML, and traces of our own markers.
    """
    text = " ".join(text.split())
    for pattern, instead in _ACTING:
        text = pattern.sub(instead, text)
    return text


_ACTING = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"(?<!\S)#(?=\S)", "＃"),
        (r"\[(?=\[)", "[ "),
        (r"\](?=\])", "] "),
        (r"\](?=\()", "] "),
        (r"%(?=%)", "% "),
        (r":(?=:)", ": "),
        (r"\$", "＄"),
        (r"\^(?=\[|[A-Za-z0-9-]+$)", "＾"),
        (r"`", "'"),
        (r"<", "‹"),
        (r"kb:moc", "kb-moc"),
    )
)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _orphan_line(count: int, words: MocWords) -> str:
    return words.one_orphan if count == 1 else words.orphan_line.format(n=count)
