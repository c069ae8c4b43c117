"""A document as a note: its name, its properties, and what they must never become."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.config import Folders, IngestSettings
from sidecar.ingest.document import Document
from sidecar.ingest.plan import Buried, Created, Duplicate, IngestOptions, find_known, ingested_map, plan_note
from sidecar.ingest.render import Provenance, make_slug, property_text, render_note
from sidecar.vault.frontmatter import read_frontmatter
from sidecar.vault.links import NameIndex
from sidecar.vault.note import Note
from sidecar.vault.parse import parse_note
from sidecar.vault.paths import check_path

DAY = date(2026, 3, 5)
HASH = "ab12cd34" * 8
PAGE = Document("generic", "https://example.com/a", "A title", "Someone", "2026-03-01", "Example", "en", "full", "Text.\n")
PROVENANCE = Provenance(created=DAY, url=PAGE.url, hash=HASH, via="paste")
I4 = 'Which? "Read" | Part 1: "A/B" …' + " ? | : * < > # ^ [ ] \\ " * 12 + "."


# ── names ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("The Attention Paradox", "the-attention-paradox"),
        ("Don't panic!", "dont-panic"),
        ("Café Über", "cafe-uber"),
        ("C++ & Rust", "c-rust"),
        ("河岸的第三个春天", "2026-03-05-ab12cd34"),
        ("Go", "2026-03-05-ab12cd34"),
        ("用 Python 写爬虫", "python"),
        ("", "2026-03-05-ab12cd34"),
        ("2026 年 3 月 5 日", "2026-03-05-ab12cd34"),
        ("2025", "2026-03-05-ab12cd34"),
        ("Top 10", "top-10"),
        ("...", "2026-03-05-ab12cd34"),
        ("CON", "con_"),
        ("nul", "nul_"),
        ("COM1", "com1_"),
        ('Which? "Read" | Part 1: "A/B" …', "which-read-part-1-a-b"),
    ],
)
def test_a_note_is_named_by_the_ascii_words_of_its_title_or_by_day_and_hash(title: str, slug: str) -> None:
    assert slug == make_slug(title, DAY, HASH)


def test_a_long_title_full_of_bad_characters_becomes_a_legal_name_and_stays_whole_in_the_note() -> None:
    assert len(I4) >= 300
    for as_title in (False, True):
        name = make_slug(I4, DAY, HASH, as_title=as_title)
        assert len(name.encode()) <= 120
        assert not set(name) & set('\\/:*?"<>|#^[]')
        assert not name.endswith((".", " "))
    head = read_frontmatter(render_note(replace(PAGE, title=I4), PROVENANCE))
    assert property_text(I4) == head.properties["title"]
    assert [property_text(I4)] == head.properties["aliases"]


@pytest.mark.parametrize(
    "title", ["CON", "aux.txt", "prn", "LPT9", ".hidden", "..", "a" * 300, "长" * 300, "x\u202egnp.exe", "tab\there", "a/../b"]
)
def test_names_made_of_titles_are_accepted_by_the_vault(title: str) -> None:
    name = make_slug(title, DAY, HASH, as_title=True)
    assert f"sources/{name}.md" == check_path(f"sources/{name}.md")
    assert len(name.encode()) <= 121


@given(st.text(max_size=400), st.booleans())
def test_every_title_gives_a_name_that_the_vault_accepts(title: str, as_title: bool) -> None:
    name = make_slug(title, DAY, HASH, as_title=as_title)
    assert f"sources/{name}.md" == check_path(f"sources/{name}.md")
    assert 1 <= len(name.encode()) <= 121
    assert not set(name) & set('\\/:*?"<>|#^[]\n')


# ── properties ────────────────────────────────────────────────────────────────────────────────


def test_provenance_comes_in_a_stable_order_and_without_empty_values() -> None:
    whole = render_note(
        replace(PAGE, transcript="manual"),
        replace(PROVENANCE, tags=("reading", "二/三"), use_when="planning", supersedes="a-title", expires=date(2026, 4, 4)),
    )
    assert (
        f"""---
title: A title
aliases:
- A title
tags:
- reading
- 二/三
created: 2026-03-05
origin: web
url: https://example.com/a
site: Example
author: Someone
published: 2026-03-01
lang: en
hash: {HASH}
via: paste
body_state: full
transcript: manual
supersedes: a-title
kb_layer: L1
kb_use_when: planning
kb_expires: 2026-04-04
---

