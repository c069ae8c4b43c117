"""A brief as Markdown: between two marks, in a note whose other words are the owner's."""

from __future__ import annotations

from collections.abc import Callable

from sidecar.brief.build import Brief, Entry
from sidecar.brief.words import BriefWords
from sidecar.ingest.page.safe_text import escape_text, safe_destination
from sidecar.vault.generated import BRIEF_BEGIN, BRIEF_END, find_block

LinkWriter = Callable[[str, str], str]
"""Writes a link to a note, given its path and what to show."""


def render_block(brief: Brief, words: BriefWords, link: LinkWriter) -> str:
    """Write what stands between the marks; each line ends with a newline."""
    lines = [_heading(brief, words), ""]
    state = _state_line(brief, words)
    if state:
        lines += [f"> {state}", ""]
    if brief.worth or brief.state in ("judged", "partly"):
        lines += [f"## {words.worth}", ""]
        lines += [_worth_line(entry, words, link) for entry in brief.worth] or [words.no_worth]
        lines.append("")
    if brief.rest:
        lines += [f"## {words.rest}", ""]
        for theme, entries in brief.rest:
            lines += [f"### {_plain(theme) or words.other}", ""]
            lines += [_rest_line(entry, words, link) for entry in entries]
            lines.append("")
    notes = _skipped(brief, words)
    if notes:
        lines += [f"## {words.skipped}", "", *notes, ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def new_note(brief: Brief, block: str, words: BriefWords, language: str) -> str:
    """Write the whole note of a day that has none yet."""
    head = [
        "---", f'title: "{words.title} {brief.day}"', f"created: {brief.day}", "origin: brief", f"lang: {language}", "---",
        f"# {words.title} · {brief.day}", "", BRIEF_BEGIN,
    ]  # fmt: skip
    return "\n".join(head) + "\n" + block + BRIEF_END + "\n"


def replaced_block(text: str, block: str) -> str | None:
    """Give a note's text with the new block; ``None`` if the owner took the marks out."""
    found = find_block(text, "brief")
    if found is None:
        return None
    end = "\r\n" if "\r\n" in text[: found.start] else "\n"
    return text[: found.start] + block.replace("\n", end) + text[found.end :]


def _heading(brief: Brief, words: BriefWords) -> str:
    parts = [words.count_new.format(brief.seen), words.count_worth.format(len(brief.worth))]
    if brief.state in ("ranked", "waiting"):
        parts.pop()
    if brief.failures:
        kinds = dict.fromkeys(words.statuses.get(failure.status, failure.status) for failure in brief.failures)
        parts.append(f"{words.count_failed.format(len(brief.failures))} ({', '.join(kinds)})")
    return words.sep.join(parts)


def _state_line(brief: Brief, words: BriefWords) -> str:
    said = []
    if brief.state == "nothing-new":
        said.append(words.nothing_new)
    elif brief.state == "ranked":
        said.append(words.ranked)
    elif brief.state == "waiting":
        said.append(words.waiting.format(brief.waiting))
    elif brief.state == "partly":
        said.append(words.partly.format(brief.judged, brief.judged + brief.waiting))
    if brief.judge_problem:
        said.append(words.judge_failed.format(brief.waiting, _plain(brief.judge_problem)))
    if brief.over_budget:
        said.append(words.over_budget.format(brief.over_budget))
    return " ".join(said)


def _worth_line(entry: Entry, words: BriefWords, link: LinkWriter) -> str:
    title = link(entry.note, entry.title) if entry.note else _plain(entry.title)
    said = f" — {_plain(entry.one_line)}" if entry.one_line else ""
    why = f" {words.why}{_plain(entry.why)}" if entry.why else ""
    return f"- **{title}**{said}{why}{_where(entry, words)}"


def _rest_line(entry: Entry, words: BriefWords, link: LinkWriter) -> str:
    title = link(entry.note, entry.title) if entry.note else _plain(entry.title)
    said = f" — {_plain(entry.one_line)}" if entry.one_line else ""
    state = f" ({words.unreadable})" if entry.body_state in ("missing", "burned_in") else ""
    return f"- {title}{said}{state}{_where(entry, words)}"


def _where(entry: Entry, words: BriefWords) -> str:
    address = safe_destination(entry.url)
    arrow = f" [↗]({address})" if address else ""
    also = f" ({words.also}{_plain(', '.join(entry.also))})" if entry.also else ""
    return arrow + also


def _skipped(brief: Brief, words: BriefWords) -> list[str]:
    lines = []
    if brief.skip_tier:
        lines.append(f"- {words.skip_tier.format(brief.skip_tier)}")
    if brief.reasons:
        counts = ", ".join(f"{words.reasons.get(name, name)} {number}" for name, number in brief.reasons.items())
        lines.append(f"- {words.left_out}{counts}")
    for failure in brief.failures:
        status = words.statuses.get(failure.status, failure.status)
        reason = f" {_plain(failure.reason)}" if failure.reason else ""
        lines.append(f"- {words.failed.format(_plain(failure.sub), status)}{'.' if reason else ''}{reason}")
    titles = {entry.id: entry.title for entry in brief.worth} | {entry.id: entry.title for _, group in brief.rest for entry in group}
    lines += [f"- {_plain(titles.get(name, name))}: {words.next_to.format(_plain(why))}" for name, why in brief.not_ingested.items()]
    return lines


def _plain(text: str) -> str:
    return escape_text(" ".join(text.split())).replace("kb:brief:", "kb: brief:")
