"""Search."""

from __future__ import annotations

from sidecar.api.models.search import HitAnswer, SearchAnswer, SearchRequest, SnippetAnswer
from sidecar.api.operations.base import Operation
from sidecar.api.services import Services
from sidecar.config import SearchMode


async def _search(services: Services, request: SearchRequest) -> SearchAnswer:
    mode = request.mode or services.config().search.mode
    # While a word is being typed, each letter would ask the source of vectors anew.
    dense, why = await services.semantic.rank(request.q, mode) if mode != "lexical" and not request.typing else (None, "")
    result = await services.thread.run(
        services.search.search, request.q, limit=request.limit, offset=request.offset, is_typing=request.typing, dense=dense
    )
    hits = [
        HitAnswer(
            path=hit.path,
            title=hit.title,
            title_highlights=list(hit.title_highlights),
            score=hit.score,
            layer=hit.layer,
            tags=list(hit.tags),
            snippets=[SnippetAnswer(text=snippet.text, highlights=list(snippet.highlights)) for snippet in hit.snippets],
        )
        for hit in result.hits
    ]
    used: SearchMode = dense.mode if dense else "lexical"
    return SearchAnswer(total=result.total, searched=result.searched, reason=result.reason, hits=hits, mode=used, mode_reason=why)


OPERATIONS = (Operation("GET", "/api/kb/search", "Notes that answer a query, best first", SearchRequest, SearchAnswer, _search),)