Text.
"""
        == whole
    )
    bare = render_note(replace(PAGE, author="", published="", site="", lang=""), PROVENANCE)
    assert ["title", "aliases", "tags", "created", "origin", "url", "hash", "via", "body_state", "kb_layer"] == list(
        read_frontmatter(bare).properties
    )


def test_what_is_missing_from_a_page_is_said_above_its_text() -> None:
    text = render_note(replace(PAGE, warnings=("Only a part.", "No images.")), PROVENANCE)
    assert text.endswith("---\n\n> [!warning] Only a part.\n> [!warning] No images.\n\nText.\n")


@pytest.mark.parametrize(
    "text",
    [
        "a: b",
        '"quoted"',
        "'single'",
        "#hash",
        "@at",
        "- dash",
        "? mark",
        "! bang",
        "% percent",
        "& and",
        "* star",
        "`tick",
        "{brace}",
        "| bar",
        "> fold",
        "null",
        "~",
        "yes",
        "on",
        "true",
        "2026-01-01",
        "12:30",
        "1e5",
        "0x1F",
        "0777",
        "1_000",
        ".5",
        "12",
        "=",
        "<<",
        "---",
        "...",
        "[]",
        "{}",
        "a\\b",
        "a # b",
        "trailing:",
        "日：期",
        "🖊️ pen",
        "\u2028",
        "a\u0085b",
        "x: [y",
        "'",
        '"',
        "1.0",
        "+1",
        ".inf",
        ".nan",
        "!!str x",
    ],
)
def test_odd_titles_are_the_same_text_again_when_the_note_is_read(text: str) -> None:
    head = read_frontmatter(render_note(replace(PAGE, title=text, author=text, site=text), PROVENANCE))
    wanted = property_text(text)
    assert "" == head.error
    assert [wanted] * 3 == [head.properties.get(key, "") for key in ("title", "author", "site")] or not wanted


@given(st.text(max_size=200), st.text(max_size=80), st.text(max_size=80))
def test_any_title_author_and_site_are_the_same_text_again_and_never_a_link(title: str, author: str, site: str) -> None:
    text = render_note(replace(PAGE, title=title, author=author, site=site), PROVENANCE)
    head = read_frontmatter(text)
    assert "" == head.error
    for key, value in (("title", title), ("author", author), ("site", site)):
        assert property_text(value) == head.properties.get(key, "")
    assert HASH == head.properties["hash"]
    note = parse_note("sources/a.md", text)
    assert () == note.links
    assert () == note.tags
    assert "Text.\n" == text[head.body_start :].lstrip("\n")


@pytest.mark.parametrize(
    "title",
    [
        "[[Secret]]",
        "![[Secret]]",
        "[[Secret|see]]",
        "[a](Secret.md)",
        "[a](obsidian://open?vault=x)",
        "x\n---\norigin: mine",
        "---\n[[a]]",
        "[[a]] [[b]]",
        "<% tp.system.prompt() %>",
        "a <%* x %>",
    ],
)
def test_a_title_that_is_a_link_or_code_is_text_in_the_properties(title: str) -> None:
    text = render_note(replace(PAGE, title=title, author=title, site=title), PROVENANCE)
    note = parse_note("sources/a.md", text)
    assert ((), ()) == (note.links, note.tags)
    assert "web" == note.properties["origin"]
    assert "<%" not in text


@given(st.text(st.sampled_from("[]!()|#ab \n:-'\""), max_size=30))
def test_no_text_of_brackets_becomes_a_link_in_a_property(text: str) -> None:
    assert () == parse_note("a.md", render_note(replace(PAGE, title=text), PROVENANCE)).links


def test_a_page_without_a_title_has_no_empty_alias() -> None:
    head = read_frontmatter(render_note(replace(PAGE, title="\u200b"), PROVENANCE))
    assert "title" not in head.properties
    assert "aliases" not in head.properties


# ── plan ──────────────────────────────────────────────────────────────────────────────────────


def note_of(path: str, **properties: str) -> Note:
    return parse_note(path, "---\n" + "".join(f"{key}: {value}\n" for key, value in properties.items()) + "---\n")


def known_among(*notes: Note) -> Duplicate | Buried | None:
    return find_known(HASH, {note.path: note for note in notes}, Folders())


def test_a_page_is_known_by_its_hash_wherever_its_note_was_moved() -> None:
    assert Duplicate("elsewhere/b.md", "b") == known_among(note_of("a.md", hash="other"), note_of("elsewhere/b.md", hash=HASH))
    assert known_among(note_of("a.md", url=PAGE.url)) is None


def test_a_buried_note_is_known_as_buried_unless_another_lives() -> None:
    grave = note_of("_graveyard/a.md", hash=HASH)
    assert Buried("_graveyard/a.md", "a") == known_among(grave)
    assert Duplicate("sources/b.md", "b") == known_among(grave, note_of("sources/b.md", hash=HASH))


def test_of_several_versions_the_newest_is_the_one_that_is_there() -> None:
    old, new = note_of("sources/a.md", hash=HASH), note_of("sources/a-2.md", hash=HASH, supersedes="a")
    assert Duplicate("sources/a-2.md", "a-2") == known_among(old, new) == known_among(new, old)


def planned(known: Duplicate | Buried | None, *paths: str, force: bool = False) -> object:
    names = NameIndex()
    for path in paths:
        names.add(path)
    return plan_note(PAGE, HASH, DAY, IngestOptions(force=force), known, names, "sources", IngestSettings())


def test_a_name_that_any_note_of_the_vault_has_gets_a_number() -> None:
    outcome = planned(None, "wiki/A-Title.md", "sources/a-title-2.md")
    assert isinstance(outcome, Created)
    assert "sources/a-title-3.md" == outcome.path


def test_force_writes_a_new_version_that_names_the_old_one() -> None:
    outcome = planned(Duplicate("sources/a-title.md", "A title"), "sources/a-title.md", force=True)
    assert isinstance(outcome, Created)
    assert "a-title" == read_frontmatter(outcome.text).properties["supersedes"]
    assert "sources/a-title-2.md" == outcome.path


def test_the_list_of_ingested_pages_is_made_from_the_notes_alone() -> None:
    notes = [note_of("sources/b.md", hash="2"), note_of("sources/a.md", hash="1"), note_of("c.md")]
    assert {"version": 1, "notes": {"1": "a", "2": "b"}} == ingested_map({note.path: note for note in notes})
    assert ingested_map({n.path: n for n in notes}) == ingested_map({n.path: n for n in reversed(notes)})
