"""Search."""

from __future__ import annotations

from sidecar.api.models.search import HitAnswer, SearchAnswer, SearchRequest, SnippetAnswer
from sidecar.api.operations.base import Operation
from sidecar.api.services import Services


async def _search(services: Services, request: SearchRequest) -> SearchAnswer:
    result = await services.thread.run(
        services.search.search, request.q, limit=request.limit, offset=request.offset, is_typing=request.typing
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
    return SearchAnswer(total=result.total, searched=result.searched, reason=result.reason, hits=hits)


OPERATIONS = (Operation("GET", "/api/kb/search", "Notes that answer a query, best first", SearchRequest, SearchAnswer, _search),)
