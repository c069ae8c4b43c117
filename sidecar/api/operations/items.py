"""Items, runs, verdicts and briefs."""

from __future__ import annotations

import json
from typing import Any

from sidecar.api.models.base import Nothing
from sidecar.api.models.ingest import JobAnswer
from sidecar.api.models.items import (
    ArchiveAnswer,
    ArchiveRequest,
    BriefAnswer,
    BriefRequest,
    BriefWriteAnswer,
    BriefWriteRequest,
    CandidatesAnswer,
    CandidatesRequest,
    ClearItemsAnswer,
    ClearItemsRequest,
    ExportItemsAnswer,
    ExportItemsRequest,
    FeedbackAnswer,
    FeedbackRequest,
    ItemAnswer,
    ItemInfo,
    ItemRequest,
    ItemsAnswer,
    ItemsRequest,
    ItemWithBody,
    JudgeRequest,
    RebuildAnswer,
    RefusedVerdict,
    RunRequest,
    RunsAnswer,
    RunsRequest,
    VerdictsAnswer,
    VerdictsRequest,
)
from sidecar.api.operations.base import Operation
from sidecar.api.operations.ingest import job_answer
from sidecar.api.services import Services
from sidecar.errors import NoteNotFound, RequestInvalid
from sidecar.ingest.page.safe_text import escape_text, safe_destination
from sidecar.ingest.plan import Created, Duplicate, IngestOptions
from sidecar.items.item import read_tier
from sidecar.items.service import ItemPage, ItemQuery
from sidecar.jobs.queue import Step

_STEP = 0.1


def _query(request: ItemsRequest) -> ItemQuery:
    tier = read_tier(request.tier) or ""
    if request.tier and not tier:
        raise RequestInvalid(f"{request.tier!r} is no tier.", fix="Use worth, okay or skip (值得看, 可以看, 不值当).", field="tier")
    return ItemQuery(
        request.q, request.subscription, request.kind, tier, request.theme, request.status, request.since, request.until, request.sort,
        request.limit, request.offset, request.archived, request.reason,
    )  # fmt: skip


async def _items(services: Services, request: ItemsRequest) -> ItemsAnswer:
    found: ItemPage = await services.item_thread.run(services.items.page, _query(request))
    return ItemsAnswer(total=found.total, items=[ItemInfo(**item) for item in found.items], facets=found.facets)


async def _item(services: Services, request: ItemRequest) -> ItemAnswer:
    return ItemAnswer(item=ItemWithBody(**await services.item_thread.run(services.items.get, request.id)))


async def _feedback(services: Services, request: FeedbackRequest) -> FeedbackAnswer:
    run, items = services.item_thread.run, services.items
    item = await run(items.get, request.id)
    delta, note = None, ""
    if request.action == "dismiss":
        await run(items.archive, [request.id], "dismissed")
        await run(items.give_feedback, request.id, "dismiss")
        delta = await services.thread.run(services.watchlist.tune, item["sub"], -_STEP)
    elif request.action == "more":
        delta = await services.thread.run(services.watchlist.tune, item["sub"], _STEP)
    elif request.action == "save":
        note = await _save(services, item)
    elif request.action == "archive":
        await run(items.archive, [request.id])
    elif request.action == "unarchive":
        await run(items.unarchive, [request.id])
    elif request.action == "seen":
        await run(items.mark_seen, [request.id])
    else:
        tier = read_tier(request.tier)
        if tier is None:
            raise RequestInvalid("A verdict of your own needs a tier.", fix="Use worth, okay or skip.", field="tier")
        await run(items.overrule, request.id, tier, request.why)
        services.judge.on_verdicts({item["day"]})
    changed = await run(items.get, request.id)
    return FeedbackAnswer(item=ItemInfo(**{key: value for key, value in changed.items() if key != "body"}), delta=delta, note=note)


