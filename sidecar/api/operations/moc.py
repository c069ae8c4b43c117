"""The map of content."""

from __future__ import annotations

from sidecar.api.models.moc import CaptureAnswer, HubAnswer, MapAnswer, MocAnswer, MocQuery, MocRequest, PlaceAnswer, TopicAnswer
from sidecar.api.operations.base import Operation
from sidecar.api.services import Services
from sidecar.vault.changes import FileStat
from sidecar.vault.note import NotePath


async def _get(services: Services, request: MocQuery) -> MocAnswer:
    return await services.thread.run(_answer, services, request.map, None)


async def _refresh(services: Services, request: MocRequest) -> MocAnswer:
    def refresh() -> MocAnswer:
        before = _states(services)
        if request.adopt:
            for path in services.moc.paths if request.all else [request.map or services.moc.path]:
                services.adopt_moc(path)
        services.refresh_moc()
        return _answer(services, request.map, before)

    return await services.thread.run(refresh)


def _states(services: Services) -> dict[NotePath, FileStat | None]:
    return {path: services.files.stat(path) for path in services.moc.paths}


def _answer(services: Services, path: NotePath, before: dict[NotePath, FileStat | None] | None) -> MocAnswer:
    """Describe the maps; ``before`` tells what was there before they were written, if they were."""
    plan = services.moc.plan()
    reports = services.moc.report()
    after = _states(services) if before is not None else {}
    written = {path for path, state in after.items() if before is not None and state != before.get(path)}
    asked = path or services.moc.path
    text = services.moc.render(plan) if asked == services.moc.path else services.moc.render_map(asked)
    return MocAnswer(
        path=services.moc.path,
        problem=reports[0].problem,
        written=services.moc.path in written,
        counts=plan.counts,
        newest=plan.newest.isoformat() if plan.newest else None,
        hubs=[HubAnswer(path=h.path, title=h.title, in_links=h.in_links, tags=list(h.tags), gist=h.gist) for h in plan.hubs],
        hubs_total=plan.hubs_total,
        topics=[TopicAnswer(tag=tag, count=count) for tag, count in plan.topics],
        topics_total=plan.topics_total,
        recent=[CaptureAnswer(path=c.path, title=c.title, day=c.day.isoformat() if c.day else None) for c in plan.recent],
        orphans=[PlaceAnswer(path=path, title=title) for path, title in plan.orphans],
        orphans_total=plan.orphans_total,
        markdown=text,
        maps=[
            MapAnswer(
                path=report.path,
                title=report.title,
                query=report.query,
                sort=report.sort,
                notes=report.notes,
                problem=report.problem,
                frozen=report.is_frozen,
                written=report.path in written,
            )
            for report in reports
        ],
    )


OPERATIONS = (
    Operation("GET", "/api/kb/moc", "What the map of content says", MocQuery, MocAnswer, _get),
    Operation("POST", "/api/kb/moc", "Write the maps now; adopt their files if asked", MocRequest, MocAnswer, _refresh),
)
