"""Links."""

from __future__ import annotations

from typing import Any

from sidecar.api.models.base import Nothing
from sidecar.api.models.graph import (
    BackAnswer,
    ComponentAnswer,
    ComponentsAnswer,
    EdgeAnswer,
    ForwardAnswer,
    GraphAnswer,
    GraphRequest,
    LinksAnswer,
    LinksRequest,
    MentionAnswer,
    MentionsAnswer,
    MentionsRequest,
    NearAnswer,
    NeighbourhoodAnswer,
    NeighbourhoodRequest,
    NodeAnswer,
    PathAnswer,
    PathRequest,
    RelatedAnswer,
    ResolveAnswer,
    ResolveRequest,
)
from sidecar.api.operations.base import Operation, find_note, known_otherwise
from sidecar.api.services import Services
from sidecar.errors import NoteNotFound
from sidecar.graph.context import Context
from sidecar.graph.service import GraphService, edge_json
from sidecar.vault.inline import read_inline, split_link
from sidecar.vault.note import NotePath

_SHOWN = 100
_GROUPS = 1000


async def _links(services: Services, request: LinksRequest) -> LinksAnswer:
    def collect() -> LinksAnswer:
        path = find_note(services, request.note)
        graph, notes = services.graph, services.index.notes
        return LinksAnswer(
            note=path,
            title=notes[path].title,
            forward=_forward(services, path),
            back=[
                BackAnswer(source=b.source, title=b.title, kind=b.kind, raw=b.raw, generated=b.generated, **_in_context(b.context))
                for b in graph.backlinks(path, request.limit, request.offset)
            ],
            back_total=graph.count_backlinks(path),
            mentions=_mentions(graph, path),
            related=[RelatedAnswer(path=r.path, title=notes[r.path].title, score=r.score, reasons=r.reasons) for r in graph.related(path)],
        )

    return await services.thread.run(collect)


def _forward(services: Services, path: NotePath) -> list[ForwardAnswer]:
    graph = services.graph.graph
    answers: list[ForwardAnswer] = []
    for edge in services.graph.forward(path):
        target = services.index.notes.get(edge.target) if edge.resolved else None
        known, repair = ([], "") if edge.resolved else known_otherwise(services, edge.target, path)
        answers.append(
            ForwardAnswer(
                target=edge.target,
                title=target.title if target else edge.target.rpartition("/")[2],
                kind=edge.kind,
                raw=edge.link.raw,
                subpath=edge.link.subpath,
                display=edge.link.display,
                resolved=edge.resolved,
                known_otherwise=known,
                repair=repair,
                wanted_by=0 if edge.resolved else len(graph.wanted_by(edge.target) - {path}),
            )
        )
    return answers


async def _mentions_of(services: Services, request: MentionsRequest) -> MentionsAnswer:
    def collect() -> MentionsAnswer:
        path = find_note(services, request.note)
        return MentionsAnswer(note=path, mentions=_mentions(services.graph, path, request.limit))

    return await services.thread.run(collect)


def _mentions(graph: GraphService, path: NotePath, limit: int = 100) -> list[MentionAnswer]:
    return [
        MentionAnswer(source=m.source, title=m.title, name=m.name, start=m.start, end=m.end, **_in_context(m.context))
        for m in graph.mentions(path, limit)
    ]


def _in_context(context: Context) -> dict[str, Any]:
    return {"context": context.text, "highlights": list(context.highlights), "line": context.line, "heading": context.heading}


async def _graph(services: Services, request: GraphRequest) -> GraphAnswer:
    whole = await services.thread.run(services.graph.as_json, tags=request.tags)
    return GraphAnswer(
        version=whole["version"],
        nodes=[NodeAnswer.model_construct(**node) for node in whole["nodes"]],
        edges=[EdgeAnswer.model_construct(**edge) for edge in whole["edges"]],
    )


async def _neighbourhood(services: Services, request: NeighbourhoodRequest) -> NeighbourhoodAnswer:
    def collect() -> NeighbourhoodAnswer:
        graph, path = services.graph, find_note(services, request.note)
        near = graph.around(path, request.depth, request.limit)
        nodes = [NearAnswer(**graph.node_json(file), distance=distance) for file, distance in near.distances.items()]
        edges: list[EdgeAnswer] = []
        unwritten: dict[str, int] = {}
        for source, distance in near.distances.items():
            for edge in graph.edges_from(source):
                if edge.target in near.distances if edge.resolved else distance < request.depth:
                    edges.append(EdgeAnswer(**edge_json(edge)))
                    if not edge.resolved:
                        unwritten.setdefault(edge.target, distance + 1)
        nodes += [
            NearAnswer(path=name, kind="unresolved", title=name.rpartition("/")[2], layer="", distance=distance)
            for name, distance in unwritten.items()
        ]
        return NeighbourhoodAnswer(note=path, depth=request.depth, nodes=nodes, edges=edges, truncated=near.left_out)

    return await services.thread.run(collect)


async def _path(services: Services, request: PathRequest) -> PathAnswer:
    def collect() -> PathAnswer:
        way = services.graph.path_between(find_note(services, request.start), find_note(services, request.goal))
        return PathAnswer(path=[NodeAnswer(**services.graph.node_json(path)) for path in way])

    return await services.thread.run(collect)


async def _components(services: Services, _: Nothing) -> ComponentsAnswer:
    groups = await services.thread.run(services.graph.components)
    return ComponentsAnswer(
        total=len(groups), components=[ComponentAnswer(size=len(group), notes=group[:_SHOWN]) for group in groups[:_GROUPS]]
    )


async def _resolve(services: Services, request: ResolveRequest) -> ResolveAnswer:
    def resolve() -> str | None:
        source = find_note(services, request.source) if request.source else ""
        written = read_inline(request.link.strip()).links
        path = written[0].path if written else split_link(request.link.partition("|")[0])[0]
        return services.index.resolve(path, source) or None

    try:
        return ResolveAnswer(target=await services.thread.run(resolve))
    except NoteNotFound as error:
        raise NoteNotFound(f"There is no note {request.source[:200]!r} to resolve from.", fix="Give an existing note.") from error


OPERATIONS = (
    Operation("GET", "/api/kb/links", "Links of a note: out, back, unlinked mentions, related notes", LinksRequest, LinksAnswer, _links),
    Operation(
        "GET", "/api/kb/mentions", "Where other notes name a note without linking to it", MentionsRequest, MentionsAnswer, _mentions_of
    ),
    Operation("GET", "/api/kb/graph", "The whole graph", GraphRequest, GraphAnswer, _graph),
    Operation("GET", "/api/kb/graph/neighbourhood", "What lies around a note", NeighbourhoodRequest, NeighbourhoodAnswer, _neighbourhood),
    Operation("GET", "/api/kb/graph/path", "A shortest way from note to note", PathRequest, PathAnswer, _path),
    Operation("GET", "/api/kb/graph/components", "Groups of notes that links join, largest first", Nothing, ComponentsAnswer, _components),
    Operation("GET", "/api/kb/resolve", "Where a link leads", ResolveRequest, ResolveAnswer, _resolve),
)