async def _save(services: Services, item: dict[str, Any]) -> str:
    """Bring an item's page into the vault, and remember which note it became."""
    outcome = await services.ingest.ingest(item["url"], IngestOptions(via="share"), lambda name, details: None)
    if not isinstance(outcome, (Created, Duplicate)):
        raise NoteNotFound("Its note lies in the graveyard.", fix="Bring it back: kb resurrect", note=outcome.path)
    await services.item_thread.run(services.items.write, "items", [{"op": "noted", "id": item["id"], "note": outcome.path}])
    await services.item_thread.run(services.items.give_feedback, item["id"], "save")
    return outcome.path


async def _ids(services: Services, ids: list[str], wanted: ItemsRequest | None) -> list[str]:
    if wanted is None:
        return ids
    return list(await services.item_thread.run(services.items.ids, _query(wanted)))


async def _archive(services: Services, request: ArchiveRequest) -> ArchiveAnswer:
    ids = await _ids(services, request.ids, request.filter)
    change = services.items.unarchive if request.undo else services.items.archive
    return ArchiveAnswer(changed=await services.item_thread.run(change, ids), ids=ids)


async def _export(services: Services, request: ExportItemsRequest) -> ExportItemsAnswer:
    ids = await _ids(services, request.ids, request.filter)

    def write() -> str:
        lines = []
        for name in ids:
            item = services.items.get(name)
            address = safe_destination(item["url"])
            link = f" [↗]({address})" if address else ""
            said = f" — {escape_text(item['one_line'] or item['why'])}" if item["one_line"] or item["why"] else ""
            tier = f" `{item['tier']}`" if item["tier"] else ""
            lines.append(f"- {escape_text(item['title'])}{tier} ({escape_text(item['sub'])}, {item['published'][:10]}){said}{link}")
        return "\n".join(lines) + "\n" if lines else ""

    return ExportItemsAnswer(markdown=await services.item_thread.run(write), count=len(ids))


async def _clear(services: Services, request: ClearItemsRequest) -> ClearItemsAnswer:
    ids = await _ids(services, [], request.filter)
    if request.confirm.strip() != str(len(ids)):
        raise RequestInvalid(f"{len(ids)} items would go.", fix=f"Type {len(ids)} to confirm.", field="confirm")

    def clear() -> str:
        lines = [json.dumps(services.items.get(name), ensure_ascii=False) for name in ids]
        name = f"backups/items-{services.items.today()}-{len(ids)}.jsonl"
        services.files.write_own(name, ("\n".join(lines) + "\n").encode("utf-8"))
        services.items.clear(ids)
        return name

    return ClearItemsAnswer(cleared=len(ids), backup=await services.item_thread.run(clear) if ids else "")


async def _runs(services: Services, request: RunsRequest) -> RunsAnswer:
    return RunsAnswer(**await services.runs.state())


async def _run(services: Services, request: RunRequest) -> JobAnswer:
    async def work(step: Step, result: dict[str, Any]) -> None:
        result |= await services.runs.run("manual", step, only=request.only, dry_run=request.dry_run)

    job = services.jobs.start("run", work)
    if request.wait:
        await services.jobs.wait(job)
    return job_answer(job)


async def _candidates(services: Services, request: CandidatesRequest) -> CandidatesAnswer:
    found = await services.judge.candidates(request.limit)
    return CandidatesAnswer(
        instructions=found["instructions"],
        text=found["text"],
        ids=[item["id"] for item in found["items"]],
        waiting=found["waiting"],
        left_today=found["left_today"],
    )


async def _verdicts(services: Services, request: VerdictsRequest) -> VerdictsAnswer:
    taken, refused = await services.judge.save(request.verdicts, "agent")
    left = await services.item_thread.run(services.judge.left_today)
    return VerdictsAnswer(
        taken=[verdict.id for verdict in taken],
        refused=[RefusedVerdict(id=one.id, code=one.code, message=one.message) for one in refused],
        left_today=left,
    )


