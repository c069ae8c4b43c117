"""Single notes and lists of them."""

from __future__ import annotations

import asyncio
from typing import Any

from sidecar.api.models.notes import EntryAnswer, EntryRequest, ListAnswer, ListRequest, PropertiesAnswer, PropertiesRequest
from sidecar.api.operations.base import Operation, find_note, known_otherwise
from sidecar.api.services import Services
from sidecar.errors import FrontmatterError
from sidecar.vault.frontmatter import body_offset, read_frontmatter
from sidecar.vault.layers import layer_of
from sidecar.vault.note import Note, NotePath
from sidecar.vault.property_edit import diff_heads, edit_properties

_MAX_RENDERED_CHARS = 300_000


async def _entry(services: Services, request: EntryRequest) -> EntryAnswer:
    def read() -> tuple[EntryAnswer, dict[str, str | None]]:
        path = find_note(services, request.note)
        note = services.index.notes[path]
        content = services.files.read(path)
        answer = EntryAnswer(
            path=path,
            title=note.title,
            kind=note.kind,
            layer=layer_of(path, services.config().folders),
            text=content.text,
            html="",
            hash=content.hash,
            properties=note.properties,
            property_error=note.property_error,
            tags=list(dict.fromkeys(note.tags)),
            headings=[(heading.level, heading.text, heading.line) for heading in note.headings],
            from_web=services.index.is_untrusted(path),
        )

        return answer, {link.path: services.index.resolve(link.path, path) for link in note.links}

    answer, targets = await services.thread.run(read)
    if request.render and answer.kind == "note":
        # Rendering a long note takes seconds; the vault's thread has others to serve.
        answer.html = await asyncio.to_thread(_html, answer.text, targets)
    return answer


def _html(text: str, targets: dict[str, str | None]) -> str:
    from sidecar.api.html import render_html

    return render_html(text[body_offset(text) :][:_MAX_RENDERED_CHARS], targets.get)


async def _set(services: Services, request: PropertiesRequest) -> PropertiesAnswer:
    def change(text: str) -> str:
        return edit_properties(text, request.set, request.remove)

    def write() -> PropertiesAnswer:
        path = find_note(services, request.note)
        if services.index.notes[path].kind != "note":
            raise FrontmatterError(f"{path} is no Markdown note.", fix="Name a note.", path=path)
        edit = services.files.edit(path, change, expected=request.expected_hash or None, dry_run=request.dry_run)
        written = edit.after != edit.before and not request.dry_run
        if written:
            services.take_in([path])
        properties = read_frontmatter(edit.after).properties
        return PropertiesAnswer(path=path, hash=edit.hash, written=written, diff=diff_heads(edit.before, edit.after), properties=properties)

    return await services.thread.run(write)


async def _list(services: Services, request: ListRequest) -> ListAnswer:
    def collect() -> list[dict[str, Any]]:
        notes = services.index.notes
        graph = services.graph
        match request.kind:
            case "notes":
                return [_note_item(notes[path], services) for path in sorted(notes) if notes[path].kind == "note"]
            case "hubs":
                return [{"path": h.path, "title": notes[h.path].title, "in_links": h.in_links, "score": h.score} for h in graph.hubs()]
            case "orphans":
                maps = set(services.moc.paths)
                return [{"path": path, "title": notes[path].title} for path in graph.orphans() if path not in maps]
            case "dead-ends":
                maps = set(services.moc.paths)
                return [
                    {"path": path, "title": notes[path].title, "in_links": graph.tally.in_links(path)}
                    for path in graph.dead_ends()
                    if path not in maps
                ]
            case "unresolved":
                wanted = graph.unresolved()
                return [_unwritten(name, wanted[name], services) for name in sorted(wanted, key=lambda n: (-len(wanted[n]), n))]
            case "tags":
                return [{"tag": tag, "count": count} for tag, count in graph.tags()]
            case "problems":
                broken = {path: note.property_error for path, note in notes.items() if note.property_error} | services.index.problems
                return [{"path": path, "problem": broken[path]} for path in sorted(broken)]

    items = await services.thread.run(collect)
    return ListAnswer(kind=request.kind, total=len(items), items=items[request.offset : request.offset + request.limit])


def _unwritten(name: str, wanted_by: list[NotePath], services: Services) -> dict[str, Any]:
    """Describe an unwritten note; if it is the alias or title of one that exists, offer the link that would lead there."""
    known, repair = known_otherwise(services, name, wanted_by[0])
    return {"link": name, "wanted_by": wanted_by, "known_otherwise": known, "repair": repair}


def _note_item(note: Note, services: Services) -> dict[str, Any]:
    return {"path": note.path, "title": note.title, "layer": layer_of(note.path, services.config().folders), "tags": list(note.tags)}


OPERATIONS = (
    Operation("GET", "/api/kb/entry", "One note, its text and what was read from it", EntryRequest, EntryAnswer, _entry),
    Operation(
        "POST",
        "/api/kb/entry/properties",
        "Set and remove properties of a note; only their lines change",
        PropertiesRequest,
        PropertiesAnswer,
        _set,
    ),
    Operation("GET", "/api/kb/list", "Notes, hubs, orphans, dead ends, unwritten notes, tags or problems", ListRequest, ListAnswer, _list),
)
