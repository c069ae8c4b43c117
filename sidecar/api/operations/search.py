"""Search, similar notes, and what search knows of the vault."""

from __future__ import annotations

from dataclasses import asdict

from sidecar.api.models.search import (
    FileStateAnswer,
    HitAnswer,
    SearchAnswer,
    SearchRequest,
    SearchStateAnswer,
    SearchStateRequest,
    SimilarAnswer,
    SimilarNoteAnswer,
    SimilarRequest,
    SnippetAnswer,
)
from sidecar.api.operations.base import Operation, find_note
from sidecar.api.services import Services
from sidecar.errors import RequestInvalid
from sidecar.search.answers import Hit
from sidecar.search.snippets import Snippet, utf16_spans


async def _search(services: Services, request: SearchRequest) -> SearchAnswer:
    mode = request.mode or services.config().search.mode
    # While a word is being typed, each letter would ask the source of vectors anew.
    dense, why = await services.semantic.rank(request.q, mode) if mode != "lexical" and not request.typing else (None, "")
    result = await services.thread.run(
        services.search.search, request.q, limit=request.limit, offset=request.offset, is_typing=request.typing, dense=dense
    )
    return SearchAnswer(
        total=result.total,
        searched=result.searched,
        reason=result.reason,
        corrections=result.corrections,
        hits=[_hit_answer(hit) for hit in result.hits],
        mode=dense.mode if dense else "lexical",
        mode_reason=why,
    )


def _hit_answer(hit: Hit) -> HitAnswer:
    return HitAnswer(
        path=hit.path,
        title=hit.title,
        title_highlights=list(hit.title_highlights),
        title_highlights_utf16=list(utf16_spans(hit.title, hit.title_highlights)),
        score=hit.score,
        layer=hit.layer,
        tags=list(hit.tags),
        fields=list(hit.fields),
        age_days=hit.age_days,
        snippets=[_snippet_answer(snippet) for snippet in hit.snippets],
    )


def _snippet_answer(snippet: Snippet) -> SnippetAnswer:
    units = utf16_spans(snippet.text, snippet.highlights)
    return SnippetAnswer(text=snippet.text, highlights=list(snippet.highlights), highlights_utf16=list(units))


async def _similar(services: Services, request: SimilarRequest) -> SimilarAnswer:
    if (request.note is None) == (not request.text.strip()):
        raise RequestInvalid("Give either a note or a text.", fix="Set note or text, not both.", field="note")

    def look() -> SimilarAnswer:
        path = find_note(services, request.note) if request.note is not None else ""
        found = services.search.similar(path=path, text=request.text, limit=request.limit)
        notes = services.index.notes
        return SimilarAnswer(
            similar=[SimilarNoteAnswer(path=one.path, title=notes[one.path].title, score=one.score, terms=list(one.terms)) for one in found]
        )

    return await services.thread.run(look)


async def _state(services: Services, request: SearchStateRequest) -> SearchStateAnswer:
    def look() -> SearchStateAnswer:
        state = services.search.state()
        files = state.others
        if request.note:
            files = (services.search.state_of(services.index.find_note(request.note) or request.note),)
        return SearchStateAnswer(
            indexed=state.indexed,
            total=state.total,
            rebuilt_because=state.rebuilt_because,
            files=[FileStateAnswer(**asdict(one)) for one in files],
        )

    return await services.thread.run(look)


OPERATIONS = (
    Operation("GET", "/api/kb/search", "Notes that answer a query, best first", SearchRequest, SearchAnswer, _search),
    Operation("POST", "/api/kb/similar", "Notes that use the words of a note or of a text", SimilarRequest, SimilarAnswer, _similar),
    Operation(
        "GET", "/api/kb/search/state", "What search knows of the vault or of one file", SearchStateRequest, SearchStateAnswer, _state
    ),
)