async def _judge(services: Services, request: JudgeRequest) -> JobAnswer:
    async def work(step: Step, result: dict[str, Any]) -> None:
        judged = await services.runs.judge_now(step)
        result |= {
            "taken": judged.taken, "refused": judged.refused, "skipped": judged.skipped, "tokens": judged.tokens, "problem": judged.problem,
            "over_budget": judged.over_budget,
        }  # fmt: skip

    job = services.jobs.start("judge", work)
    if request.wait:
        await services.jobs.wait(job)
        await services.runs.settle()
    return job_answer(job)


async def _brief(services: Services, request: BriefRequest) -> BriefAnswer:
    await services.runs.settle()
    day = request.date or await services.item_thread.run(services.items.today)
    built = await services.brief.build(day)
    digests = await services.item_thread.run(services.items.digests)
    known = next((one for one in digests if one["day"] == day), None)
    path, text = "", ""
    try:
        note = await services.thread.run(services.brief.read, day)
        path, text = note["path"], note["text"]
    except NoteNotFound:
        pass
    counts = await services.item_thread.run(services.items.counts)
    return BriefAnswer(
        day=day,
        brief=built.as_json(),
        path=path,
        text=text,
        days=[one["day"] for one in digests],
        waiting=counts.get("new", 0) + counts.get("queued", 0),
        updated=known["written"] if known else "",
    )


async def _write_brief(services: Services, request: BriefWriteRequest) -> BriefWriteAnswer:
    day = request.date or await services.item_thread.run(services.items.today)
    if request.roll_up:
        done = await services.brief.roll_up(day, 7 if request.roll_up == "week" else 30)
    else:
        done = await services.brief.write(day)
        services.events.publish("brief", day=day, path=done["path"])
    return BriefWriteAnswer(path=done["path"], written=done["written"], worth=done["worth"])


async def _rebuild(services: Services, request: Nothing) -> RebuildAnswer:
    lines = await services.item_thread.run(services.items.rebuild)
    return RebuildAnswer(lines=lines, counts=await services.item_thread.run(services.items.counts))


OPERATIONS = (
    Operation("GET", "/api/kb/items", "Items with facets, by page", ItemsRequest, ItemsAnswer, _items, needs_index=False),
    Operation("GET", "/api/kb/items/{id}", "One item with its body", ItemRequest, ItemAnswer, _item, needs_index=False),
    Operation("POST", "/api/kb/items/{id}/feedback", "What the owner thinks of an item", FeedbackRequest, FeedbackAnswer, _feedback),
    Operation("POST", "/api/kb/items/archive", "Put items away, or back", ArchiveRequest, ArchiveAnswer, _archive, needs_index=False),
    Operation(
        "POST", "/api/kb/items/export", "Items as Markdown", ExportItemsRequest, ExportItemsAnswer, _export,
        needs_index=False, only_reads=True,
    ),
    Operation(
        "POST", "/api/kb/items/clear", "Take items out, a copy kept; never notes", ClearItemsRequest, ClearItemsAnswer, _clear,
        needs_index=False,
    ),
    Operation("GET", "/api/kb/runs", "How runs stand", RunsRequest, RunsAnswer, _runs, needs_index=False),
    Operation("POST", "/api/kb/runs", "Run now", RunRequest, JobAnswer, _run),
    Operation("GET", "/api/kb/verdicts", "Candidates that wait", CandidatesRequest, CandidatesAnswer, _candidates, needs_index=False),
    Operation("POST", "/api/kb/verdicts", "Save verdicts", VerdictsRequest, VerdictsAnswer, _verdicts),
    Operation("POST", "/api/kb/judge", "Let the endpoint judge what waits", JudgeRequest, JobAnswer, _judge),
    Operation("GET", "/api/kb/brief", "A day's brief", BriefRequest, BriefAnswer, _brief),
    Operation("POST", "/api/kb/brief", "Write a brief, or a roll-up", BriefWriteRequest, BriefWriteAnswer, _write_brief),
    Operation("POST", "/api/kb/rebuild", "Project the items' journals anew", Nothing, RebuildAnswer, _rebuild, needs_index=False),
)  # fmt: skip
