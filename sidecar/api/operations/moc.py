"""The map of content."""

from __future__ import annotations

from sidecar.api.models.base import Nothing
from sidecar.api.models.moc import CaptureAnswer, HubAnswer, MocAnswer, MocRequest, PlaceAnswer, TopicAnswer
from sidecar.api.operations.base import Operation
from sidecar.api.services import Services


async def _get(services: Services, _: Nothing) -> MocAnswer:
    return await services.thread.run(_answer, services, False)


async def _refresh(services: Services, request: MocRequest) -> MocAnswer:
    def refresh() -> MocAnswer:
        adopted = services.adopt_moc() if request.adopt else False
        return _answer(services, services.refresh_moc() or adopted)

    return await services.thread.run(refresh)


def _answer(services: Services, written: bool) -> MocAnswer:
    plan = services.moc.plan()
    return MocAnswer(
        path=services.moc.path,
        problem=services.moc.check(),
        written=written,
        counts=plan.counts,
        newest=plan.newest.isoformat() if plan.newest else None,
        hubs=[HubAnswer(path=h.path, title=h.title, in_links=h.in_links, tags=list(h.tags), gist=h.gist) for h in plan.hubs],
        hubs_total=plan.hubs_total,
        topics=[TopicAnswer(tag=tag, count=count) for tag, count in plan.topics],
        topics_total=plan.topics_total,
        recent=[CaptureAnswer(path=c.path, title=c.title, day=c.day.isoformat() if c.day else None) for c in plan.recent],
        orphans=[PlaceAnswer(path=path, title=title) for path, title in plan.orphans],
        orphans_total=plan.orphans_total,
        markdown=services.moc.render(plan),
    )


OPERATIONS = (
    Operation("GET", "/api/kb/moc", "What the map of content says", Nothing, MocAnswer, _get),
    Operation("POST", "/api/kb/moc", "Write the map now; adopt its file if asked", MocRequest, MocAnswer, _refresh),
)
